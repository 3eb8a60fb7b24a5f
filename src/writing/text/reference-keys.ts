/** How parts of a paper are named: keys of references (`doe2020autonomous`), labels of sections, which `@sec:label` names. */
import { soundItem } from "./csl-item.ts";
import { familyName, yearOf } from "./names.ts";
import type { CslItem } from "./paper.ts";

/** Words that say nothing about what a title is about. */
const stopWords = new Set(
  `a an and are as at by can de der des die do does el for from how in into is it la le les los of on or our
  some that the their this to toward towards und une using via we what when where which who why with within without`.split(
    /\s+/,
  ),
);

/** Letters that do not fall apart into a base letter and an accent. */
const asciiLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
};

const keyWords = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[ßæœøđðþłı]/g, (letter) => asciiLetters[letter] as string)
    .replaceAll(/[^a-z0-9 ]+/g, (other) => (/[\s-]/.test(other) ? " " : ""));

/** The key of an item among those that are taken: `doe2020autonomous`, then with `a`, `b` … `z`, `aa` … after it. */
export function referenceKey(value: CslItem, isTaken: (key: string) => boolean): string {
  const item = soundItem(value);
  const author = item.author?.[0];
  const family = keyWords(author === undefined ? "" : familyName(author)).replaceAll(" ", "");
  const word = keyWords(item.title ?? "")
    .split(" ")
    .find((one) => one !== "" && !stopWords.has(one));
  const stem = `${family}${yearOf(item.issued).replaceAll(/\D/g, "")}${word ?? ""}`.slice(0, 80) || "ref";
  if (!isTaken(stem)) return stem;
  for (let n = 0; ; n++) {
    const key = stem + letters(n);
    if (!isTaken(key)) return key;
  }
}

function letters(n: number): string {
  const last = String.fromCharCode(97 + (n % 26));
  return n < 26 ? last : letters(Math.floor(n / 26) - 1) + last;
}

export const labelPattern = /^[a-z0-9][a-z0-9-]*$/;

/** A label made from a title, which no other section has. */
export function headingLabel(title: string, isTaken: (label: string) => boolean): string {
  const stem =
    title
      .toLowerCase()
      .normalize("NFKD")
      .replaceAll(/[^a-z0-9\s-]/g, "")
      .replaceAll(/[\s-]+/g, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, 60) || "section";
  if (!isTaken(stem)) return stem;
  for (let n = 2; ; n++) if (!isTaken(`${stem}-${n}`)) return `${stem}-${n}`;
}
