/** An agent of harn behind AI SDK's `HarnessAgent`, with the real packages. */
import { HarnessAgent } from "@ai-sdk/harness/agent";
import { tool as aiTool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { harnHarness, noSandbox } from "../../../../src/library/ai-sdk.ts";
import { tool } from "../../../../src/library/index.ts";
import { type HarnOptions, testHarn } from "../../../../src/library/testing.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const cwd = tempFolder("library-ai-sdk");
const lookup = tool({
  name: "lookup",
  description: "Looks a thing up.",
  input: z.object({ q: z.string() }),
  effect: "read",
  execute: async ({ q }): Promise<unknown> => ({ found: [q] }),
});
const calls = (name: string, q: string) => ({ tool_calls: [{ name, arguments: { q } }] });

test("a turn: text, calls of the agent's own tools, usage", async () => {
  await using h = testHarn({
    cwd,
    mock: [{ ...calls("lookup", "a"), text: "Let me look." }, { text: "Found." }],
  });
  const agent = new HarnessAgent({ harness: harnHarness(h, { tools: [lookup] }), sandbox: noSandbox });
  const session = await agent.createSession();
  const result = await agent.generate({ session, prompt: "find a" });
  expect(result.text).toBe("Found.");
  expect(result.steps).toHaveLength(2);
  const [first] = result.steps;
  expect(first?.text).toBe("Let me look.");
  expect(first?.content).toMatchObject([
    { type: "text" },
    { type: "tool-call", toolName: "lookup", input: { q: "a" }, providerExecuted: true },
    { type: "tool-result", toolName: "lookup", output: { found: ["a"] } },
  ]);
  expect(result.totalUsage.inputTokens).toBeGreaterThan(0);
  await session.destroy();
});

test("a tool of `HarnessAgent` is executed by it, and recorded by harn", async () => {
  await using h = testHarn({ cwd, mock: [calls("weather", "Oslo"), { text: "Rain." }] });
  const asked: unknown[] = [];
  const agent = new HarnessAgent({
    harness: harnHarness(h),
    sandbox: noSandbox,
    tools: {
      weather: aiTool({
        description: "The weather.",
        inputSchema: z.object({ q: z.string() }),
        execute: async (input) => {
          asked.push(input);
          return { sky: "rain" };
        },
      }),
    },
  });
  const session = await agent.createSession();
  expect((await agent.generate({ session, prompt: "?" })).text).toBe("Rain.");
  expect(asked).toEqual([{ q: "Oslo" }]);
  const [run] = await h.runs.list();
  // Nothing of it is executed again.
  expect(await h.replay(run?.run ?? "")).toMatchObject({ text: "Rain." });
  expect(asked).toHaveLength(1);
  await session.destroy();
});

test("the next turn goes on with the conversation, also in a session that takes over", async () => {
  await using h = testHarn({ cwd, mock: [{ text: "I am Ada." }] });
  const agent = new HarnessAgent({ harness: harnHarness(h), sandbox: noSandbox });
  const session = await agent.createSession();
  await agent.generate({ session, prompt: "who are you?" });
  await agent.generate({ session, prompt: "again?" });
  const state = JSON.parse(JSON.stringify(await session.stop()));
  const later = await agent.createSession({ sessionId: session.sessionId, resumeFrom: state });
  await agent.generate({ session: later, prompt: "and now?" });
  const [run] = await h.runs.list();
  const said: string[] = [];
  for await (const event of h.runs.events(run?.run ?? ""))
    if (event.type === "loop.start") said.push(event.data.task);
  expect(said).toEqual(["and now?"]);
  const { transcript } = (await h.replay<{ transcript: unknown }>(run?.run ?? "")) as { transcript: unknown };
  const { messages } = transcript as { messages: readonly { role: string; content: string }[] };
  expect(messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
    "who are you?",
    "again?",
    "and now?",
  ]);
  expect(messages).toHaveLength(6);
});

test("a run that fails fails the turn; what can't be done is said", async () => {
  await using h = testHarn({ cwd, mock: [{ error: { category: "auth", message: "no key" } }] });
  const agent = new HarnessAgent({ harness: harnHarness(h), sandbox: noSandbox });
  const session = await agent.createSession();
  await expect(agent.generate({ session, prompt: "x" })).rejects.toThrow(/no key|auth/);
  const image = { type: "file" as const, data: new Uint8Array(), mediaType: "image/png" };
  await expect(agent.generate({ session, prompt: [{ role: "user", content: [image] }] })).rejects.toThrow(
    "a prompt is text",
  );
  await expect(session.compact()).rejects.toThrow("autoCompact");
  const data = new HarnessAgent({
    harness: harnHarness(h),
    sandbox: noSandbox,
    headers: { "x-one": "1" },
  });
  await expect(data.createSession()).rejects.toThrow("`headers`");
});

test("a turn whose run waits for a person says so", async () => {
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: z.object({ q: z.string() }),
    approval: true,
    execute: async (): Promise<unknown> => "paid",
  });
  const mock = [calls("pay", "a"), { text: "Paid." }];
  const turn = async (options: HarnOptions): Promise<string> => {
    await using h = testHarn({ cwd, mock, ...options });
    const agent = new HarnessAgent({ harness: harnHarness(h, { tools: [pay] }), sandbox: noSandbox });
    return (await agent.generate({ session: await agent.createSession(), prompt: "pay" })).text;
  };
  await expect(turn({})).rejects.toThrow("waits for a person");
  expect(await turn({ onQuestion: () => true })).toBe("Paid.");
});

test("a suspended turn is a stopped run, and goes on where it was", async () => {
  const asked: string[] = [];
  const gate = Promise.withResolvers<void>();
  const slow = tool({
    name: "lookup",
    description: "Looks a thing up.",
    input: z.object({ q: z.string() }),
    effect: "read",
    execute: async ({ q }): Promise<unknown> => {
      asked.push(q);
      if (q === "b" && asked.length === 2) {
        gate.resolve();
        await new Promise(() => {});
      }
      return q;
    },
  });
  await using h = testHarn({ cwd, mock: [calls("lookup", "a"), calls("lookup", "b"), { text: "Both." }] });
  const agent = new HarnessAgent({ harness: harnHarness(h, { tools: [slow] }), sandbox: noSandbox });
  const session = await agent.createSession();
  const begun = await agent.stream({ session, prompt: "a and b" });
  const taken = begun.consumeStream();
  await gate.promise;
  const state = JSON.parse(JSON.stringify(await session.suspendTurn()));
  await taken;
  const later = await agent.createSession({ sessionId: session.sessionId, continueFrom: state });
  expect((await agent.continueGenerate({ session: later })).text).toBe("Both.");
  expect(asked).toEqual(["a", "b", "b"]);
});
