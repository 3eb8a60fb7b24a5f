/** The agent's program driven by hand: no task, no runtime, no clock; every answer is given here. */

import { expect, test } from "vitest";
import { createControl, cycle, EventLog, HookRegistry } from "../../../../src/agent/contract/index.ts";
import { agentProgram } from "../../../../src/agent/machine/turn.ts";
import { readLoopOptions } from "../../../../src/agent/options/loop-options.ts";
import { createLoopState, type Loop, newTurn } from "../../../../src/agent/state/loop-state.ts";
import type { LoopRequest } from "../../../../src/agent/state/requests.ts";
import { LoopIdentity } from "../../../../src/events/index.ts";
import { Conversation } from "../../../../src/model/conversation/conversation.ts";
import { emptyResponse, type ModelResponse } from "../../../../src/model/llm/index.ts";
import { Purse } from "../../../../src/model/model-call/index.ts";
import { readToolSet } from "../../../../src/model/tools/tool-set.ts";
import { options, tool } from "../../../support/agent-run.ts";
import { storeLoopState } from "../../../support/stored-loop-state.ts";

function loopByHand(): Loop {
  const control = createControl("s", { turns: 3 });
  const tools = readToolSet(options({ _type: "tool_registry", tools: [tool("echo", () => "")] }));
  const conversation = new Conversation("s");
  conversation.append({ role: "user", content: "go" });
  return {
    call: { prompt: "go", system: null, options: options({}), caller: "agent_loop" },
    core: { control, events: new EventLog("s"), hooks: new HookRegistry(), now: 0 },
    state: createLoopState(control, "go", "s"),
    purse: new Purse(),
    onOutcome: null,
    mailbox: null,
    reminderProviders: new Map(),
    conversation,
    options: readLoopOptions(options({ loop_until_done: true })),
    route: { provider: "p", model: "m", toolResultBlocks: true },
    announces: false,
    compactionMode: "auto",
    system: null,
    serverNotes: "",
    tools,
    visible: tools,
    disclosure: null,
    structural: new Map(),
    usesTools: true,
    format: "native",
    formatOverride: null,
    mode: "native",
    channel: "native",
    skills: null,
    sentinel: null,
    overrides: null,
    hooked: () => false,
    sessionHooks: () => null,
    identity: new LoopIdentity("l1", "s", null),
    listens: () => false,
    projector: null,
    contextWindow: null,
    freshId: () => "id",
    digest: (text) => text,
    findAll: () => [],
    work: newTurn(0),
  };
}

const answer = (more: Partial<ModelResponse>) => ({
  ok: true,
  response: { ...emptyResponse("p", "m"), ...more },
  durationMs: 1,
  emptyRetries: 0,
});

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
