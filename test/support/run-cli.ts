/** Starts the real launcher as a child process: what a user types is what a test runs. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { launcher, projectRoot, sharedState } from "./project.ts";

export interface CliOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeout?: number;
  /** Of a process that is started: its standard input stays open for the test to write. */
  readonly keepInput?: boolean;
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

/** `harn ARGS` to its end. */
export function harn(args: readonly string[], options: CliOptions = {}): CliResult {
  const done: SpawnSyncReturns<string> = spawnSync(launcher, args, {
    cwd: options.cwd ?? projectRoot,
    input: options.input ?? "",
    env: cleanEnvironment({ ...stateOf(options.cwd), ...options.env }),
    encoding: "utf8",
    timeout: options.timeout ?? 300_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (done.error !== undefined) throw done.error;
  return { stdout: done.stdout, stderr: done.stderr, status: done.status, signal: done.signal };
}
