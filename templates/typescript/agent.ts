/** The agent, as a flow: what it asks for is recorded, and a test plays the record with the code of today. */
import type { FlowContext } from "harn";
import { z } from "zod";
import { inStock } from "./tools.ts";

const Answer = z.object({ answer: z.string() });

export const answer = (ctx: FlowContext, question: string) =>
  ctx.agent({
    prompt: question,
    system: "You answer questions about the stock of a shop.",
    tools: [inStock],
    output: Answer,
    maxIterations: 8,
  });
