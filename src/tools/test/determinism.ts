/** `--determinism`: whether two runs of a test printed, heard and did the same. */
import type { Attempt } from "./attempt.ts";
import { renderDiff } from "./diff.ts";
import { withoutTimerTimes } from "./expectation.ts";

/** `undefined` when the runs agree; else the first aspect in which they differ. */
export function answersDifference(first: Attempt, second: Attempt, colour: boolean): string | undefined {
  const output = (ran: Attempt): string[] => withoutTimerTimes(ran.stdout).split("\n");
  const aspects: readonly (readonly [string, (ran: Attempt) => readonly string[]])[] = [
    ["standard output", output],
    ["answers of models", (ran) => ran.answers],
    ["effects (path, number, kind)", (ran) => ran.effects],
    ["ways to end", (ran) => [endOfAttempt(ran)]],
  ];
  for (const [name, of] of aspects) {
    const a = of(first);
    const b = of(second);
    if (a.length === b.length && a.every((line, i) => line === b[i])) continue;
    return `${name}, first run (-) and second run (+):\n${renderDiff(a, b, colour).split("\n").slice(2).join("\n")}`;
  }
  return undefined;
}

function endOfAttempt(ran: Attempt): string {
  if (ran.timedOut) return "stopped at its limit";
  return ran.outcome?.error?.text ?? `exit code ${ran.outcome?.exitCode ?? 0}`;
}
