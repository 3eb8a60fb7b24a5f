/** The stream of whole runs: when calls are told, whose calls they are, what hangs below what. */
import { describe, expect, type MockInstance, test, vi } from "vitest";
import { MemoryJournal, Secrets } from "../../../src/effects/index.ts";
import {
  eventLineTexts,
  type LoopNode,
  type RunEvent,
  runEvents,
  runTree,
} from "../../../src/events/index.ts";
import { recordingEffects } from "../../support/concurrent.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { runUnder } from "../../support/replay-script.ts";

/** The events of a script, and what it printed. */
async function streamOf(text: string): Promise<{ events: RunEvent[]; stdout: string }> {
  const events: RunEvent[] = [];
  const host = createMemoryHost();
  const effects = recordingEffects(new MemoryJournal(), Secrets.ofEnvironment(host.env));
  const { stdout, error, guarded } = await runUnder(text, effects, host, {
    onRuntime: (runtime) => void runtime.state(runEvents).subscribe((event) => events.push(event)),
  });
  expect({ error, kind: guarded.kind }).toEqual({ error: "", kind: "ended" });
  return { events, stdout };
}

const calls = (events: readonly RunEvent[]): unknown[] =>
  events.flatMap((event) =>
    event.type === "tool.start" || event.type === "tool.end"
      ? [`${event.type} ${event.data.name} ${event.call}`]
      : [],
  );

const batch = `
let slow = tool_define(tool_registry(), "slow", "Slow.", {handler: { _ ->
  sleep(50ms)
  return "slow"
}})
let both = tool_define(slow, "quick", "Quick.", {handler: { _ ->
  sleep(5ms)
  return "quick"
}})
llm_mock({tool_calls: [{name: "slow", id: "same"}, {name: "quick", id: "same"}]})
llm_mock({text: "done"})
`;

test("a call that the mode refuses is a decision, at its call, as one that a person or a rule refuses", async () => {
  const { events } = await streamOf(
    `let writes = tool_define(tool_registry(), "save", "Saves.", {annotations: {kind: "edit", side_effect_level: "workspace_write"}, handler: { _ -> "saved" }})
llm_mock({tool_calls: [{name: "save"}]})
llm_mock({text: "done"})
agent_loop("Go.", nil, {provider: "mock", tools: writes, tool_format: "native", modes: true, mode: "plan"})`,
  );
  const decisions = events.filter(
    (event): event is RunEvent<"decision"> => event.type === "decision" && event.data.about === "mode",
  );
  expect(decisions.map(({ loop, turn, data }) => ({ loop, turn, ...data }))).toEqual([
    expect.objectContaining({
      loop: "l1",
      turn: 1,
      verdict: "deny",
      why: "'save' is not available in plan mode",
      by: "mode",
      considered: [{ layer: "mode", said: "plan" }],
    }),
  ]);
});

describe("calls of a batch are told when they happen", () => {
  test("in parallel: the quick one ends while the slow one runs", async () => {
    const { events, stdout } = await streamOf(
      `${batch}let result = agent_loop("Go.", nil, {provider: "mock", tools: both, tool_format: "native", max_concurrent_tools: 2, on_event: { event -> if event.type == "tool.result" { println(event.data.name) } }})\nprintln(result.status)`,
    );
    expect(calls(events)).toEqual([
      "tool.start slow l1.1.0",
      "tool.start quick l1.1.1",
      "tool.end quick l1.1.1",
      "tool.end slow l1.1.0",
    ]);
    // The contract log keeps the results in emitted order.
    expect(stdout).toBe("slow\nquick\ndone\n");
  });

  test("one after the other: each ends before the next begins", async () => {
    const { events } = await streamOf(
      `${batch}agent_loop("Go.", nil, {provider: "mock", tools: both, tool_format: "native"})`,
    );
    expect(calls(events)).toEqual([
      "tool.start slow l1.1.0",
      "tool.end slow l1.1.0",
      "tool.start quick l1.1.1",
      "tool.end quick l1.1.1",
    ]);
  });

  test("script subscribers are called as it happens, in that order", async () => {
    const { stdout } = await streamOf(
      `${batch}agent_session_open("s")
let heard = channel("heard", 16)
agent_subscribe("s", { event -> if event.type == "tool_call" || event.type == "tool_call_update" { send(heard, "\${event.tool_name} \${event.status}") } })
agent_loop("Go.", nil, {provider: "mock", tools: both, tool_format: "native", max_concurrent_tools: 2, session_id: "s"})
close_channel(heard)
for text in heard { println(text) }`,
    );
    expect(stdout.trim().split("\n")).toEqual([
      "slow pending",
      "slow in_progress",
      "quick pending",
      "quick in_progress",
      "quick completed",
      "slow completed",
    ]);
  });

  test("a result that hooks of the loop look at first ends when it stands, changed as they left it", async () => {
    const { events } = await streamOf(
      `${batch}agent_loop("Go.", nil, {provider: "mock", tools: both, tool_format: "native", max_concurrent_tools: 2, hooks: {after_tool_call: { payload -> {payload: payload.merge({result: payload.result.merge({value: {text: "seen"}})})} }}})`,
    );
    const ends = events.flatMap((event) =>
      event.type === "tool.end" ? [[event.call, event.data.result]] : [],
    );
    expect(ends).toEqual([
      ["l1.1.0", "seen"],
      ["l1.1.1", "seen"],
    ]);
  });

  test("a call that a hook refused has an end and no beginning", async () => {
    const { events } = await streamOf(
      `${batch}agent_loop("Go.", nil, {provider: "mock", tools: both, tool_format: "native", hooks: {before_tool_call: { payload -> if payload.call.name == "slow" { return {skip: true} } else { return nil } }}})`,
    );
    expect(calls(events)).toEqual([
      "tool.start quick l1.1.1",
      "tool.end quick l1.1.1",
      "tool.end slow l1.1.0",
    ]);
    const refused = events.find((event) => event.type === "tool.end" && event.call === "l1.1.0");
    expect(refused?.data).toMatchObject({ begun: false, status: "rejected", gate: "hook" });
  });
});

/** A loop per item, all at once, whose models give the same id to their calls; each call starts a loop of its own. */
const parallelLoops = `
fn helper(about) {
  return agent_loop("help \${about}", nil, {provider: "mock", tools: tool_registry()})
}
fn work(about) {
  let tools = tool_define(tool_registry(), "ask", "Asks.", {parameters: {}, handler: { _ ->
    sleep(5ms)
    helper(about)
    return about
  }})
  return agent_loop("work \${about}", nil, {provider: "mock", tools: tools, tool_format: "native"})
}
llm_mock({match: "*work a*", tool_calls: [{name: "ask", id: "same"}]})
llm_mock({match: "*work b*", tool_calls: [{name: "ask", id: "same"}]})
parallel each ["a", "b"] { about -> work(about) }
`;

const outline = (loop: LoopNode): unknown => ({
  [loop.task]: loop.turns.flatMap((turn) =>
    turn.steps.flatMap((step) => (step.kind === "tool" ? [{ [step.name]: step.loops.map(outline) }] : [])),
  ),
  ...(loop.loops.length === 0 ? {} : { loose: loop.loops.map(outline) }),
});

describe("identity", () => {
  test("calls of parallel loops have ids of their own, and what they start hangs below them", async () => {
    const { events } = await streamOf(parallelLoops);
    const starts = events.filter((event) => event.type === "tool.start");
    const ids = starts.map(({ call }) => call);
    expect(new Set(ids).size).toBe(ids.length);
    const tree = runTree(events).map(outline);
    for (const about of ["a", "b"]) {
      const own = tree.find((loop) => Object.hasOwn(loop as object, `work ${about}`)) as Record<
        string,
        unknown
      >;
      expect(own[`work ${about}`]).toContainEqual({ ask: [{ [`help ${about}`]: [] }] });
      expect(own.loose).toBe(undefined);
    }
  });

  test("sub-agents of a parallel batch hang below their own calls", async () => {
    const { events } = await streamOf(`
let tools = tool_define(tool_registry(), "ask", "Asks.", {parameters: {about: "string"}, handler: { args ->
  if args.about == "slow" { sleep(30ms) } else { sleep(5ms) }
  return agent_loop("help \${args.about}", nil, {provider: "mock", tools: tool_registry()}).status
}})
llm_mock({tool_calls: [{name: "ask", id: "same", arguments: {about: "slow"}}, {name: "ask", id: "same", arguments: {about: "quick"}}]})
llm_mock({text: "x"})
llm_mock({text: "y"})
llm_mock({text: "done"})
agent_loop("Go.", nil, {provider: "mock", tools: tools, tool_format: "native", max_concurrent_tools: 2})
`);
    const parents = events.flatMap((event) =>
      event.type === "loop.start"
        ? [[event.data.task, event.loop, event.parent, event.data.parent_tool_call]]
        : [],
    );
    const session = events[0]?.session;
    expect(parents).toEqual([
      ["Go.", "l1", null, null],
      ["help quick", "l2", { loop: "l1", call: "l1.1.1" }, { session, turn: 1, index: 1 }],
      ["help slow", "l3", { loop: "l1", call: "l1.1.0" }, { session, turn: 1, index: 0 }],
    ]);
    const [root] = runTree(events) as [LoopNode];
    expect(outline(root)).toEqual({
      "Go.": [{ ask: [{ "help slow": [] }] }, { ask: [{ "help quick": [] }] }],
    });
    const line = events.flatMap(eventLineTexts).find((text) => text.includes('"help quick"')) ?? "";
    expect(JSON.parse(line)).toMatchObject({
      type: "loop_start",
      parent_session_id: session,
      parent_tool_call: { session, turn: 1, index: 1 },
    });
  });

  test("a batch that a script runs by itself is not taken for the loop's", async () => {
    const { events, stdout } = await streamOf(`
let tools = tool_define(tool_registry(), "one", "One.", {handler: { _ -> "1" }})
let outer = tool_define(tool_registry(), "outer", "Outer.", {handler: { _ -> agent_dispatch_tool_batch([{name: "one"}], tools)[0].status }})
agent_session_open("s")
agent_subscribe("s", { event -> if event.type == "tool_call" { println(event.tool_name) } })
llm_mock({tool_calls: [{name: "outer"}]})
llm_mock({text: "done"})
agent_loop("Go.", nil, {provider: "mock", tools: outer, tool_format: "native", session_id: "s"})
`);
    expect(calls(events)).toEqual([
      "tool.start outer l1.1.0",
      "tool.start one l1.b1.0",
      "tool.end one l1.b1.0",
      "tool.end outer l1.1.0",
    ]);
    expect(stdout).toBe("outer\n");
  });
});

test("a decision about stopping is told once per turn that proposed an end", async () => {
  const { events } = await streamOf(`
llm_mock({text: "perhaps"})
llm_mock({text: "surely"})
var asked = 0
agent_loop("Go.", nil, {provider: "mock", loop_until_done: false, verify_completion: { state -> if contains(json_stringify(state), "surely") { return true } else { return "not yet" } }})
`);
  const decisions = events.flatMap((event) =>
    event.type === "decision" && event.data.about === "stop"
      ? [[event.turn, event.data.verdict, event.data.why]]
      : [],
  );
  expect(decisions).toEqual([
    [1, "continue", "not yet"],
    [2, "end", "natural"],
  ]);
});

test("what an approval policy decides about a call is told in the call", async () => {
  const { events } = await streamOf(`
let one = tool_define(tool_registry(), "one", "One.", {handler: { _ -> "1" }})
let tools = tool_define(one, "two", "Two.", {handler: { _ -> "2" }})
llm_mock({tool_calls: [{name: "one"}, {name: "two"}]})
llm_mock({text: "done"})
agent_loop("Go.", nil, {provider: "mock", tools: tools, tool_format: "native", approval_policy: {auto_approve: ["one"], auto_deny: ["two"]}})
`);
  const decisions = events.flatMap((event) =>
    event.type === "decision" && event.data.about === "approval"
      ? [[event.call, event.data.verdict, event.data.by]]
      : [],
  );
  expect(decisions).toEqual([
    ["l1.1.0", "allow", "auto_approve"],
    ["l1.1.1", "deny", "auto_deny"],
  ]);
});

test("an event that nobody listens to is not made; what agent_trace() lists is", async () => {
  const host = createMemoryHost();
  const made: MockInstance[] = [];
  const effects = recordingEffects(new MemoryJournal(), Secrets.ofEnvironment(host.env));
  const text = `${batch}agent_loop("Go.", nil, {provider: "mock", tools: both, tool_format: "native"})
for row in agent_trace() { println(row.type) }`;
  const { stdout } = await runUnder(text, effects, host, {
    onRuntime: (runtime) => void made.push(vi.spyOn(runtime.state(runEvents), "emit")),
  });
  const listed = ["llm_call", "tool_execution", "tool_execution", "llm_call", "loop_complete"];
  expect(stdout.trim().split("\n")).toEqual(listed);
  expect(made[0]).toHaveBeenCalledTimes(listed.length);
});

test("what goes wrong without ending anything is a notice of the loop", async () => {
  const { events } = await streamOf(`
agent_session_open("s")
agent_subscribe("s", { event -> if event.type == "iteration_start" { throw "no ears" } })
llm_mock({text: "done"})
agent_loop("Go.", nil, {provider: "mock", session_id: "s"})
`);
  const notices = events.flatMap((event) => (event.type === "notice" ? [[event.loop, event.data]] : []));
  expect(notices).toEqual([
    [
      "l1",
      {
        level: "warning",
        text: "a subscriber of agent events failed on iteration_start: Thrown: no ears",
      },
    ],
  ]);
});
