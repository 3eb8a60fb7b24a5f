/** Flags of every command that runs durable work: which models its runs use, what they may do and how much they may take. */
import type { Command } from "commander";
import { UsageError } from "../../host/command/index.ts";

export const withModelFlags = (command: Command): Command =>
  command
    .option("--provider <name>", "model provider for calls that do not name one")
    .option("--model <id>", "model for calls that do not name one")
    .option("--base-url <url>", "server of the provider")
    .option("--tape <file>", "answer model calls from this tape")
    .option("--llm-mock <file>", "answer every model call from this fixture file");

/** `what` runs, in help texts: "the script". */
export const withWorkFlags = (command: Command, what = "scripts"): Command =>
  withModelFlags(command)
    .option("--allow <list>", `what ${what} may do, as for \`harn run\``, continued)
    .option("--deny <list>", "what it may not do", continued);

/** `run` is what the limits hold for: "a turn". */
export const withLimitFlags = (command: Command, run: string): Command =>
  command
    .option(
      "--timeout <time>",
      `end ${run} that takes longer: 90s, 30m, 2h (30m); it goes on later`,
      timeFlag,
    )
    .option("--memory <mb>", `end ${run} that takes more memory (1024)`, megabytes);

/** Lists that are given several times. */
export const continued = (text: string, before: string | undefined): string =>
  before === undefined ? text : `${before},${text}`;

export function count(flag: string, max: number, min = 1): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isSafeInteger(number) && number >= min && number <= max) return number;
    throw new UsageError(`${flag}: expected a whole number from ${min} to ${max}, got ${text}`);
  };
}

/** A process needs this much to begin. */
const minMegabytes = 64;
const megabytes = count("--memory", 1_000_000, minMegabytes);

const units: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

function timeFlag(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const ms = match === null ? 0 : Number(match[1]) * (units.get(match[2] ?? "s") as number);
  if (ms > 0) return ms;
  throw new UsageError(`--timeout: expected a time such as 90s, 30m or 2h, got ${text}`);
}
