/** Summaries that need no model: cut lines, and masked observations (agents.md §3.3). */
import { failureLines, microcompact } from "../../tools/microcompact.ts";
import type { Entry } from "./entries.ts";

/** Lines that `truncate` quotes. */
export const quotedLines = 15;
const quotedChars = 500;
/** Bodies up to this size are shown by `observation_mask` as they are. */
const shortBody = 500;
/** As many of the last bodies that ask for it are never masked. */
const protectedBodies = 3;
const protectionMark = "[no-compact]";

/** An archived message that is the summary of an earlier compaction: how many messages it speaks for, and its words. */
interface Earlier {
  readonly count: number;
  readonly words: string;
  /** The words, shortened to what is carried over where no model reads them. */
  readonly short: string;
}

/** As much of an earlier summary is carried over. */
const carriedChars = 2000;
const summaryHead =
  /^\[auto-compacted (\d+) older messages(?: via (?:truncate strategy|observation masking))?\]\n?/;

/**
 * The earlier summaries among archived messages. A summary of a summary says what that said, under one head, instead of
 * quoting it: otherwise what a failing summarizer leaves behind would nest with each compaction.
 */
function earlierIn(archived: readonly Entry[]): ReadonlyMap<Entry, Earlier> {
  const found = new Map<Entry, Earlier>();
  for (const entry of archived) {
    const head = entry.by === "compaction" ? summaryHead.exec(entry.text) : null;
    if (head === null) continue;
    const words = entry.text.slice(head[0].length);
    found.set(entry, { count: Number(head[1]), words, short: microcompact(words, carriedChars) });
  }
  return found;
}

/** How many messages archived ones stand for, `count` of them counted by whoever shows only some. */
const spokenFor = (earlier: ReadonlyMap<Entry, Earlier>, count: number): number =>
  [...earlier.values()].reduce((sum, one) => sum + one.count - 1, count);

/** The first lines of the archived messages, cut; what earlier summaries said stands first. `count`: of how many. */
export function truncatedText(archived: readonly Entry[], count = archived.length): string {
  const earlier = earlierIn(archived);
  const own = archived.filter((entry) => !earlier.has(entry));
  const lines = [`[auto-compacted ${spokenFor(earlier, count)} older messages via truncate strategy]`];
  for (const { short } of earlier.values()) lines.push(short);
  for (const entry of own.slice(0, quotedLines)) lines.push(`[${entry.role}] ${cutSummary(entry.text)}`);
  if (own.length > quotedLines) lines.push(`... and ${own.length - quotedLines} more`);
  return lines.join("\n");
}

function cutSummary(text: string): string {
  if (text.length <= quotedChars) return text;
  const end = /[\ud800-\udbff]/.test(text[quotedChars - 1] as string) ? quotedChars - 1 : quotedChars;
  return `${text.slice(0, end)}... [truncated]`;
}

/** Every message in its place, long observations by their first line. `replaced` has a mask's own words. */
export function maskedText(archived: readonly Entry[], replaced: readonly (string | null)[]): string {
  const kept = new Set(archived.filter(({ text }) => text.includes(protectionMark)).slice(-protectedBodies));
  const earlier = earlierIn(archived);
  const lines = archived.map((entry, index) => {
    const own = replaced[index] ?? null;
    const carried = earlier.get(entry);
    if (own === null && carried !== undefined) return carried.short;
    const text =
      own ?? (entry.role === "assistant" || kept.has(entry) ? entry.text : maskedSummaryText(entry.text));
    return `[${entry.role}] ${text}`;
  });
  const count = spokenFor(earlier, archived.length);
  return [`[auto-compacted ${count} older messages via observation masking]`, ...lines].join("\n");
}

function maskedSummaryText(text: string): string {
  if (text.length <= shortBody) return text;
  const rows = text.split("\n");
  const first = (rows[0] as string).slice(0, shortBody);
  const failures = failureLines(text);
  const size = `${rows.length} lines, ${text.length} chars masked`;
  if (failures.length === 0) return `${first}... [${size}]`;
  return [`${first}... [${size}; failure lines preserved]`, ...failures].join("\n");
}

/** A summary that somebody wrote: a model, a callback. */
export const writtenSummary = (archived: readonly Entry[], text: string): string =>
  `[auto-compacted ${spokenFor(earlierIn(archived), archived.length)} older messages]\n${text}`;

/** The archived messages as the summarizing model reads them. */
export function formatted(archived: readonly Entry[]): string {
  const earlier = earlierIn(archived);
  const written = (entry: Entry): string => {
    const before = earlier.get(entry);
    return before === undefined
      ? `[${entry.role}] ${entry.text}`
      : `[summary of ${before.count} earlier messages] ${before.words}`;
  };
  return archived.map(written).join("\n\n");
}
