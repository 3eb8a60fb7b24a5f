/** The words of a replay that cannot go on: both sides, where they part, and what to do. */

import type { Json } from "../values/index.ts";
import { isJsonObject } from "../values/index.ts";
import { type Fingerprint, JournalProblem } from "./journal.ts";
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

/** The program asked for something else than was recorded. */
export function differs(
  recorded: Fingerprint & { args: Json },
  asked: EffectRequest,
  what: string = advice,
): JournalProblem {
  const details = [
    `recorded: ${callInWords(recorded.c, recorded.k, recorded.args)}`,
    `asked:    ${callInWords(asked.effect, asked.kind, asked.args)}`,
  ];
  if (recorded.k === asked.kind) {
    const at = firstDifference(recorded.args, asked.args, "arguments");
    if (at !== undefined) details.push(`they differ at ${at}`);
  }
  details.push(what);
  return new JournalProblem(
    "mismatch",
    `the replay asks for something else than was recorded (${place(asked.path, asked.number)})`,
    details,
  );
}

/** The program asked for more than was recorded. */
export function unrecorded(asked: EffectRequest, ended: string, what: string = advice): JournalProblem {
  return new JournalProblem(
    "mismatch",
    `the replay asks for an effect that was not recorded (${place(asked.path, asked.number)})`,
    [
      `recorded: nothing; the run ended with ${ended}`,
      `asked:    ${callInWords(asked.effect, asked.kind, asked.args)}`,
      what,
    ],
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
export function endsEarlier(left: string, what: string): JournalProblem {
  return new JournalProblem("mismatch", "the program ends earlier than it did then", [
    `recorded: ${left} comes next`,
    "asked:    nothing, the program has ended",
    what,
  ]);
}

/** The program waits, and what the journal hands over next was never asked for. */
export function notAsked(
  next: RecordedPlace,
  waiting: readonly EffectRequest[],
  what: string = advice,
): JournalProblem {
  const asked = waiting.map((one) => `${place(one.path, one.number)} ${one.kind}`).join(", ");
  return new JournalProblem("mismatch", "the replay waits for something else than was recorded", [
    `recorded: the result of ${place(next.path, next.number)} ${next.kind} comes next`,
    `asked:    ${asked === "" ? "nothing" : asked}`,
    what,
  ]);
}

/** What was decided in the middle of a computation can't be decided here. */
export function notDecided({ kind, subject, path, steps }: Decision, what: string = advice): JournalProblem {
  return new JournalProblem("mismatch", "the replay computes something else than was recorded", [
    `recorded: ${kind} ${subject} passes at step ${steps} of task ${path}`,
    "asked:    nothing of that name is in force there",
    what,
  ]);
}

/** What was decided in the middle of a computation is not in the journal. */
export function notPassed(deadline: string, ms: number, what: string = advice): JournalProblem {
  return new JournalProblem("mismatch", "the replay computes something else than was recorded", [
    "recorded: nothing that ends this computation",
    `asked:    deadline ${deadline} has ${ms} ms, and they are over by far`,
    what,
  ]);
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
    "all effects matched, so the difference comes from the runtime or the platform",
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
