/** Why a run did not give what it should have: as `HarnError`s, with the codes that the command line would show. */
import { basename } from "node:path";
import { type Code, type Diagnostic, renderDiagnostics } from "../../diagnostics/index.ts";
import { asUsageError, problemError, UsageError } from "../../host/command/index.ts";
import type { GuardedEnd } from "../../interp/index.ts";
import type { RunOutcome } from "../../lower/index.ts";
import { LlmUsageError } from "../../model/index.ts";
import { errorCodeOf } from "../../run/setup/index.ts";
import type { SourceFile, Span } from "../../source/index.ts";
import {
  displayAnyway,
  isErr,
  jsErrorText,
  payload,
  presentFields,
  UnfitValue,
  uncaughtText,
} from "../../values/index.ts";
import { HarnError, harnError, internalError } from "../errors.ts";
import { validated } from "../schema.ts";
import type { Place, Question, Schema } from "../types.ts";

/** What was thrown before or around a program. */
export function thrownFailure(run: string, thrown: unknown): HarnError {
  if (thrown instanceof HarnError) return thrown.run === undefined ? namedFailure(thrown, run) : thrown;
  if (thrown instanceof UnfitValue) return harnError("HARN-LIB-004", thrown.message, { run, cause: thrown });
  if (thrown instanceof LlmUsageError)
    return harnError("HARN-LIB-001", thrown.message, { run, cause: thrown });
  const error = asUsageError(thrown);
  if (error instanceof UsageError) return harnError(error.code, error.message, { run });
  return internalError(run, error);
}

const namedFailure = ({ code, message, place, questions, cause }: HarnError, run: string): HarnError =>
  harnError(code as Code, message, { run, cause, ...presentFields({ place, questions }) });

/** What a run gave, as its schema reads it. `what`: `the result`. */
export async function fitted(schema: Schema | undefined, value: unknown, what: string, run: string) {
  if (schema === undefined) return value;
  try {
    return await validated(schema, value, what);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw harnError("HARN-LIB-005", message, { run, cause: error });
  }
}

/** A program that does not compile: the first error has the code and the place, the message shows them all. */
export function programFailure(run: string, found: readonly Diagnostic[]): HarnError {
  const errors = found.filter(({ severity }) => severity === "error");
  const [first] = errors;
  const code = (first?.code ?? "HARN-LIB-009") as Code;
  const place = first === undefined ? {} : { place: sourcePlace(first.source, first.span) };
  const text = renderDiagnostics(errors, { colour: false }).trimEnd();
  // It is an error already: its name says so.
  return harnError(code, text.replace(/^error: /, ""), { run, ...place });
}

/** The script of an agent or a flow, `<…>`: a place in it tells nobody anything. */
const isOwnName = (name: string): boolean => basename(name).startsWith("<");

/** How a program failed that ran to its end; undefined when it did not. */
export function outcomeFailure(run: string, { value, exitCode, error }: RunOutcome): HarnError | undefined {
  if (error !== undefined) {
    const { source, span } = error.error;
    const place =
      source === undefined || span === undefined || isOwnName(source.name)
        ? {}
        : { place: sourcePlace(source, span) };
    const code = errorCodeOf(error.error) as Code;
    // What a tool or a flow threw is told as the program would tell it.
    const { value: thrown, cause } = error.error;
    return harnError(code, jsErrorText(thrown) ?? uncaughtText(error.error), {
      run,
      cause,
      ...place,
    });
  }
  if (isErr(value)) return harnError("HARN-LIB-009", displayAnyway(payload(value)), { run });
  // An int that a program returns is its result here, whatever a shell makes of it.
  if (value !== null || exitCode === 0) return undefined;
  return harnError("HARN-LIB-009", `the script ended itself with exit code ${exitCode}`, { run });
}

type Stopped = Extract<GuardedEnd<RunOutcome>, { kind: "stopped" }>;

export function stopFailure(
  run: string,
  { request }: Stopped,
  { why = request.reason, cause, questions, unanswered }: StopReason,
): HarnError {
  return request.reason === "parked"
    ? waitingFailure(run, questions, unanswered)
    : stoppedFailure(run, why, cause);
}

interface StopReason {
  readonly why: string | undefined;
  readonly cause: unknown;
  readonly questions: readonly Question[];
  readonly unanswered: Iterable<string>;
}

export const stoppedFailure = (run: string, why: string, cause: unknown): HarnError =>
  harnError("HARN-LIB-003", `${run} was stopped: ${why}`, { run, cause });

/** `unanswered`: why whoever was asked gave no answer. */
export function waitingFailure(
  run: string,
  questions: readonly Question[],
  unanswered: Iterable<string> = [],
): HarnError {
  const asked = [...questions.map(({ prompt }) => prompt), ...unanswered]
    .map((line) => `\n  ${line}`)
    .join("");
  return harnError("HARN-LIB-002", `${run} waits for a person${asked}`, { run, questions });
}

/** Its cause is the problem itself, for who wants both sides as data. */
export function problemFailure(run: string, problem: Parameters<typeof problemError>[0]): HarnError {
  const { code, message } = problemError(problem);
  const { place } = problem;
  if (place === undefined) return harnError(code, message, { run, cause: problem });
  const { file, shown, line, column } = place;
  if (!isOwnName(shown))
    return harnError(code, message, { run, cause: problem, place: { file, line, column } });
  return harnError(code, message.replace(`\n  at ${shown}:${line}:${column}`, ""), { run, cause: problem });
}

function sourcePlace(source: SourceFile, span: Span): Place {
  const { line, column } = source.position(span.start);
  return { file: source.path ?? source.name, line, column };
}
