/** A pass of the ladder and what models thought: it goes, but for calls that the route takes only with their reasoning. */
import { describe, expect, test } from "vitest";
import { agentRun, options, type Plain, tool } from "../../../support/agent-run.ts";
import { testRun } from "../../../support/concurrent.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";
import { providerServerForTests, type Scenario } from "../../../support/provider-server/index.ts";
import { filler } from "./ladder-views.ts";

const server = await providerServerForTests();

const turns = 14;
const thought = (n: number): string => `thought ${n} before its call`;

/** A loop that thinks and writes a long file in each turn; gives the model's messages of the last request. */
async function lastAnswers(route: Record<string, Plain>): Promise<readonly Plain[]> {
  const answers = Array.from(
    { length: turns },
    (_, n): Scenario => ({
      kind: "answer",
      thinking: thought(n),
      calls: [{ id: `c${n}`, name: "write_file", args: JSON.stringify({ x: filler(1200, `f${n}`) }) }],
      piece: 4000,
      stop: "tool_use",
    }),
  );
  server.next(...answers, { kind: "answer", text: "Written." });
  const env = {
    DEEPSEEK_API_KEY: "k",
    DEEPSEEK_BASE_URL: `${server.url}/v1`,
    OPENROUTER_API_KEY: "k",
    OPENROUTER_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: server.url,
  };
  const run = agentRun(testRun(undefined, createMemoryHost({ env })));
  const result = await run.loop("Write the files.", {
    ...route,
    session_id: "s",
    max_iterations: 40,
    tools: [tool("write_file", () => "done", { annotations: options({ kind: "edit" }) })],
    compaction: { strategy: "ladder", max_input_tokens: 4000, summarizer: false },
  });
  expect(result).toMatchObject({ status: "done", text: "Written." });
  const sent = (server.seen.at(-1)?.body.messages ?? []) as Plain[];
  return sent.filter(({ role }) => role === "assistant");
}

describe("behind a pass", () => {
  test("DeepSeek gets each call back with its reasoning and its arguments, or not at all", async () => {
    const messages = await lastAnswers({ provider: "deepseek", model: "deepseek-reasoner" });
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.length).toBeLessThan(turns);
    for (const { reasoning_content, tool_calls } of messages) {
      const [call] = tool_calls as Plain[];
      const n = Number(String(call.id).slice(1));
      expect(reasoning_content).toBe(thought(n));
      expect(JSON.parse(call.function.arguments)).toEqual({ x: filler(1200, `f${n}`) });
    }
  });

  test("Claude gets signed thinking back in front of each call", async () => {
    const messages = await lastAnswers({ provider: "anthropic", model: "claude-sonnet-4-6" });
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.length).toBeLessThan(turns);
    for (const { content } of messages) {
      const [thinking, call] = content as Plain[];
      expect(thinking).toMatchObject({ type: "thinking" });
      expect(call.input.x).not.toContain("cleared");
    }
  });

  test("a route that needs none: arguments are cleared, and only the open exchange has its reasoning", async () => {
    const messages = await lastAnswers({ provider: "openrouter", model: "qwen/qwen3" });
    expect(JSON.stringify(messages)).toContain("[cleared: ");
    expect(messages[0]).not.toHaveProperty("reasoning_content");
    expect(messages.at(-1)).toHaveProperty("reasoning_content");
  });
});
