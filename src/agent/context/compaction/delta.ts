/** What a summarizer adds to the entries so far, and how its answer is read: a model's JSON, or what a function gives. */
import { cleanVisibleText } from "../../../model/index.ts";
import { at, type Rows, readRows, row, rows } from "../../../table/index.ts";
import { Dict, fromJson, ScriptError, type Value } from "../../../values/index.ts";

/** The JSON object of an answer, which models like to put into a fence; `undefined`: there is none. */
export function jsonOfAnswer(answer: string): unknown {
  const text = cleanVisibleText(answer);
  try {
    return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}

/** Letters that an entry may have: longer ones are cut. */
const maxText = 2000;
const maxEntries = 200;
const maxSources = 16;

const said = <A extends string | null = null>(absent = null as A) =>
  row.text("", absent).to((text) => cleanDelta(text));

/** Ids; what is no text among them is left out. */
const sources = () =>
  row
    .list(row.value("", "models write numbers, too"), "", [])
    .to((ids): readonly string[] => ids.filter((id) => typeof id === "string").slice(0, maxSources));

/** A field of an entry: what a model is told of it, and how it is read. */
const field = <R extends Rows[string]>(type: unknown, read: R) => ({ schema: { type }, read });
const text = field("string", said().required());
const words = field("string", said(""));

/** What may be added: entries of each section, what ends earlier ones, and what goes on now. */
const sections = {
  facts: { text },
  decisions: { text, why: words },
  open_items: { text },
  tool_outcomes: { tool: text, text, ok: field("boolean", row.bool("", true)) },
  artifact_refs: { ref: text, what: words },
  supersedes: {
    id: text,
    by: field(
      ["string", "null"],
      said().to((by) => by || null),
    ),
    reason: words,
  },
  closes: { id: text },
} satisfies Readonly<Record<string, Readonly<Record<string, ReturnType<typeof field>>>>>;
const now = ["current_task", "current_plan"];

const ofSections = <T>(make: (fields: [string, ReturnType<typeof field>][]) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(sections).map(([name, fields]) => [name, make(Object.entries(fields))]));
const plain = { type: "string" };

/** The form of a model's answer, as JSON Schema. `by` alone may be missing. */
export const deltaSchema = {
  type: "object",
  properties: {
    ...ofSections((fields) => ({
      type: "array",
      items: {
        type: "object",
        properties: {
          ...Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
          sources: { type: "array", items: plain },
        },
        required: [...fields.map(([name]) => name).filter((name) => name !== "by"), "sources"],
      },
    })),
    ...Object.fromEntries(now.map((name) => [name, plain])),
  },
};

const deltaRows = rows(() => ({
  ...ofSections((fields) => {
    const own = Object.fromEntries(fields.map(([name, { read }]) => [name, read]));
    return row
      .list(row.dict(rows(() => ({ ...own, sources: sources() }))), "", [])
      .full()
      .to((entries) => entries.slice(0, maxEntries));
  }),
  ...Object.fromEntries(now.map((name) => [name, said("")])),
}));

/** `{ok: true, delta}`, or `{ok: false, reason}`: what has another form than the schema's is named by its path. */
export function parseDelta(value: Value): Dict {
  const no = (reason: string): Dict => Dict.of({ ok: false, reason });
  if (!(value instanceof Dict)) return no("the answer must be a JSON object");
  const known = Object.keys(deltaSchema.properties);
  if (!known.some((key) => value.has(key))) return no(`the object must have some of: ${known.join(", ")}`);
  try {
    const read = Object.entries(readRows(value, deltaRows, at("the answer")));
    const named = read.map(([key, part]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      part,
    ]);
    return Dict.of({ ok: true, delta: fromJson(Object.fromEntries(named)) });
  } catch (error) {
    if (error instanceof ScriptError) return no(String(error.value));
    throw error;
  }
}

/**
 * Texts of models and tools in words of the runtime: no control characters, tags that close a wrapper of the runtime's are
 * broken, and one line each.
 */
export function cleanDelta(text: string): string {
  return (
    text
      .slice(0, maxText)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what goes.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "")
      .replace(/<(\/?)(runtime_feedback|tool_call|done|system|assistant|user)/gi, "<$1\u200b$2")
      .replace(/\s*\n\s*/g, " ")
      .trim()
  );
}
