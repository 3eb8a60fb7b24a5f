/** What the agent can do. */
import { tool } from "harn";
import { z } from "zod";

const stock: Readonly<Record<string, number>> = { apples: 12, pears: 0 };

export const inStock = tool({
  name: "in_stock",
  description: "How many of an article there are.",
  input: z.object({ article: z.string() }),
  output: z.object({ count: z.number() }),
  effect: "read",
  execute: ({ article }) => {
    const count = stock[article];
    if (count === undefined)
      throw new Error(`there is no article ${article}; there are ${Object.keys(stock).join(", ")}`);
    return { count };
  },
});
