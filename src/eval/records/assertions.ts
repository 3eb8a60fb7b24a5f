/** What rubrics and thresholds of a pack say about a run (agents.md §19.2). Every failure is one sentence. */
import { at, row, rows } from "../../table/index.ts";
import {
  type Argument,
  type Dict,
  display,
  numericValue,
  option,
  textOf,
  thrown,
} from "../../values/index.ts";
import { artifactKinds, dictItemsOf, field, shown } from "../../work/index.ts";

type Assert = (name: string, run: Dict, assertion: Dict) => string | null;

const assertions: Readonly<Record<string, Assert>> = {
  "run-status": (_name, run, assertion) =>
    expectationText("run", "status", field(assertion, "expected"), field(run, "status")),
  "stage-status": stageField("status"),
  "stage-outcome": stageField("outcome"),
  "stage-branch": stageField("branch"),
  "visible-text-contains": (name, run, assertion) => {
    const wanted = textIn(name, assertion, "contains");
    const place = option(assertion, "stage");
    const texts = chosenStages(run, place).map((stage) => shown(field(stage, "visible_text")));
    if (place !== undefined && texts.length === 0) return missing(place);
    return texts.some((text) => text.includes(wanted))
      ? null
      : `${where(place)}: no visible text contains "${wanted}"`;
  },
  "visible-text-excludes": (name, run, assertion) => {
    const unwanted = textIn(name, assertion, "contains");
    const place = option(assertion, "stage");
    const texts = chosenStages(run, place).map((stage) => shown(field(stage, "visible_text")));
    return texts.some((text) => text.includes(unwanted))
      ? `${where(place)}: a visible text contains "${unwanted}"`
      : null;
  },
  "hitl-question-contains": (name, run, assertion) => {
    const wanted = textIn(name, assertion, "contains").toLowerCase();
    const asked = dictItemsOf(run, "hitl_questions").map((question) =>
      textOf(field(question, "prompt")).toLowerCase(),
    );
    return asked.some((prompt) => prompt.includes(wanted)) ? null : `questions: no question says "${wanted}"`;
  },
  "artifact-kind": (name, run, assertion) => {
    const wanted = textIn(name, assertion, "expected");
    const place = option(assertion, "stage");
    const found = chosenStages(run, place).flatMap(artifactKinds);
    return found.includes(wanted) ? null : `${where(place)}: no artifact of kind ${wanted}`;
  },
  "tool-called": (name, run, assertion) => {
    const wanted = textIn(name, assertion, "expected");
    return calledToolNames(run).includes(wanted) ? null : `tools: ${wanted} was not called`;
  },
  "tool-not-called": (name, run, assertion) => {
    const unwanted = textIn(name, assertion, "expected");
    return calledToolNames(run).includes(unwanted) ? `tools: ${unwanted} was called` : null;
  },
};

export const assertionKinds: readonly string[] = Object.keys(assertions);

/** What one assertion finds wrong. */
export function assertionFailure(name: string, run: Dict, assertion: Dict): string | null {
  const kind = textOf(option(assertion, "kind"));
  const check = Object.hasOwn(assertions, kind) ? assertions[kind] : undefined;
  if (check === undefined)
    throw thrown(`${name}: unknown assertion kind: ${kind || "nil"}; there are ${assertionKinds.join(", ")}`);
  return check(name, run, assertion);
}

function stageField(what: string): Assert {
  return (name, run, assertion) => {
    const place = textIn(name, assertion, "stage");
    const [stage] = chosenStages(run, place).slice(-1);
    if (stage === undefined) return missing(place);
    return expectationText(`stage ${place}`, what, field(assertion, "expected"), field(stage, what));
  };
}

/** The stages of a node; all of them without one. */
function chosenStages(run: Dict, place: Argument): Dict[] {
  const stages = dictItemsOf(run, "stages");
  return place === undefined ? stages : stages.filter((stage) => stage.get("node_id") === place);
}

const missing = (place: Argument): string => `stage ${textOf(place)} is missing`;
const where = (place: Argument): string => (place === undefined ? "run" : `stage ${textOf(place)}`);

const expectationText = (place: string, what: string, expected: Argument, actual: Argument): string | null =>
  expected === actual
    ? null
    : `${place}: expected ${what} ${shown(expected ?? null)}, got ${shown(actual ?? null)}`;

const textIn = (name: string, assertion: Dict, key: string): string =>
  row.filled().read(field(assertion, key), at(`${name}: assertion ${textOf(field(assertion, "kind"))}`, key));

const calledToolNames = (run: Dict): string[] =>
  dictItemsOf(run, "tool_recordings").map((call) => textOf(field(call, "tool_name")));

// ── thresholds ────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a threshold limits: a figure of the run's usage, or the number of its stages. */
const limits: Readonly<Record<string, string>> = {
  max_cost_usd: "cost_usd",
  max_total_tokens: "total_tokens",
  max_input_tokens: "input_tokens",
  max_output_tokens: "output_tokens",
  max_llm_calls: "llm_calls",
  max_duration_ms: "duration_ms",
};

const thresholdRows = rows(
  () => Object.fromEntries(Object.keys(limits).map((name) => [name, row.number()])),
  { strict: true },
);

/** Figures of a run that are above what a case allows. */
export function thresholdFailures(name: string, run: Dict, thresholds: Argument): string[] {
  if (thresholds === undefined || thresholds === null) return [];
  row.dict(thresholdRows).read(thresholds, at(name, "thresholds"));
  return [...(thresholds as Dict).entries()].flatMap(([key, value]) => {
    const figure = Object.hasOwn(limits, key) ? limits[key] : undefined;
    if (figure === undefined || value === null) return [];
    const used = numericValue(option(run.get("usage"), figure)) ?? 0;
    return used > (numericValue(value) ?? 0)
      ? [`usage: ${figure} is ${display(used)}, at most ${display(value)} is allowed`]
      : [];
  });
}
