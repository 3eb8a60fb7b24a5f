/**
 * What `harn eval` was pointed at: a run record, a folder of them, a suite, a pack, or a script. What a script judges and measures
 * while it runs is its result; nothing of it is recorded.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { builtinTable } from "../../builtins/index.ts";
import { LiveEffects } from "../../effects/index.ts";
import { ownStatePlaces, UsageError } from "../../host/command/index.ts";
import { createNodeHost, hostError, nodeInterrupts, nodeSeed } from "../../host/index.ts";
import { Runtime } from "../../interp/index.ts";
import type { ExecutableProgram } from "../../lower/index.ts";
import { ownPath, ownProcess, ownVariables } from "../../process/index.ts";
import { endOfRun, guarded, type RunFlags } from "../../run/setup/index.ts";
import { wireModels } from "../../run/setup/wire-models.ts";
import { Dict, jsonParse, List, ScriptError, type Value } from "../../values/index.ts";
import { type EvalNotes, evalNotes, type ReadJson } from "../index.ts";

export type Target =
  | { readonly kind: "script"; readonly path: string }
  /** Runs that answer to their own fixtures. */
  | { readonly kind: "runs"; readonly paths: readonly string[] }
  | { readonly kind: "suite" | "pack"; readonly manifest: Dict };

export function targetOf(named: string): Target {
  const path = recordFile(named);
  if (path.endsWith(".harn")) return { kind: "script", path };
  if (isFolder(path)) return { kind: "runs", paths: recordsIn(path) };
  const value = readJsonFile(path);
  if (!(value instanceof Dict)) throw unknown(path);
  if (value.get("_type") === "run_record") return { kind: "runs", paths: [path] };
  const kind = manifestKind(value);
  if (kind === undefined) throw unknown(path);
  return { kind, manifest: value.with("base_dir", targetBaseOf(path, value)) };
}

const unknown = (path: string): UsageError =>
  new UsageError(
    `${path} is nothing to evaluate: expected a run record, a folder of them, an eval suite ({cases: [{run_path}]}), an eval pack ({version: 1, id, cases}), or a script`,
    "HARN-CLI-003",
  );

function manifestKind(value: Dict): "suite" | "pack" | undefined {
  if (value.get("_type") === "eval_suite_manifest") return "suite";
  if (value.get("_type") === "eval_pack_manifest") return "pack";
  const cases = value.get("cases");
  if (cases instanceof List && cases.toArray().some((one) => one instanceof Dict && one.has("run_path")))
    return "suite";
  return value.has("id") && (value.has("cases") || value.has("fixtures")) ? "pack" : undefined;
}

/** Paths of a manifest are relative to its own folder, unless it names another one. */
function targetBaseOf(path: string, manifest: Dict): string {
  const own = manifest.get("base_dir");
  return resolve(ownPath(dirname(path)), typeof own === "string" ? own : ".");
}

function isFolder(path: string): boolean {
  try {
    return statSync(ownPath(path)).isDirectory();
  } catch (error) {
    throw unreadableTarget(path, error);
  }
}

/** The run records of a folder and of those below it, by name. */
function recordsIn(folder: string): string[] {
  const names = readdirSync(ownPath(folder), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".json"),
  );
  const found = names
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => isRunRecordFile(path));
  if (found.length === 0) throw new UsageError(`there are no run records in ${folder}`, "HARN-CLI-003");
  return found;
}

function isRunRecordFile(path: string): boolean {
  try {
    const value = jsonParse(readFileSync(ownPath(path), "utf8"));
    return value instanceof Dict && value.get("_type") === "run_record";
  } catch {
    return false;
  }
}

/** The file of a run record: a path, or the id of a run in the project's folder of records. */
export function recordFile(named: string): string {
  const kept = join(ownStatePlaces().runs, `${named}.json`);
  return !existsSync(ownPath(named)) && !/[\\/]/.test(named) && existsSync(kept) ? kept : named;
}

/** Files for suites and packs. */
export const readJson: ReadJson = async (path, base) => readJsonFile(resolve(base ?? ".", path));

export function readJsonFile(path: string): Value {
  let text: string;
  try {
    text = readFileSync(ownPath(path), "utf8");
  } catch (error) {
    throw unreadableTarget(path, error);
  }
  try {
    return jsonParse(text);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new UsageError(`${path} is damaged: ${String(error.value)}`, "HARN-CLI-006");
  }
}

const unreadableTarget = (path: string, error: unknown): UsageError =>
  new UsageError(`cannot read ${path}: ${hostError(error).message}`, "HARN-CLI-006");

export interface ScriptEval extends EvalNotes {
  readonly exitCode: number;
}

interface ScriptRun {
  readonly program: ExecutableProgram;
  readonly args: readonly string[];
  readonly flags: RunFlags;
  readonly seed: string;
  /** Of all its model calls. */
  readonly experiment: string | null;
}

export const newSeed = (): string => nodeSeed();

/** Runs it; what it prints goes to standard error, which leaves standard output to the report. */
export async function evaluateScript({
  program,
  args,
  flags,
  seed,
  experiment,
}: ScriptRun): Promise<ScriptEval> {
  const interrupts = nodeInterrupts();
  const env = ownVariables();
  if (experiment !== null) env.set("HARN_STRUCTURAL_EXPERIMENT", experiment);
  const toError = (text: string): void => void ownProcess().stderr.write(text);
  const runtime = new Runtime({
    effects: new LiveEffects({ atRest: interrupts.atRest, seed }),
    host: createNodeHost({ env }),
    console: { write: toError, writeError: toError },
    builtins: builtinTable(),
    args,
  });
  wireModels(runtime, flags);
  const ended = await guarded(runtime, program, interrupts, {});
  const code = endOfRun(ended, runtime, {});
  await runtime.close();
  return { ...runtime.state(evalNotes), exitCode: code };
}
