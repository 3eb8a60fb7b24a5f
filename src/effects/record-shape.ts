/**
 * Whether what was read is a record at all. A checksum says that nobody changed a line by accident; a file from elsewhere may
 * be sealed rightly and still hold anything, and whoever follows a journal trusts the types of its fields.
 */
import type { JournalRecord } from "./journal.ts";

type Kind = "text" | "count" | "code" | "number" | "flag" | "texts" | "tables" | "table" | "names";

const says: Readonly<Record<Kind, string>> = {
  text: "a text",
  count: "a whole number from 0 on",
  code: "a whole number",
  number: "a number",
  flag: "true or false",
  texts: "a list of texts",
  tables: "a list of objects",
  table: "an object",
  names: "an object of texts",
};

const isText = (value: unknown): value is string => typeof value === "string";
const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const fits: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: isText,
  count: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  code: Number.isSafeInteger,
  number: (value) => typeof value === "number",
  flag: (value) => typeof value === "boolean",
  texts: (value) => Array.isArray(value) && value.every(isText),
  tables: (value) => Array.isArray(value) && value.every(isTable),
  table: isTable,
  names: (value) => isTable(value) && Object.values(value).every(isText),
};

/** What an effect's result must be where it is read as a type of its own. A `?` behind the kind: may be missing or null. */
export interface ResultShape {
  readonly [field: string]: Kind | `${Kind}?` | ResultShape;
}

export function hasShape(value: unknown, shape: ResultShape): boolean {
  if (!isTable(value)) return false;
  return Object.entries(shape).every(([name, kind]) => {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    if (typeof kind === "object") return hasShape(field, kind);
    if (field === undefined || field === null) return kind.endsWith("?");
    return fits[kind.replace("?", "") as Kind](field);
  });
}

/** Fields by type of record, and of the seal of an exported run, which `store/snapshot.ts` takes away; a `?` behind the kind: may be missing. */
const shapes: Readonly<Record<JournalRecord["t"] | "seal", Readonly<Record<string, Kind | `${Kind}?`>>>> = {
  run: {
    run: "text",
    runtime: "text",
    platform: "names",
    seed: "text",
    argv: "texts",
    entry: "text",
    cwd: "text",
    roots: "names?",
  },
  source: { name: "text", hash: "text" },
  module: { from: "text", specifier: "text", name: "text" },
  blob: { hash: "text" },
  intent: { p: "text", n: "count", c: "text", k: "text", h: "text", was: "text?", w: "count?" },
  result: {
    p: "text",
    n: "count",
    c: "text?",
    k: "text?",
    h: "text?",
    was: "text?",
    w: "count?",
    o: "count?",
  },
  decision: { p: "text", s: "count", k: "text", of: "text", turn: "count", w: "count?" },
  stop: { turn: "count", reason: "text", code: "code", w: "count?" },
  end: { w: "count", reason: "text", code: "code", output: "text?" },
  shown: { w: "count" },
  resume: { keep: "count", runtime: "text", w: "count?" },
  seal: { digest: "text", mac: "text?", key: "text?" },
};

/** What is wrong with a record, for people; undefined when nothing. */
export function recordProblem(record: unknown): string | undefined {
  if (!isTable(record)) return "it is no record";
  const fields = record;
  const type = fields.t;
  if (!isText(type) || !Object.hasOwn(shapes, type)) return "it is no record that this version knows";
  for (const [name, input] of Object.entries(shapes[type as keyof typeof shapes])) {
    const kind = input.replace("?", "") as Kind;
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined ? !input.endsWith("?") : !fits[kind](value))
      return `its \`${name}\` is not ${says[kind]}`;
  }
  return type === "decision" ? deadlineProblem(fields) : undefined;
}

/** A deadline is named by the task that runs its block and its number there; it passes in that task or below it. */
function deadlineProblem({ k, of, p }: Readonly<Record<string, unknown>>): string | undefined {
  if (k !== "deadline") return undefined;
  const [, owner] = /^(\d+(?:\.\d+)*)#\d+$/.exec(of as string) ?? [];
  if (owner === undefined) return "its `of` names no deadline";
  const within = p === owner || (p as string).startsWith(`${owner}.`);
  return within ? undefined : "its `of` names a deadline of another task than its `p`";
}
