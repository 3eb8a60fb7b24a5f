import { Output, ToolLoopAgent, tool } from "ai";
import { z } from "zod";
import { degreesIn } from "../weather.ts";
import { model } from "./mock.ts";

const weather = tool({
  description: "The weather in a city, now.",
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ degrees: z.number() }),
  execute: async ({ city }, { abortSignal }) => ({ degrees: await degreesIn(city, abortSignal) }),
});

const agent = new ToolLoopAgent({
  model,
  instructions: "Answer briefly.",
  tools: { weather },
  output: Output.object({ schema: z.object({ city: z.string(), degrees: z.number() }) }),
});

const run = await agent.stream({
  prompt: "How warm is it in Ghent?",
  abortSignal: AbortSignal.timeout(Number(process.env.STOP_MS ?? 60_000)),
});
for await (const event of run.stream) console.log(event.type);
const answer = await run.output;
console.log(`${answer.city}: ${answer.degrees.toFixed(0)} degrees`);
