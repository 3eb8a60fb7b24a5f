/** Asks the agent. Without a key of a provider, its model is the tape. */
import { harn } from "harn";
import { answer } from "./agent.ts";

const h = harn({ tape: "tape.jsonl" });
const ask = h.flow("answer", answer);
const run = ask(process.argv[2] ?? "Are there pears?");
for await (const event of run)
  if (event.type === "tool.start")
    console.log(`… ${event.data.name} ${JSON.stringify(event.data.arguments)}`);
console.log((await run).answer);
await h.close();
