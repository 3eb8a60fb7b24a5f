/** What a command finds around it that a test runs, in a process of its own or in the test's. Starts no processes. */
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sharedState } from "./project.ts";

export interface CommandOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The environment of a user without any key; Node 24 first in PATH, as npm puts it. */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!/_API_KEY$|_TOKEN$|^HARN_|^NODE_OPTIONS$|^VITEST/.test(name)) env[name] = value;
  }
  return { ...env, NO_COLOR: "1", PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`, ...more };
}

/** Runs in the project's own folder keep their records elsewhere. */
export function stateOf(cwd: string | undefined): Readonly<Record<string, string>> {
  return cwd === undefined ? { HARN_STATE_DIR: ownState } : {};
}
/** Removed with the suite's temporary folder, by `clean-run.ts`. */
const ownState = join(tmpdir(), sharedState, String(process.pid));
