/** The words of a replay that cannot go on: both sides, where they part, and what to do. */

import type { Json } from "../values/index.ts";
import { isJsonObject } from "../values/index.ts";
import { type Divergence, type EndResult, type Fingerprint, JournalProblem } from "./journal.ts";
import type { Decision, EffectCall } from "./port.ts";

/** An effect of a journal: the task that asked for it, its number there, what it is. */
export interface RecordedPlace {
  readonly path: string;
  readonly number: number;
  readonly kind: string;
}

export interface EffectRequest extends RecordedPlace {
  readonly effect: string;
  readonly args: Json;
}

const place = (path: string, number: number): string => `effect ${path}#${number}`;
const placeName = ({ path, number }: Pick<RecordedPlace, "path" | "number">): string => `${path}#${number}`;

/** A mismatch: both sides, and what there is to say besides. */
function diverges(message: string, divergence: Divergence, besides: readonly string[]): JournalProblem {
  const { recorded, now } = divergence;
  return new JournalProblem(
    "mismatch",
    message,
    [`recorded: ${recorded}`, `asked:    ${now}`, ...besides],
    divergence,
  );
}

/** The program asked for something else than was recorded. */
export function differs(
  recorded: Fingerprint & { args: Json },
  asked: EffectRequest,
  what: string = advice,
): JournalProblem {
  const at = recorded.k === asked.kind ? firstDifference(recorded.args, asked.args, "arguments") : undefined;
  return diverges(
    `the replay asks for something else than was recorded (${place(asked.path, asked.number)})`,
    {
      place: placeName(asked),
      recorded: callInWords(recorded.c, recorded.k, recorded.args),
      now: callInWords(asked.effect, asked.kind, asked.args),
    },
    [...(at === undefined ? [] : [`they differ at ${at}`]), what],
  );
}

/** An effect that happened once more gave something else; undefined where it gave the same. Results and errors are stored forms. */
export function givesOther(asked: EffectRequest, recorded: Json, now: Json): JournalProblem | undefined {
  const at = firstDifference(recorded, now, "outcome");
  if (at === undefined) return undefined;
  const { path, number, effect, kind, args } = asked;
  const divergence = {
    place: placeName(asked),
    recorded: cappedJson(JSON.stringify(recorded)),
    now: cappedJson(JSON.stringify(now)),
  };
  return new JournalProblem(
    "mismatch",
    `${kind} gives something else than was recorded (${place(path, number)})`,
    [
      `call:     ${callInWords(effect, kind, args)}`,
      `recorded: ${divergence.recorded}`,
      `now:      ${divergence.now}`,
      `they differ at ${at}`,
      "what it looks at has changed since, or what it does has; what was recorded stands",
    ],
    divergence,
  );
}

/** The program asked for more than was recorded. */
export function unrecorded(asked: EffectRequest, ended: string, what: string = advice): JournalProblem {
  return diverges(
    `the replay asks for an effect that was not recorded (${place(asked.path, asked.number)})`,
    {
      place: placeName(asked),
      recorded: `nothing; the run ended with ${ended}`,
      now: callInWords(asked.effect, asked.kind, asked.args),
    },
    [what],
  );
}

/** What stands as the result of an effect is none that it can have had. */
export function noResultOf({ path, number, kind }: RecordedPlace): JournalProblem {
  return new JournalProblem(
    "unreadable",
    `what the journal holds as the result of ${kind} (${place(path, number)}) is none: it was changed`,
    [
      "a journal as harn wrote it can be replayed and resumed; this one can only be looked at (`harn runs show`)",
    ],
  );
}

/** The result that is recorded for a call, in its type. Throws `noResultOf` for what can't be one, whoever finds that out. */
export const recordedResult = <T>(call: EffectCall<T>, stored: Json, path: string, number: number): T =>
  readAt({ path, number, kind: call.kind }, () => call.result.decode(stored));

/** What is given as the result of a step, `stepsOf`'s number of it, is none. `given`: by what, and what, as JSON. */
export const unfitAnswer = (
  step: number,
  kind: string,
  { words: gives, part }: { readonly words: string; readonly part: string | undefined },
  given: { readonly by: string; readonly json: string },
): JournalProblem =>
  new JournalProblem(
    "unfit-answer",
    `${given.by}: step ${step} is ${kind}, which gives ${gives}, not ${cappedJson(given.json)}${part === undefined ? "" : `: ${part}`}`,
    ["nothing was done; give what the step can have given, or leave it out: then the step is done anew"],
  );

/** What `read` makes of a recorded outcome. Throws `noResultOf` for what can't be one. */
export function readAt<T>(place: RecordedPlace, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JournalProblem) throw error;
    const problem = noResultOf(place);
    problem.cause = error;
    throw problem;
  }
}

/** The program ends, and more was recorded. */
export function endsEarlier(
  left: RecordedPlace,
  result: EndResult | undefined,
  what: string = advice,
): JournalProblem {
  const error = errorInWords(result);
  return diverges(
    "the program ends earlier than it did then",
    {
      place: placeName(left),
      recorded: `${place(left.path, left.number)} ${left.kind} comes next`,
      now: `nothing, the program has ended${error === undefined ? "" : ` with ${error}`}`,
    },
    [what],
  );
}

/** How a program ended by itself. */
interface ProgramEnd {
  readonly code: number;
  /** `undefined`: it has no stored form. */
  readonly result: EndResult | undefined;
}

/** The program ends with something else; undefined where it gave the same. */
export function endsOtherwise(
  then: ProgramEnd,
  now: ProgramEnd,
  what: string = advice,
): JournalProblem | undefined {
  const at = firstDifference(then.result ?? {}, now.result ?? {}, "result");
  if (at === undefined && then.code === now.code) return undefined;
  const codes = at === undefined ? [` (exit code ${then.code})`, ` (exit code ${now.code})`] : ["", ""];
  const divergence = {
    recorded: `${resultInWords(then.result)}${codes[0]}`,
    now: `${resultInWords(now.result)}${codes[1]}`,
  };
  const details = [`recorded: ${divergence.recorded}`, `now:      ${divergence.now}`];
  const place = at?.startsWith("result.value") ? [`they differ at ${at.replace(".value", "")}`] : [];
  return new JournalProblem(
    "mismatch",
    "the program gives something else than it did then",
    [...details, ...place, what],
    divergence,
  );
}

function resultInWords(result: EndResult | undefined): string {
  if (result === undefined) return "something that has no stored form";
  if ("digest" in result) return `something too large to be kept (SHA-256 ${result.digest.slice(0, 12)}…)`;
  return errorInWords(result) ?? cappedJson(JSON.stringify((result as { value?: Json }).value ?? null));
}

/** Of a program that ended with one that nobody caught. */
function errorInWords(result: EndResult | undefined): string | undefined {
  if (result === undefined || !("error" in result)) return undefined;
  const { error } = result;
  const { value = error, code } = isJsonObject(error) ? error : {};
  return `the error ${cappedJson(JSON.stringify(value))}${typeof code === "string" && code !== "" ? ` (${code})` : ""}`;
}

/** The program waits, and what the journal hands over next was never asked for. */
export function notAsked(
  next: RecordedPlace,
  waiting: readonly EffectRequest[],
  what: string = advice,
): JournalProblem {
  const asked = waiting.map((one) => `${place(one.path, one.number)} ${one.kind}`).join(", ");
  return diverges(
    "the replay waits for something else than was recorded",
    {
      place: placeName(next),
      recorded: `the result of ${place(next.path, next.number)} ${next.kind} comes next`,
      now: asked === "" ? "nothing" : asked,
    },
    [what],
  );
}

/** What was decided in the middle of a computation can't be decided here. */
export function notDecided({ kind, subject, path, steps }: Decision, what: string = advice): JournalProblem {
  return diverges(
    "the replay computes something else than was recorded",
    {
      recorded: `${kind} ${subject} passes at step ${steps} of task ${path}`,
      now: "nothing of that name is in force there",
    },
    [what],
  );
}

/** What was decided in the middle of a computation is not in the journal. */
export function notPassed(deadline: string, ms: number, what: string = advice): JournalProblem {
  return diverges(
    "the replay computes something else than was recorded",
    {
      recorded: "nothing that ends this computation",
      now: `deadline ${deadline} has ${ms} ms, and they are over by far`,
    },
    [what],
  );
}

/** The journal stops before the program does. */
export function endedEarly(asked: EffectRequest | undefined): JournalProblem {
  const reached =
    asked === undefined
      ? "the program goes on"
      : `the program now asks for ${place(asked.path, asked.number)}: ${callInWords(asked.effect, asked.kind, asked.args)}`;
  return new JournalProblem("ended-early", "the journal ends here: the recorded run was cut off", [
    reached,
    "everything up to this point was replayed; a replay never goes on live",
  ]);
}

/** Harn can't work with what is recorded; `read` is the result that was read last. */
export function unfit(read: RecordedPlace | undefined, cause: unknown): JournalProblem {
  const last =
    read === undefined
      ? "no result had been read"
      : `the result of ${place(read.path, read.number)} ${read.kind} was read last`;
  const problem = new JournalProblem(
    "unreadable",
    "the recorded run can't be followed: it holds what Harn does not record",
    [
      last,
      "if nobody changed the journal, this is a defect of Harn: please report it, with `harn runs export`",
    ],
  );
  problem.cause = cause;
  return problem;
}

/** The replayed program printed something else. */
export function printedOther(): JournalProblem {
  return new JournalProblem("mismatch", "the replay printed something else than the recorded run", [
    "all effects matched, so the difference comes from the text of the script, the runtime or the platform",
  ]);
}

const advice =
  "the script, its arguments or the runtime has changed since the recording; record it again, or run what was recorded";

function callInWords(effect: string, kind: string, args: Json): string {
  return `${kind} (${effect}) ${cappedJson(JSON.stringify(args) ?? "null")}`;
}

const maxLength = 160;

function cappedJson(text: string): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length} characters)`;
}

/** Where two pieces of data part, with both values. */
function firstDifference(a: Json, b: Json, at: string): string | undefined {
  if (a === b) return undefined;
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      const found = jsonDifference(a[i], b[i], `${at}[${i}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const found = jsonDifference(a[key], b[key], `${at}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return `${at}: ${cappedJson(JSON.stringify(a))} → ${cappedJson(JSON.stringify(b))}`;
}

function jsonDifference(a: Json | undefined, b: Json | undefined, at: string): string | undefined {
  if (a === undefined && b === undefined) return undefined;
  if (a === undefined) return `${at}: nothing → ${cappedJson(JSON.stringify(b))}`;
  if (b === undefined) return `${at}: ${cappedJson(JSON.stringify(a))} → nothing`;
  return firstDifference(a, b, at);
}
