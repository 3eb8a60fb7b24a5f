/**
 * Runs the command line in the test's own process: for what needs no kill, no signal, no terminal and no process of its own. Each call
 * has its own working directory, variables and streams, so several may run beside each other; nothing of this process changes.
 */
import { commandLine } from "../../src/cli/main.ts";
import { inProcess } from "../../src/process/index.ts";
import { madeProcess } from "../../src/process/made-process.ts";
import { type CliResult, type CommandOptions, cleanEnvironment, stateOf } from "./command-environment.ts";
import { projectRoot } from "./project.ts";

/** `harn ARGS` to its end. */
export async function harnHere(args: readonly string[], options: CommandOptions = {}): Promise<CliResult> {
  if (args[0] === "test") throw new Error("harn test starts the launcher for its workers: use harn()");
  const { cwd, env, input } = options;
  const written = { stdout: "", stderr: "" };
  const own = madeProcess({
    cwd: cwd ?? projectRoot,
    env: cleanEnvironment({ ...stateOf(cwd), ...env }),
    ...(input === undefined ? {} : { input }),
    stdout: (text) => {
      written.stdout += text;
    },
    stderr: (text) => {
      written.stderr += text;
    },
    exit: (code) => new Error(`a command that runs in a test ends the process (${code}): start it`),
  });
  const status = await new Promise<number>((ended, failed) => {
    inProcess(own, () => commandLine(args, ended).then(ended, failed));
  });
  // The program ends in a batch of its own turns: the test goes on outside of it.
  await new Promise((next) => setImmediate(next));
  return { ...written, status, signal: null };
}
