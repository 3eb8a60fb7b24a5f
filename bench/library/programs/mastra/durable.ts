import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createDurableAgent } from "@mastra/core/agent/durable";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
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

const durable = createDurableAgent({ agent });
new Mastra({
  agents: { durable },
  storage: new LibSQLStore({ id: "runs", url: "file:runs.db" }),
  recovery: { durableAgents: "auto" },
  logger: false,
});

const abortSignal = AbortSignal.timeout(Number(process.env.STOP_MS ?? 60_000));
const begin = () =>
  durable.stream("How warm is it in Ghent?", {
    structuredOutput: { schema: z.object({ city: z.string(), degrees: z.number() }) },
    abortSignal,
  });
async function goOn() {
  const { runs } = await durable.listActiveRuns();
  return durable.recover(runs[0]?.runId ?? "", { abortSignal });
}
const { output } = process.argv[2] === "resume" ? await goOn() : await begin();
for await (const event of output.fullStream) console.log(event.type);
const answer = await output.object;
console.log(`${answer.city}: ${answer.degrees.toFixed(0)} degrees`);
