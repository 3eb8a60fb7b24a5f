/** What the end of a run means for a test: passed, failed (why, shown how), out of time. */
import { comparedValues } from "../../builtins/index.ts";
import { showText } from "../../diagnostics/index.ts";
import { displayAnyway, isErr, payload, type ScriptError, type Value } from "../../values/index.ts";
import type { Attempt } from "./attempt.ts";
import type { TestBench } from "./bench.ts";
import type { TestOptions, TestResult } from "./contract.ts";
import { renderDiff } from "./diff.ts";
import { inlineValue, valueLines } from "./value-lines.ts";

export type Verdict = Pick<TestResult, "status" | "durationMs" | "message" | "detail" | "stdout" | "stderr">;

/** Judges one run. */
export function testVerdict(ran: Attempt, bench: TestBench, options: TestOptions): Verdict {
  const { stdout, stderr, durationMs, outcome, problem } = ran;
  const base = { durationMs, stdout, stderr };
  const failed = (message: string, detail?: string): Verdict => ({
    ...base,
    status: "failed",
    message,
    detail,
  });
  if (ran.timedOut)
    return {
      ...base,
      status: "timeout",
      message: `stopped at its limit of ${timeLimitText(options.timeoutMs)}`,
    };
  if (problem !== undefined) return failed(problem.message, showText(problem.details.join("\n")));
  if (outcome === undefined) return failed("the run ended without an outcome");
  if (outcome.internal !== undefined)
    return failed(
      `internal error, please report it: ${outcome.internal.message}`,
      String((outcome.internal.cause as Error | undefined)?.stack ?? ""),
    );
  if (outcome.error !== undefined)
    return failed(outcome.error.text, errorDetail(outcome.error.error, bench, options));
  if (isErr(outcome.value)) return failed(`it returned Err: ${displayAnyway(payload(outcome.value))}`);
  if (outcome.value === null && outcome.exitCode !== 0) return failed(`it called exit(${outcome.exitCode})`);
  const [lost, ...more] = ran.lostTasks;
  if (lost !== undefined) return failed(lost, showText(more.join("\n")));
  return { ...base, status: "passed" };
}

const timeLimitText = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`);

/** The rendered error, and what a failed `assert_eq` compared. */
function errorDetail(error: ScriptError, bench: TestBench, options: TestOptions): string {
  const shown = bench.showError(error, options.colour).trimEnd();
  const sides = comparedValues(error);
  if (sides === undefined) return shown;
  return `${shown}\n${shownDifference(sides.expected, sides.actual, options.colour)}`;
}

function shownDifference(expected: Value, actual: Value, colour: boolean): string {
  const wanted = inlineValue(expected);
  const got = inlineValue(actual);
  const short = wanted.length <= 72 && got.length <= 72 && !/\\n/.test(wanted + got);
  // Two values may look alike and differ all the same: a closure, a duration, a float from an int.
  if (short || wanted === got) return showText(`expected: ${wanted}\nactual:   ${got}`);
  return renderDiff(valueLines(expected), valueLines(actual), colour);
}
