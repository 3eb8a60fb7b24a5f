/** The flags of `harn bench`, declared for commander. */
import type { Command } from "commander";
import type { BenchFlags } from "./bench-command.ts";

/** Adds `harn bench`. */
export function addBenchCommand(
  program: Command,
  script: readonly string[],
  done: (code: number) => void,
): void {
  program
    .command("bench")
    .description("Measures how long a script takes: minimum, median and spread in one warm process.")
    .argument("<file>", "the script; what it does outside it does each time")
    .option("-n <count>", "how often it is measured (20)")
    .option("--compare <other>", "another script, measured in turn with the first")
    .option("--json", "one JSON object")
    .option("--tape <file>", "answer model calls from this tape, from its start each time")
    .option("--llm-mock <file>", "answer every model call from this fixture file")
    .action(async (file: string, flags: BenchFlags) => {
      const { benchCommand } = await import("./bench-command.ts");
      done(await benchCommand(file, script, flags));
    });
}
