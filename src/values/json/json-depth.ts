/** How deep a JSON text nests, before anybody builds a value of it that nobody can walk. */
export { maxDepth as maxJsonDepth } from "./plain-json.ts";

import { maxDepth } from "./plain-json.ts";

const quote = 0x22;
const leftBracket = 0x5b;
const backslash = 0x5c;
const rightBracket = 0x5d;
const leftBrace = 0x7b;
const rightBrace = 0x7d;

/** Whether a JSON text nests deeper than values may, or than `max`; without recursion. Brackets in texts do not count. */
export function jsonNestsTooDeep(text: string, max: number = maxDepth): boolean {
  if (text.length <= max) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inText) {
      if (char === backslash) at++;
      else if (char === quote) inText = false;
    } else if (char === quote) inText = true;
    else if (char === leftBracket || char === leftBrace) {
      if (++depth > max) return true;
    } else if (char === rightBracket || char === rightBrace) depth--;
  }
  return false;
}

/** Texts of JSON from outside: other languages write halves of surrogate pairs, which are no characters. */

const anyHalf = /\\u[dD][89a-fA-F]/u;
/** Escapes one after the other, so that the second backslash of `\\ud800` begins none. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|.)/gsu;
const isHalf = /^\\u[dD][89a-fA-F]..$/u;

/** The same text of JSON with U+FFFD for every lone half: `jsonParse` refuses what is written of such values later. */
export const wellFormedJson = (text: string): string =>
  anyHalf.test(text) ? text.replaceAll(escapes, (found) => (isHalf.test(found) ? "\\ufffd" : found)) : text;
