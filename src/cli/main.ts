/**
 * The command line. `harn run` with plain arguments goes straight to work; everything else (other commands, help,
 * mistakes) is read by commander, which is loaded for it.
 */

import { reportFailure } from "../host/command/index.ts";
import { plainRunArguments } from "../run/setup/index.ts";
import { runScriptCommand } from "../run/start.ts";

const endsWithItsProgram: ReadonlySet<string> = new Set(["run", "session", "repl"]);

/** Runs `harn ARGS` and leaves the exit code in `process.exitCode`. */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await commandLine(args, (code) => process.exit(code));
}

/** Runs `harn ARGS` and gives the exit code. `end` is called when a program has ended that a process is there for. */
export async function commandLine(args: readonly string[], end: (code: number) => void): Promise<number> {
  const { own, script } = splitArguments(args);
  try {
    const code = await run(own, script);
    // A program's end is the process's: tasks, idle connections and timers that it left (what Ctrl-C broke off in the middle
    // has nobody who could stop them) are not waited for, and freeing every object (5 ms) is left to the system. All output is
    // written by then.
    if (endsWithItsProgram.has(own[0] ?? "")) end(code);
    return code;
  } catch (error) {
    return reportFailure(error);
  }
}

async function run(own: readonly string[], script: readonly string[]): Promise<number> {
  const plain = own[0] === "run" ? plainRunArguments(own.slice(1)) : undefined;
  if (plain !== undefined) return runScriptCommand(plain.file, script, plain.flags);
  const { runCommands } = await import("./commands/tree.ts");
  return runCommands(own, script);
}

/** What stands after the first `--` belongs to the script. */
function splitArguments(args: readonly string[]): { own: readonly string[]; script: readonly string[] } {
  const at = args.indexOf("--");
  return at === -1 ? { own: args, script: [] } : { own: args.slice(0, at), script: args.slice(at + 1) };
}
