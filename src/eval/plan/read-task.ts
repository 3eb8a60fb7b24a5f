/** A declaration becomes a task: `TaskSpec` to be stored, `TaskCode` to be run. Nothing is read from disk here. */
import type { Digest } from "../../effects/index.ts";
import { readToolSet } from "../../model/index.ts";
import { inputText } from "../../table/index.ts";
import {
  Callable,
  Dict,
  type Json,
  List,
  ScriptError,
  textOf,
  toJson,
  type Value,
} from "../../values/index.ts";
import { evalError } from "../eval-error.ts";
import type { Gate } from "./gate.ts";
import type { Limits } from "./limits.ts";
import { parseMetricName } from "./metric-kind.ts";
import { metricProblem, parseGate, passCount } from "./metric-name.ts";
import { sandboxOf } from "./sandbox/read.ts";
import type { ScorerSpec } from "./score.ts";
import { readScorer } from "./scorer.ts";
import type {
  CacheSpec,
  DatasetRef,
  OnUserFault,
  PairwiseCode,
  RaceSpec,
  Reduce,
  RegisteredTask,
  Retries,
  RetryCategory,
  SampleChoice,
  ScorerCode,
  SolverKind,
  TaskCode,
  TaskSpec,
} from "./task.ts";
import { caseFields, limitFields, raceFields, taskFields } from "./task-fields.ts";
import { TaskReader, wrongField } from "./task-reader.ts";
import type { Variant } from "./variant.ts";
import { variantCalled } from "./variant-label.ts";
import { variantsOf } from "./variants.ts";

export interface Declared {
  /** Folder of the script: paths of the task are relative to it. */
  readonly base: string;
  readonly digest: Digest;
}

/** Throws HARN-EVL-001, 002, 007, 008 and 009 for what can't be meant. */
export function readTask(options: Dict, { base, digest }: Declared): RegisteredTask {
  const name = nameOf(options);
  const at = new TaskReader(name, options, taskFields);
  for (const name of caseFields.names())
    if (at.has(name) && at.has("dataset")) throw at.wrong(name, "absent beside `dataset`");
  const scorers = scorersOf(at);
  const names = scorers.specs.map((scorer) => scorer.name);
  const variants = variantsOf(name, at.value("variants"), digest);
  const spec: TaskSpec = {
    name,
    description: at.text("description"),
    tags: at.texts("tags") ?? [],
    groupBy: at.texts("group_by") ?? [],
    dataset: datasetOf(at, base),
    fields: at.textsByName("fields"),
    shuffle: at.seed("shuffle"),
    sample: choiceOf(at),
    take: at.number("take"),
    solver: solverOf(at),
    tools: toolNames(at),
    scorers: scorers.specs,
    pairwise: scorers.pairs.map(({ name }) => name),
    success: successOf(at, scorers.specs),
    epochs: at.number("epochs") ?? 1,
    variants,
    roles: rolesOf(at),
    limits: readLimits(name, at.value("limits"), "limits."),
    retries: retriesOf(at),
    maxErrors: at.number("max_errors"),
    onUserFault: onUserFault(at),
    metrics: metricsOf(at, names),
    reduce: reduceOf(at, names),
    gates: gatesOf(at, names),
    baseline: at.text("baseline"),
    cache: cacheOf(at),
    race: raceOf(at, names, variants, at.number("epochs") ?? 1),
    version: at.seed("version"),
    seed: at.seed("seed"),
    sandbox: sandboxOf(at, base, typeof at.value("dataset") === "string"),
    hasOracle: at.closure("oracle") !== null,
  };
  const code: TaskCode = {
    dataset: at.value("dataset"),
    fields: at.closure("fields"),
    where: at.closure("where"),
    solver: at.has("solver") ? at.value("solver") : "",
    tools: at.value("tools"),
    oracle: at.closure("oracle"),
    setup: at.closure("setup"),
    cleanup: at.closure("cleanup"),
    world: at.value("world"),
    user: at.closure("user"),
    scorers: scorers.code,
    pairwise: scorers.pairs,
  };
  return { spec, code };
}

function nameOf(options: Dict): string {
  const name = options.get("name") ?? null;
  const what = "a text of letters, digits, `_`, `-` and `.`";
  if (typeof name !== "string") throw wrongField("?", "name", what, inputText(name));
  if (!/^[\w.-]+$/.test(name)) throw wrongField(name, "name", what, inputText(name));
  return name;
}

function datasetOf(at: TaskReader, base: string): DatasetRef {
  const value = at.value("dataset");
  const what = "a path, a list of dicts or a closure that gives one";
  // The folder of the script is no dataset.
  if (value === "") throw at.wrong("dataset", what, "an empty text");
  if (typeof value === "string") return { kind: "path", path: value, base };
  if (value instanceof Callable) return { kind: "closure" };
  if (value instanceof List) return { kind: "rows" };
  throw at.wrong("dataset", what, "nil");
}

function choiceOf(at: TaskReader): SampleChoice | null {
  const value = at.dict("sample");
  if (value === null) return null;
  const n = value.get("n") ?? null;
  const seed = value.get("seed") ?? null;
  if (n === null) throw at.wrong("sample.n", "an int >= 1", "nil");
  if (seed === null) throw at.wrong("sample.seed", "an int or a text", "nil");
  const by = value.get("by") ?? null;
  return { n: Number(n), seed: textOf(seed), by: by === null ? null : textOf(by) };
}

function solverOf(at: TaskReader): SolverKind {
  const value = at.value("solver");
  if (value instanceof Callable) return { kind: "closure" };
  if (value instanceof Dict) return { kind: "loop", system: textOf(value.get("system") ?? undefined) };
  return { kind: "text", system: at.text("solver") ?? "" };
}

function toolNames(at: TaskReader): string[] {
  try {
    return readToolSet(at.value("tools")).entries.map((entry) => entry.name);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw at.wrong("tools", `tools that can be called (${textOf(error.value)})`);
  }
}

// ── scorers ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface Scorers {
  readonly specs: ScorerSpec[];
  readonly code: ScorerCode[];
  readonly pairs: PairwiseCode[];
}

function scorersOf(at: TaskReader): Scorers {
  const value = at.list("scorers");
  const what = "a list of at least one scorer";
  if (value === null) throw at.wrong("scorers", what);
  if (value.length === 0) throw at.wrong("scorers", what, "an empty list");
  const taken = new Set<string>();
  const specs: ScorerSpec[] = [];
  const code: ScorerCode[] = [];
  const pairs: PairwiseCode[] = [];
  value.forEach((one, index) => {
    const pair = pairwiseOf(one);
    if (pair !== undefined) {
      if (pairs.some(({ name }) => name === pair.name))
        throw at.wrong(
          `scorers[${index}]`,
          "a judge of pairs with a name of its own (`named`)",
          inputText(pair.name),
        );
      pairs.push(pair);
      return;
    }
    const made = readScorer(one);
    if (typeof made === "string")
      throw at.wrong(
        `scorers[${index}]`,
        `a function or a dict {name, score, threshold?, needs?} (${made})`,
        inputText(one),
      );
    let { name } = made;
    for (let n = 2; taken.has(name); n++) name = `${made.name}_${n}`;
    taken.add(name);
    specs.push({ name, threshold: made.threshold, needs: made.needs });
    code.push({ score: made.score, calls: made.calls });
  });
  if (specs.length === 0) throw at.wrong("scorers", `${what} of single trials`, "judges of pairs alone");
  return { specs, code, pairs };
}

/** What `pairwise` of `std/eval` gives; undefined for a scorer. */
function pairwiseOf(value: Value): PairwiseCode | undefined {
  if (!(value instanceof Dict) || value.get("_type") !== "pairwise") return undefined;
  const [name, compare] = [value.get("name"), value.get("compare")];
  return typeof name === "string" && compare instanceof Callable ? { name, compare } : undefined;
}

/** Those that must pass: all with a threshold, or, where none has one, all. */
function successOf(at: TaskReader, scorers: readonly ScorerSpec[]): string[] {
  const named = at.texts("success");
  const names = scorers.map((scorer) => scorer.name);
  if (named?.length === 0) throw at.wrong("success", "a list of at least one scorer's name", "an empty list");
  if (named === null) {
    const bound = scorers.filter((scorer) => scorer.threshold !== null);
    return (bound.length === 0 ? scorers : bound).map((scorer) => scorer.name);
  }
  for (const [index, name] of named.entries())
    if (!names.includes(name))
      throw at.wrong(`success[${index}]`, `one of ${names.join(", ")}`, inputText(name));
  return named;
}

// ── settings ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Of a task or, narrowing it, of a sample. */
export function readLimits(task: string, value: Value, path: string): Limits {
  if (value !== null && !(value instanceof Dict))
    throw wrongField(task, path.slice(0, -1), "a dict", inputText(value));
  const at = new TaskReader(task, value ?? new Dict(), limitFields, path);
  return {
    turns: at.number("turns"),
    toolCalls: at.number("tool_calls"),
    tokens: at.number("tokens"),
    costUsd: at.number("cost_usd"),
    timeMs: at.milliseconds("time"),
    wallMs: at.milliseconds("wall"),
  };
}

function rolesOf(at: TaskReader): TaskSpec["roles"] {
  const roles = at.dict("roles");
  if (roles === null) return {};
  return Object.fromEntries(
    [...roles.entries()]
      .filter(([, options]) => options !== null)
      .map(([role, options]) => [role, toJson(options) as Record<string, Json>]),
  );
}

const categories: ReadonlySet<string> = new Set<RetryCategory>(["provider", "environment", "harness"]);

function retriesOf(at: TaskReader): Retries {
  const value = at.dict("retries");
  const on = value?.get("on") ?? null;
  const named = on instanceof List ? on.toArray().map((one) => textOf(one)) : ["provider", "environment"];
  for (const one of named)
    if (!categories.has(one))
      throw at.wrong(
        "retries.on",
        `made of ${[...categories].map((c) => `"${c}"`).join(", ")}`,
        inputText(one),
      );
  const max = value?.get("max") ?? null;
  return {
    max: max === null ? 2 : Number(max),
    on: named as RetryCategory[],
    fresh: value?.get("fresh") === true,
  };
}

function onUserFault(at: TaskReader): OnUserFault {
  const value = at.value("on_user_fault");
  const what = '"keep", "drop", "redo" or {redo: n}';
  if (value === null || value === "keep") return { kind: "keep" };
  if (value === "drop") return { kind: "drop" };
  const times = value instanceof Dict && value.keys().length === 1 ? (value.get("redo") ?? null) : null;
  if (value === "redo") return { kind: "redo", times: usualRedos };
  if (typeof times !== "number" || times < 1) throw at.wrong("on_user_fault", what);
  return { kind: "redo", times };
}

/** New attempts of a trial whose user failed, unless the task says otherwise. */
const usualRedos = 2;

function metricsOf(at: TaskReader, scorers: readonly string[]): string[] | null {
  const named = at.texts("metrics");
  if (named?.length === 0) throw at.wrong("metrics", "a list of at least one metric", "an empty list");
  for (const text of named ?? []) {
    const reason = metricProblem(text, scorers);
    if (reason !== undefined) throw evalError("HARN-EVL-008", { task: at.task, text, reason });
  }
  return named;
}

const reductions: ReadonlySet<string> = new Set(["mean", "median", "max", "min", "mode", "first"]);

function reduceOf(at: TaskReader, scorers: readonly string[]): Record<string, Reduce> {
  const byName = at.textsByName("reduce") ?? {};
  return Object.fromEntries(
    Object.entries(byName).map(([scorer, text]) => {
      if (!scorers.includes(scorer))
        throw at.wrong(`reduce.${scorer}`, `about one of ${scorers.join(", ")}`, inputText(text));
      const least = /^at_least_([1-9]\d*)$/.exec(text);
      if (least !== null) return [scorer, { kind: "at_least", k: Number(least[1]) }];
      if (!reductions.has(text))
        throw at.wrong(
          `reduce.${scorer}`,
          `${[...reductions].map((r) => `"${r}"`).join(", ")} or "at_least_K"`,
          inputText(text),
        );
      return [scorer, text as Exclude<Reduce, object>];
    }),
  );
}

const gatesOf = (at: TaskReader, scorers: readonly string[]): Gate[] =>
  (at.texts("gates") ?? []).map((text) => parseGate(at.task, text, scorers));

function raceOf(
  at: TaskReader,
  scorers: readonly string[],
  variants: readonly Variant[],
  epochs: number,
): RaceSpec | null {
  const value = at.dict("race");
  if (value === null) return null;
  const race = new TaskReader(at.task, value, raceFields, "race.");
  const names = variants.map(({ name }) => name);
  const [first] = names;
  if (first === undefined || names.length < 2) throw at.wrong("race", "absent: there is one variant");
  const called = race.texts("between")?.map((name) => variantCalled({ spec: { variants } }, name));
  const between = called?.filter((name) => name !== undefined);
  if (called !== undefined && (called.length !== 2 || new Set(between).size !== 2))
    throw race.wrong("between", `two of ${names.join(", ")}`);
  const metric = race.text("metric") ?? "success";
  const reason = metricProblem(metric, scorers) ?? raceProblem(metric, scorers);
  if (reason !== undefined) throw evalError("HARN-EVL-008", { task: at.task, text: metric, reason });
  const alpha = race.number("alpha") ?? 0.05;
  if (alpha <= 0 || alpha >= 1) throw race.wrong("alpha", "a number between 0 and 1");
  const needs = passCount(metric, scorers);
  if (needs !== undefined && needs > epochs) throw evalError("HARN-EVL-015", { metric, needs, epochs });
  const [a, b] = between ?? [];
  return {
    metric,
    pairs:
      a !== undefined && b !== undefined ? [[a, b]] : names.slice(1).map((name) => [first, name] as const),
    alpha,
    margin: race.number("margin"),
    min: race.number("min") ?? 10,
  };
}

/** Only what lies between 0 and 1 can be raced. */
function raceProblem(metric: string, scorers: readonly string[]): string | undefined {
  const kind = parseMetricName(metric, scorers)?.kind;
  return kind === "success" || kind === "score" || kind === "pass"
    ? undefined
    : "a race is about success or a scorer, from 0 to 1";
}

function cacheOf(at: TaskReader): CacheSpec | null {
  const value = at.value("cache");
  if (value === null || value === false) return null;
  return { ageMs: value === true ? null : at.milliseconds("cache") };
}
