/** Texts of BibTeX values, both ways. */

import { oneLine } from "../document.ts";
import { escapeLatex } from "../latex/escape.ts";

/** A value escaped. BibTeX counts braces, escaped or not, so those that do not match are named. */
export function bibtexText(text: string): string {
  const escaped = escapeLatex(oneLine(text));
  if (isBalanced(text)) return escaped;
  return escaped.replaceAll(/\\([{}])/g, (_, brace) =>
    brace === "{" ? "\\textbraceleft{}" : "\\textbraceright{}",
  );
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "{") depth++;
    else if (character === "}" && --depth < 0) return false;
  }
  return depth === 0;
}

/** A title: words with a capital inside keep it through styles that lower the others. */
export const bibtexTitle = (title: string): string => {
  if (!isBalanced(title)) return bibtexText(title);
  // Composed first: a letter and its accent are one word.
  const words = oneLine(title)
    .normalize("NFC")
    .split(/([\p{L}\p{N}]+)/u);
  return words
    .map((word, at) => (at % 2 === 1 && /^.[\s\S]*\p{Lu}/u.test(word) ? `{${word}}` : escapeLatex(word)))
    .join("");
};

const accents: Readonly<Record<string, string>> = {
  "`": "\u0300",
  "'": "\u0301",
  "^": "\u0302",
  "~": "\u0303",
  "=": "\u0304",
  u: "\u0306",
  ".": "\u0307",
  '"': "\u0308",
  r: "\u030a",
  H: "\u030b",
  v: "\u030c",
  d: "\u0323",
  c: "\u0327",
  k: "\u0328",
  b: "\u0331",
};

const commands: Readonly<Record<string, string>> = {
  textbackslash: "\\",
  textasciitilde: "~",
  textasciicircum: "^",
  textless: "<",
  textgreater: ">",
  textbar: "|",
  textquotedbl: '"',
  textbraceleft: "{",
  textbraceright: "}",
  textendash: "–",
  textemdash: "—",
  textellipsis: "…",
  ldots: "…",
  dots: "…",
  TeX: "TeX",
  LaTeX: "LaTeX",
  LaTeXe: "LaTeX2e",
  BibTeX: "BibTeX",
  ss: "ß",
  o: "ø",
  O: "Ø",
  l: "ł",
  L: "Ł",
  ae: "æ",
  AE: "Æ",
  oe: "œ",
  OE: "Œ",
  aa: "å",
  AA: "Å",
  i: "ı",
  j: "ȷ",
  dj: "đ",
  DJ: "Đ",
  th: "þ",
  TH: "Þ",
  dh: "ð",
  DH: "Ð",
  ng: "ŋ",
  NG: "Ŋ",
  S: "§",
  P: "¶",
  copyright: "©",
  pounds: "£",
  euro: "€",
  texteuro: "€",
  textregistered: "®",
  texttrademark: "™",
  textdegree: "°",
  textquoteright: "’",
  textquoteleft: "‘",
  textquotedblleft: "“",
  textquotedblright: "”",
};

/**
 * One piece at a time: an accent with its letter, a command with its blank or empty group, an escaped character, a joined
 * mark, a brace.
 */
const pieces =
  /\\([`'^~=."]|[uvHrdckb](?![a-zA-Z]))\s*(?:\{\s*\\?([^{}\\]?)(?:\{\})?\s*\}|\\([ij])(?![a-zA-Z])\s?|([^{}\\\s]))|\\([a-zA-Z]+)\*?(?:\{\}|[ \t]+)?|\\([^a-zA-Z])|([`'])\{\}|---|--|``|''|~|\$[^$]*\$|[{}]/gu;

/** A BibTeX value ▸ the text that it stands for. Formulas stay as they are. */
export function textOfBibtex(value: string): string {
  const text = value.replaceAll(pieces, (raw, accent, braced, dotless, letter, command, character, quote) => {
    if (accent !== undefined)
      return accentedLetter(braced ?? dotless ?? letter ?? "", accents[accent] as string);
    if (command !== undefined) return Object.hasOwn(commands, command) ? (commands[command] as string) : "";
    if (character !== undefined)
      return character === "\\" || character === "-" || character === "/"
        ? ""
        : character === ","
          ? " "
          : character;
    if (quote !== undefined) return quote;
    if (raw === "---") return "—";
    if (raw === "--") return "–";
    if (raw === "``") return "“";
    if (raw === "''") return "”";
    if (raw === "~") return "\u00a0";
    return raw.startsWith("$") ? raw : "";
  });
  return text
    .replaceAll(/[ \t\n\r]+/g, " ")
    .normalize("NFC")
    .trim();
}

/** The dotless letters get their dot back below an accent. */
const accentedLetter = (letter: string, accent: string): string =>
  `${letter === "ı" ? "i" : letter === "ȷ" ? "j" : letter}${accent}`.normalize("NFC");

/** An address or a number as it stands in a value. */
export const rawOfBibtex = (value: string): string =>
  value.replaceAll(/\\([%#&_~{}$])/g, "$1").replaceAll(/[{}\s]/g, "");
