/** Calls and tools through the vendors' real SDKs, against a local server. */
import { setTimeout as realTime } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { dispatchBatch } from "../../../../src/agent/index.ts";
import { Interruption, spawnTask, type Task } from "../../../../src/interp/index.ts";
import {
  callsFromResponse,
  configureModels,
  modelCall,
  modelsOf,
  planCall,
  requestOf,
  toolSetOfValue,
} from "../../../../src/model/index.ts";
import { createMockState, createModelClient, type ModelRequest } from "../../../../src/model/llm/index.ts";
import { Dict, fromJson, List } from "../../../../src/values/index.ts";
import { recordAndReplay, testRun } from "../../../support/concurrent.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";
import { providerServerForTests } from "../../../support/provider-server/index.ts";
import { ScriptFunction } from "../../../support/script-function.ts";

const secret = "sk-proj-very-secret-value-0003";
const server = await providerServerForTests();

const variables = (): Record<string, string> => ({
  OPENAI_API_KEY: secret,
  OPENAI_BASE_URL: `${server.url}/v1`,
});
const liveRun = () => testRun(undefined, createMemoryHost({ env: variables() }));

const tools = () =>
  toolSetOfValue(
    new List([
      Dict.of({
        name: "add",
        description: "Adds",
        parameters: fromJson({ a: "int", b: "int" }),
        handler: new ScriptFunction(
          ["x"],
          (_task, [x]) => Number((x as Dict).get("a")) + Number((x as Dict).get("b")),
        ),
      }),
    ]),
  );

function request(task: Task): ModelRequest {
  const plan = planCall(task, Dict.of({ provider: "openai", model: "gpt-4o-mini", max_tokens: 100 }));
  return requestOf(plan, { messages: [{ role: "user", content: "hi" }], system: "sys" });
}

describe("through the SDK", () => {
  it("waits as long as the server says, then gets its answer and its price", async () => {
    server.next(
      {
        kind: "status",
        status: 429,
        headers: { "retry-after": "2" },
        body: { error: { message: "slow down" } },
      },
      { kind: "status", status: 500, body: { error: { message: "oops" } } },
      { kind: "answer", text: "hello", usage: { input: 1000, output: 500 } },
    );
    const { task, host } = liveRun();
    const before = host.clock.monotonic();
    const result = await modelCall(task, request(task), { retries: 3, backoffMs: 100 });
    expect(result).toMatchObject({ ok: true, attempts: 3, response: { text: "hello", cost_usd: 0.00045 } });
    expect(host.clock.monotonic() - before).toBe(2200);
    expect(modelsOf(task).spending).toMatchObject({
      calls: 1,
      inputTokens: 1000,
      outputTokens: 500,
      costUsd: 0.00045,
      committedUsd: 0.00045,
    });
  });

  const busy = (status: number, headers: Record<string, string> = {}) =>
    ({ kind: "status", status, headers, body: { error: { message: "busy" } } }) as const;

  it.each([408, 409, 429, 500, 502, 503, 529])("tries %i twice more by itself", async (status) => {
    server.next(busy(status, { "retry-after": "3" }), busy(status), { kind: "answer", text: "hello" });
    const { task, host } = liveRun();
    const before = host.clock.monotonic();
    const result = await modelCall(task, request(task), { backoffMs: 100 });
    expect(result).toMatchObject({ ok: true, attempts: 3, response: { text: "hello" } });
    expect(host.clock.monotonic() - before).toBe(3200);
    server.next(busy(status), busy(status), busy(status), { kind: "answer", text: "late" });
    const failed = await modelCall(liveRun().task, request(task));
    expect(failed).toMatchObject({ ok: false, attempts: 3, error: { status } });
  });

  it("tries a broken connection again, but nothing that stays as it is", async () => {
    server.next({ kind: "drop" }, { kind: "answer", text: "hello" });
    expect(await modelCall(liveRun().task, request(liveRun().task))).toMatchObject({ ok: true, attempts: 2 });
    for (const status of [400, 401, 404]) {
      server.next(busy(status), { kind: "answer", text: "never" });
      expect(await modelCall(liveRun().task, request(liveRun().task))).toMatchObject({
        ok: false,
        attempts: 1,
      });
      server.clear();
    }
    server.next(busy(429), { kind: "answer", text: "never" });
    const report = await modelCall(liveRun().task, request(liveRun().task), { retries: 0 });
    expect(report).toMatchObject({ ok: false, attempts: 1 });
    server.clear();
    server.next(busy(429), { kind: "answer", text: "never" });
    const shown = await modelCall(liveRun().task, request(liveRun().task), { mayRepeat: () => false });
    expect(shown).toMatchObject({ ok: false, attempts: 1 });
  });

  it("runs parallel calls, and tells the model of arguments that are no JSON", async () => {
    server.next({
      kind: "answer",
      calls: [
        { id: "a", name: "add", args: '{"a": 1, "b": 2}' },
        { id: "b", name: "add", args: "{a: 3, 'b': 4,}" },
        { id: "c", name: "add", args: '{"a": 1, "b"' },
        { id: "d", name: "subtract", args: "{}" },
      ],
      piece: 3,
    });
    const { task } = liveRun();
    const result = await modelCall(task, request(task));
    if (!result.ok) throw new Error(result.error.message);
    const outcomes = await dispatchBatch(task, callsFromResponse(result.response), tools(), {
      sessionId: "s",
      iteration: 0,
      maxConcurrent: 4,
    });
    expect(outcomes.map(({ callId, status, rendered }) => [callId, status, rendered.slice(0, 60)])).toEqual([
      ["a", "ok", "3"],
      ["b", "ok", "7"],
      ["c", "error", expect.stringContaining('"error": "invalid_arguments"')],
      ["d", "rejected", "Tool 'subtract' is not available in the current environment."],
    ]);
  });

  it("hangs up when its task is cancelled", async () => {
    server.next({ kind: "hang" });
    const { task } = liveRun();
    let ended: unknown;
    const handle = spawnTask(task, async (child) => {
      try {
        await modelCall(child, request(child));
      } catch (error) {
        ended = error;
      }
      return null;
    });
    while (server.seen.length === 0) await realTime(2);
    handle.task.abort(new Interruption("cancelled"));
    expect(await server.seen[0]?.hungUp).toBe(true);
    await realTime(5);
    expect(ended).toBeInstanceOf(Interruption);
    expect(modelsOf(task).spending.committedUsd).toBe(0);
  });

  it("books what had arrived of an answer that broke off", async () => {
    server.next({ kind: "answer", text: "one two three four", piece: 4, cutAfter: 3 });
    const { task } = liveRun();
    const result = await modelCall(task, request(task), { retries: 0 });
    expect(result).toMatchObject({
      ok: false,
      attempts: 1,
      error: { category: "transient_network", retryable: true },
    });
    expect(modelsOf(task).spending.calls).toBe(0);
  });

  it("replays without the server, and keeps the key out of the journal", async () => {
    server.next({ kind: "answer", text: "from afar", usage: { input: 10, output: 5 } });
    const { recorded, replayed, journal } = await recordAndReplay(async (task) => {
      if (task.runtime.effects.mode !== "replay") {
        const client = createModelClient({
          mock: createMockState(),
          env: new Map(Object.entries(variables())),
        });
        configureModels(task.runtime, { client });
      }
      const pieces: string[] = [];
      const result = await modelCall(task, request(task), {
        onEvent: (event) => {
          if (event.kind === "text") pieces.push(event.delta);
        },
      });
      task.write(
        `${result.ok && result.response.text} ${pieces.join("")} ${modelsOf(task).spending.costUsd}`,
      );
      return null;
    });
    expect(recorded.output).toMatch(/^from afar from afar 0\.00000/);
    expect(replayed).toEqual(recorded);
    expect(server.seen).toHaveLength(1);
    expect(JSON.stringify(journal.records)).not.toContain(secret);
  });
});
