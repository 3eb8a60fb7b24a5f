/** Events of a run for tests of their projections: one call of the loop `l2`, which a call of `l1` started. */
import type {
  DurableData,
  EmittedEvent,
  NamedEvent,
  RunEventData,
  RunEventType,
} from "../../src/events/index.ts";
import { Dict } from "../../src/values/index.ts";

/** An event; everything but type and data as in the middle of a nested loop, unless `place` says otherwise. */
export const report = <T extends RunEventType>(
  type: T,
  data: RunEventData[T],
  place: Partial<Pick<EmittedEvent, "session" | "loop" | "parent" | "turn" | "call">> = {},
): EmittedEvent<T> =>
  ({
    type,
    session: "s2",
    loop: "l2",
    parent: { loop: "l1", call: "l1.1.0" },
    turn: 3,
    call: null,
    data,
    ...place,
  }) as unknown as EmittedEvent<T>;

export const named = (
  name: string,
  fields: Dict = new Dict(),
  more: Partial<NamedEvent> = {},
): NamedEvent => ({
  name,
  fields,
  live: true,
  listed: null,
  ...more,
});

export const loopStart: DurableData["loop.start"] = {
  task: "Count",
  name: null,
  provider: "mock",
  model: "m",
  format: "native",
  window: null,
  parent_session: "s1",
  parent_tool_call: { session: "s1", turn: 1, index: 0 },
};

export const loopEnd: DurableData["loop.end"] = {
  status: "done",
  stop_reason: "natural",
  turns: 3,
  duration_ms: 40,
  total: { input: 9, output: 4, cost_usd: 0.5 },
  tools_used: ["look"],
  successful_tools: [],
};

export const turnEnd: DurableData["turn.end"] = {
  tool_count: 1,
  provider: "mock",
  model: "m",
  text: "said",
  response_ms: 5,
  input: 7,
  output: 2,
  thinking_chars: 0,
  cost_usd: 0,
  wall_clock_ms: 6,
};

export const toolStart: DurableData["tool.start"] = {
  script: false,
  name: "look",
  kind: "read",
  arguments: { path: "/a" },
  model_call_id: "call_1",
};

export const toolEnd: DurableData["tool.end"] = {
  begun: true,
  script: false,
  name: "look",
  model_call_id: "call_1",
  status: "ok",
  arguments: Dict.of({ path: "/a" }),
  result: "found",
  error: null,
  category: null,
  gate: null,
  duration_ms: 12,
  attempts: 1,
  executor: "harn",
  server: null,
};

export const usage: DurableData["usage"] = {
  of: "turn",
  model_call: "call_7",
  provider: "mock",
  model: "m",
  duration_ms: 8,
  answer: { input: 7, output: 2, cached: 1, reasoning: 0, cost_usd: null },
  total: { input: 9, output: 4, cost_usd: null },
};

export const retry: DurableData["retry"] = {
  what: "model",
  of: "turn",
  attempt: 1,
  delay_ms: 250,
  reason: "busy",
};
