/** Texts of JSON from outside: other languages write halves of surrogate pairs, which are no characters. */

const anyHalf = /\\u[dD][89a-fA-F]/u;
/** Escapes one after the other, so that the second backslash of `\\ud800` begins none. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|.)/gsu;
const isHalf = /^\\u[dD][89a-fA-F]..$/u;

/** The same text of JSON with U+FFFD for every lone half: `jsonParse` refuses what is written of such values later. */
export const wellFormedJson = (text: string): string =>
  anyHalf.test(text) ? text.replaceAll(escapes, (found) => (isHalf.test(found) ? "\\ufffd" : found)) : text;
