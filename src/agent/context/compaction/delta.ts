/** What a summarizer adds to the entries so far, and how its answer is read: a model's JSON, or what a function gives. */
import { cleanVisibleText, type StructuredSummary, type SummaryFact } from "../../../model/index.ts";
import { at, type Rows, readRows, row, rows } from "../../../table/index.ts";
import { type Dict, fromJson, isJsonObject, ScriptError } from "../../../values/index.ts";

type Section = "facts" | "decisions" | "open_items" | "tool_outcomes" | "artifact_refs";
type AddedEntry<T> = T extends unknown ? Omit<T, "id" | "trust" | "status"> : never;
type Sourced = Pick<SummaryFact, "sources">;

export type SummaryDelta = {
  readonly [S in Section]: readonly AddedEntry<StructuredSummary[S][number]>[];
} & {
  /** `by`: the id of the entry in its place, or the text of a new one. */
  readonly supersedes: readonly (StructuredSummary["superseded"][number] & Sourced)[];
  readonly closes: readonly (Pick<SummaryFact, "id"> & Sourced)[];
  /** "": nothing new. */
  readonly current_task: string;
  readonly current_plan: string;
};

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

const text = { type: "string" };

/** `by` alone may be missing. */
const sourced = (properties: PlainRecord): PlainRecord => ({
  type: "array",
  items: {
    type: "object",
    properties: { ...properties, sources: { type: "array", items: text } },
    required: [...Object.keys(properties).filter((key) => key !== "by"), "sources"],
  },
});

/** The form of a model's answer, as JSON Schema. */
export const deltaSchema: PlainRecord = {
  type: "object",
  properties: {
    facts: sourced({ text }),
    decisions: sourced({ text, why: text }),
    open_items: sourced({ text }),
    tool_outcomes: sourced({ tool: text, text, ok: { type: "boolean" } }),
    artifact_refs: sourced({ ref: text, what: text }),
    supersedes: sourced({ id: text, by: { type: ["string", "null"] }, reason: text }),
    closes: sourced({ id: text }),
    current_task: text,
    current_plan: text,
  },
};

/** The JSON object of an answer, which models like to put into a fence; `undefined`: there is none. */
export function jsonOfAnswer(answer: string): unknown {
  const text = cleanVisibleText(answer);
  try {
    return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}

type ReadDelta =
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
export function parseDelta(value: unknown): ReadDelta {
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
