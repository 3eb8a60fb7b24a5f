/**
 * Folding: what is different in every answer without meaning anything is made the same, so that two answers can be
 * compared. Results lose times, durations, UUIDs, addresses and blanks; errors also numbers, ids, what they quote and which
 * paths and places of a network they name. Arguments lose blanks always, and what looks drawn or counted where the answers are
 * equal (`argumentLevels`).
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

/** Letters and digits in turn, or hexadecimal: nobody writes such a word. */
const drawn =
  /\b(?:(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}|(?=[A-Za-z0-9]{5})[A-Za-z]*\d+[A-Za-z]+\d[A-Za-z0-9]*)\b/gi;
const url = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>)\]]+/gi;
const mailbox = /[\w.+-]+@[\w-]+(?:\.[\w-]+)*/g;
const place = /\b(?:[\w-]+\.){2,}[a-z]{2,}(?::\d+)?\b|\b(?:[0-9a-f]{1,4}:){3,}[0-9a-f:]*/gi;
/** Blanks as they are and as JSON writes them. */
const blanks = /(?:\\[nrt]|\s)+/g;

/** A result without what time and chance put into it. */
export function foldResult(text: string): string {
  const even = text.replace(/\s+/g, " ").trim();
  // Almost every pattern needs a digit: texts without any are passed at the cost of one look.
  if (!/[\dx]/i.test(even)) return even;
  return even
    .replace(uuid, "<uuid>")
    .replace(address, "<address>")
    .replace(moment, "<time>")
    .replace(duration, "<duration>");
}

/** A folded result without its numbers. */
export const foldDigits = (folded: string): string => folded.replace(digits, "#");

/** A folded error without what it quotes, which paths and places it names, and what it counts. */
export const foldError = (folded: string): string =>
  foldDigits(
    folded
      .replace(url, "<place>")
      .replace(mailbox, "<place>")
      .replace(quoted, "<quoted>")
      .replace(place, "<place>")
      .replace(path, "<path>")
      .replace(drawn, "<id>"),
  );

/** Canonical arguments without blanks that say nothing. */
export const foldSpaces = (canonical: string): string =>
  canonical.replace(blanks, " ").replace(/" | "/g, '"');

/** Arguments by which a call is told from others of its kind, whatever it asks for. */
const serial =
  /"(_\w*|nonce|salt|seed|attempts?|tr(?:y|ies)|retr(?:y|ies)|counter|(?:request|trace|call)_?id|timestamp|ts|now|cache_?bust(?:er)?|rand(?:om)?)":(?:"(?:[^"\\]|\\.)*"|[^,}\]]*)/gi;

/**
 * Arguments, blanks folded, without what looks drawn (ids, times, nonces), and without numbers as well: two ways in which calls
 * may be the same that are written differently. Where nothing is taken out, it is the same text.
 */
export function argumentLevels(args: string): { readonly drawn: string; readonly counted: string } {
  const plain = foldResult(args.replace(serial, '"$1":"<id>"')).replace(drawn, "<id>");
  return { drawn: plain, counted: foldDigits(plain) };
}

/** A folded result without the ids that the call itself brought along: an echo is no news. */
export function withoutEcho(folded: string, args: string): string {
  let text = folded;
  for (const [own] of args.matchAll(drawn)) text = text.replaceAll(own, "<id>");
  for (const [own] of args.matchAll(/\b\d{5,}\b/g)) text = text.replaceAll(own, "<id>");
  return text;
}
