/**
 * Strings by code point. JavaScript counts UTF-16 units; the two differ only in strings with surrogates, so every
 * function has a fast path for those without. Whether a long string has any, and where its code points lie, is
 * remembered for the string asked about last: loops over one text stay linear.
 */
import { checkItems, maxItems } from "../sizes.ts";

const SURROGATE = /[\ud800-\udfff]/;
/** Shorter strings are looked at again: cheaper than the memory. */
const REMEMBER_FROM = 64;

let plainText = "";
let splitText = "";
let splitPoints: readonly string[] = [];

/** Whether code points and units are the same thing in this string. */
function isOneUnitEach(text: string): boolean {
  if (text.length < REMEMBER_FROM) {
    for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xf800) === 0xd800) return false;
    return true;
  }
  if (text === plainText) return true;
  if (text === splitText || SURROGATE.test(text)) return false;
  plainText = text;
  return true;
}

/** The code points of a string that is not plain, as one-character strings. */
function points(text: string): readonly string[] {
  if (text !== splitText) {
    checkItems(text.length);
    splitPoints = [...text];
    splitText = text;
  }
  return splitPoints;
}

/** The first `max` UTF-16 units of a text, never half of a character. */
export const headOf = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, /[\ud800-\udbff]/.test(text[max - 1] ?? "") ? max - 1 : max);

/** Number of code points. */
export function textLength(text: string): number {
  return isOneUnitEach(text) ? text.length : points(text).length;
}

/** The character at a non-negative position; `undefined` past the end. */
export function charAt(text: string, index: number): string | undefined {
  return isOneUnitEach(text) ? text[index] : points(text)[index];
}

/** The half-open part between two code-point positions that are already clamped. */
export function sliceText(text: string, start: number, end: number): string {
  if (end <= start) return "";
  return isOneUnitEach(text) ? text.slice(start, end) : points(text).slice(start, end).join("");
}

/** All characters, as a fresh array. */
export function chars(text: string): string[] {
  checkItems(text.length);
  return isOneUnitEach(text) ? text.split("") : [...text];
}

/** What stands between the occurrences of a separator that is not empty, as a fresh array. */
export function pieces(text: string, separator: string): string[] {
  const found = text.split(separator, maxItems + 1);
  checkItems(found.length);
  return found;
}

/** Converts a UTF-16 offset (from `indexOf`) to a position; -1 stays -1. */
export function characterPosition(text: string, offset: number): number {
  if (offset <= 0 || isOneUnitEach(text)) return offset;
  let count = 0;
  for (let i = 0; i < offset; i++) {
    // A low surrogate after a high one belongs to the code point before it.
    const low = (text.charCodeAt(i) & 0xfc00) === 0xdc00;
    if (!(low && i > 0 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800)) count++;
  }
  return count;
}

/** The first line of a text, cut to the 300 characters that lists and traces show. */
export const firstLine = (text: string): string => (text.split("\n", 1)[0] as string).slice(0, 300);

/** XML 1.0 cannot hold most control characters, not even escaped. */
function legalXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are replaced.
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

/** Between tags. What XML cannot hold becomes U+FFFD. */
export const xmlText = (text: string): string =>
  legalXml(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");

/** Between double quotes. */
export const xmlAttribute = (text: string): string =>
  xmlText(text).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
