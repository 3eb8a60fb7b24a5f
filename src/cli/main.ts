/**
 * The command line. `harn run` with plain arguments goes straight to work; everything else (other commands, help,
 * mistakes) is read by commander, which is loaded for it.
 */

import {
  commandLineMark,
  type ExecutableContents,
  reportFailure,
  useExecutable,
} from "../host/command/index.ts";
import { plainArguments, plainRunArguments, type RunFlags } from "../run/setup/index.ts";
import type { RunOwnProgram } from "./commands/executable.ts";
import { runHereOrHandOver } from "./run/run-command.ts";

const endsWithItsProgram: ReadonlySet<string> = new Set(["run", "session", "repl"]);

/** Runs `harn ARGS` and leaves the exit code in `process.exitCode`. */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await commandLine(args, (code) => process.exit(code));
}

/** The same in an executable of `harn build`: its arguments are those of its program, or after `--harn` a command line of ours. */
export async function mainOfExecutable(contents: ExecutableContents, args: readonly string[]): Promise<void> {
  useExecutable(contents);
  if (args[0] === commandLineMark) {
    process.argv.splice(2, 1);
    return await main(args.slice(1));
  }
  process.exitCode = await runOwnProgram(args, (code) => process.exit(code));
}

/** Runs `harn ARGS` and gives the exit code. `end` is called when a program has ended that a process is there for. */
export async function commandLine(args: readonly string[], end: (code: number) => void): Promise<number> {
  const { own, script } = splitArguments(args);
  return await endedWith(endsWithItsProgram.has(own[0] ?? ""), run(own, script), end);
}

async function endedWith(
  isProgram: boolean,
  running: Promise<number>,
  end: (code: number) => void,
): Promise<number> {
  try {
    const code = await running;
    // A program's end is the process's: tasks, idle connections and timers that it left (what Ctrl-C broke off in the middle
    // has nobody who could stop them) are not waited for, and freeing every object (5 ms) is left to the system. All output is
    // written by then.
    if (isProgram) end(code);
    return code;
  } catch (error) {
    return reportFailure(error);
  }
}

async function run(own: readonly string[], script: readonly string[]): Promise<number> {
  const plain = own[0] === "run" ? plainRunArguments(own.slice(1)) : undefined;
  if (plain !== undefined) return runHereOrHandOver(plain.file, script, plain.flags);
  const { runCommands } = await import("./commands/tree.ts");
  return runCommands(own, script);
}

/** What is no flag is an argument of the program, as everything after `--`. */
async function runOwnProgram(args: readonly string[], end: (code: number) => void): Promise<number> {
  const { own, script } = splitArguments(args);
  const run = (words: readonly string[], flags: RunFlags): Promise<number> =>
    endedWith(true, runHereOrHandOver(undefined, [...words, ...script], flags), end);
  return await endedWith(false, readOwnArguments(own, run), end);
}

async function readOwnArguments(args: readonly string[], run: RunOwnProgram): Promise<number> {
  const plain = plainArguments(args);
  if (plain !== undefined && plain.flags.eval === undefined) return await run(plain.words, plain.flags);
  const { executableCommand } = await import("./commands/executable.ts");
  return await executableCommand(args, run);
}

/** What stands after the first `--` belongs to the script. */
function splitArguments(args: readonly string[]): { own: readonly string[]; script: readonly string[] } {
  const at = args.indexOf("--");
  return at === -1 ? { own: args, script: [] } : { own: args.slice(0, at), script: args.slice(at + 1) };
}
