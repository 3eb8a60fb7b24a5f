/**
 * Whether a run did what a fixture expects of it (agents.md §19.2): its status, its stages, or the questions that it asked
 * a person. Every failure is one sentence.
 */
import { at, readRows, row, rows } from "../../table/index.ts";
import { type Argument, Dict, display, List, textOf, thrown, type Value } from "../../values/index.ts";
import {
  artifactKinds,
  dictItemsOf,
  field,
  fixtureOf,
  needRun,
  recordTextsIn,
  shown,
  stagesByPlace,
} from "../../work/index.ts";

export function evaluateRun(name: string, value: Argument, fixture: Argument): Dict {
  const run = needRun(name, value);
  const failures = fixtureFailures(name, run, fixtureFor(name, run, fixture));
  return Dict.of({
    pass: failures.length === 0,
    failures: new List(failures),
    stage_count: dictItemsOf(run, "stages").length,
  });
}

/** The fixture given, else the run's own, else one that the run itself makes. */
function fixtureFor(name: string, run: Dict, value: Argument): Dict {
  if (value !== undefined && value !== null) return row.dict(null).read(value, at(name, "fixture"));
  const own = field(run, "replay_fixture");
  return own instanceof Dict ? own : fixtureOf(run);
}

function fixtureFailures(name: string, run: Dict, fixture: Dict): string[] {
  const kind = field(fixture, "eval_kind");
  if (kind === "clarifying_question") return questionFailures(name, run, fixture);
  if (kind !== null && kind !== "replay")
    throw thrown(`${name}: unknown eval_kind: ${display(kind)}; there are replay and clarifying_question`);
  const failures = difference("run", "status", field(fixture, "expected_status"), field(run, "status"));
  const stages = stagesByPlace(run);
  for (const [place, assertion] of stagesByPlace(fixture, "stage_assertions")) {
    const stage = stages.get(place);
    if (stage === undefined) failures.push(`stage ${place} is missing`);
    else failures.push(...stageFailures(place, stage, assertion));
  }
  return failures;
}

/** What is not said is not expected. */
function difference(where: string, what: string, expected: Value, actual: Value): string[] {
  if (expected === null || expected === actual) return [];
  return [`${where}: expected ${what} ${shown(expected)}, got ${shown(actual)}`];
}

function stageFailures(place: string, stage: Dict, assertion: Dict): string[] {
  const where = `stage ${place}`;
  const failures = ["status", "outcome", "branch"].flatMap((what) =>
    difference(where, what, field(assertion, `expected_${what}`), field(stage, what)),
  );
  const kinds = artifactKinds(stage);
  for (const kind of recordTextsIn(assertion, "required_artifact_kinds"))
    if (!kinds.includes(kind)) failures.push(`${where}: no artifact of kind ${kind}`);
  const wanted = field(assertion, "visible_text_contains");
  if (wanted !== null && !shown(field(stage, "visible_text")).includes(textOf(wanted)))
    failures.push(`${where}: the visible text does not contain "${textOf(wanted)}"`);
  return failures;
}

// ── questions to a person ─────────────────────────────────────────────────────────────────────────────────────────

function questionFailures(name: string, run: Dict, fixture: Dict): string[] {
  const questions = dictItemsOf(run, "hitl_questions").map((question) => textOf(field(question, "prompt")));
  const asked = questions.join("\n").toLowerCase();
  const has = (term: string): boolean => asked.includes(term.toLowerCase());
  const missing = recordTextsIn(fixture, "required_terms").filter((term) => !has(term));
  const forbidden = recordTextsIn(fixture, "forbidden_terms").filter(has);
  const { minQuestions: min, maxQuestions: max } = readRows(fixture, questionFields, at(name));
  const count = questions.length;
  return [
    ...(count < min ? [`questions: expected at least ${min}, got ${count}`] : []),
    ...(max !== null && count > max ? [`questions: expected at most ${max}, got ${count}`] : []),
    ...missing.map((term) => `questions: no question says "${term}"`),
    ...forbidden.map((term) => `questions: a question says "${term}"`),
  ];
}

const questionFields = rows(
  () => ({
    min_questions: row.int("", 1, { min: 0 }),
    max_questions: row.int("", null, { min: 0 }),
  }),
  { others: "other expectations" },
);

// ── several runs ──────────────────────────────────────────────────────────────────────────────────────────────────

export function evaluateSuite(value: Argument): Dict {
  const name = "run_record_eval_suite";
  const items = row
    .list(row.dict(null))
    .full()
    .read(value ?? null, at(name, "cases"));
  const cases = items.map((item, index) => caseOfRun(`${name}: cases[${index}]`, item));
  const passed = cases.filter((result) => result.get("pass") === true).length;
  const total = cases.length;
  return Dict.of({ pass: passed === total, total, passed, failed: total - passed, cases: new List(cases) });
}

function caseOfRun(name: string, item: Dict): Dict {
  const run = needRun(name, item.get("run"));
  const about = Dict.of({
    run_id: field(run, "id"),
    workflow_id: field(run, "workflow_id"),
    label: field(item, "label"),
    source_path: field(item, "path"),
    comparison: null,
  });
  return evaluateRun(name, run, item.get("fixture")).merge(about);
}
