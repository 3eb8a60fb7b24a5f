import { harn, tool } from "harn";
import { z } from "zod";
import { degreesIn } from "../weather.ts";
import { model } from "./mock.ts";

const weather = tool({
  name: "weather",
  description: "The weather in a city, now.",
  input: z.object({ city: z.string() }),
  output: z.object({ degrees: z.number() }),
  effect: "read",
  execute: async ({ city }, { signal }) => ({ degrees: await degreesIn(city, signal) }),
});

await using h = harn({ ...model, tools: [weather] });

const options = {
  output: z.object({ city: z.string(), degrees: z.number() }),
  signal: AbortSignal.timeout(Number(process.env.STOP_MS ?? 60_000)),
};
const run =
  process.argv[2] === "resume"
    ? h.resume("ghent", options)
    : h.agent({ prompt: "How warm is it in Ghent?", system: "Answer briefly.", name: "ghent", ...options });
for await (const event of run) console.log(event.type);
const answer = await run;
console.log(`${answer.city}: ${answer.degrees.toFixed(0)} degrees`);
