/** `--on-doubt`: what to do with what was under way when a run ended. */
import { readSync } from "node:fs";
import type { OnDoubt, Secrets } from "../effects/index.ts";
import type { RunFlags } from "./run-flags.ts";
import { isTerminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

const ways: readonly OnDoubt[] = ["ask", "redo", "skip", "fail"];

export interface Doubts {
  readonly onDoubt: OnDoubt;
  readonly secrets: Secrets;
  readonly sayDoubt: (text: string) => void;
  readonly askDoubt?: (text: string) => Exclude<OnDoubt, "ask"> | undefined;
}

export function doubtOptions(flags: RunFlags, secrets: Secrets): Doubts {
  const onDoubt = (flags.onDoubt ?? "ask") as OnDoubt;
  if (!ways.includes(onDoubt)) {
    throw new UsageError(`--on-doubt must be one of ${ways.join(", ")}, got ${onDoubt}`);
  }
  const sayDoubt = (text: string): void => void process.stderr.write(`harn: ${text}\n`);
  if (process.stdin.isTTY !== true || !isTerminal(2)) return { onDoubt, secrets, sayDoubt };
  return { onDoubt, secrets, sayDoubt, askDoubt };
}

/** At once: the program stands still until it is decided. */
function askDoubt(text: string): Exclude<OnDoubt, "ask"> | undefined {
  process.stderr.write(
    `harn: it is not known whether this happened before the run ended:\n  ${text}\n  Do it [a]gain, [s]kip it, or [f]ail? `,
  );
  const word = readLine().trim().toLowerCase();
  if (word.startsWith("a")) return "redo";
  if (word.startsWith("s")) return "skip";
  return word.startsWith("f") ? "fail" : undefined;
}

function readLine(): string {
  const bytes = Buffer.alloc(1);
  let line = "";
  while (readSync(0, bytes, 0, 1, null) === 1 && bytes[0] !== 10) line += bytes.toString("latin1");
  return line;
}
