import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { degreesIn } from "../weather.ts";
import { model } from "./mock.ts";

const weather = createTool({
  id: "weather",
  description: "The weather in a city, now.",
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ degrees: z.number() }),
  execute: async ({ city }, { abortSignal }) => ({ degrees: await degreesIn(city, abortSignal) }),
});

const agent = new Agent({
  id: "weather-agent",
  name: "Weather",
  instructions: "Answer briefly.",
  model,
  tools: { weather },
});

const run = await agent.stream("How warm is it in Ghent?", {
  structuredOutput: { schema: z.object({ city: z.string(), degrees: z.number() }) },
  abortSignal: AbortSignal.timeout(Number(process.env.STOP_MS ?? 60_000)),
});
for await (const event of run.fullStream) console.log(event.type);
const answer = await run.object;
console.log(`${answer.city}: ${answer.degrees.toFixed(0)} degrees`);
