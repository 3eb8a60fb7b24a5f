/** Run records on disk: written at every checkpoint, read to look at, to compare, to replay and to go on. */

import { shape } from "../../../effects/index.ts";
import { HostError } from "../../../host/index.ts";
import { keptFiles, type Task, workingFolder } from "../../../interp/index.ts";
import { fullPath } from "../../../model/index.ts";
import { statePlaces } from "../../../store/index.ts";
import {
  Dict,
  jsonParse,
  jsonPretty,
  List,
  ScriptError,
  textOf,
  thrown,
  type Value,
} from "../../../values/index.ts";
import { makeRecord } from "./record.ts";
import { dictItemsOf, field } from "./record-fields.ts";

/** Where the record of a run lies unless somebody says otherwise. */
export const usualPath = (task: Task, id: string): Promise<string> =>
  pathSeen(task, `${id}.json`, () => {
    const { host } = task.runtime;
    return statePlaces(host.cwd, host.env, (path) => (host.own ?? host).files.stat(path)?.kind === "file")
      .runs;
  });

/** A path as somebody gave it: relative ones lie where the task works. */
export const recordPath = (task: Task, path: string): Promise<string> =>
  pathSeen(task, path, () => workingFolder(task));

/** Looked up as an effect: a replay elsewhere shows the same path. */
async function pathSeen(task: Task, path: string, base: () => string): Promise<string> {
  return await task.perform<string>({
    effect: "observe",
    kind: "workflow.path",
    args: () => path,
    run: () => fullPath(path, base()),
    result: shape.text,
  });
}

/** Writes a record whole, with its folder. */
function writeText(task: Task, name: string, path: string, text: string): void {
  const files = keptFiles(task.runtime);
  try {
    files.makeDir(path.slice(0, path.lastIndexOf("/")) || "/");
    files.write(path, text);
  } catch (error) {
    if (error instanceof HostError) throw thrown(`${name}: cannot write ${path}: ${error.message}`);
    throw error;
  }
}

/** A record at its path, or at another one; gives it as it was written. */
export async function saveRecord(task: Task, name: string, record: Dict, to: string | null): Promise<Dict> {
  const own = field(record, "persisted_path");
  const id = String(field(record, "id"));
  const target = to ?? (typeof own === "string" ? own : null);
  const path = await (target === null ? usualPath(task, id) : recordPath(task, target));
  const saved = makeRecord(task, name, record.with("persisted_path", path));
  await writeRunFile(task, name, path, { path, run: id }, () => `${jsonPretty(saved)}\n`);
  return saved;
}

/** The record of a run at work, as one effect. The journal gets the event, not the file: the same run makes it again. */
export async function saveCheckpoint(
  task: Task,
  name: string,
  path: string,
  { run, reason, stages }: CheckpointNote,
  text: () => string,
): Promise<void> {
  await writeRunFile(task, name, path, { path, run, reason, stages }, text);
}

async function writeRunFile(
  task: Task,
  name: string,
  path: string,
  about: Record<string, string | number>,
  text: () => string,
): Promise<void> {
  await task.perform<null>({
    effect: "write",
    kind: "workflow.save_run",
    inDoubt: "repeat",
    args: () => about,
    run: () => {
      writeText(task, name, path, text());
      return null;
    },
    result: shape.nothing,
  });
}

export interface CheckpointNote {
  readonly run: string;
  readonly reason: string;
  readonly stages: number;
}

/** The text of a file, as one effect. */
async function readText(task: Task, name: string, path: string): Promise<string> {
  return await task.perform<string>({
    effect: "read",
    kind: "workflow.read_run",
    args: () => path,
    run: () => storedTextAt(task, name, path),
    result: shape.text,
  });
}

function storedTextAt(task: Task, name: string, path: string): string {
  try {
    return keptFiles(task.runtime).readText(path);
  } catch (error) {
    if (error instanceof HostError) throw thrown(`${name}: cannot read ${path}: ${error.message}`);
    throw error;
  }
}

/** A run record of a file, completed. */
export async function loadRecord(task: Task, name: string, input: string): Promise<Dict> {
  const path = await recordPath(task, input);
  const value = await loadJson(task, name, path);
  if (!(value instanceof Dict) || value.get("_type") !== "run_record")
    throw thrown(`${name}: ${path} holds no run record`);
  const transcripts = await transcriptFolder(task, path);
  const metadata = value.get("metadata");
  const found =
    transcripts === null
      ? value
      : value.with(
          "metadata",
          (metadata instanceof Dict ? metadata : new Dict()).with("llm_transcript_dir", transcripts),
        );
  return makeRecord(task, name, found).with("persisted_path", path);
}

/** The value in a JSON file. */
export async function loadJson(task: Task, name: string, path: string): Promise<Value> {
  const text = await readText(task, name, path);
  try {
    return jsonParse(text);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw thrown(`${name}: ${path} is damaged: ${textOf(error.value)}`);
  }
}

/** `run-llm/` beside `run.json`: what its models were sent and said. */
async function transcriptFolder(task: Task, path: string): Promise<string | null> {
  const folder = `${path.replace(/\.json$/, "")}-llm`;
  const there = await task.perform<boolean>({
    effect: "observe",
    kind: "workflow.transcript_folder",
    args: () => folder,
    run: () => task.runtime.host.files.stat(folder)?.kind === "dir",
    result: shape.flag,
  });
  return there ? folder : null;
}

// ── trees ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A record and those of the runs that it started, each `{run, path, children}`; a file that is gone has no run. */
export async function loadTree(
  task: Task,
  name: string,
  input: string,
  above: ReadonlySet<string> = new Set(),
): Promise<Dict> {
  const path = await recordPath(task, input);
  const run = await loadRecord(task, name, path);
  const around = new Set([...above, path]);
  const children: Dict[] = [];
  for (const child of dictItemsOf(run, "child_runs")) {
    const at = field(child, "run_path");
    // A record that names itself, or one above it, would have no end.
    const next = typeof at === "string" ? await recordPath(task, at) : null;
    if (next === null || around.has(next)) continue;
    children.push(await childTree(task, name, next, around));
  }
  return Dict.of({ run, path, children: new List(children), error: null });
}

async function childTree(task: Task, name: string, path: string, above: ReadonlySet<string>): Promise<Dict> {
  try {
    return await loadTree(task, name, path, above);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return Dict.of({ run: null, path, children: new List([]), error: textOf(error.value) });
  }
}
