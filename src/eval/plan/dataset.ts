/** From the dataset of a task to its samples: read, map, filter, identify, choose. Done once, in the plan. */
import { nearest } from "../../diagnostics/index.ts";
import type { Digest } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { refusal } from "../../table/index.ts";
import { Callable, Dict, invoke1, type MaybePromise, truthy, type Value } from "../../values/index.ts";
import { evalError, taskAt } from "../eval-error.ts";
import type { TrialLimits } from "./limits.ts";
import { limitsRow, noLimits } from "./limits.ts";
import type { Sample } from "./sample.ts";
import { type NumberedRow, renamed, rowsOf, samplesOf, valueAt } from "./samples.ts";
import type { RegisteredTask, TaskSpec } from "./task.ts";

/** Reads the rows of a path as an effect of the task. */
export type DatasetReader = (task: Task, path: string, base: string) => MaybePromise<readonly Dict[]>;

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
  read: DatasetReader,
  digest: Digest,
): Promise<LoadedSamples> {
  const { dataset } = spec;
  const path = dataset.kind === "path" ? dataset.path : `the dataset of ${spec.name}`;
  const rows = await datasetRows(task, { spec, code }, read);
  checkColumns(spec, rows);
  const mapped: NumberedRow[] = [];
  for (const { row, number } of rows) {
    const sample = await sampleOf(task, { spec, code }, row);
    if (sample === null || sample.get("skip") === true) continue;
    if (code.where !== null && !truthy(await invoke1(task, code.where, sample))) continue;
    // A limit that can't be read must not be no limit.
    sampleLimits(spec.name, sample);
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

/** A column that no row has would rename nothing. */
function checkColumns({ name, fields }: TaskSpec, rows: readonly NumberedRow[]): void {
  if (fields === null || rows.length === 0) return;
  for (const [field, path] of Object.entries(fields)) {
    if (rows.some(({ row }) => valueAt(row, path) !== undefined)) continue;
    const near = nearest(path, new Set(rows.flatMap(({ row }) => row.keys())));
    const what = `a column that some row has${near === undefined ? "" : ` (did you mean \`${near}\`?)`}`;
    throw refusal(taskAt(name, `fields.${field}`), what, path);
  }
}

async function datasetRows(
  task: Task,
  { spec, code }: RegisteredTask,
  read: DatasetReader,
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
  throw refusal(taskAt(spec.name, "fields"), "a closure that gives a dict or nil", made);
}

/** What a sample allows itself at most, of what its task allows. */
export function sampleLimits(task: string, sample: Dict): TrialLimits {
  const ownLimits = sample.get("limits") ?? null;
  return ownLimits === null ? noLimits : limitsRow().read(ownLimits, taskAt(task, "sample.limits"));
}
