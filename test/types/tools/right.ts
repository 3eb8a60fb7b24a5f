/** What `tool` infers, with three libraries of schemas: checked by the project's own check and by TypeScript 5.9. */
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { tool } from "../../../src/library/tool.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

const words = z.object({ word: z.string(), times: z.number().default(3) });

// ── arguments ──
export const withZod = tool({
  name: "with_zod",
  description: "The name is a literal type, the arguments are what the schema gives.",
  input: words,
  execute: (input, context) => {
    same<typeof input, { word: string; times: number }>(true);
    same<typeof context.signal, AbortSignal>(true);
    return new Map([[input.word, input.times]]);
  },
});
export const name: "with_zod" = withZod.name;

export const withArktype = tool({
  name: "with_arktype",
  description: "",
  input: type({ word: "string", "times?": "number" }),
  output: type("string"),
  execute: async (input) => {
    same<typeof input, { word: string; times?: number }>(true);
    return input.word;
  },
});

export const withValibot = tool({
  name: "with_valibot",
  description: "",
  input: toStandardJsonSchema(v.object({ word: v.string() })),
  // It gives what the schema reads, and not what it makes of that.
  output: v.pipe(v.string(), v.transform(Number)),
  execute: (input) => {
    same<typeof input, { word: string }>(true);
    return input.word;
  },
});

// ── results ──
interface Row {
  id: number;
}
const none = z.object({});
export const interfaces = tool({
  name: "interfaces",
  description: "",
  input: none,
  execute: async (): Promise<Row[]> => [],
});
export const nothing = tool({ name: "nothing", description: "", input: none, execute() {} });
export const later = tool({ name: "later", description: "", input: none, execute: async () => {} });
export const never = tool({
  name: "never",
  description: "",
  input: none,
  output: z.string(),
  execute() {
    throw new Error("always");
  },
});

// Literals and tuples stay what they are.
const Kind = z.object({
  kind: z.enum(["a", "b"]),
  list: z.array(z.object({ t: z.literal("x"), pair: z.tuple([z.number(), z.string()]) })),
});
export const literals = tool({
  name: "literals",
  description: "",
  input: none,
  output: Kind,
  execute: async () => ({ kind: "a", list: [{ t: "x", pair: [1, "s"] }] }),
});
export const branches = tool({
  name: "branches",
  description: "",
  input: words,
  output: Kind,
  async execute({ times }) {
    if (times > 3) return { kind: "b", list: [] };
    return { kind: "a", list: [{ t: "x", pair: [1, "s"] }] };
  },
});
export const unions = tool({
  name: "unions",
  description: "",
  input: words,
  output: z.union([z.object({ ok: z.literal(true), value: z.number() }), z.object({ ok: z.literal(false) })]),
  execute: ({ times }) => (times > 3 ? { ok: true, value: 1 } : { ok: false }),
});
export const bare = tool({
  name: "bare",
  description: "",
  input: none,
  output: z.enum(["a", "b"]),
  execute: () => "a",
});

export const nothingNeeded = tool({
  name: "nothing_needed",
  description: "",
  input: z.object({}),
  output: z.object({ n: z.number().optional() }),
  execute: () => ({}),
});

export const emptyByItself = tool({
  name: "empty_by_itself",
  description: "",
  input: z.object({}),
  execute: () => ({}),
});
