/** The agent's program driven by hand: no task, no runtime, no clock; every answer is given here. */

import { expect, test } from "vitest";
import { cycle } from "../../../../src/agent/contract/index.ts";
import { agentProgram } from "../../../../src/agent/machine/turn.ts";
import type { LoopRequest } from "../../../../src/agent/state/requests.ts";
import { answer, loopByHand } from "../../../support/loop-by-hand.ts";
import { storeLoopState } from "../../../support/stored-loop-state.ts";

test("yields model and tools, and ends with the reason", () => {
  const loop = loopByHand();
  const walk = cycle<LoopRequest>(loop.core, agentProgram(loop) as never);
  const first = walk.next();
  expect(first.value).toMatchObject({ kind: "model", iteration: 1, messages: [{ role: "user" }] });
  const call = { id: "c", name: "echo", raw_arguments: "{}", arguments: {}, parse_error: null };
  expect(walk.next(answer({ tool_calls: [call] })).value).toEqual({
    kind: "tools",
    calls: [{ id: "c", name: "echo", arguments: {} }],
  });
  expect(loop.core.control.state).toBe("AWAITING_TOOL");
  const second = walk.next([{ id: "c", ok: false, error: "no", category: "x" }]);
  expect(second.value).toMatchObject({ kind: "model", iteration: 2 });
  expect(loop.conversation.view.map((message) => message.role)).toEqual(["user", "assistant", "tool_result"]);
  expect(walk.next(answer({ text: "end" }))).toEqual({
    done: true,
    value: { status: "done", reason: "natural" },
  });
});

test("the state between two turns is plain data", () => {
  const loop = loopByHand();
  const walk = cycle<LoopRequest>(loop.core, agentProgram(loop) as never);
  walk.next();
  const stored = JSON.parse(storeLoopState(loop.state));
  expect(stored).toMatchObject({
    version: 1,
    task: "go",
    control: { state: "EXECUTING" },
    tools: { attempted: [] },
  });
  const functions: string[] = [];
  JSON.stringify(loop.state, (key, value) => {
    if (typeof value === "function" || typeof value === "symbol") functions.push(key);
    return value;
  });
  expect(functions).toEqual([]);
});
