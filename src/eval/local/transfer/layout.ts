/**
 * A set as a file (`.harneval`): a ZIP archive with everything that belongs to it, so that it can be shown, compared, scored anew and
 * replayed elsewhere.
 *
 *   set.json          what wrote it, and the rows of the set, its tasks and variants
 *   TABLE-N.jsonl     rows of the larger tables; a large text is named by its hash, a run by its name
 *   pieces-N.jsonl    large texts: `{hash, text}`
 *   journals-N.jsonl  runs, one after the other: `{t: "journal", name, trial, parent, shown}`, its header, its records
 *   seal.json         made of the digests of all other members, as that of an exported run
 *
 * Numbers of rows are those of the store that it came from; the store that takes it gives them new ones. Paths stay what they were:
 * a replay touches none of them, and what was recorded of them must be found again.
 *
 * A chunk of trials that is done elsewhere is such a file with some trials only, on its way there and back. Besides it holds
 *
 *   eval_draw-N.jsonl kept answers of models
 *   sources.json      files that its sandboxes and tests are made of (`sources.ts`); sources/HASH what is in them
 *   chunk.json        what is to be done, or was done (`cluster/chunks/`)
 *
 * and with each journal what it asked people, answers included.
 */
import { z } from "zod";
import type { EvalTableName } from "../../../durable/index.ts";

export const archiveFormat = 1;

export const partName = (what: string, part: number): string =>
  `${what}-${String(part).padStart(4, "0")}.jsonl`;

/** Tables with a member for each part of their rows, in the order in which they are taken in. */
export const largeTables = [
  "eval_sample",
  "eval_trial",
  "eval_attempt",
  "eval_score",
  "eval_label",
  "eval_limit",
  "eval_draw",
] as const satisfies readonly EvalTableName[];

export type LargeTable = (typeof largeTables)[number];

// ── what a file may hold: it may come from anybody ────────────────────────────────────────────────────────────────────

const id = z.int().min(1);
const count = z.int().min(0);
const flag = z.union([z.literal(0), z.literal(1)]);
const time = z.number().nullable();
const text = z.string();
const maybe = z.string().nullable();
/** SHA-256 of a piece. */
const hash = z.string().regex(/^[0-9a-f]{64}$/u);
const piece = hash.nullable();
const run = maybe;

export const rowShapes = {
  eval_sample: z.object({
    id,
    task: id,
    key: text,
    digest: text,
    ord: count,
    cluster: maybe,
    retired: flag,
    body: piece,
  }),
  eval_trial: z.object({
    id,
    sample: id,
    variant: id,
    epoch: z.int().min(1).max(1000),
    streams: text,
    kind: z.enum(["epoch", "cross", "oracle", "fork"]),
    ord: count,
    state: z.enum(["pending", "running", "done", "errored", "waiting", "paused", "skipped"]),
    digest: text,
    run,
    outcome: piece,
    error: maybe,
    category: z.enum(["provider", "environment", "config", "harness"]).nullable(),
    limit_hit: maybe,
    faults: maybe,
    blame: maybe,
    input_tokens: count,
    output_tokens: count,
    cost: z.number(),
    doubtful: z.number(),
    turns: count,
    working_ms: z.number(),
    wall_ms: z.number(),
    began: time,
    ended: time,
    attempts: count,
  }),
  eval_attempt: z.object({
    trial: id,
    n: id,
    run,
    state: text,
    error: maybe,
    category: maybe,
    began: z.number(),
    ended: time,
  }),
  eval_score: z.object({
    trial: id,
    scorer: text,
    version: id,
    draw: id,
    value: z.number().nullable(),
    pass: flag.nullable(),
    label: maybe,
    body: piece,
    run,
    cost: z.number(),
  }),
  eval_label: z.object({
    trial: id,
    scorer: text,
    rater: text,
    value: z.number().nullable(),
    label: maybe,
    note: maybe,
    at: z.number(),
  }),
  eval_limit: z.object({
    at: z.number(),
    provider: text,
    old: z.number(),
    new: z.number(),
    reason: text,
  }),
  eval_draw: z.object({ key: hash, result: hash, made: z.number() }),
} satisfies Record<LargeTable, z.ZodType>;

export const headShape = z.object({
  harn: z.literal("evaluation"),
  format: z.literal(archiveFormat),
  /** Version of the runtime that wrote it. */
  runtime: text,
  set: z.object({
    name: z.string().regex(/^[^\s:~%\p{Cc}]{1,200}$/u),
    seed: text,
    /** JSON text. */
    spec: text,
    state: z.enum(["running", "done", "incomplete", "paused", "waiting", "stopped", "failed"]),
    why: maybe,
    program: text,
    began: z.number(),
    ended: time,
    receipt: maybe,
  }),
  tasks: z.array(z.object({ id, name: text, spec: text, digest: text })),
  variants: z.array(z.object({ id, task: id, key: text, digest: text, body: text })),
});

export const journalShape = z.object({
  t: z.literal("journal"),
  name: z.string().min(1).max(500),
  /** Number of the trial; null: the plan. */
  trial: id.nullable(),
  parent: maybe,
  shown: count,
  questions: z
    .array(
      z.object({
        place: text,
        asked: z.number(),
        /** JSON text. */
        body: text,
        answer: maybe,
        answered: time,
        answeredBy: maybe,
      }),
    )
    .optional(),
});

/** Of each path on the machine that it came from what lies there: files by the hash of their content, links, folders. */
export const sourcesShape = z.array(
  z.object({
    path: text,
    entries: z.array(z.object({ path: text, mode: count, content: hash.optional(), link: text.optional() })),
  }),
);

export const pieceShape = z.object({ hash: z.string(), text: z.string() });

export const sealShape = z.object({ digest: text, mac: text, key: text });

/** What the seal is made of: a line for each other member, in the order of the archive. */
export const sealedText = (members: readonly (readonly [name: string, digest: string])[]): Buffer =>
  Buffer.from(members.map(([name, digest]) => `${name} ${digest}\n`).join(""));
