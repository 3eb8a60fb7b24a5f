/** The stream of a run, loop by loop: what a log would keep of it, and that calls begin and end once. */
import { expect } from "vitest";
import { type RunEvent, runEvents } from "../../src/events/index.ts";
import type { Runtime } from "../../src/interp/index.ts";
import { Dict, toJson } from "../../src/values/index.ts";

/** Everything that a run tells from now on. */
export function heardOf(runtime: Runtime): readonly RunEvent[] {
  const heard: RunEvent[] = [];
  runtime.state(runEvents).subscribe((event) => heard.push(event));
  return heard;
}

/** What a log of the run would keep of each loop. */
export function byLoop(events: readonly RunEvent[]): Record<string, unknown[]> {
  const loops: Record<string, unknown[]> = {};
  for (const { k, type, loop, parent, turn, call, session, data } of events) {
    if (k === null || loop === null) continue;
    loops[loop] ??= [];
    loops[loop].push({ k, type, parent, turn, call, session, data: steady(data) });
  }
  return loops;
}

/** Data without what took how long. */
function steady(value: unknown): unknown {
  if (value instanceof Dict) return steady(toJson(value));
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.endsWith("_ms"))
      .map(([key, part]) => [key, steady(part)]),
  );
}

/** Of each loop: it begins first and ends once, its numbers have no gaps, its calls begin once and end at most once. */
export function checkOrder(events: readonly RunEvent[]): void {
  const begun = new Set<string>();
  const ended = new Set<string>();
  const over = new Set<string>();
  const counts = new Map<string, number>();
  for (const event of events) {
    const { loop, call, type, k } = event;
    if (type === "loop.start") expect(counts.get(loop ?? ""), `${loop} begins twice`).toBe(undefined);
    if (k !== null && loop !== null) {
      expect(k, `${type} of ${loop}`).toBe((counts.get(loop) ?? 0) + 1);
      counts.set(loop, k);
    }
    if (type === "loop.start") expect(k).toBe(1);
    if (type === "tool.start") {
      expect(begun.has(call ?? ""), `${call} begins twice`).toBe(false);
      begun.add(call ?? "");
    }
    if (type === "tool.end") {
      expect(ended.has(call ?? ""), `${call} ends twice`).toBe(false);
      expect(begun.has(call ?? ""), `${call} ends without a beginning`).toBe(event.data.begun);
      ended.add(call ?? "");
    }
    if (type === "loop.end" && loop !== null) over.add(loop);
  }
  // What a loop that has ended began has ended, too.
  for (const call of begun) {
    const loop = call.split(".")[0] as string;
    if (over.has(loop)) expect(ended.has(call), `${call} never ends`).toBe(true);
  }
}
