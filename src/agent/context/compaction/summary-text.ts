/** Summaries that need no model: cut lines, and masked observations (agents.md §3.3). */
import { failureLines } from "../../tools/microcompact.ts";
import type { Entry } from "./entries.ts";

/** Lines that `truncate` quotes. */
export const quotedLines = 15;
const quotedChars = 500;
/** Bodies up to this size are shown by `observation_mask` as they are. */
const shortBody = 500;
/** As many of the last bodies that ask for it are never masked. */
const protectedBodies = 3;
const protectionMark = "[no-compact]";

/** The first lines of the archived messages, cut. */
export function truncatedText(archived: readonly Entry[], count: number): string {
  const lines = [`[auto-compacted ${count} older messages via truncate strategy]`];
  for (const entry of archived.slice(0, quotedLines)) lines.push(`[${entry.role}] ${cutSummary(entry.text)}`);
  if (archived.length > quotedLines) lines.push(`... and ${archived.length - quotedLines} more`);
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
  const lines = archived.map((entry, index) => {
    const own = replaced[index] ?? null;
    const text =
      own ?? (entry.role === "assistant" || kept.has(entry) ? entry.text : maskedSummaryText(entry.text));
    return `[${entry.role}] ${text}`;
  });
  return [`[auto-compacted ${archived.length} older messages via observation masking]`, ...lines].join("\n");
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

/** The head of a summary that somebody wrote: a model, a callback. */
export const writtenSummary = (count: number, text: string): string =>
  `[auto-compacted ${count} older messages]\n${text}`;

/** The archived messages as the summarizing model reads them. */
export const formatted = (archived: readonly Entry[]): string =>
  archived.map((entry) => `[${entry.role}] ${entry.text}`).join("\n\n");
