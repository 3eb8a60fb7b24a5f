/** What `must_survive` names, in a text: the same in loops and by hand. */
import { ScriptError, thrown } from "../../../../values/index.ts";
import type { MustSurvive } from "../../../options/ladder-options.ts";

/** Every match of a pattern in a text. */
type FindAll = (pattern: string, text: string) => readonly string[];

/** Patterns are looked at before anything is done. `what`: whose option it is, for the error. */
export function checkPatterns({ patterns }: MustSurvive, findAll: FindAll, what: string): void {
  for (const [index, pattern] of patterns.entries()) {
    try {
      findAll(pattern, "");
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      throw thrown(`${what}, pattern ${index + 1}: ${String(error.value)}`);
    }
  }
}

/** Texts and matches of patterns that a text has. */
export const namedIn = ({ texts, patterns }: MustSurvive, findAll: FindAll, text: string): string[] => [
  ...texts.filter((one) => text.includes(one)),
  ...patterns.flatMap((pattern) => findAll(pattern, text)),
];
