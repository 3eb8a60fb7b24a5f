/**
 * Whether what was read is a record at all. A checksum says that nobody changed a line by accident; a file from elsewhere may
 * be sealed rightly and still hold anything, and whoever follows a journal trusts the types of its fields.
 */
import type { JournalRecord } from "./journal.ts";
import { type ResultShape, shape } from "./result-shape.ts";

const { text, texts, table, names, count, integer, optional } = shape;

// biome-ignore lint/suspicious/noExplicitAny: fields of all types stand in one table.
type AnyShape = ResultShape<any>;

/** Fields by type of record, and of the seal of an exported run, which `store/snapshot.ts` takes away. */
const shapes: Readonly<Record<JournalRecord["t"] | "seal", Readonly<Record<string, AnyShape>>>> = {
  run: {
    run: text,
    runtime: text,
    platform: names,
    seed: text,
    argv: texts,
    entry: text,
    cwd: text,
    roots: optional(names),
  },
  source: { name: text, hash: text },
  module: { from: text, specifier: text, name: text },
  blob: { hash: text },
  intent: { p: text, n: count, c: text, k: text, h: text, was: optional(text), w: optional(count) },
  result: {
    p: text,
    n: count,
    c: optional(text),
    k: optional(text),
    h: optional(text),
    was: optional(text),
    w: optional(count),
    o: optional(count),
  },
  decision: { p: text, s: count, k: text, of: text, turn: count, w: optional(count) },
  stop: { turn: count, reason: text, code: integer, w: optional(count) },
  end: {
    w: count,
    reason: text,
    code: integer,
    output: optional(text),
    outcome: optional(shape.someFields({ status: text, why: text })),
    result: optional(shape.someFields({ digest: optional(text) })),
  },
  shown: { w: count },
  resume: { keep: count, runtime: text, w: optional(count) },
  seal: { digest: text, mac: optional(text), key: optional(text) },
};

/** What is wrong with a record, for people; undefined when nothing. */
export function recordProblem(record: unknown): string | undefined {
  if (!table.fits(record)) return "it is no record";
  const fields = record as Readonly<Record<string, unknown>>;
  const type = fields.t;
  if (typeof type !== "string" || !Object.hasOwn(shapes, type))
    return "it is no record that this version knows";
  for (const [name, field] of Object.entries(shapes[type as keyof typeof shapes])) {
    const stored = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field.fits(stored)) return `its \`${name}\` is not ${field.words}`;
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
