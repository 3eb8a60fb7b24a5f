/**
 * The list of subsystems is a parameter: parts are left out, replaced, put between. Each phase asks for what is its own: repair
 * and the stop decision ask no model, and repair comes before everything that looks at the view.
 */
import { expect, test } from "vitest";
import { cycle } from "../../../../src/agent/contract/index.ts";
import { agentProgram, subsystems } from "../../../../src/agent/machine/turn.ts";
import type { LoopRequest } from "../../../../src/agent/state/requests.ts";
import type { Subsystem } from "../../../../src/agent/state/subsystem.ts";
import { answer, loopByHand } from "../../../support/loop-by-hand.ts";

const call = { id: "c", name: "echo", raw_arguments: "{}", arguments: {}, parse_error: null };

/** Drives a loop over one call to its end; gives what it asked for, with the state in which it did. */
function driven(loop: ReturnType<typeof loopByHand>, parts?: readonly Subsystem[]): string[] {
  const walk = cycle<LoopRequest>(loop.core, agentProgram(loop, parts) as never);
  const asked: string[] = [];
  let models = 0;
  let step = walk.next();
  while (step.done !== true) {
    asked.push(`${loop.core.control.state} ${step.value.kind}`);
    const input =
      step.value.kind === "model"
        ? answer(models++ === 0 ? { tool_calls: [call] } : { text: "end" })
        : [{ id: "c", ok: true, value: null }];
    step = walk.next(input);
  }
  asked.push(`${step.value.status} ${step.value.reason}`);
  return asked;
}

const whole = ["EXECUTING model", "AWAITING_TOOL tools", "EXECUTING model", "done natural"];

test("a loop asks models while it executes and tools while it waits for them, and nothing in between", () => {
  expect(driven(loopByHand())).toEqual(whole);
});

test("each part can be left out alone", () => {
  for (const { name } of subsystems) {
    const parts = subsystems.filter((part) => part.name !== name);
    expect([name, driven(loopByHand(), parts)]).toEqual([name, whole]);
  }
  expect(driven(loopByHand(), [])).toEqual(whole);
});

test("a part is replaced, and another put between", () => {
  const seen: string[] = [];
  const own: Subsystem = {
    name: "compaction",
    // biome-ignore lint/correctness/useYield: it asks nobody.
    *prepare(loop) {
      seen.push(`own ${loop.work.iteration + 1}`);
    },
  };
  const between: Subsystem = {
    name: "between",
    // biome-ignore lint/correctness/useYield: it asks nobody.
    *prepare() {
      seen.push("between");
    },
    // biome-ignore lint/correctness/useYield: it asks nobody.
    *settled() {
      seen.push("settled");
    },
  };
  const parts = subsystems.flatMap((part) => (part.name === "compaction" ? [own, between] : [part]));
  expect(driven(loopByHand(), parts)).toEqual(whole);
  expect(seen).toEqual(["own 1", "between", "settled", "own 2", "between", "settled"]);
});

test("repair comes before everything that looks at the view, whatever the order of the list", () => {
  const seen: string[] = [];
  const looks: Subsystem = {
    name: "looks",
    *prepare(loop) {
      seen.push(loop.conversation.view.map(({ role }) => role).join(" "));
    },
  };
  const loop = loopByHand();
  loop.conversation.append({ role: "tool", tool_call_id: "nobody", content: "boo" });
  expect(driven(loop, [looks, ...subsystems])).toEqual(whole);
  expect(seen[0]).toBe("user");
  expect(loop.conversation.interventions.list().map(({ rule }) => rule)).toEqual(["result_without_call"]);
  expect(loop.state.slots.interventions.count).toBe(1);
});
