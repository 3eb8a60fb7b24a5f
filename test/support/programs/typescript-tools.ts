/** A program that serves its functions as tools (`test/unit/library/tools/serve-tools.test.ts`). */
import { z } from "zod";
import { tool } from "../../../src/library/tool.ts";
import { serveTools } from "../../../src/library/tools.ts";

let calls = 0;

const count = tool({
  name: "count",
  description: "Counts its calls.",
  input: z.object({}),
  effect: "read",
  execute: () => ++calls,
});
const shout = tool({
  name: "shout",
  description: "Shouts.",
  input: z.object({ text: z.string(), times: z.number().default(1) }),
  output: z.object({ shouted: z.string() }),
  idempotent: true,
  execute: ({ text, times }) => ({ shouted: `${text.toUpperCase()}!`.repeat(times) }),
});
const key = tool({
  name: "key",
  description: "Says its key.",
  input: z.object({}),
  execute: (_input, { idempotencyKey }) => idempotencyKey,
});
const broken = tool({
  name: "broken",
  description: "Fails.",
  input: z.object({}),
  execute: () => {
    throw new RangeError("out of paper");
  },
});
const odd = tool({
  name: "odd",
  description: "Gives what nobody can have.",
  input: z.object({}),
  execute: () => ({ made: new (class Socket {})() }),
});
const endless = tool({
  name: "endless",
  description: "Never ends.",
  input: z.object({}),
  execute: (_input, { signal }) =>
    new Promise(() => signal.addEventListener("abort", () => console.error("endless was stopped"))),
});

await serveTools([count, shout, key, broken, odd, endless]);
console.error("the client has left");
