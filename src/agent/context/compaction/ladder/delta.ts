/** What a summarizer adds to the entries so far, and how its answer is read: a model's JSON, or what a function gives. */
import { isJsonObject } from "../../../../values/index.ts";

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

type Plain = Readonly<Record<string, unknown>>;

const sourced = (properties: Plain, required: readonly string[]): Plain => ({
  type: "array",
  items: {
    type: "object",
    properties: { ...properties, sources: { type: "array", items: { type: "string" } } },
    required: [...required, "sources"],
  },
});
const text = { type: "string" };

/** The form of a model's answer, as JSON Schema. */
export const deltaSchema: Plain = {
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

/** Reads plain JSON. What has another form than the schema's is named by its path. */
export function readDelta(value: unknown): ReadDelta {
  if (!isJsonObject(value)) return { ok: false, problem: "the answer must be a JSON object" };
  const known = Object.keys(noDelta);
  if (!known.some((key) => Object.hasOwn(value, key)))
    return { ok: false, problem: `the object must have some of: ${known.join(", ")}` };
  try {
    return { ok: true, delta: deltaIn(new DeltaReader(value)) };
  } catch (error) {
    if (error instanceof WrongForm) return { ok: false, problem: error.message };
    throw error;
  }
}

/** Throws {@link WrongForm}. */
const deltaIn = (read: DeltaReader): SummaryDelta => ({
  facts: read.list("facts", (entry) => ({ text: entry.text("text"), sources: entry.sources() })),
  decisions: read.list("decisions", (entry) => ({
    text: entry.text("text"),
    why: entry.text("why", ""),
    sources: entry.sources(),
  })),
  open_items: read.list("open_items", (entry) => ({
    text: entry.text("text"),
    sources: entry.sources(),
  })),
  tool_outcomes: read.list("tool_outcomes", (entry) => ({
    tool: entry.text("tool"),
    text: entry.text("text"),
    ok: entry.flag("ok"),
    sources: entry.sources(),
  })),
  artifact_refs: read.list("artifact_refs", (entry) => ({
    ref: entry.text("ref"),
    what: entry.text("what", ""),
    sources: entry.sources(),
  })),
  supersedes: read.list("supersedes", (entry) => ({
    id: entry.text("id"),
    by: entry.text("by", "") || null,
    reason: entry.text("reason", ""),
    sources: entry.sources(),
  })),
  closes: read.list("closes", (entry) => ({ id: entry.text("id"), sources: entry.sources() })),
  current_task: read.text("current_task", ""),
  current_plan: read.text("current_plan", ""),
});

class WrongForm extends Error {}

class DeltaReader {
  private readonly input: Plain;
  private readonly path: string;

  constructor(input: Plain, path = "") {
    this.input = input;
    this.path = path;
  }

  list<T>(key: string, read: (entry: DeltaReader) => T): T[] {
    const value = this.input[key] ?? [];
    if (!Array.isArray(value)) throw new WrongForm(`\`${this.path}${key}\` must be a list`);
    return value.slice(0, maxEntries).map((item: unknown, index) => {
      const path = `${this.path}${key}[${index}]`;
      if (!isJsonObject(item)) throw new WrongForm(`\`${path}\` must be an object`);
      return read(new DeltaReader(item, `${path}.`));
    });
  }

  text(key: string, usual?: string): string {
    const value = this.input[key] ?? usual;
    if (typeof value !== "string") throw new WrongForm(`\`${this.path}${key}\` must be a string`);
    return cleanDelta(value);
  }

  flag(key: string): boolean {
    const value = this.input[key] ?? true;
    if (typeof value !== "boolean") throw new WrongForm(`\`${this.path}${key}\` must be true or false`);
    return value;
  }

  sources(): string[] {
    const value = this.input.sources ?? [];
    if (!Array.isArray(value)) throw new WrongForm(`\`${this.path}sources\` must be a list of ids`);
    return value.filter((id) => typeof id === "string").slice(0, maxSources);
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
