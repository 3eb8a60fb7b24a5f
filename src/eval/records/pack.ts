/**
 * Eval packs, version 1 (agents.md §19.2): fixtures by id, rubrics by id, and cases that say which run must satisfy which
 * rubrics, stay under which thresholds and be the same as which earlier run. A case that fails blocks, warns or informs.
 */
import { at, readRows, row, rows } from "../../table/index.ts";
import {
  type Argument,
  Dict,
  display,
  List,
  option,
  textOf,
  thrown,
  typeOf,
  type Value,
  withoutNilEntries,
} from "../../values/index.ts";
import { field, needRun } from "../../work/index.ts";
import type { Score } from "../plan/index.ts";
import { scoreFrom } from "../score/index.ts";
import { assertionFailure, thresholdFailures } from "./assertions.ts";
import { evaluateRun } from "./run-eval.ts";
import { compareSuites, counted, type ReadJson, texts } from "./suite.ts";

const fixtureKinds = ["run-record", "replay-fixture"];
const severities = ["blocking", "warning", "informational"];

// ── the manifest ──────────────────────────────────────────────────────────────────────────────────────────────────

/** A checked manifest. Fields that the format doesn't know are kept, for the pack's own statements. */
export function evalPackManifest(value: Argument): Dict {
  const name = "eval_pack_manifest";
  if (!(value instanceof Dict))
    throw thrown(`${name}: requires a manifest dict, got ${typeOf(value ?? null)}`);
  const version = value.get("version") ?? 1;
  if (version !== 1)
    throw thrown(`${name}: version ${display(version)} is not supported; the only version is 1`);
  const { id } = readRows(value, manifestFields, at(name));
  return emptyParts()
    .merge(withoutNilEntries(value))
    .merge(Dict.of({ _type: "eval_pack_manifest", version: 1, id }));
}

/** What is looked at; other fields are kept, for the pack's own statements. */
const manifestFields = rows(
  () => ({
    id: row.words().required(),
    name: row.text(),
    base_dir: row.text(),
    baseline: row.text(),
    fixtures: row.handle<List>("list"),
    rubrics: row.handle<List>("list"),
    cases: row.handle<List>("list"),
    defaults: row.dict(null),
  }),
  { others: "kept for the pack's own statements" },
);

const emptyParts = (): Dict =>
  Dict.of({ fixtures: new List([]), rubrics: new List([]), cases: new List([]), defaults: new Dict() });

// ── running it ────────────────────────────────────────────────────────────────────────────────────────────────────

interface Pack {
  readonly name: string;
  readonly base: string | null;
  readonly baseline: Value;
  readonly defaults: Dict;
  readonly fixtures: ReadonlyMap<string, Dict>;
  readonly rubrics: ReadonlyMap<string, Dict>;
  readonly read: ReadJson;
}

function packOf(value: Argument, read: ReadJson): Pack & { readonly manifest: Dict } {
  const name = "eval_pack_run";
  const manifest = evalPackManifest(value);
  return {
    name,
    manifest,
    base: field(manifest, "base_dir") as string | null,
    baseline: field(manifest, "baseline"),
    defaults: manifest.get("defaults") as Dict,
    fixtures: byId(name, manifest, "fixtures"),
    rubrics: byId(name, manifest, "rubrics"),
    read,
  };
}

/** One case of a pack, as `runPack` judges it. */
export const judgePackCase = async (
  value: Argument,
  item: Dict,
  index: number,
  read: ReadJson,
): Promise<Dict> => {
  const pack = packOf(value, read);
  return await runCase(pack, pack.defaults.merge(item), index);
};

export async function runPack(value: Argument, read: ReadJson): Promise<Dict> {
  const { name, manifest, ...parts } = packOf(value, read);
  const pack: Pack = { name, ...parts };
  const cases: Dict[] = [];
  for (const [index, item] of (manifest.get("cases") as List).toArray().entries()) {
    const own = row.dict(null).read(item, at(name, `cases[${index}]`));
    cases.push(await runCase(pack, pack.defaults.merge(own), index));
  }
  const failedAs = (severity: string): number =>
    cases.filter((one) => one.get("pass") === false && one.get("severity") === severity).length;
  const blocking = failedAs("blocking");
  return Dict.of({ pack_id: field(manifest, "id") })
    .merge(counted(cases))
    .merge(
      Dict.of({
        pass: blocking === 0,
        blocking_failed: blocking,
        warning_failed: failedAs("warning"),
        informational_failed: failedAs("informational"),
      }),
    );
}

function byId(name: string, manifest: Dict, key: string): Map<string, Dict> {
  const found = new Map<string, Dict>();
  for (const [index, item] of (manifest.get(key) as List).toArray().entries()) {
    const own = row.dict(null).read(item, at(name, `${key}[${index}]`));
    const id = row.filled().read(own.get("id") ?? null, at(name, `${key}[${index}].id`));
    if (found.has(id)) throw thrown(`${name}: ${key}[${index}]: there is another '${id}'`);
    found.set(id, own);
  }
  return found;
}

async function runCase(pack: Pack, item: Dict, index: number): Promise<Dict> {
  const id = textOf(option(item, "id") ?? option(item, "label"), `case_${index + 1}`);
  const where = `${pack.name}: case ${id}`;
  const severity = textOf(option(item, "severity"), "blocking");
  if (!severities.includes(severity))
    throw thrown(`${where}: unknown severity: ${severity}; there are ${severities.join(", ")}`);
  const named = option(item, "run");
  if (named === undefined) throw thrown(`${where}: 'run' is needed, the id of a fixture or a path`);
  const run = needRun(where, await importedFrom(pack, where, named, "run-record"));
  const scorers = await scorersOfCase(pack, where, item);
  const judged = scorers.map((scorer) => scoreRecord(scorer, run));
  const other = option(item, "compare_to") ?? pack.baseline;
  const compared =
    other === null
      ? null
      : compareSuites(where, await importedFrom(pack, where, other, "run-record"), run, labelOf(other));
  const comparison: RecordScorer = { name: "comparison", failures: () => compared?.failures ?? [] };
  const failures = failuresOf([...judged, scoreRecord(comparison, run)]);
  return Dict.of({
    id,
    label: option(item, "label") ?? id,
    run_id: field(run, "id"),
    severity,
    pass: failures.length === 0,
    failures: new List(failures),
    comparison: compared?.comparison ?? null,
  });
}

/** Fixture, rubrics and thresholds of a case. */
async function scorersOfCase(pack: Pack, where: string, item: Dict): Promise<RecordScorer[]> {
  const fixture = option(item, "fixture");
  const expected = fixture === undefined ? null : await importedFrom(pack, where, fixture, "replay-fixture");
  return [
    {
      name: "fixture",
      failures: (run) => (expected === null ? [] : texts(evaluateRun(where, run, expected).get("failures"))),
    },
    ...rubricsOf(pack, where, item).map((rubric, index) => ({
      name: textOf(option(rubric, "id"), `rubric_${index + 1}`),
      failures: (run: Dict) => rubricFailures(where, run, rubric),
    })),
    { name: "thresholds", failures: (run) => thresholdFailures(where, run, option(item, "thresholds")) },
  ];
}

/** Rubrics by id; a rubric itself may stand in a case. */
function rubricsOf(pack: Pack, where: string, item: Dict): Dict[] {
  const named = option(item, "rubrics");
  if (named === undefined) return [];
  const list = row.handle<List>("list").read(named, at(where, "rubrics"));
  return list.toArray().map((one) => {
    const rubric = one instanceof Dict ? one : pack.rubrics.get(textOf(one));
    if (rubric === undefined) throw thrown(`${where}: there is no rubric ${textOf(one)}`);
    return rubric;
  });
}

function rubricFailures(where: string, run: Dict, rubric: Dict): string[] {
  const kind = textOf(option(rubric, "kind"), "deterministic");
  if (kind !== "deterministic")
    throw thrown(
      `${where}: rubric ${textOf(option(rubric, "id"))} has an unknown kind: ${kind}; there is deterministic`,
    );
  const given = option(rubric, "assertions") ?? new List([]);
  const assertions = row.list(row.dict(null)).full().read(given, at(where, "assertions"));
  return assertions.flatMap((assertion) => {
    const failure = assertionFailure(where, run, assertion);
    return failure === null ? [] : [failure];
  });
}

const labelOf = (named: Value): string => (named instanceof Dict ? textOf(named.get("id")) : textOf(named));

/** What an id, a path or a value in its place means. */
async function importedFrom(pack: Pack, where: string, named: Value, kind: string): Promise<Value> {
  if (named instanceof Dict) return named;
  if (typeof named !== "string") throw thrown(`${where}: an id or a path is needed, got ${typeOf(named)}`);
  const fixture = pack.fixtures.get(named);
  if (fixture === undefined) return await pack.read(named, pack.base);
  const is = textOf(option(fixture, "kind"), kind);
  if (!fixtureKinds.includes(is))
    throw thrown(
      `${where}: fixture ${named} has an unknown kind: ${is}; there are ${fixtureKinds.join(", ")}`,
    );
  if (is !== kind) throw thrown(`${where}: fixture ${named} is a ${is}, and a ${kind} is needed`);
  const inline = option(fixture, "inline");
  if (inline !== undefined) return inline;
  const path = option(fixture, "path");
  if (typeof path === "string") return await pack.read(path, pack.base);
  throw thrown(`${where}: fixture ${named} needs 'path' or 'inline'`);
}

/** What a run record is judged by: scorers that find what is wrong, a sentence each. A record passes where nothing is found. */
interface RecordScorer {
  readonly name: string;
  /** Throws what can't be meant. */
  readonly failures: (run: Dict) => readonly string[];
}

/** A scorer's word on a record, in the form that every scorer has. */
function scoreRecord({ name, failures }: RecordScorer, run: Dict): Score {
  const found = failures(run);
  const dict = Dict.of({
    value: found.length === 0 ? 1 : 0,
    pass: found.length === 0,
    why: found.length === 0 ? null : found.join("\n"),
    meta: Dict.of({ failures: new List([...found]) }),
  });
  return scoreFrom(dict, { scorer: name, threshold: 1, draw: 1 });
}

/** The sentences of scores, in order. */
const failuresOf = (scores: readonly Score[]): string[] =>
  scores.flatMap(({ meta }) => {
    const found = meta?.get("failures");
    return found instanceof List ? found.toArray().map(String) : [];
  });
