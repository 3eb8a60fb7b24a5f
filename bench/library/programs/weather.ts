/** What the tool of every program asks: it writes down when it begins and ends, and takes as long as `TOOL_MS` says. */
import { appendFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** A line in the file that the bench reads; nothing where it asks for none. */
export function note(line: string): void {
  if (process.env.NOTES !== undefined) appendFileSync(process.env.NOTES, `${line}\n`);
}

export async function degreesIn(city: string, signal?: AbortSignal): Promise<number> {
  note(`tool begins ${city}`);
  signal?.addEventListener("abort", () => note("tool is cancelled"));
  await setTimeout(Number(process.env.TOOL_MS ?? 0), undefined, { signal });
  note("tool ends");
  return 12;
}
