/** A declaration becomes a task: `TaskSpec` to be stored, `TaskCode` to be run. Nothing is read from disk here. */
import type { Digest } from "../../effects/index.ts";
import { stateKey } from "../../interp/index.ts";
import { toolSetOfValue } from "../../model/index.ts";
import { type At, inside, type Read, readRows, refusal } from "../../table/index.ts";
import { Callable, Dict, ScriptError, textOf, type Value } from "../../values/index.ts";
import { evalError, taskAt } from "../eval-error.ts";
import type { DatasetReader } from "./dataset.ts";
import { parseMetricName } from "./metric-kind.ts";
import { metricProblem, parseGate, passCount } from "./metric-name.ts";
import type { ScorerSpec } from "./score.ts";
import { scorerOf } from "./scorer.ts";
import type { PairwiseCode, RaceSpec, Reduce, RegisteredTask, ScorerCode, TaskSpec } from "./task.ts";
import { caseFields, taskFields } from "./task-fields.ts";
import type { Variant } from "./variant.ts";
import { variantCalled } from "./variant-label.ts";
import { variantsOf } from "./variants.ts";

export interface TaskOrigin {
  /** Folder of the script: paths of the task are relative to it. */
  readonly base: string;
  readonly digest: Digest;
}

type TaskInput = Read<typeof taskFields>;

/** Throws HARN-EVL-001, 002, 007, 008 and 009 for what can't be meant. */
export function taskOfOptions(options: Dict, { base, digest }: TaskOrigin): RegisteredTask {
  const name = taskFields.typed.name.read(options.get("name") ?? null, taskAt("?", "name"));
  const place = taskAt(name);
  const read = readRows(options, taskFields, place);
  for (const other of caseFields.names())
    if ((options.get(other) ?? null) !== null)
      throw refusal(inside(place, other), "nothing beside `dataset`", options.get(other) ?? null);
  const { dataset, fields, where, solver, tools, oracle, setup, cleanup, world, user, ...plain } = read;
  const { specs, code: scorers, pairs } = scorersOf(read, place);
  const names = specs.map((scorer) => scorer.name);
  const variants = variantsOf(name, read.variants, digest);
  for (const text of read.metrics ?? []) {
    const reason = metricProblem(text, names);
    if (reason !== undefined) throw evalError("HARN-EVL-008", { task: name, text, reason });
  }
  const spec: TaskSpec = {
    ...plain,
    dataset: datasetOf(dataset, base),
    fields: fields instanceof Callable || fields === null ? null : Object.fromEntries(fields),
    solver: solverOf(solver),
    tools: toolNames(tools, place),
    scorers: specs,
    pairwise: pairs.map((pair) => pair.name),
    success: successNames(read.success, specs, place),
    variants,
    reduce: reduceOf(read.reduce ?? new Map(), names, inside(place, "reduce")),
    gates: read.gates.map((text) => parseGate(name, text, names)),
    race: read.race === null ? null : raceOf(read.race, names, variants, read),
    sandbox: sandboxOf(read, base, place),
    hasOracle: oracle !== null,
  };
  const code = {
    ...{ dataset, where, solver, tools, oracle, setup, cleanup, world, user },
    fields: fields instanceof Callable ? fields : null,
    scorers,
    pairwise: pairs,
  };
  return { spec, code };
}

function datasetOf(dataset: TaskInput["dataset"], base: string): TaskSpec["dataset"] {
  if (typeof dataset === "string") return { kind: "path", path: dataset, base };
  return { kind: dataset instanceof Callable ? "closure" : "rows" };
}

function solverOf(solver: TaskInput["solver"]): TaskSpec["solver"] {
  if (solver instanceof Callable) return { kind: "closure" };
  if (solver instanceof Dict) return { kind: "loop", system: textOf(solver.get("system") ?? undefined) };
  return { kind: "text", system: solver };
}

/** Of a dataset that is a path, task folders may say which image a container has. */
function sandboxOf({ sandbox, dataset }: TaskInput, base: string, place: At): TaskSpec["sandbox"] {
  if (sandbox === null) return null;
  const { container, ...plain } = sandbox;
  if (container === null) return { base, ...plain };
  if (typeof dataset !== "string" && container.image === null && container.build === null)
    throw refusal(inside(place, "sandbox.container"), "a dict with `image` or `build`", new Dict());
  return { base, ...plain, container };
}

function toolNames(tools: TaskInput["tools"], place: At): string[] {
  try {
    return toolSetOfValue(tools).entries.map((entry) => entry.name);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw refusal(inside(place, "tools"), "tools that can be called", tools, { help: textOf(error.value) });
  }
}

// ── scorers ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface Scorers {
  readonly specs: ScorerSpec[];
  readonly code: ScorerCode[];
  readonly pairs: PairwiseCode[];
}

function scorersOf({ scorers }: TaskInput, place: At): Scorers {
  const taken = new Set<string>();
  const specs: ScorerSpec[] = [];
  const code: ScorerCode[] = [];
  const pairs: PairwiseCode[] = [];
  const all = inside(place, "scorers");
  scorers.forEach((one, index) => {
    const own = inside(all, `[${index}]`);
    const pair = pairwiseOf(one);
    if (pair !== undefined) {
      if (pairs.some(({ name }) => name === pair.name))
        throw refusal(own, "a judge of pairs with a name of its own (`named`)", pair.name);
      pairs.push(pair);
      return;
    }
    const made = scorerOf(one, own);
    let { name } = made;
    for (let n = 2; taken.has(name); n++) name = `${made.name}_${n}`;
    taken.add(name);
    specs.push({ name, threshold: made.threshold, needs: made.needs });
    code.push({ score: made.score, calls: made.calls });
  });
  if (specs.length === 0) throw refusal(all, "a scorer of single trials beside judges of pairs", null);
  return { specs, code, pairs };
}

/** What `pairwise` of `std/eval` gives; undefined for a scorer. */
function pairwiseOf(value: Value): PairwiseCode | undefined {
  if (!(value instanceof Dict) || value.get("_type") !== "pairwise") return undefined;
  const [name, compare] = [value.get("name"), value.get("compare")];
  return typeof name === "string" && compare instanceof Callable ? { name, compare } : undefined;
}

/** Those that must pass: all with a threshold, or, where none has one, all. */
function successNames(
  named: TaskInput["success"],
  scorers: readonly ScorerSpec[],
  place: At,
): readonly string[] {
  const names = scorers.map((scorer) => scorer.name);
  const bound = scorers.filter((scorer) => scorer.threshold !== null);
  if (named === null) return bound.length === 0 ? names : bound.map((scorer) => scorer.name);
  for (const [index, name] of named.entries())
    if (!names.includes(name))
      throw refusal(inside(place, `success[${index}]`), `one of ${names.join(", ")}`, name);
  return named;
}

// ── figures ───────────────────────────────────────────────────────────────────────────────────────────────────────

const reductions: ReadonlySet<string> = new Set(["mean", "median", "max", "min", "mode", "first"]);

function reduceOf(
  byName: ReadonlyMap<string, string>,
  scorers: readonly string[],
  place: At,
): Record<string, Reduce> {
  return Object.fromEntries(
    [...byName].map(([scorer, text]) => {
      const own = inside(place, scorer);
      if (!scorers.includes(scorer)) throw refusal(own, `about one of ${scorers.join(", ")}`, text);
      const least = /^at_least_([1-9]\d*)$/.exec(text);
      if (least !== null) return [scorer, { kind: "at_least", k: Number(least[1]) }];
      if (!reductions.has(text))
        throw refusal(own, `${[...reductions].map((r) => `"${r}"`).join(", ")} or "at_least_K"`, text);
      return [scorer, text as Exclude<Reduce, object>];
    }),
  );
}

function raceOf(
  { metric, alpha, margin, min, ...race }: NonNullable<TaskInput["race"]>,
  scorers: readonly string[],
  variants: readonly Variant[],
  { name: task, epochs }: TaskInput,
): RaceSpec {
  const place = taskAt(task);
  const names = variants.map(({ name }) => name);
  const [first] = names;
  if (first === undefined || names.length < 2)
    throw refusal(inside(place, "race"), "nothing: there is one variant", new Dict());
  const called = race.between?.map((name) => variantCalled({ spec: { variants } }, name));
  const between = called?.filter((name) => name !== undefined);
  if (called !== undefined && (called.length !== 2 || new Set(between).size !== 2))
    throw refusal(inside(place, "race.between"), `two of ${names.join(", ")}`, race.between!.join(", "));
  const reason = metricProblem(metric, scorers) ?? raceProblem(metric, scorers);
  if (reason !== undefined) throw evalError("HARN-EVL-008", { task, text: metric, reason });
  const needs = passCount(metric, scorers);
  if (needs !== undefined && needs > epochs) throw evalError("HARN-EVL-015", { metric, needs, epochs });
  const [a, b] = between ?? [];
  const others = names.slice(1).map((name) => [first, name] as const);
  return { metric, pairs: a !== undefined && b !== undefined ? [[a, b]] : others, alpha, margin, min };
}

/** Only what lies between 0 and 1 can be raced. */
function raceProblem(metric: string, scorers: readonly string[]): string | undefined {
  const kind = parseMetricName(metric, scorers)?.kind;
  return kind === "success" || kind === "score" || kind === "pass"
    ? undefined
    : "a race is about success or a scorer, from 0 to 1";
}

/** The tasks that a program has declared, in order; each Runtime has its own. */
export interface EvalRegistry {
  readonly tasks: Map<string, RegisteredTask>;
  /** Values of `--param NAME=VALUE`, as written. */
  readonly params: Map<string, string>;
  /** Names that `eval_param` was asked for. */
  readonly asked: Set<string>;
  /** How rows of files are read; set by whoever registers tasks. */
  read: DatasetReader | undefined;
}

/** `task.runtime.state(evalRegistry)` */
export const evalRegistry = stateKey<EvalRegistry>("eval registry", () => ({
  tasks: new Map(),
  params: new Map(),
  asked: new Set(),
  read: undefined,
}));
