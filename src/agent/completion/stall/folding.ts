/**
 * Folding: what is different in every answer without meaning anything is made the same, so that two answers can be
 * compared. Results lose times, durations, UUIDs and addresses; errors also what they quote and which paths they name.
 */

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
const address = /\b0x[0-9a-f]{4,}\b/gi;
const moment =
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b|\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g;
const unit = "(?:ns|us|µs|μs|ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)";
/** `1.2s`, `340 ms`, `3m12s`, `1h 2m`; a letter after the unit makes it a word. */
const duration = new RegExp(
  `(?<![\\w.])\\d+(?:[.,]\\d+)?\\s?${unit}(?:\\s?\\d+(?:[.,]\\d+)?\\s?${unit})*(?![\\w])`,
  "g",
);
const digits = /\d+(?:[.,]\d+)*/g;
const quoted = /"[^"\n]*"|`[^`\n]*`|(?<![\w])'[^'\n]*'(?!\w)|“[^”\n]*”|‘[^’\n]*’/g;
const path =
  /(?:(?:(?:[A-Za-z]:)?[\\/])?(?:[\w.@~+-]+[\\/])+[\w.@~+-]*|(?:[A-Za-z]:)?[\\/][\w.@~+-]+|(?<![\w.])[\w-]+\.[A-Za-z]{1,5}(?![\w(]))(?::\d+(?::\d+)?)?/g;

/** A result without what time and chance put into it. */
export function foldResult(text: string): string {
  // Almost every pattern needs a digit: texts without any are passed at the cost of one look.
  if (!/[\dx]/i.test(text)) return text;
  return text
    .replace(uuid, "<uuid>")
    .replace(address, "<address>")
    .replace(moment, "<time>")
    .replace(duration, "<duration>");
}

/** A folded result without its numbers. */
export const foldDigits = (folded: string): string => folded.replace(digits, "#");

/** A folded error without what it quotes and which paths it names. */
export const foldError = (folded: string): string =>
  folded.replace(quoted, "<quoted>").replace(path, "<path>");
