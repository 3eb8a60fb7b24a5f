/** Suites (agents.md §19.2): runs on disk, each judged by a fixture and compared with an earlier run. */
import { at, row, rows } from "../../table/index.ts";
import {
  type Argument,
  Dict,
  List,
  option,
  thrown,
  typeOf,
  type Value,
  withoutNilEntries,
} from "../../values/index.ts";
import { dictItemsOf, field, needRun } from "../../work/index.ts";
import { diffRuns } from "./run-diff.ts";
import { evaluateRun } from "./run-eval.ts";

/** The value of a JSON file; paths are relative to a base. Whoever evaluates knows how files are read. */
export type ReadJson = (path: string, base: string | null) => Promise<Value>;

/** A checked manifest. */
export function suiteManifest(input: Argument): Dict {
  const name = "eval_suite_manifest";
  if (!(input instanceof Dict))
    throw thrown(`${name}: requires a manifest dict, got ${typeOf(input ?? null)}`);
  const fields = withoutNilEntries(input);
  const cases = row.handle<List>("list").read(fields.get("cases") ?? new List([]), at(name, "cases"));
  for (const key of ["id", "name", "base_dir"]) text(name, fields, key);
  const checked = cases.toArray().map((item, index) => suiteCase(`${name}: cases[${index}]`, item));
  return Dict.of({ id: null, name: null, base_dir: null, metadata: new Dict() })
    .merge(fields)
    .merge(Dict.of({ _type: "eval_suite_manifest", cases: new List(checked) }));
}

const suiteCaseFields = rows(
  () => ({
    label: row.filled(),
    run_path: row.filled().required(),
    fixture_path: row.filled(),
    compare_to: row.filled(),
  }),
  { others: "not looked at" },
);

function suiteCase(name: string, item: Value): Dict {
  const read = row.dict(suiteCaseFields).read(item, at(name));
  return Dict.of({
    label: read.label ?? read.runPath,
    run_path: read.runPath,
    fixture_path: read.fixturePath,
    compare_to: read.compareTo,
  });
}

function text(name: string, owner: Dict, key: string): string | null {
  const value = field(owner, key);
  return value === null ? null : row.filled().read(value, at(name, key));
}

/** Runs it: a case fails when its fixture does, or when it differs from the run it is compared with. */
export async function runSuite(input: Argument, read: ReadJson): Promise<Dict> {
  const name = "eval_suite_run";
  const manifest = suiteManifest(input);
  const base = text(name, manifest, "base_dir");
  const results: Dict[] = [];
  for (const item of dictItemsOf(manifest, "cases")) results.push(await runSuiteCase(name, item, base, read));
  return counted(results);
}

async function runSuiteCase(name: string, item: Dict, base: string | null, read: ReadJson): Promise<Dict> {
  const from = async (key: string): Promise<Value> => {
    const path = field(item, key);
    return typeof path === "string" ? await read(path, base) : null;
  };
  const run = needRun(name, await from("run_path"));
  const judged = evaluateRun(name, run, await from("fixture_path"));
  const other = await from("compare_to");
  const compared = other === null ? null : compareSuites(name, other, run, String(field(item, "compare_to")));
  const failures = [...texts(judged.get("failures")), ...(compared?.failures ?? [])];
  return Dict.of({
    run_id: field(run, "id"),
    workflow_id: field(run, "workflow_id"),
    label: field(item, "label"),
    pass: failures.length === 0,
    failures: new List(failures),
    stage_count: judged.get("stage_count") ?? 0,
    source_path: field(item, "run_path"),
    comparison: compared?.comparison ?? null,
  });
}

export interface SuiteComparison {
  readonly comparison: Dict;
  readonly failures: readonly string[];
}

/** How a run differs from an earlier one, and in a sentence for each stage that does. */
export function compareSuites(name: string, before: Value, run: Dict, label: string): SuiteComparison {
  const comparison = diffRuns(needRun(name, before), run);
  if (comparison.get("identical") === true) return { comparison, failures: [] };
  const status = option(comparison, "status_changed") === true;
  const words = [
    ...(status
      ? [`status ${suiteStatus(comparison, "left_status")} -> ${suiteStatus(comparison, "right_status")}`]
      : []),
    ...dictItemsOf(comparison, "stage_diffs").map(stageWords),
  ];
  return { comparison, failures: [`differs from ${label}: ${words.join("; ")}`] };
}

const suiteStatus = (comparison: Dict, key: string): string => String(field(comparison, key) ?? "nil");

function stageWords(diff: Dict): string {
  const details = texts(diff.get("details"));
  const about = `stage ${String(field(diff, "node_id"))} ${String(field(diff, "change"))}`;
  return details.length === 0 ? about : `${about} (${details.join(", ")})`;
}

export const texts = (value: Argument): string[] =>
  value instanceof List ? value.toArray().map(String) : [];

/** `{pass, total, passed, failed, cases}` */
export function counted(cases: readonly Dict[]): Dict {
  const passed = cases.filter((one) => one.get("pass") === true).length;
  const total = cases.length;
  return Dict.of({
    pass: passed === total,
    total,
    passed,
    failed: total - passed,
    cases: new List([...cases]),
  });
}
