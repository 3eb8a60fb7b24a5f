/** Tools whose `execute` gives what `output` does not allow: one error each, at `execute` (`test/unit/library/tools/types.test.ts`). */
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { tool } from "../../../src/library/tool.ts";

const City = z.object({
  name: z.string(),
  population: z.number(),
  tags: z.array(z.string()),
  where: z.object({ lat: z.number(), lon: z.number() }),
});
const input = z.object({ city: z.string() });

export const field = tool({
  name: "field",
  description: "",
  input,
  output: City,
  execute: async ({ city }) => ({ name: city, population: "many", tags: [], where: { lat: 1, lon: 2 } }),
});

export const missing = tool({
  name: "missing",
  description: "",
  input,
  output: City,
  async execute({ city }) {
    return { name: city, population: 3, tags: [] };
  },
});

export const ofArktype = tool({
  name: "of_arktype",
  description: "",
  input: type({ city: "string" }),
  output: type("number"),
  execute: ({ city }) => city,
});

export const ofValibot = tool({
  name: "of_valibot",
  description: "",
  input: toStandardJsonSchema(v.object({ city: v.string() })),
  output: v.number(),
  execute: ({ city }, { signal }) => {
    if (signal.aborted) return 1;
    return city;
  },
});

export const wide = tool({
  name: "wide",
  description: "",
  input,
  output: z.enum(["a", "b"]),
  execute: async ({ city }) => city,
});

export const nothing = tool({
  name: "nothing",
  description: "",
  input,
  output: City,
  execute: async () => undefined,
});

export const list = tool({
  name: "list",
  description: "",
  input,
  output: z.array(City),
  execute: async () => [{ name: "x" }],
});

export const unknown = tool({
  name: "unknown",
  description: "",
  input,
  output: z.string(),
  execute: (): unknown => "x",
});

export const emptyRecord = tool({
  name: "empty_record",
  description: "",
  input,
  output: z.object({ n: z.number() }),
  execute: () => ({}),
});

export const emptyText = tool({
  name: "empty_text",
  description: "",
  input,
  output: z.string(),
  execute: () => ({}),
});

export const emptyList = tool({
  name: "empty_list",
  description: "",
  input,
  output: z.array(z.string()),
  execute: () => ({}),
});
