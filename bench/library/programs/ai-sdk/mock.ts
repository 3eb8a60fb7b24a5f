import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { note } from "../weather.ts";

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** Asks for the weather; then answers with what the tool gave. */
export const model = new MockLanguageModelV4({
  doStream: async ({ prompt }) => {
    note("model is asked");
    const isAnswered = prompt.some(({ role }) => role === "tool");
    return {
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start", warnings: [] },
          ...(isAnswered
            ? ([
                { type: "text-start", id: "1" },
                { type: "text-delta", id: "1", delta: '{"city":"Ghent",' },
                { type: "text-delta", id: "1", delta: '"degrees":12}' },
                { type: "text-end", id: "1" },
                { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
              ] as const)
            : ([
                { type: "tool-call", toolCallId: "call-1", toolName: "weather", input: '{"city":"Ghent"}' },
                { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage },
              ] as const)),
        ],
      }),
    };
  },
});
