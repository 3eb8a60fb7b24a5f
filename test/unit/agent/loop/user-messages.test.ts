/** What a person says while a loop works (agents.md §20): when it is delivered, by mode. */
import { describe, expect, test } from "vitest";
import { sayToSession } from "../../../../src/agent/index.ts";
import type { UserMessageMode } from "../../../../src/model/index.ts";
import { configureModels } from "../../../../src/model/index.ts";
import {
  emptyResponse,
  type ModelClient,
  type ModelRequest,
  makeModelError,
} from "../../../../src/model/llm/index.ts";
import { agentRun, fn, type Plain, tool } from "../../../support/agent-run.ts";

/** A loop in which the user speaks at a place. */
function spoken(run: ReturnType<typeof agentRun>, text: string, mode: UserMessageMode): () => null {
  return () => {
    sayToSession(run.task.runtime, "s", text, mode);
    return null;
  };
}

/** Only the first time. */
function once(body: () => null): () => null {
  let done = false;
  return () => {
    if (!done) body();
    done = true;
    return null;
  };
}

const said = (request: Plain): string[] =>
  request.messages
    .filter((message: Plain) => message.role === "user")
    .map((message: Plain) => message.content);

const native = { session_id: "s", tool_format: "native" };

describe("a message of the user", () => {
  test("finish_step: in front of the next call, as the user's own words", async () => {
    const run = agentRun();
    const tools = [tool("look", spoken(run, "and be quick", "finish_step"))];
    run.mock({ tool_calls: [{ name: "look", arguments: {} }] }, "quick");
    const result = await run.loop("look around", { ...native, tools });
    expect(result).toMatchObject({ status: "done", text: "quick", deferred_user_messages: [] });
    expect(run.calls().map(said)).toEqual([["look around"], ["look around", "and be quick"]]);
  });

  test("finish_step: a loop that would be done goes on", async () => {
    const run = agentRun();
    const speak = once(spoken(run, "one more thing", "finish_step"));
    run.mock("first", "second");
    const result = await run.loop("go", {
      ...native,
      post_turn_callback: fn(speak),
    });
    expect(result).toMatchObject({ status: "done", text: "firstsecond" });
    expect(said(run.calls()[1])).toEqual(["go", "one more thing"]);
  });

  test("interrupt_immediate: the calls of the turn are not run", async () => {
    const run = agentRun();
    let ran = 0;
    const tools = [
      tool("look", () => {
        ran++;
        return "seen";
      }),
    ];
    const interrupt = spoken(run, "stop that", "interrupt_immediate");
    run.mock({ text: "I look.", tool_calls: [{ name: "look", arguments: {} }] }, "stopped");
    const result = await run.loop("look", {
      ...native,
      tools,
      hooks: { before_step: fn(once(interrupt)) },
    });
    expect([result.status, result.text, ran]).toEqual(["done", "I look.stopped", 0]);
    const [, second] = run.calls();
    expect(said(second)).toEqual(["look", "stop that"]);
    const answer = second.messages.find((message: Plain) => message.role === "tool");
    expect(answer.content).toContain("not run: the user spoke first");
  });

  test("interrupt_immediate: an answer that is still arriving is ended and not kept", async () => {
    const run = agentRun();
    const asked: ModelRequest[] = [];
    const client: ModelClient = {
      stream: (request, how) => {
        asked.push({ ...request, messages: [...request.messages] });
        const response = { ...emptyResponse("openai", "gpt-4o"), text: "Well, ", cost_usd: 0 };
        if (asked.length === 2)
          return Promise.resolve({ ok: true, response: { ...response, text: "Stopped." } });
        how?.onEvent?.({ kind: "text", delta: response.text });
        sayToSession(run.task.runtime, "s", "stop that", "interrupt_immediate");
        const facts = {
          category: "cancelled",
          message: "ended",
          provider: "openai",
          model: "gpt-4o",
        } as const;
        const outcome = { ok: false as const, error: makeModelError(facts), partial: response, begun: true };
        return new Promise((resolve) => {
          if (how?.signal?.aborted) resolve(outcome);
          else how?.signal?.addEventListener("abort", () => resolve(outcome));
        });
      },
    };
    configureModels(run.task.runtime, { client });
    const result = await run.loop("talk", { ...native, provider: "openai", model: "gpt-4o" });
    expect(result).toMatchObject({ status: "done", text: "Stopped." });
    expect(asked.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
      ["talk"],
      ["talk", "stop that"],
    ]);
    expect(result.cost_usd).toBeGreaterThan(0);
  });

  test("wait_for_completion: listed, and in front of the next prompt of the session", async () => {
    const run = agentRun();
    const tools = [tool("look", spoken(run, "later", "wait_for_completion"))];
    run.mock({ tool_calls: [{ name: "look", arguments: {} }] }, "done");
    const first = await run.loop("look", { ...native, tools });
    expect(first).toMatchObject({ status: "done", deferred_user_messages: ["later"] });
    run.mock("again");
    const second = await run.loop("next", { ...native, tools });
    expect(second.deferred_user_messages).toEqual([]);
    expect(said(run.calls().at(-1))).toEqual(["look", "later", "next"]);
  });
});
