/** Texts as scorers compare them: folded, tokenised, numbers taken out of prose. Pure. */

export interface ExactOptions {
  /** True: they count. */
  readonly case: boolean;
  readonly punctuation: boolean;
  readonly whitespace: boolean;
}

/** Full case folding, so that `STRASSE` and `straße` are one. */
export const foldCase = (text: string): string => text.toUpperCase().toLowerCase();

/** NFKC and trimmed; unless they count, case is folded, punctuation (P categories) removed, blanks collapsed. */
export function normalised(text: string, counts: ExactOptions): string {
  let result = text.normalize("NFKC").trim();
  if (!counts.case) result = foldCase(result);
  if (!counts.punctuation) {
    const bare = result.replace(/\p{P}+/gu, "");
    // A text that is nothing but punctuation means it.
    if (bare.trim() !== "") result = bare;
  }
  return counts.whitespace ? result : result.replace(/\s+/g, " ").trim();
}

/** Words without case and punctuation. */
export const tokensOf = (text: string): string[] =>
  foldCase(text.normalize("NFKC")).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

// ── numbers ───────────────────────────────────────────────────────────────────────────────────────────────────────

export interface TextNumber {
  readonly value: number;
  readonly percent: boolean;
  /** As it stands in the text. */
  readonly text: string;
}

/** A sign (also U+2212), `$ € £ * _` skipped, digits with thousands commas, decimals, an exponent, `%`. */
const numberForm =
  /(?<![\p{L}\d])([-+\u2212]?)[$€£*_]*([-+\u2212]?)((?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)((?:[eE][-+\u2212]?\d+)?)([*_]*\s?%)?/gu;

export function numbersIn(text: string): TextNumber[] {
  return [...text.matchAll(numberForm)].map((found) => {
    const [whole, outer = "", inner = "", digits = "", exponent = "", percent] = found;
    const negative = [outer, inner].filter((mark) => mark === "-" || mark === "\u2212").length === 1;
    const magnitude = Number(digits.replaceAll(",", "") + exponent.replace("\u2212", "-"));
    return { value: negative ? -magnitude : magnitude, percent: percent !== undefined, text: whole };
  });
}

/** Without the commas of thousands. */
export const withoutThousands = (text: string): string => text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, "");

/** Whether a text stands in another one; a number does not stand in a longer one. */
export function saysIn(text: string, wanted: string): boolean {
  if (wanted === "") return true;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = text[at - 1] ?? "";
    const after = text[at + wanted.length] ?? "";
    const cut = (/\d/.test(before) && /^\d/.test(wanted)) || (/\d/.test(after) && /\d$/.test(wanted));
    if (!cut) return true;
  }
  return false;
}

// ── similarity ────────────────────────────────────────────────────────────────────────────────────────────────────

/** 1 less the edit distance by the length of the longer text, in code points. */
export function levenshteinRatio(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const longer = Math.max(left.length, right.length);
  if (longer === 0) return 1;
  let previous = Uint32Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let i = 1; i <= left.length; i++) {
    const row = new Uint32Array(right.length + 1);
    row[0] = i;
    for (let j = 1; j <= right.length; j++) {
      const change = (previous[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      row[j] = Math.min(change, (previous[j] as number) + 1, (row[j - 1] as number) + 1);
    }
    previous = row;
  }
  return 1 - (previous[right.length] as number) / longer;
}

const f1 = (common: number, a: number, b: number): number =>
  a === 0 && b === 0 ? 1 : common === 0 ? 0 : (2 * common) / (a + b);

/** The words of a text as `exact` has them: in its form, apart at blanks. */
const normalWords = (text: string, counts: ExactOptions): string[] =>
  normalised(text, counts)
    .split(/\s+/)
    .filter((word) => word !== "");

const nothingCounts: ExactOptions = { case: false, punctuation: false, whitespace: false };

/** Harmonic mean of precision and recall over words, in any order. */
export function tokenF1(a: string, b: string, options = nothingCounts): number {
  const [left, right] = [normalWords(a, options), normalWords(b, options)];
  const counts = new Map<string, number>();
  for (const token of left) counts.set(token, (counts.get(token) ?? 0) + 1);
  let common = 0;
  for (const token of right) {
    const free = counts.get(token) ?? 0;
    if (free === 0) continue;
    counts.set(token, free - 1);
    common += 1;
  }
  return f1(common, left.length, right.length);
}

/** The same over the longest common subsequence of words. */
export function rougeL(a: string, b: string): number {
  const [left, right] = [normalWords(a, nothingCounts), normalWords(b, nothingCounts)];
  let previous = new Uint32Array(right.length + 1);
  for (const token of left) {
    const row = new Uint32Array(right.length + 1);
    for (let j = 1; j <= right.length; j++)
      row[j] =
        token === right[j - 1]
          ? (previous[j - 1] as number) + 1
          : Math.max(previous[j] as number, row[j - 1] as number);
    previous = row;
  }
  return f1(previous[right.length] as number, left.length, right.length);
}

// ── choices ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The letter of a choice by its place. */
export const letterOf = (index: number): string => String.fromCharCode(65 + index);

/**
 * The letter that a text names: `ANSWER: B` (the last one counts), a letter alone, else the one letter in `(B)`, `**B**` or
 * `B.`, else the one choice whose text occurs. Undefined when none is named, or several.
 */
export function namedChoice(text: string, choices: readonly string[]): string | undefined {
  const valid = (letter: string | undefined): string | undefined => {
    const upper = letter?.toUpperCase();
    return upper !== undefined && upper.charCodeAt(0) - 65 < choices.length ? upper : undefined;
  };
  const said = [
    ...text.matchAll(
      /\banswer\b\**\s*(?::\s*[*_("'[]*([A-Za-z])|is\s*:?\s*[*_("'[]*([A-Z]))(?![\p{L}\d'])/giu,
    ),
  ]
    .map(([, colon, is]) => valid(colon ?? (is !== undefined && /[A-Z]/.test(is) ? is : undefined)))
    .filter((letter) => letter !== undefined);
  if (said.length > 0) return said.at(-1);
  const alone = /^[\s*_("'[]*([A-Za-z])[\s*_)"'\].:]*$/.exec(text);
  if (alone !== null) return valid(alone[1]);
  const marked = [
    ...text.matchAll(/\(([A-Z])\)|\*\*([A-Z])[.)]?\*\*|(?<![\p{L}\d'])([A-Z])[.)](?=\s|$)/gu),
  ].map(([, round, bold, dot]) => valid(round ?? bold ?? dot));
  const letters = new Set(marked.filter((letter) => letter !== undefined));
  if (letters.size === 1) return [...letters][0];
  if (letters.size > 1) return undefined;
  const folded = ` ${tokensOf(text).join(" ")} `;
  const named = choices.flatMap((choice, index) =>
    tokensOf(choice).length > 0 && folded.includes(` ${tokensOf(choice).join(" ")} `)
      ? [letterOf(index)]
      : [],
  );
  return named.length === 1 ? named[0] : undefined;
}

/** The letter of a target: a letter, the text of a choice, or its place from 0. */
export function targetChoice(target: string | number, choices: readonly string[]): string | undefined {
  if (typeof target === "number")
    return target >= 0 && target < choices.length ? letterOf(target) : undefined;
  const at = choices.indexOf(target);
  if (at >= 0) return letterOf(at);
  return /^[A-Za-z]$/.test(target.trim()) ? target.trim().toUpperCase() : undefined;
}
