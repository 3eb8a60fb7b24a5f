/** Starts the real launcher as a child process: what a user types is what a test runs. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { type CliResult, type CommandOptions, cleanEnvironment, stateOf } from "./command-environment.ts";
import { launcher, projectRoot } from "./project.ts";

export interface CliOptions extends CommandOptions {
  readonly timeout?: number;
  /** Of a process that is started: its standard input stays open for the test to write. */
  readonly keepInput?: boolean;
  /** Of a process that is started: the launcher of an installed package in place of ours. */
  readonly program?: string;
}

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
