import type { LanguageModel } from "@mastra/core/llm";
import { note } from "../weather.ts";

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

const asks = [
  { type: "stream-start", warnings: [] },
  { type: "tool-call", toolCallId: "call-1", toolName: "weather", input: '{"city":"Ghent"}' },
  { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage },
] as const;

const answers = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: '{"city":"Ghent",' },
  { type: "text-delta", id: "1", delta: '"degrees":12}' },
  { type: "text-end", id: "1" },
  { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
] as const;

/** Asks for the weather; then answers with what the tool gave. */
export const model: Extract<LanguageModel, { specificationVersion: "v4" }> = {
  specificationVersion: "v4",
  provider: "mock",
  modelId: "mock",
  supportedUrls: {},
  doGenerate: () => {
    throw new Error("every call of the mock streams");
  },
  doStream: async ({ prompt }) => {
    note("model is asked");
    const parts: readonly unknown[] = prompt.some(({ role }) => role === "tool") ? answers : asks;
    return { stream: ReadableStream.from(parts) as ReadableStream<never> };
  },
};
