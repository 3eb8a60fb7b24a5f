/**
 * Text as a terminal may show it. A script, a model, a tool or a page can say anything, so nothing of it may act on the
 * terminal: control characters become pictures, direction marks and other invisible characters become `\u{…}`. The same
 * walk knows how many columns each character takes, so that carets stand under what they mean.
 *
 * This is the only place that does so; whatever Harn itself says to a person passes it (`host/command/report.ts`, `notifyPerson` of
 * the interpreter). What a program prints with `println` and the like is the program's own and stays as it is.
 */

const TAB_STOP = 4;

/** How one code point is shown, and how many columns that takes when it begins at `column`. */
function visibleCell(codePoint: number, text: string, column: number): { text: string; width: number } {
  if (codePoint === 9) {
    const width = TAB_STOP - (column % TAB_STOP);
    return { text: " ".repeat(width), width };
  }
  if (codePoint < 0x20) return { text: String.fromCodePoint(0x2400 + codePoint), width: 1 };
  if (codePoint < 0x7f) return { text, width: 1 };
  if (codePoint === 0x7f) return { text: "\u2421", width: 1 };
  if (isHiddenCharacter(codePoint)) {
    const shown = `\\u{${codePoint.toString(16)}}`;
    return { text: shown, width: shown.length };
  }
  if (isCombining(codePoint)) return { text, width: 0 };
  return { text, width: isWide(codePoint) ? 2 : 1 };
}

/** `text` made harmless, and the width in columns of what stands before each of the two offsets. */
export function showLine(text: string, from: number, to: number): { text: string; from: number; to: number } {
  let shown = "";
  let column = 0;
  let fromColumn = -1;
  let toColumn = -1;
  let offset = 0;
  for (const char of text) {
    if (offset >= from && fromColumn < 0) fromColumn = column;
    if (offset >= to && toColumn < 0) toColumn = column;
    const one = visibleCell(char.codePointAt(0)!, char, column);
    shown += one.text;
    column += one.width;
    offset += char.length;
  }
  return { text: shown, from: fromColumn < 0 ? column : fromColumn, to: toColumn < 0 ? column : toColumn };
}

/** Columns that a text takes when it is shown. */
export const shownWidth = (text: string): number => showLine(text, text.length, text.length).to;

/** Whether nothing in a text needs to be shown in another way: most texts. */
const harmless = /^[\n\u0020-\u007e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u060f\u2010-\u2027\u2190-\u27ff]*$/;

/** A message made harmless: as `showLine`, but line breaks stay. What is shown so already stays the same. */
export function showText(text: string): string {
  if (harmless.test(text)) return text;
  let shown = "";
  for (const char of text) shown += char === "\n" ? char : visibleCell(char.codePointAt(0)!, char, 0).text;
  return shown;
}

/** The same on one line: a list has a line for each thing, whatever the thing is called. */
export function showOneLine(text: string): string {
  return showText(text).replaceAll("\n", "\u240a");
}

/** JSON text made harmless, and still the same JSON: what JSON leaves as it is and a terminal would act on becomes `\uXXXX`. */
export function showJson(json: string): string {
  if (harmless.test(json)) return json;
  let shown = "";
  for (const char of json) {
    const codePoint = char.codePointAt(0)!;
    shown += codePoint === 0x7f || isHiddenCharacter(codePoint) ? jsonEscape(char) : char;
  }
  return shown;
}

function jsonEscape(char: string): string {
  let escaped = "";
  for (let i = 0; i < char.length; i++) escaped += `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`;
  return escaped;
}

/** C1 controls, zero-width and direction characters, lone surrogates, tags: what changes or hides the text around it. */
function isHiddenCharacter(c: number): boolean {
  return (
    (c >= 0x80 && c <= 0x9f) ||
    c === 0xad ||
    c === 0x34f ||
    c === 0x61c ||
    c === 0x115f ||
    c === 0x1160 ||
    c === 0x17b4 ||
    c === 0x17b5 ||
    (c >= 0x180b && c <= 0x180f) ||
    (c >= 0x200b && c <= 0x200f) ||
    (c >= 0x2028 && c <= 0x202e) ||
    (c >= 0x2060 && c <= 0x206f) ||
    c === 0x3164 ||
    c === 0xfeff ||
    c === 0xffa0 ||
    (c >= 0xfff9 && c <= 0xfffb) ||
    (c >= 0x1d173 && c <= 0x1d17a) ||
    (c >= 0xd800 && c <= 0xdfff) ||
    (c >= 0xe0000 && c <= 0xe0fff)
  );
}

function isCombining(c: number): boolean {
  return (
    (c >= 0x300 && c <= 0x36f) ||
    (c >= 0x483 && c <= 0x489) ||
    (c >= 0x591 && c <= 0x5bd) ||
    (c >= 0x610 && c <= 0x61a) ||
    (c >= 0x64b && c <= 0x65f) ||
    (c >= 0x1ab0 && c <= 0x1aff) ||
    (c >= 0x1dc0 && c <= 0x1dff) ||
    (c >= 0x20d0 && c <= 0x20ff) ||
    (c >= 0xfe00 && c <= 0xfe0f) ||
    (c >= 0xfe20 && c <= 0xfe2f)
  );
}

/** East Asian wide and full-width characters and emoji. */
function isWide(c: number): boolean {
  return (
    (c >= 0x1100 && c <= 0x115f) ||
    (c >= 0x2e80 && c <= 0x303e) ||
    (c >= 0x3041 && c <= 0xa4cf) ||
    (c >= 0xa960 && c <= 0xa97f) ||
    (c >= 0xac00 && c <= 0xd7a3) ||
    (c >= 0xf900 && c <= 0xfaff) ||
    (c >= 0xfe30 && c <= 0xfe6f) ||
    (c >= 0xff00 && c <= 0xff60) ||
    (c >= 0xffe0 && c <= 0xffe6) ||
    (c >= 0x1f300 && c <= 0x1f64f) ||
    (c >= 0x1f680 && c <= 0x1f6ff) ||
    (c >= 0x1f900 && c <= 0x1f9ff) ||
    (c >= 0x20000 && c <= 0x3fffd)
  );
}
