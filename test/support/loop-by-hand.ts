/** A loop without task, runtime and clock: whoever drives it gives every answer. */
import { createControl, EventLog, HookRegistry } from "../../src/agent/contract/index.ts";
import { loopOptionsOf } from "../../src/agent/options/loop-options.ts";
import { createLoopState, type Loop, newTurn } from "../../src/agent/state/loop-state.ts";
import { LoopIdentity } from "../../src/events/index.ts";
import { Conversation } from "../../src/model/conversation/conversation.ts";
import { emptyResponse, type ModelResponse } from "../../src/model/llm/index.ts";
import { ModelBudget } from "../../src/model/model-call/index.ts";
import { toolSetOfValue } from "../../src/model/tools/tool-set.ts";
import { options, type Plain, tool } from "./agent-run.ts";

/** With one tool, `echo`, in a session `s` whose user said "go". */
export function loopByHand(more: Record<string, Plain> = {}): Loop {
  const control = createControl("s", { turns: 3 });
  const tools = toolSetOfValue(options({ _type: "tool_registry", tools: [tool("echo", () => "")] }));
  const conversation = new Conversation("s");
  conversation.append({ role: "user", content: "go" });
  return {
    call: { prompt: "go", system: null, options: options({}), caller: "agent_loop" },
    core: { control, events: new EventLog("s"), hooks: new HookRegistry(), now: 0 },
    state: createLoopState(control, "go", "s"),
    modelBudget: new ModelBudget(),
    onOutcome: null,
    mailbox: null,
    reminderProviders: new Map(),
    conversation,
    options: loopOptionsOf(options({ loop_until_done: true, ...more })),
    route: { provider: "p", model: "m", toolResultBlocks: true },
    announces: false,
    compactionMode: "auto",
    system: null,
    serverNotes: "",
    tools,
    unlisted: new Set(),
    visible: tools,
    disclosure: null,
    structural: new Map(),
    usesTools: true,
    agentMode: () => null,
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
    seesPictures: false,
    reasoningStays: false,
    freshId: () => "id",
    digest: (text) => text,
    findAll: () => [],
    reached: () => {},
    work: newTurn(0),
  };
}

/** What the model's port would have answered. */
export const answer = (more: Partial<ModelResponse>) => ({
  ok: true,
  response: { ...emptyResponse("p", "m"), ...more },
  durationMs: 1,
  emptyRetries: 0,
});
