/** The working buffer: what the last runs were about, shortly, for the model of the next one. Oldest first. */
import type { InputEvent } from "../../../durable/index.ts";
import { clip, clippedLine } from "./clip.ts";

export const maxBufferLength = 16_000;
const maxTextLength = 2000;
const maxEventLineLength = 500;
/** Events of one run that are quoted. */
const maxQuoted = 20;

export interface RunNote {
  readonly run: number;
  readonly now: number;
  readonly events: readonly InputEvent[];
  readonly text: string;
  /** What was decided, a line each. */
  readonly decisions: readonly string[];
}

/** The buffer with one more run; the oldest go when there is no room. */
export function withRun(buffer: string, note: RunNote): string {
  const section = sectionOf(note);
  const kept = sections(buffer);
  const room = maxBufferLength - section.length;
  let size = kept.reduce((sum, one) => sum + one.length + 2, 0);
  while (kept.length > 0 && size > room) size -= (kept.shift() as string).length + 2;
  return `${[...kept, section].join("\n\n")}\n`;
}

/** Parts that begin with a heading; what a person wrote above the first one is a part, too. */
const sections = (buffer: string): string[] =>
  buffer
    .split(/\n(?=## Run \d)/)
    .map((part) => part.trim())
    .filter((part) => part !== "");

function sectionOf({ run, now, events, text, decisions }: RunNote): string {
  const lines = [`## Run ${run} · ${new Date(now).toISOString()}`];
  for (const event of events.slice(0, maxQuoted)) lines.push(`- ${eventLine(event, maxEventLineLength)}`);
  if (events.length > maxQuoted) lines.push(`- … and ${events.length - maxQuoted} more events`);
  if (text !== "") lines.push(`- You said: ${clip(text, maxTextLength).replaceAll("\n", "\n  ")}`);
  for (const decision of decisions) lines.push(`- ${decision}`);
  return lines.join("\n");
}

/** An event from outside in one line. */
export function eventLine(event: InputEvent, max: number): string {
  switch (event.type) {
    case "user.message":
      return `Message: ${clippedLine(event.text, max)}`;
    case "user.custom_tool_result": {
      const what = event.is_error ? "Failed" : "Result of";
      return `${what} ${event.tool_use_id}: ${clippedLine(JSON.stringify(event.content), max)}`;
    }
    case "session.wake":
      return `Wake ${event.key}: ${clippedLine(event.reason, max)}`;
  }
}
