/** Lists of names in BibTeX: `Family, Given and {Organisation}`. */

import { oneLine } from "../document.ts";
import { familyName } from "../names.ts";
import type { CslName } from "../paper.ts";
import { bibtexText, textOfBibtex } from "./text.ts";

export const bibtexNames = (names: readonly CslName[]): string =>
  names
    .map(bibtexName)
    .filter((name) => name !== "")
    .join(" and ");

function bibtexName(name: CslName): string {
  const family = oneLine(familyName(name));
  if (family === "") return "";
  if (name.literal !== undefined) return `{${bibtexText(family)}}`;
  const given = name.family === undefined ? "" : oneLine(name.given ?? "");
  const suffix = oneLine(name.suffix ?? "");
  // Without a comma the last word would be the family and the others given.
  if (given === "" && suffix === "")
    return /[\s,]/.test(family) ? `{${bibtexText(family)}}` : bibtexText(family);
  return [family, ...(suffix === "" ? [] : [suffix]), given].map(part).join(", ");
}

/** A comma or an `and` in a part would be read as the end of it. */
const part = (text: string): string =>
  /,|(?:^|\s)and(?:\s|$)/i.test(text) || text === "" ? `{${bibtexText(text)}}` : bibtexText(text);

export const namesOfBibtex = (value: string): readonly CslName[] =>
  splitOutside(value, /^\s+and(?=\s)/i)
    .map((name) => name.trim())
    .filter((name) => name !== "" && name.toLowerCase() !== "others")
    .map(nameOf);

function nameOf(text: string): CslName {
  if (isOneGroup(text)) return { literal: textOfBibtex(text) };
  const parts = splitOutside(text, /^,/).map((one) => one.trim());
  if (parts.length > 1) {
    const [front, input] = [parts[0] as string, parts.at(-1) as string];
    const suffix = parts.length > 2 ? textOfBibtex(parts.slice(1, -1).join(", ")) : "";
    return {
      ...familyFirst(front),
      ...namePart("given", textOfBibtex(input)),
      ...namePart("suffix", suffix),
    };
  }
  const words = splitOutside(text, /^[\s~]+/).filter((word) => word !== "");
  const firstLower = words.slice(0, -1).findIndex(isLowerWord);
  const at = firstLower < 0 ? words.length - 1 : firstLower;
  const first = words.slice(0, at).map(textOfBibtex).join(" ");
  return { ...familyFirst(words.slice(at).join(" ")), ...namePart("given", first) };
}

/** `van der Berg`: lower words before the last one are particles. A family in braces is one word. */
function familyFirst(text: string): CslName {
  const words = splitOutside(text, /^[\s~]+/).filter((word) => word !== "");
  let at = 0;
  while (at < words.length - 1 && isLowerWord(words[at] as string)) at++;
  const particle = words.slice(0, at).map(textOfBibtex).join(" ");
  return {
    ...namePart("non-dropping-particle", particle),
    family: words.slice(at).map(textOfBibtex).join(" "),
  };
}

const namePart = (key: string, text: string): CslName => (text === "" ? {} : { [key]: text });
const isLowerWord = (word: string): boolean => !word.startsWith("{") && /^\p{Ll}/u.test(textOfBibtex(word));

function isOneGroup(text: string): boolean {
  if (!(text.startsWith("{") && text.endsWith("}"))) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at === text.length - 1;
  }
  return false;
}

/** Splits at what `mark` finds outside of braces, as BibTeX counts them. */
function splitOutside(text: string, mark: RegExp): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}") depth--;
    else if (depth === 0 && /[\s,~]/.test(text[at] as string)) {
      const found = mark.exec(text.slice(at, at + 64));
      if (found === null) continue;
      parts.push(text.slice(from, at));
      at += found[0].length - 1;
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}
