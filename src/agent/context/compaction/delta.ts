/** What a summarizer adds to the entries so far, and how its answer is read: a model's JSON, or what a function gives. */
import { at, type Rows, readRows, row, rows } from "../../../table/index.ts";
import { type Dict, fromJson, isJsonObject, ScriptError } from "../../../values/index.ts";

export interface SummaryDelta {
  readonly facts: readonly { readonly text: string; readonly sources: readonly string[] }[];
  readonly decisions: readonly {
    readonly text: string;
    readonly why: string;
    readonly sources: readonly string[];
  }[];
  readonly open_items: readonly { readonly text: string; readonly sources: readonly string[] }[];
  readonly tool_outcomes: readonly {
    readonly tool: string;
    readonly text: string;
    readonly ok: boolean;
    readonly sources: readonly string[];
  }[];
  readonly artifact_refs: readonly {
    readonly ref: string;
    readonly what: string;
    readonly sources: readonly string[];
  }[];
  /** `by`: the id of the entry in its place, or the text of a new one. */
  readonly supersedes: readonly {
    readonly id: string;
    readonly by: string | null;
    readonly reason: string;
    readonly sources: readonly string[];
  }[];
  readonly closes: readonly { readonly id: string; readonly sources: readonly string[] }[];
  /** "": nothing new. */
  readonly current_task: string;
  readonly current_plan: string;
}

export const noDelta: SummaryDelta = {
  facts: [],
  decisions: [],
  open_items: [],
  tool_outcomes: [],
  artifact_refs: [],
  supersedes: [],
  closes: [],
  current_task: "",
  current_plan: "",
};

type PlainRecord = Readonly<Record<string, unknown>>;

const sourced = (properties: PlainRecord, required: readonly string[]): PlainRecord => ({
  type: "array",
  items: {
    type: "object",
    properties: { ...properties, sources: { type: "array", items: { type: "string" } } },
    required: [...required, "sources"],
  },
});
const text = { type: "string" };

/** The form of a model's answer, as JSON Schema. */
export const deltaSchema: PlainRecord = {
  type: "object",
  properties: {
    facts: sourced({ text }, ["text"]),
    decisions: sourced({ text, why: text }, ["text", "why"]),
    open_items: sourced({ text }, ["text"]),
    tool_outcomes: sourced({ tool: text, text, ok: { type: "boolean" } }, ["tool", "text", "ok"]),
    artifact_refs: sourced({ ref: text, what: text }, ["ref", "what"]),
    supersedes: sourced({ id: text, by: { type: ["string", "null"] }, reason: text }, ["id", "reason"]),
    closes: sourced({ id: text }, ["id"]),
    current_task: text,
    current_plan: text,
  },
};

export type ReadDelta =
  | { readonly ok: true; readonly delta: SummaryDelta }
  | { readonly ok: false; readonly problem: string };

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

const listOf = <R extends Rows>(more: R) =>
  row
    .list(row.dict(rows(() => ({ ...more, sources: sources() }))), "", [])
    .full()
    .to((entries) => entries.slice(0, maxEntries));

const deltaRows = rows(() => ({
  facts: listOf({ text: said().required() }),
  decisions: listOf({ text: said().required(), why: said("") }),
  open_items: listOf({ text: said().required() }),
  tool_outcomes: listOf({ tool: said().required(), text: said().required(), ok: row.bool("", true) }),
  artifact_refs: listOf({ ref: said().required(), what: said("") }),
  supersedes: listOf({ id: said().required(), by: said().to((by) => by || null), reason: said("") }),
  closes: listOf({ id: said().required() }),
  current_task: said(""),
  current_plan: said(""),
}));

/** Reads plain JSON. What has another form than the schema's is named by its path. */
export function readDelta(value: unknown): ReadDelta {
  if (!isJsonObject(value)) return { ok: false, problem: "the answer must be a JSON object" };
  const known = Object.keys(noDelta);
  if (!known.some((key) => Object.hasOwn(value, key)))
    return { ok: false, problem: `the object must have some of: ${known.join(", ")}` };
  try {
    const read = readRows(fromJson(value) as Dict, deltaRows, at("the answer"));
    const { openItems, toolOutcomes, artifactRefs, currentTask, currentPlan, ...rest } = read;
    return {
      ok: true,
      delta: {
        ...rest,
        open_items: openItems,
        tool_outcomes: toolOutcomes,
        artifact_refs: artifactRefs,
        current_task: currentTask,
        current_plan: currentPlan,
      },
    };
  } catch (error) {
    if (error instanceof ScriptError) return { ok: false, problem: String(error.value) };
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
