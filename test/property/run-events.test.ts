/**
 * The stream of a run: events made live and events made again by a replay agree loop by loop in
 * type, order and data, except durations; and whatever happens, calls begin and end once.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { MemoryJournal, Secrets } from "../../src/effects/index.ts";
import { type RunEvent, runEvents } from "../../src/events/index.ts";
import { Dict, toJson } from "../../src/values/index.ts";
import { recordingEffects, replayEffects, unusableHost } from "../support/concurrent.ts";
import { goldenCases, goldenRoot } from "../support/goldens.ts";
import { createMemoryHost } from "../support/memory-host.ts";
import { runUnder } from "../support/replay-script.ts";
import { compileScript } from "../support/run-script.ts";

const agents = /\b(?:agent_loop|agent_turn|sub_agent_run|spawn_agent|workflow_execute)\b/;

const scenarios = goldenCases(goldenRoot)
  .map(({ name, program }) => ({ name, text: readFileSync(program, "utf8") }))
  .filter(({ text }) => agents.test(text) && compileScript(text).program !== undefined);

interface Listened {
  readonly live: readonly RunEvent[];
  readonly again: readonly RunEvent[];
}

async function listen(text: string): Promise<Listened> {
  const receive = (into: RunEvent[]) => ({
    onRuntime: (runtime: Parameters<NonNullable<Parameters<typeof runUnder>[3]>["onRuntime"] & {}>[0]) =>
      void runtime.state(runEvents).subscribe((event) => into.push(event)),
  });
  const live: RunEvent[] = [];
  const again: RunEvent[] = [];
  const host = createMemoryHost();
  const writer = new MemoryJournal();
  const secrets = Secrets.ofEnvironment(host.env);
  await runUnder(text, recordingEffects(writer, secrets), host, receive(live));
  await runUnder(text, replayEffects(writer.read(), secrets), unusableHost(), receive(again));
  return { live, again };
}

/** What a log of the run would keep of each loop. */
function byLoop(events: readonly RunEvent[]): Record<string, unknown[]> {
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

test("there are scenarios with loops", () => {
  expect(scenarios.length).toBeGreaterThan(150);
});

let kept = 0;

describe("live and again", () => {
  test.each(scenarios)("$name", async ({ text }) => {
    const { live, again } = await listen(text);
    expect(byLoop(again)).toEqual(byLoop(live));
    checkOrder(live);
    kept += live.filter(({ k }) => k !== null).length;
  });
});

test("the scenarios are full of events", () => {
  expect(kept).toBeGreaterThan(5000);
});

/** Of each loop: it begins first and ends once, its numbers have no gaps, its calls begin once and end at most once. */
function checkOrder(events: readonly RunEvent[]): void {
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
