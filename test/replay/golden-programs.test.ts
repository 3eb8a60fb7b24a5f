/**
 * Every golden program, recorded and replayed: same output, same exit code, same error, nothing outside touched. Of agents, events
 * made live and events made again agree loop by loop in type, order and data, except durations; and whatever happens, calls begin
 * and end once.
 */
// suite: slow
// long: runs every golden program again, recorded and replayed

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/events/index.ts";
import { goldenCases, goldenRoot } from "../support/goldens.ts";
import { byLoop, checkOrder, heardOf } from "../support/loop-logs.ts";
import { createMemoryHost } from "../support/memory-host.ts";
import { recordAndReplayScript } from "../support/replay-script.ts";
import { compileScript } from "../support/run-script.ts";
import { isSmoke } from "../support/smoke.ts";

const agents = /\b(?:agent_loop|agent_turn|sub_agent_run|spawn_agent|workflow_execute)\b/;

let scenarios = 0;
let kept = 0;

describe("golden programs replay", () => {
  for (const golden of goldenCases(goldenRoot)) {
    const text = readFileSync(golden.program, "utf8");
    if (compileScript(text).program === undefined) continue;
    test(golden.name, async () => {
      const heard: (readonly RunEvent[])[] = [];
      const hasAgents = agents.test(text);
      const { recorded, replayed } = await recordAndReplayScript(text, createMemoryHost(), {
        onRuntime: (runtime) => void (hasAgents && heard.push(heardOf(runtime))),
      });
      expect(replayed).toMatchObject({
        stdout: recorded.stdout,
        exitCode: recorded.exitCode,
        error: recorded.error,
        guarded: { kind: recorded.guarded.kind },
      });
      expect(replayed.guarded.kind).toBe("ended");
      if (!hasAgents) return;
      const [live = [], again = []] = heard;
      expect(byLoop(again)).toEqual(byLoop(live));
      checkOrder(live);
      scenarios++;
      kept += live.filter(({ k }) => k !== null).length;
    });
  }

  test.skipIf(isSmoke)("those with agents are many, and full of events", () => {
    expect(scenarios).toBeGreaterThan(150);
    expect(kept).toBeGreaterThan(5000);
  });
});
