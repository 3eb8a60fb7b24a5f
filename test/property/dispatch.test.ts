/** Batches of tool calls, whatever the tools do: one outcome per call in emitted order, and a replay gives the same. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dispatchBatch } from "../../src/agent/index.ts";
import { Interruption, spawnTask, type Task, withDeadline } from "../../src/interp/index.ts";
import { type ToolCall, toolSetOfValue } from "../../src/model/index.ts";
import { Dict, fromJson, List, thrown, type Value } from "../../src/values/index.ts";
import { recordAndReplay, testRun } from "../support/concurrent.ts";
import { ScriptFunction } from "../support/script-function.ts";
import { sleep } from "../support/task-effects.ts";

/** What one call makes its tool do. */
interface Plan {
  readonly tool: "works" | "throws" | "flaky" | "unknown" | "malformed" | "incomplete";
  readonly steps: readonly number[];
  readonly prints: boolean;
  readonly timeout: boolean;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  tool: fc.constantFrom("works", "throws", "flaky", "unknown", "malformed", "incomplete"),
  steps: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 4 }),
  prints: fc.boolean(),
  timeout: fc.boolean(),
});

async function act(task: Task, kind: string, one: Plan, tries: { n: number }): Promise<Value> {
  for (const ms of one.steps) {
    await sleep(task, ms);
    if (one.prints) task.write(`${kind} ${ms} ${task.runtime.effects.random32(task.scope) & 7}\n`);
  }
  tries.n++;
  if (kind === "throws" || (kind === "flaky" && tries.n % 2 === 1)) throw thrown(`no ${tries.n}`);
  return fromJson({ tries: tries.n });
}

function callOf(one: Plan, index: number): ToolCall {
  const args = one.tool === "incomplete" ? {} : { n: index };
  const broken = one.tool === "malformed";
  const name = one.tool === "malformed" || one.tool === "incomplete" ? "works" : one.tool;
  return {
    id: `c${index}`,
    name,
    arguments: broken ? null : args,
    rawArguments: broken ? "{" : JSON.stringify(args),
    parseError: broken ? "cut off" : null,
    channel: "native",
  };
}

function toolsFor(plans: readonly Plan[]) {
  const tries = plans.map(() => ({ n: 0 }));
  const tool = (name: string): Dict =>
    Dict.of({
      name,
      description: "",
      parameters: fromJson({ n: "int" }),
      handler: new ScriptFunction(["args"], (task, [args]) => {
        const n = (args as Dict).get("n") as number;
        return act(task, name, plans[n] as Plan, tries[n] as { n: number });
      }),
    });
  return toolSetOfValue(new List(["works", "throws", "flaky"].map(tool)));
}

describe("batches", () => {
  it("end with one outcome per call in emitted order, and replay the same", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plan, { maxLength: 8 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 2 }),
        async (plans, maxConcurrent, retries) => {
          const { recorded, replayed } = await recordAndReplay(async (task) => {
            const outcomes = await dispatchBatch(task, plans.map(callOf), toolsFor(plans), {
              sessionId: "s",
              iteration: 0,
              maxConcurrent,
              retries,
              backoffMs: 5,
              timeoutMs: 40,
            });
            expect(outcomes.map((outcome) => outcome.callId)).toEqual(
              plans.map((_one, index) => `c${index}`),
            );
            for (const [index, outcome] of outcomes.entries()) {
              const asked = plans[index] as Plan;
              if (asked.tool === "unknown") expect(outcome.status).toBe("rejected");
              else if (asked.tool !== "works" && asked.tool !== "flaky") expect(outcome.status).toBe("error");
              expect(outcome.attempts).toBeLessThanOrEqual(retries + 1);
              task.write(`${outcome.status} ${outcome.rendered} ${outcome.durationMs} ${outcome.attempts}\n`);
            }
            return null;
          });
          expect(replayed).toEqual(recorded);
        },
      ),
      { numRuns: 60 },
    );
  });

  const hanging = () =>
    toolSetOfValue(
      new List([
        Dict.of({
          name: "hang",
          description: "",
          handler: new ScriptFunction(["x"], (task) => sleep(task, 1_000_000)),
        }),
        Dict.of({ name: "quick", description: "", handler: new ScriptFunction(["x"], () => "done") }),
      ]),
    );
  const batch = ["quick", "hang", "quick"].map((name, index) => ({
    ...callOf({ tool: "incomplete", steps: [], prints: false, timeout: false }, index),
    name,
  }));

  it.each([1, 3])("end with the task that waits for them (%i at once)", async (maxConcurrent) => {
    const { task, host } = testRun();
    let ended: unknown = "nothing";
    const handle = spawnTask(task, async (child) => {
      try {
        await dispatchBatch(child, batch, hanging(), { sessionId: "s", iteration: 0, maxConcurrent });
      } catch (error) {
        ended = error;
      }
      return null;
    });
    await sleep(task, 10);
    handle.task.abort(new Interruption("cancelled"));
    await sleep(task, 1);
    expect(ended).toBeInstanceOf(Interruption);
    expect(host.clock.monotonic()).toBeLessThan(1000);
  });

  it("end with a deadline around them", async () => {
    const { task, host } = testRun();
    const late = withDeadline(task, 50, () =>
      dispatchBatch(task, batch, hanging(), { sessionId: "s", iteration: 0 }).then(() => null),
    );
    await expect(late).rejects.toMatchObject({ value: "Deadline exceeded" });
    expect(host.clock.monotonic()).toBe(50);
  });
});
