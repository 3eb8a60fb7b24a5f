/** Text ▸ LaTeX, each character once, in one pass. What comes out has balanced braces and no active character. */
import { isControl } from "./characters.ts";

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\{",
  "}": "\\}",
  $: "\\$",
  "&": "\\&",
  "%": "\\%",
  "#": "\\#",
  _: "\\_",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  '"': "\\textquotedbl{}",
  "`": "`{}",
  "'": "'{}",
  "\u00a0": "~",
  "\t": " ",
};

/** Characters that mean something to the command before them: `\item [`, `\\ *`. */
const atStart = new Set(["[", "]", "*"]);
/** Two that fonts join: `--`, `,,`, and the two Spanish marks. */
const wouldJoin = (before: string, next: string): boolean =>
  (before === "-" && next === "-") ||
  (before === "," && next === ",") ||
  ((before === "?" || before === "!") && next === "`");

/**
 * `text` for running text and code alike. `start`: nothing stands before it in its item, cell or line. A line end stays
 * a line end; two in a row would end the paragraph and become one.
 */
export function escapeLatex(text: string, start = false): string {
  let out = "";
  let before = start ? "\n" : "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII as a whole
  const normal = /^[\u0000-\u007f]*$/.test(text) ? text : text.toWellFormed().normalize("NFC");
  for (const character of normal) {
    if (character === "\n") {
      if (before === "\n") continue;
      out += "\n";
    } else if (character !== "\t" && isControl(character)) continue;
    else if (before === "\n" && atStart.has(character)) out += `{${character}}`;
    else {
      if (wouldJoin(before, character)) out += "{}";
      out += Object.hasOwn(escapes, character) ? escapes[character] : character;
    }
    const isBlank = character === " " || character === "\t";
    if (!(isBlank && before === "\n")) before = isBlank ? " " : character;
  }
  return out;
}

/** A line of code for `\texttt`: every blank counts. */
export const escapeCodeLine = (line: string): string =>
  escapeLatex(line.replaceAll("\t", "    "), true).replaceAll(/ (?= )|^ /g, "\\ ");

/** What may stand between `\begin{verbatim}` and its end. */
export const verbatimText = (text: string): string =>
  [...text.toWellFormed().normalize("NFC").replaceAll("\t", "    ")]
    .filter((character) => character === "\n" || !isControl(character))
    .join("");

/** The schemes that a link may have; others are printed as text. */
export const isWebLink = (href: string): boolean => /^(?:https?:\/\/|mailto:)[^\s]/i.test(href);

/** An address within `\href{…}` or `\url{…}`. What an address can't hold as it is, is percent-encoded. */
export const escapeUrl = (href: string): string =>
  percentEncoded(href).replaceAll(/[%#&]/g, (character) => `\\${character}`);

/** An address in ASCII, without a character that TeX or BibTeX would read as syntax. */
export const percentEncoded = (href: string): string =>
  href
    .toWellFormed()
    .replaceAll(/[^\u0021-\u007e]|[\\{}"<>^`|$]/gu, (character) =>
      [...new TextEncoder().encode(character)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
        .join(""),
    );
