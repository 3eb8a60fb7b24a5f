/** Whether a pattern stands in one of some texts. Pure but for the engine, which is the run's linear-time one. */
import type { PatternMatcher } from "../../model/index.ts";
import { excerptOf, type Look, met, unmet } from "./look.ts";

/** A text that can be searched, and where it comes from. */
export interface SearchedText {
  readonly ref: string;
  readonly kind: "tool_result" | "artifact" | "text" | "file";
  readonly text: string;
}

/** Looks through texts, newest first, for the first that fits. */
export function lookForText(
  matches: PatternMatcher,
  pattern: string,
  where: string,
  texts: readonly SearchedText[],
): Look {
  for (const { ref, kind, text } of texts) {
    const found = matches(pattern, text);
    if (typeof found === "string") return unmet(`the pattern can't be read: ${found}`);
    if (found) {
      const line = text.split("\n").find((one) => matches(pattern, one) === true) ?? text;
      return met(`${pattern} was found in ${ref}`, [{ kind, ref, digest: null, excerpt: excerptOf(line) }]);
    }
  }
  return unmet(`${pattern} was not found in ${texts.length} ${where}`);
}
