/** From the dataset of a task to its samples: read, map, filter, identify, choose. Done once, in the plan. */
import { nearest } from "../../diagnostics/index.ts";
import type { Digest } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { inputText, warnOnce } from "../../table/index.ts";
import { Callable, Dict, invoke1, type MaybePromise, truthy, type Value } from "../../values/index.ts";
import { evalError } from "../eval-error.ts";
import type { Limits } from "./limits.ts";
import { noLimits } from "./limits.ts";
import { readLimits } from "./read-task.ts";
import type { Sample } from "./sample.ts";
import { type NumberedRow, renamed, rowsOf, samplesOf, valueAt } from "./samples.ts";
import type { RegisteredTask, TaskSpec } from "./task.ts";
import { wrongField } from "./task-reader.ts";

/** Reads the rows of a path as an effect of the task. */
export type ReadRows = (task: Task, path: string, base: string) => MaybePromise<readonly Dict[]>;

export interface LoadedSamples {
  readonly samples: readonly Sample[];
  /** Rows before `where`, `fields` and `skip`. */
  readonly read: number;
  /** Rows that these left out. */
  readonly leftOut: number;
}

/** The samples of a task; throws HARN-EVL-001 and 004 to 006. */
export async function loadSamples(
  task: Task,
  { spec, code }: RegisteredTask,
  read: ReadRows,
  digest: Digest,
): Promise<LoadedSamples> {
  const { dataset } = spec;
  const path = dataset.kind === "path" ? dataset.path : `the dataset of ${spec.name}`;
  const rows = await readRows(task, { spec, code }, read);
  checkColumns(spec, rows);
  const mapped: NumberedRow[] = [];
  for (const { row, number } of rows) {
    const sample = await sampleOf(task, { spec, code }, row);
    if (sample === null || sample.get("skip") === true) continue;
    if (code.where !== null && !truthy(await invoke1(task, code.where, sample))) continue;
    // A limit that can't be read must not be no limit.
    sampleLimits(spec.name, sample);
    warnOfMisspelt(task, spec.name, sample, number);
    mapped.push({ row: sample, number });
  }
  const leftOut = rows.length - mapped.length;
  if (mapped.length === 0)
    throw evalError("HARN-EVL-006", { task: spec.name, read: rows.length, left: leftOut });
  const samples = samplesOf(mapped, {
    task: spec.name,
    path,
    shuffle: spec.shuffle,
    choice: spec.sample,
    take: spec.take,
    digest,
  });
  return { samples, read: rows.length, leftOut };
}

/** Fields that mean something; whatever else a row has is its author's. */
const sampleFields = [
  "id",
  "input",
  "target",
  "choices",
  "cluster",
  "tags",
  "files",
  "scenario",
  "solution",
  "limits",
  "skip",
];

/** A field that is nearly one that means something, in a row that lacks that: nobody would ever read it. */
function warnOfMisspelt(task: Task, name: string, sample: Dict, number: number): void {
  for (const key of sample.keys()) {
    if (key.length < 4 || sampleFields.includes(key)) continue;
    const meant = nearest(key, sampleFields, 2);
    if (meant === undefined || sample.has(meant) || `${key}s` === meant || key === `${meant}s`) continue;
    const place = `the dataset of ${name}, row ${number}: \`${key}\` means nothing`;
    warnOnce(task, "eval", `${name}.${key}`, place, `did you mean \`${meant}\`?`);
  }
}

/** A column that no row has would rename nothing. */
function checkColumns({ name, fields }: TaskSpec, rows: readonly NumberedRow[]): void {
  if (fields === null || rows.length === 0) return;
  for (const [field, path] of Object.entries(fields)) {
    if (rows.some(({ row }) => valueAt(row, path) !== undefined)) continue;
    const near = nearest(path, new Set(rows.flatMap(({ row }) => row.keys())));
    const what = `a column that some row has${near === undefined ? "" : ` (did you mean \`${near}\`?)`}`;
    throw wrongField(name, `fields.${field}`, what, `"${path}"`);
  }
}

async function readRows(
  task: Task,
  { spec, code }: RegisteredTask,
  read: ReadRows,
): Promise<readonly NumberedRow[]> {
  const { dataset } = spec;
  if (dataset.kind === "path") {
    const rows = await read(task, dataset.path, dataset.base);
    return rows.map((row, at) => ({ row, number: at + 1 }));
  }
  const source: Value = code.dataset instanceof Callable ? await code.dataset.call(task, []) : code.dataset;
  return rowsOf(spec.name, source);
}

/** The row as the author maps it; null leaves it out. */
async function sampleOf(task: Task, { spec, code }: RegisteredTask, row: Dict): Promise<Dict | null> {
  if (code.fields === null) return spec.fields === null ? row : renamed(row, spec.fields);
  const made = await invoke1(task, code.fields, row);
  if (made === null || made instanceof Dict) return made;
  throw wrongField(spec.name, "fields", "a closure that gives a dict or nil", inputText(made));
}

/** What a sample allows itself at most, of what its task allows. */
export function sampleLimits(task: string, sample: Dict): Limits {
  const ownLimits = sample.get("limits") ?? null;
  return ownLimits === null ? noLimits : readLimits(task, ownLimits, "sample.limits.");
}
