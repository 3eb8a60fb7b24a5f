/** Literal replacing and splitting. */
import { chars, type Value } from "../../values/index.ts";

/** All occurrences, literally; an empty `old` matches between all characters. */
export function replaceAll(text: string, old: string, replacement: string): string {
  if (old !== "") return text.split(old).join(replacement);
  return ["", ...chars(text), ""].join(replacement);
}

/** Parts around every occurrence; an empty separator gives every character between two empty parts. */
export function splitText(text: string, separator: string): Value[] {
  return separator === "" ? ["", ...chars(text), ""] : text.split(separator);
}
