import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createAgent, providerStrategy, tool } from "langchain";
import { z } from "zod";
import { degreesIn } from "../weather.ts";
import { model } from "./mock.ts";

const weather = tool(async ({ city }, { signal }) => ({ degrees: await degreesIn(city, signal) }), {
  name: "weather",
  description: "The weather in a city, now.",
  schema: z.object({ city: z.string() }),
});

const agent = createAgent({
  model,
  systemPrompt: "Answer briefly.",
  tools: [weather],
  checkpointer: SqliteSaver.fromConnString("runs.db"),
  responseFormat: providerStrategy(z.object({ city: z.string(), degrees: z.number() })),
});

const run = await agent.stream(
  process.argv[2] === "resume" ? null : { messages: [{ role: "user", content: "How warm is it in Ghent?" }] },
  {
    configurable: { thread_id: "ghent" },
    streamMode: ["messages", "values"],
    signal: AbortSignal.timeout(Number(process.env.STOP_MS ?? 60_000)),
  },
);
let answer: { city: string; degrees: number } | undefined;
for await (const [mode, event] of run) {
  console.log(mode);
  if (mode === "values") answer = event.structuredResponse;
}
console.log(`${answer?.city}: ${answer?.degrees.toFixed(0)} degrees`);
