/** AG-UI and chat completions, judged by the schemas and clients of those who made them. */
import { HttpAgent } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../../src/effects/index.ts";
import { recordedRun } from "../../support/recorded-run.ts";
import { ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const bench = new ServerBench(tempFolder("interop"), { port: 0 });
const { conversations, supervisor } = bench;
let url = "";
beforeAll(async () => {
  url = await bench.server.listen();
});
afterAll(() => bench.close());

let runs = 0;
let events = 0;

/** A child that the test writes. */
class Child {
  readonly id: string;
  readonly run: string;

  constructor(id: string) {
    runs++;
    this.id = id;
    this.run = `run-${runs}`;
    conversations.takeNext(id, this.run, bench.now);
    this.report();
  }

  append(
    type: string,
    of: { readonly [key: string]: Json },
    data: { readonly [key: string]: Json } = {},
  ): void {
    events++;
    const event = {
      at: bench.now,
      type,
      origin: `${this.run}:${events}`,
      body: { run: this.run, ...of, data },
    };
    conversations.appendEvents({ stream: this.id, owner: null, events: [event] });
    this.report();
  }

  /** A piece of a text, or (`partial`) all that was said of it so far. */
  delta(
    text: string,
    of: { readonly loop: string; readonly turn: number; readonly parent?: Json },
    type: "message.delta" | "partial" = "message.delta",
  ): void {
    supervisor.emit(this.id, {
      v: 1,
      at: bench.now,
      type,
      conversation: this.id,
      run: this.run,
      parent: null,
      call: null,
      ...of,
      data: { message: null, text },
    } as never);
  }

  end(status: "done" | "failed" | "interrupted" | "waiting", error: string | null = null): void {
    const how = status === "interrupted" ? "unwound" : null;
    const { id, run } = this;
    conversations.end({ id, run, status, exitCode: 0, error, how, now: bench.now });
    this.report();
  }

  private report(): void {
    supervisor.emit(this.id, { more: conversations.store.streams.last(this.id) });
  }
}

const l1 = { loop: "l1", turn: 1 };
const nested = { loop: "l2", turn: 1, parent: { loop: "l1", call: "l1.1.0" } };

/** A turn with a call, a sub-agent in it, and an answer in pieces. */
function work(child: Child): void {
  child.append("loop.start", { loop: "l1" }, { task: "go", name: null });
  child.append("turn.start", l1);
  child.delta("Hello ", l1);
  child.delta("Hello you", l1, "partial");
  child.append("message.end", l1, { message: "l1/msg_2", role: "assistant", text: "Hello you!" });
  // They come by another way than the log, and may be late.
  child.delta(" you!", l1);
  child.delta("Hello you!", l1, "partial");
  child.append("tool.start", { ...l1, call: "l1.1.0" }, { name: "research", arguments: { q: "x" } });
  child.append("loop.start", nested, { task: "find", name: "finder" });
  child.append("turn.start", nested);
  child.append("tool.start", { ...nested, call: "l2.1.0" }, { name: "search", arguments: "{broken" });
  child.append("tool.end", { ...nested, call: "l2.1.0" }, { name: "search", status: "ok", result: "found" });
  child.delta("Found ", nested, "partial");
  child.append("message.end", nested, { role: "assistant", text: "Found it." });
  child.append("turn.end", nested, { tool_count: 1 });
  child.append("loop.end", nested, { status: "done", stop_reason: "done" });
  child.append(
    "tool.end",
    { ...l1, call: "l1.1.0" },
    { name: "research", status: "ok", result: "a summary" },
  );
  child.append("usage", l1, {
    provider: "mock",
    model: "m",
    answer: { input: 3, output: 5, cached: 0, reasoning: 0 },
  });
  child.append("turn.end", l1, { tool_count: 1 });
}

let child: Child | undefined;
/** What a child does when it takes a message. */
let act: (child: Child) => void = () => {};
beforeEach(() => {
  bench.now += 100_000;
  supervisor.onInterrupt = () => child?.end("interrupted");
  supervisor.onWake = (id) => {
    if (conversations.mustGet(id).state !== "queued") return;
    child = new Child(id);
    act(child);
  };
});

const agui = (threadId?: string) =>
  new HttpAgent({
    url: `${url}/api/agui/echo`,
    headers: { authorization: "Bearer ann-token" },
    ...(threadId === undefined ? {} : { threadId }),
  });

/** Runs and gives every event, each judged by the schema. */
async function runOf(agent: HttpAgent, parameters: Parameters<HttpAgent["runAgent"]>[0] = {}) {
  const seen: { type: string; [key: string]: unknown }[] = [];
  const result = await agent.runAgent(parameters, {
    onEvent: ({ event }) => {
      seen.push(EventSchemas.parse(event) as never);
    },
  });
  return { seen, types: seen.map(({ type }) => type), result };
}

describe("AG-UI", () => {
  test("a thread with text, a call and a sub-agent inside it, to its end; then a second message", async () => {
    const agent = agui();
    act = (one) => {
      work(one);
      one.end("done");
    };
    agent.addMessage({ id: "u1", role: "user", content: "Hi" });
    const { seen, types } = await runOf(agent);
    expect(types[0]).toBe("RUN_STARTED");
    expect(seen[0]).toMatchObject({ protocolVersion: "1.0", threadId: agent.threadId });
    expect(seen.at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      outcome: { type: "success" },
      usage: [{ provider: "mock", model: "m", inputTokens: 3, outputTokens: 5 }],
    });
    const texts = seen.filter(
      ({ type, subagentRunId }) => type === "TEXT_MESSAGE_CONTENT" && subagentRunId === undefined,
    );
    expect(texts.map(({ delta }) => delta).join("")).toBe("Hello you!");
    const started = seen.find(({ type }) => type === "SUBAGENT_STARTED");
    expect(started).toMatchObject({ name: "finder", parentToolCallId: "l1.1.0" });
    const inside = seen
      .filter(({ subagentRunId }) => subagentRunId === started?.subagentRunId)
      .map(({ type }) => type);
    expect(inside).toEqual([
      "SUBAGENT_STARTED",
      "STEP_STARTED",
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "STEP_FINISHED",
      "SUBAGENT_FINISHED",
    ]);
    expect(agent.messages.find(({ role }) => role === "assistant")).toMatchObject({ content: "Hello you!" });

    agent.addMessage({ id: "u2", role: "user", content: "Again" });
    expect((await runOf(agent)).types.at(-1)).toBe("RUN_FINISHED");
    const [only] = (await bench.ask("/api/conversations", { headers: { host: url.slice(7) } })).json.items;
    expect(conversations.messages({ id: only.id }).map(({ text }) => text)).toEqual(["Hi", "Again"]);
  });

  test("tools of the front end are named and not offered; a failed run is an error", async () => {
    const agent = agui();
    act = (one) => one.end("failed", "it broke");
    agent.addMessage({ id: "u3", role: "user", content: "Hi" });
    const seen: Record<string, unknown>[] = [];
    const tools = [{ name: "paint", description: "", parameters: {} }];
    await agent
      .runAgent({ tools }, { onEvent: ({ event }) => void seen.push(EventSchemas.parse(event) as never) })
      .catch(() => {});
    expect(seen.find(({ type }) => type === "CUSTOM")).toMatchObject({ name: "harn.notice" });
    expect(JSON.stringify(seen)).toContain("paint");
    expect(seen.at(-1)).toMatchObject({ type: "RUN_ERROR", message: "it broke", code: "failed" });
  });

  test("an approval ends the run with an interrupt; the answer goes on to its end", async () => {
    const agent = agui();
    let question = "";
    act = (one) => {
      one.append("loop.start", { loop: "l1" }, { task: "go" });
      one.append("turn.start", l1);
      one.append("tool.start", { ...l1, call: "l1.1.0" }, { name: "rm", arguments: { path: "x" } });
      question = recordedRun(bench.store, one.run, {
        question: "may rm run?",
        body: { request_kind: "permission", tool_name: "rm", tool_args: { path: "x" } },
      });
    };
    agent.addMessage({ id: "u4", role: "user", content: "Delete x" });
    const first = await runOf(agent);
    expect(first.seen.at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      outcome: {
        type: "interrupt",
        interrupts: [{ id: question, reason: "tool_call", message: "may rm run?" }],
      },
    });
    supervisor.onWake = () => {
      child?.append("tool.end", { ...l1, call: "l1.1.0" }, { name: "rm", status: "ok", result: "gone" });
      child?.append("turn.end", l1);
      child?.end("done");
    };
    const second = await runOf(agent, {
      resume: [{ interruptId: question, status: "resolved", payload: { decision: "approve" } }],
    });
    expect(second.seen.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
    expect(second.types).toContain("TOOL_CALL_RESULT");
    expect(conversations.question(question)).toMatchObject({ by: "ann", answer: { approved: true } });
  });

  test("closing the connection interrupts, unless it was asked to go on", async () => {
    for (const onDisconnect of [undefined, "continue"]) {
      const agent = agui();
      let began = (): void => {};
      const begun = new Promise<void>((resolve) => {
        began = resolve;
      });
      act = (one) => {
        one.append("loop.start", { loop: "l1" }, { task: "go" });
        one.append("turn.start", l1);
      };
      agent.addMessage({ id: `u-${onDisconnect}`, role: "user", content: "Hi" });
      const over = agent
        .runAgent(
          onDisconnect === undefined ? {} : { forwardedProps: { harn: { on_disconnect: onDisconnect } } },
          { onEvent: ({ event }) => void (String(event.type) === "STEP_STARTED" && began()) },
        )
        .catch(() => {});
      await begun;
      agent.abortRun();
      await over;
      const id = child?.id ?? "";
      if (onDisconnect === undefined)
        await expect.poll(() => conversations.mustGet(id).state).toBe("interrupted");
      else {
        expect(conversations.mustGet(id).state).toBe("processing");
        child?.end("done");
      }
    }
  });

  test("threads of others are other threads; a message without a new user's is an error", async () => {
    const agent = agui("shared-name");
    act = (one) => one.end("done");
    agent.addMessage({ id: "u5", role: "user", content: "mine" });
    await runOf(agent);
    const mine = child?.id;
    const theirs = agui("shared-name");
    theirs.headers = { authorization: "Bearer eve-token" };
    theirs.addMessage({ id: "u5", role: "user", content: "theirs" });
    await runOf(theirs);
    expect(child?.id).not.toBe(mine);
    const again = await bench.ask("/api/agui/echo", {
      headers: { host: url.slice(7), accept: "text/event-stream" },
      body: { threadId: "shared-name", runId: "r", messages: [{ id: "u5", role: "user", content: "mine" }] },
    });
    expect(again.text).toContain('"RUN_ERROR"');
  });
});

describe("chat completions", () => {
  const openai = () => new OpenAI({ baseURL: `${url}/v1`, apiKey: "ann-token", maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "Hi" }];

  test("agents are models", async () => {
    const found = [];
    for await (const model of openai().models.list()) found.push(model.id);
    expect(found).toEqual(["echo"]);
  });

  test("an answer, streamed and whole: the text of outermost loops, with its usage", async () => {
    act = (one) => {
      work(one);
      one.end("done");
    };
    const stream = await openai().chat.completions.create({
      model: "echo",
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let usage: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe("Hello you!");
    expect(usage).toEqual({ prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 });
    const whole = await openai().chat.completions.create({ model: "echo", messages });
    expect(whole.choices[0]?.message.content).toBe("Hello you!");
    expect(conversations.mustGet(child?.id ?? "").title).toBe("api");
    const { conversation } = (whole as unknown as { metadata: { conversation: string } }).metadata;
    await openai().chat.completions.create({ model: "echo", messages, metadata: { conversation } });
    expect(conversations.messages({ id: conversation })).toHaveLength(2);
  });

  test("approvals are denied; a question ends it", async () => {
    let question = "";
    act = (one) => {
      const body = { request_kind: "permission", tool_name: "rm" };
      question = recordedRun(bench.store, one.run, { question: "may rm run?", body });
      one.append("question.asked", {}, { question, kind: "approval" });
    };
    supervisor.onWake = (id) => {
      if (conversations.mustGet(id).state === "queued") {
        child = new Child(id);
        act(child);
      } else {
        child?.append("message.end", l1, { role: "assistant", text: "Then not." });
        child?.end("done");
      }
    };
    const denied = await openai().chat.completions.create({ model: "echo", messages });
    expect(denied.choices[0]?.message.content).toBe("Then not.");
    expect(conversations.question(question)).toMatchObject({ answer: { approved: false } });
    act = (one) => {
      question = recordedRun(bench.store, one.run, { question: "Which color?" });
      one.append("question.asked", {}, { question, kind: "question" });
    };
    await expect(openai().chat.completions.create({ model: "echo", messages })).rejects.toMatchObject({
      status: 500,
      error: { code: "failed" },
    });
    expect(conversations.mustGet(child?.id ?? "").state).toBe("interrupted");
  });

  test.each([
    [{ tools: [{ type: "function", function: { name: "f" } }] }, "tools", 400],
    [{ n: 2 }, "n", 400],
    [{ logprobs: true }, "logprobs", 400],
    [{ model: "gpt" }, "model", 404],
    [{ messages: [{ role: "assistant", content: "x" }] }, "messages", 400],
    [{ metadata: { conversation: "c_nothing" } }, "metadata.conversation", 404],
  ])("%j is refused in OpenAI's form", async (more, param, status) => {
    await expect(
      openai().chat.completions.create({ model: "echo", messages, ...more } as never),
    ).rejects.toMatchObject({ status, param });
  });

  test("closing the connection interrupts", async () => {
    act = (one) => {
      one.append("loop.start", { loop: "l1" }, { task: "go" });
      one.delta("Hel", l1);
    };
    const stream = await openai().chat.completions.create({ model: "echo", messages, stream: true });
    for await (const chunk of stream)
      if (chunk.choices[0]?.delta.content === "Hel") stream.controller.abort();
    await expect.poll(() => conversations.mustGet(child?.id ?? "").state).toBe("interrupted");
  });
});
