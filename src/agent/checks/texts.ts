/**
 * Whether a pattern stands in one of some texts, and whether a text is JSON of a schema. Pure but for the engine, which is the run's
 * linear-time one.
 */
import { checkSchema, type JsonSchema, type PatternMatcher } from "../../model/index.ts";
import { Dict, jsonParse, List, ScriptError, type Value } from "../../values/index.ts";
import { type CallRecord, type CheckedCall, callsSince } from "./calls.ts";
import { type CheckLook, excerptOf, met, partly, unmet } from "./look.ts";

/** A text that can be searched, and where it comes from. */
export interface SearchedText {
  readonly ref: string;
  readonly kind: "tool_result" | "artifact" | "text" | "file";
  readonly text: string;
}

/** All that a pattern fits in a text; the pattern can be read. */
export type PatternFinder = (pattern: string, text: string) => readonly string[];

/** Looks through texts, newest first, for the first that fits and counts; `before` others were looked through already, in vain. */
export function lookForText<T extends SearchedText>(
  matches: PatternMatcher,
  pattern: string,
  where: string,
  texts: readonly T[],
  { before = 0, counts }: { readonly before?: number; readonly counts?: (text: T) => boolean } = {},
): CheckLook {
  for (const one of texts) {
    const { ref, kind, text } = one;
    const found = matches(pattern, text);
    if (typeof found === "string") return unmet(`the pattern can't be read: ${found}`);
    if (found && counts?.(one) !== false) {
      const line = text.split("\n").find((one) => matches(pattern, one) === true) ?? text;
      return met(`${pattern} was found in ${ref}`, [{ kind, ref, digest: null, excerpt: excerptOf(line) }]);
    }
  }
  return unmet(`${pattern} was not found in ${before + texts.length} ${where}`);
}

/** What one search has seen of the results so far. Data only. */
export interface ResultsSeen {
  /** How many calls there were when it was last looked, and how many of them had a text to search. */
  seen: number;
  searched: number;
  /** The newest that fitted. */
  found: CheckLook | null;
  /** The newest that only gave back what the model had called it with. */
  echoed: string | null;
}

export const noResultsSeen = (): ResultsSeen => ({ seen: 0, searched: 0, found: null, echoed: null });

/** Which results a pattern is looked for in: those of one tool, else those of all that give more than a model's own words. */
interface WantedResult {
  readonly pattern: string;
  readonly tool: string | null;
}

/** Searches what calls gave since the last look, newest first; what was found once stays found, without searching again. */
export function lookInResults(
  matches: PatternMatcher,
  find: PatternFinder,
  { pattern, tool }: WantedResult,
  memory: ResultsSeen,
  record: CallRecord,
): CheckLook {
  const results = callsSince(record, memory.seen)
    .reverse()
    .filter((call) => call.ok && (tool === null ? !call.isWords : call.tool === tool))
    .map((call) => ({
      ref: `${call.tool} (turn ${call.turn})`,
      kind: "tool_result" as const,
      text: call.text,
      call,
    }));
  memory.seen = record.count;
  const look = lookForText(matches, pattern, "results", results, {
    before: memory.searched,
    counts: ({ ref, call }) => {
      const echoes = isEcho(call, find(pattern, call.text));
      if (echoes) memory.echoed = ref;
      return !echoes;
    },
  });
  memory.searched += results.length;
  if (look.status === "met") memory.found = look;
  if (memory.found !== null || memory.echoed === null) return memory.found ?? look;
  return unmet(`${look.notes}; ${memory.echoed} only gave back what it was called with`);
}

/** Whether all that was found stands in the call's own arguments: those are the model's words. */
function isEcho(call: CheckedCall, found: readonly string[]): boolean {
  const said = textsIn(call.arguments);
  return found.length > 0 && found.every((part) => said.some((text) => text.includes(part)));
}

/** All texts of a value. */
function textsIn(value: Value): string[] {
  if (typeof value === "string") return [value];
  if (value instanceof Dict) return [...value.entries()].flatMap(([, part]) => textsIn(part));
  return value instanceof List ? [...value].flatMap(textsIn) : [];
}

/** Errors that are named. */
const named = 3;

export function lookAtJson(
  matches: PatternMatcher,
  schema: JsonSchema,
  text: string,
  { ref, kind }: { readonly ref: string; readonly kind: "file" | "artifact" | "text" },
): CheckLook {
  let value: Value;
  try {
    value = jsonParse(text);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return unmet(`${ref} is not JSON`, [{ kind, ref, digest: null, excerpt: excerptOf(text) }]);
  }
  const { errors } = checkSchema(value, schema, { matches });
  const evidence = [{ kind, ref, digest: null, excerpt: excerptOf(text) }] as const;
  if (errors.length === 0) return met(`${ref} fits the schema`, evidence);
  return partly(`${ref} is JSON and does not fit the schema: ${errors.slice(0, named).join("; ")}`, evidence);
}
