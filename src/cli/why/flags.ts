/** Flags of `harn why`. */
import type { Command } from "commander";
import type { WhyFlags } from "./why-command.ts";

/** `replayable`: what names the record. */
export function addWhyCommand(program: Command, replayable: string, done: (code: number) => void): void {
  program
    .command("why")
    .description("Answers why about a recorded run's agents: how a loop ended, what a request was made of.")
    .argument("<run>", replayable)
    .option("--turn <n>", "why it went on after this turn; with --missing: in its request")
    .option("--message <id>", "where a message comes from, when it was seen, what became of it")
    .option("--missing <id>", "why a message is not in a request (the last, or that of --turn)")
    .option("--text <words>", "which parts of the requests have this text, and which had it until when")
    .option("--tool <name>", "when the model was told of a tool, and how its calls went")
    .option("--instruction <rule>", "when an instruction was given, or the facts by which it was not")
    .option("--requirement <id>", "each look at a requirement of the task contract")
    .option("--session <id>", "which session (several: they are listed)")
    .option("--loop <id>", "which loop of the session (`l2`); the last unless given")
    .option("--depth <n>", "so deep (6)")
    .option("--json", "the answer as JSON")
    .action(async (run: string, options: WhyFlags) => {
      const { whyCommand } = await import("./why-command.ts");
      done(await whyCommand(run, options));
    });
}
