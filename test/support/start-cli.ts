/** Starts the launcher without waiting for its end: for tests that interrupt it or serve it while it runs. */
import { type ChildProcess, spawn } from "node:child_process";
import { type CliResult, cleanEnvironment, stateOf } from "./command-environment.ts";
import { launcher, projectRoot } from "./project.ts";
import type { CliOptions } from "./run-cli.ts";

export interface RunningCli {
  readonly child: ChildProcess;
  /** Resolves when the text has appeared on either stream; rejects when the process ends before. */
  shows(text: string): Promise<void>;
  readonly ended: Promise<CliResult>;
}

export function startHarn(args: readonly string[], options: CliOptions = {}): RunningCli {
  const child = spawn(options.program ?? launcher, args, {
    cwd: options.cwd ?? projectRoot,
    env: cleanEnvironment({ ...stateOf(options.cwd), ...options.env }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  if (options.keepInput !== true) child.stdin.end(options.input ?? "");
  let stdout = "";
  let stderr = "";
  let over = false;
  const waiting = new Set<() => void>();
  const seen = (): void => {
    for (const check of [...waiting]) check();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    seen();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    seen();
  });
  const ended = new Promise<CliResult>((resolve) => {
    child.on("close", (status, signal) => {
      over = true;
      resolve({ stdout, stderr, status, signal });
      seen();
    });
  });
  const shows = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const found = stdout.includes(text) || stderr.includes(text);
        if (!found && !over) return;
        waiting.delete(check);
        if (found) resolve();
        else reject(new Error(`it ended without showing ${JSON.stringify(text)}:\n${stdout}\n${stderr}`));
      };
      waiting.add(check);
      check();
    });
  return { child, shows, ended };
}
