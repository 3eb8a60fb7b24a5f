/** Whether a pattern stands in one of some texts. Pure but for the engine, which is the run's linear-time one. */
import type { PatternMatcher } from "../../model/index.ts";
import { type CallRecord, callsSince } from "./calls.ts";
import { excerptOf, type Look, met, unmet } from "./look.ts";

/** A text that can be searched, and where it comes from. */
export interface SearchedText {
  readonly ref: string;
  readonly kind: "tool_result" | "artifact" | "text" | "file";
  readonly text: string;
}

/** Looks through texts, newest first, for the first that fits; `before` others were looked through already, in vain. */
export function lookForText(
  matches: PatternMatcher,
  pattern: string,
  where: string,
  texts: readonly SearchedText[],
  before = 0,
): Look {
  for (const { ref, kind, text } of texts) {
    const found = matches(pattern, text);
    if (typeof found === "string") return unmet(`the pattern can't be read: ${found}`);
    if (found) {
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
  found: Look | null;
}

export const noResultsSeen = (): ResultsSeen => ({ seen: 0, searched: 0, found: null });

/** Searches what calls gave since the last look, newest first; what was found once stays found, without searching again. */
export function lookInResults(
  matches: PatternMatcher,
  { pattern, tool }: { readonly pattern: string; readonly tool: string | null },
  memory: ResultsSeen,
  record: CallRecord,
  artifacts: readonly SearchedText[],
): Look {
  const fresh: SearchedText[] = callsSince(record, memory.seen)
    .reverse()
    .filter((call) => call.ok && (tool === null || call.tool === tool))
    .map((call) => ({ ref: `${call.tool} (turn ${call.turn})`, kind: "tool_result", text: call.text }));
  memory.seen = record.count;
  const look = lookForText(matches, pattern, "results", fresh);
  if (look.status === "met") memory.found = look;
  const before = memory.searched;
  memory.searched += fresh.length;
  return memory.found ?? lookForText(matches, pattern, "results", artifacts, before + fresh.length);
}
