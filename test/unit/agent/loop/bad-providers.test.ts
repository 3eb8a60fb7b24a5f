/**
 * Issue 6, "Bad input": providers that answer badly, through the real SDK and over a real connection. Each ends in the
 * documented status, and the session is intact: the next loop on it has its history and an answer.
 */
import { setTimeout as realSleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { agentRun, type Plain, tool } from "../../../support/agent-run.ts";
import { testRun } from "../../../support/concurrent.ts";
import { createMemoryHost, VirtualClock } from "../../../support/memory-host.ts";
import { providerServerForTests, type Scenario } from "../../../support/provider-server/index.ts";

const server = await providerServerForTests();

const call = (name: string, args: string): Scenario => ({
  kind: "answer",
  calls: [{ id: "c1", name, args }],
});
const done: Scenario = { kind: "answer", text: "All done." };

function liveRun() {
  const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: `${server.url}/v1` };
  return agentRun(testRun(undefined, createMemoryHost({ env })));
}

const options = {
  provider: "openai",
  model: "gpt-4o-mini",
  session_id: "s",
  tools: [tool("add", () => "3", { parameters: { a: { type: "integer" } } })],
  loop_until_done: true,
  llm_retries: 0,
  // Bounds what an endless answer may fill.
  max_tokens: 100,
  max_iterations: 4,
};

/** Every call is answered behind its message, no result is without its call. */
function checkMessages(messages: readonly Plain[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      expect(open).toContain(message.tool_call_id);
      open = open.filter((id) => id !== message.tool_call_id);
    } else {
      expect(open).toEqual([]);
      open = (message.tool_calls ?? []).map((one: Plain) => one.id);
    }
  }
  expect(open).toEqual([]);
}

async function loopOn(...scenarios: Scenario[]): Promise<Plain> {
  const run = liveRun();
  server.next(...scenarios);
  const result = await run.loop("Add.", options);
  checkMessages(result.transcript.messages);
  server.clear();
  server.next(done);
  const next = await run.loop("And now?", options);
  expect(next.status).toBe("done");
  const [first, ...rest] = next.transcript.messages;
  expect([first.content, rest.at(-2).content, rest.at(-1).content]).toEqual([
    "Add.",
    "And now?",
    "All done.",
  ]);
  checkMessages(next.transcript.messages);
  return result;
}

describe("a provider that", () => {
  const failures: readonly [string, Scenario, string, RegExp][] = [
    ["closes the connection", { kind: "drop" }, "transient_network", /./],
    ["sends an empty stream", { kind: "raw", events: [] }, "transient_network", /broke off/],
    [
      "sends a page of HTML",
      { kind: "html", html: "<html><h1>Welcome</h1></html>" },
      "generic",
      /Welcome.*right\?/,
    ],
    [
      "fails with a page of HTML",
      { kind: "html", status: 502, html: "<h1>Bad gateway</h1>" },
      "server_error",
      /502/,
    ],
    [
      "breaks off",
      { kind: "answer", text: "one two three", piece: 4, cutAfter: 2 },
      "transient_network",
      /./,
    ],
    [
      "ends in the middle",
      { kind: "answer", text: "one two three", piece: 4, endAfter: 2 },
      "transient_network",
      /broke off/,
    ],
    [
      "breaks off in a tool call",
      { kind: "answer", calls: [{ id: "c", name: "add", args: '{"a": 1}' }], piece: 3, endAfter: 2 },
      "transient_network",
      /broke off/,
    ],
    ["sends events that are no JSON", { kind: "raw", events: [{ data: "{broken" }] }, "server_error", /./],
    ["writes text for ever", { kind: "endless", what: "text" }, "generic", /MB for one answer/],
    ["sends a line that never ends", { kind: "endless", what: "line" }, "generic", /MB for one answer/],
  ];
  test.each(failures)("%s: provider_error", async (_what, scenario, category, message) => {
    const result = await loopOn(scenario);
    expect([result.status, result.stop_reason]).toEqual(["provider_error", "provider_error"]);
    expect(result.error).toMatchObject({ category, phase: "llm_call", after_tool_result: false });
    expect(result.error.message).toMatch(message);
    expect(result.llm.iterations).toBe(0);
  });

  test.each([
    [{}, 2, "; the model is asked again\n"],
    [{ profile: "verifier" }, 2, "; the model is asked again\n"],
    [{ llm_retries: 2 }, 3, "; the model is asked again\n"],
    [{ llm_retries: 0 }, 1, ""],
  ])("takes too long: asked once more, and that is said; more often with %j", async (own, requests, said) => {
    server.clear();
    server.next({ kind: "hang" }, { kind: "hang" }, { kind: "hang" }, done);
    const before = server.seen.length;
    const run = liveRun();
    const { llm_retries: _, ...others } = options;
    const result = await run.loop("Add.", { ...others, timeout_ms: 150, llm_backoff_ms: 1, ...own });
    expect(result).toMatchObject({ status: "provider_error", error: { category: "timeout" } });
    expect(server.seen.length - before).toBe(requests);
    if (said !== "") expect(run.errors()).toContain(said);
    else expect(run.errors()).not.toContain("asked again");
    server.clear();
  });

  test("answers with nothing: nudged, then done", async () => {
    const result = await loopOn({ kind: "answer", text: "" }, done);
    expect([result.status, result.llm.iterations]).toEqual(["done", 2]);
    const roles = result.transcript.messages.map(({ role }: Plain) => role);
    expect(roles).toEqual(["user", "user", "assistant"]);
    expect(result.transcript.messages[1].content).toMatch(/kind="nudge".*\nYour last answer was empty/);
  });

  test("answers late with what it broke off before: repeated, one iteration", async () => {
    const run = liveRun();
    server.next({ kind: "answer", text: "half", piece: 2, cutAfter: 1 }, done);
    const result = await run.loop("Add.", { ...options, llm_retries: 1, llm_backoff_ms: 1 });
    expect([result.status, result.llm.iterations, result.visible_text]).toEqual(["done", 1, "All done."]);
  });

  test("hangs for longer than the loop has time: the request is ended, the loop is budget_exhausted", async () => {
    const clock = new VirtualClock();
    clock.sleep = (ms, signal) => realSleep(ms, undefined, { signal });
    clock.monotonic = () => performance.now();
    const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: `${server.url}/v1` };
    const run = agentRun(testRun(undefined, createMemoryHost({ env, clock })));
    server.next({ kind: "hang" });
    const result = await run.loop("Add.", {
      ...options,
      iteration_budget: { wall_clock_ms: 400, total_cost_usd: 1 },
    });
    expect([result.status, result.stop_reason]).toEqual(["budget_exhausted", "wall_clock_ms"]);
    expect(await server.seen[0]?.hungUp).toBe(true);
    // Nobody knows what the vendor charges for it.
    expect(result.cost_usd).toBeGreaterThan(0);
    checkMessages(result.transcript.messages);
    server.clear();
    server.next(done);
    expect((await run.loop("And now?", options)).status).toBe("done");
  });

  test("sends tool calls with broken JSON: told, the loop goes on", async () => {
    const result = await loopOn(call("add", '{"a": 1, "b'), done);
    expect(result.status).toBe("done");
    expect(result.tools).toMatchObject({ calls: ["add"], successful: [], rejected: ["add"] });
    expect(result.transcript.messages[2].content).toContain('"error": "invalid_arguments"');
  });

  test("calls tools that do not exist: told what there is, the loop goes on", async () => {
    const result = await loopOn(call("subtract", "{}"), done);
    expect(result.status).toBe("done");
    expect(result.transcript.messages[2].content).toContain("Tool 'subtract' is not available");
  });

  test("makes the same call for ever: max_iterations ends it", async () => {
    const result = await loopOn(...Array.from({ length: 4 }, () => call("add", '{"a": 1}')));
    expect([result.status, result.stop_reason, result.llm.iterations]).toEqual([
      "budget_exhausted",
      "max_iterations",
      4,
    ]);
    expect(result.trace.tool_executions).toBe(4);
  });

  test("fails behind a tool's result: after_tool_result", async () => {
    const result = await loopOn(call("add", '{"a": 1}'), { kind: "html", html: "<p>gone</p>" });
    expect(result.error).toMatchObject({ category: "generic", after_tool_result: true });
  });
});
