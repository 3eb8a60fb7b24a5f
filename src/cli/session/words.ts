/** Times, events and texts of sessions in words for a terminal. */
import type { SessionEvent } from "../../durable/index.ts";

/** `in 2h (2026-01-01 09:00 UTC)`, `now`. */
export function whenText(due: number, now: number): string {
  if (due <= now) return "now";
  return `in ${longDuration(due - now)} (${new Date(due).toISOString().slice(0, 16).replace("T", " ")} UTC)`;
}

const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"],
] as const;

/** The two largest units: `2h`, `1d 4h`, `40s`. */
function longDuration(ms: number): string {
  let left = Math.max(Math.round(ms / 1000), 1) * 1000;
  const parts: string[] = [];
  for (const [size, name] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count}${name}`);
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/** One line of at most `most` characters; what would move the cursor or change colours is taken out. */
export function shortLine(text: string, max = 100): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, " ").trim();
  const shown = [...line];
  return shown.length <= max ? line : `${shown.slice(0, max - 1).join("")}…`;
}

/** What an event is about, after its type. */
export function eventText(event: SessionEvent, max?: number): string {
  switch (event.type) {
    case "user.message":
    case "agent.message":
      return shortLine(event.text, max);
    case "user.custom_tool_result":
      return shortLine(
        `${event.tool_use_id} ${event.is_error ? "failed: " : ""}${JSON.stringify(event.content)}`,
        max,
      );
    case "agent.custom_tool_use":
      return shortLine(`${event.id} ${event.name}(${JSON.stringify(event.input)})`, max);
    case "session.wake":
      return shortLine(`${event.key}: ${event.reason}`, max);
    case "session.status":
      return `${event.status} (run ${event.run})`;
    case "session.error":
      return shortLine(event.message, max);
  }
}
