import { note } from "../weather.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const call = {
  index: 0,
  id: "call-1",
  type: "function",
  function: { name: "weather", arguments: '{"city":"Ghent"}' },
};
const asks = [
  { delta: { role: "assistant", tool_calls: [call] } },
  { delta: {}, finish_reason: "tool_calls" },
];
const answers = [
  { delta: { role: "assistant", content: '{"city":"Ghent",' } },
  { delta: { content: '"degrees":12}' } },
  { delta: {}, finish_reason: "stop" },
];

/** Asks for the weather; then answers with what the tool gave. Over `fetch`, so that its answers are recorded as any vendor's. */
export const model = {
  provider: "openrouter",
  model: "openai/gpt-4o-mini",
  apiKey: "none",
  fetch: async (_address: unknown, request?: { readonly body?: unknown }): Promise<Response> => {
    note("model is asked");
    const body = typeof request?.body === "string" ? request.body : "";
    const chunks = (body.includes('"role":"tool"') ? answers : asks).map((choice) => ({
      id: "1",
      choices: [{ index: 0, ...choice }],
      usage,
    }));
    const lines = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
    const headers = { "content-type": "text/event-stream" };
    return new Response(`${lines.join("")}data: [DONE]\n\n`, { headers });
  },
};
