/**
 * Tasks of evaluations: what `eval_pack` with a dataset and `eval_task` register, and what their rows are read with. Their
 * scorers: `std/eval` gives each of the table a function of its own.
 */
import {
  evalError,
  evalRegistry,
  makeScorer,
  runScorer,
  type ScorerTools,
  scoredDict,
  scorerOf,
  taskFields,
  taskOfOptions,
} from "../../eval/index.ts";
import type { Task } from "../../interp/index.ts";
import { at, defineBuiltins, readRows, row, rows } from "../../table/index.ts";
import {
  Dict,
  display,
  jsonParse,
  List,
  optionsDict,
  ScriptError,
  sha256Hex,
  thrown,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { sourceDirectory } from "../process/environment.ts";
import { unifiedDiff } from "../text/line-diff.ts";
import { checkWork, compileRegex, matches } from "../text/regex-engine.ts";
import { readDataset } from "./dataset-files.ts";
import { taskOfCases } from "./pack-task.ts";

const rowOptions = rows(() => ({ take: row.int("The first so many rows.", null, { min: 0 }) }));

/** Registers a task; gives its name, so that a declaration binds what it is known by. */
function registerTask(task: Task, options: Dict): Value {
  const registry = task.runtime.state(evalRegistry);
  const isPack = (options.get("cases") ?? null) !== null && (options.get("dataset") ?? null) === null;
  const read = taskOfOptions(isPack ? taskOfCases(options) : options, {
    base: sourceDirectory(task),
    digest: (text) => sha256Hex(task.runtime.host.crypto, text),
  });
  const { name } = read.spec;
  if (registry.tasks.has(name)) throw evalError("HARN-EVL-003", { name });
  registry.read ??= readDataset;
  registry.tasks.set(name, read);
  return Dict.of({ _type: "eval_task", name });
}

/** JSON where it is JSON, else the text itself. */
function parameterValue(text: string): Value {
  try {
    return jsonParse(text);
  } catch (error) {
    if (error instanceof ScriptError) return text;
    throw error;
  }
}

export const evalTasks = defineBuiltins("evals", {
  eval_task: {
    doc: 'Registers a task of an evaluation, as a declaration `eval_pack NAME { … }` does: `{_type: "eval_task", name}`. It runs under `harn eval run`, or by `eval_run`. An unknown field is an error. With `cases` in place of `dataset` (and fixtures, rubrics, defaults, as `eval_pack_run` takes them) recorded runs are judged: a sample for each case, a scorer for each severity.',
    sig: "(task: dict) -> dict",
    effect: "state",
    suspends: "may",
    example:
      'eval_task({name: "capitals", dataset: [{input: "?", target: "Paris"}], scorers: [{ outcome, _sample -> outcome.text == "Paris" }]}).name  // capitals',
    fields: { task: () => taskFields },
    readsFields: true,
    run: (task, argument: Argument) => {
      if (argument instanceof Dict) return registerTask(task, argument);
      throw thrown(`eval_task: requires a dict, got ${typeOf(argument ?? null)}`);
    },
  },
  eval_param: {
    doc: "The value of `--param NAME=VALUE` (JSON where it is JSON, else the text), or the default.",
    sig: "(name: string, default: any = nil) -> any",
    effect: "state",
    example: 'eval_param("style", "short")  // short',
    run: (task, name: Argument, fallback: Argument) => {
      if (name === undefined || name === null || textOf(name) === "")
        throw thrown("eval_param: name is required");
      const { params, asked } = task.runtime.state(evalRegistry);
      asked.add(display(name));
      const param = params.get(display(name));
      return param === undefined ? (fallback ?? null) : parameterValue(param);
    },
  },
  read_rows: {
    doc: "The rows of a dataset file as a list of dicts: `.jsonl`, `.json`, `.csv` (cells are texts), `.yaml`, `.toml` (`[[sample]]`), a folder, or all files that a `*` fits. The path is relative to the script. A broken row is an error with path and line.",
    sig: "(path: string, options?: {take?: int}) -> list<dict>",
    effect: "read",
    performs: true,
    suspends: "may",
    capability: "fs.read",
    fields: { options: () => rowOptions },
    run: (task, path: Argument, options: Argument) => {
      const { take } = readRows(options instanceof Dict ? options : null, rowOptions, at("read_rows"));
      const read = readDataset(task, textOf(path), sourceDirectory(task));
      return new List(read.slice(0, take ?? undefined));
    },
  },
});

const tools: ScorerTools = {
  find(task, pattern, text) {
    const regex = compileRegex(task, pattern);
    checkWork(regex, text);
    const [found] = matches(regex, text);
    return found === undefined ? undefined : { groups: [found.text, ...found.groups], names: regex.names };
  },
  groups(task, pattern) {
    const { groupCount, names } = compileRegex(task, pattern);
    return { count: groupCount, names };
  },
  diff: (task, before, after, name) =>
    unifiedDiff(task, before, after, { fromLabel: `a/${name}`, toLabel: `b/${name}`, context: 3 }),
};

const anyShape = "each kind has rows of its own, which the call is checked against";

export const evalScorers = defineBuiltins("evals", {
  eval_scorer: {
    doc: "A scorer of the table, `{name, score, threshold, needs}`, by its kind and arguments: what the functions of `std/eval` are made of. An unknown argument is an error.",
    sig: "(kind: string, arguments: dict = {}) -> dict",
    effect: "pure",
    example: 'eval_scorer("includes", {expected: "Paris"}).name  // includes',
    fields: { arguments: anyShape },
    run: (task, kind: Argument, input: Argument) => makeScorer(task, textOf(kind), input ?? null, tools),
  },
  eval_score: {
    doc: "What a scorer says of an outcome: `{scorer, draw, value, pass, label, answer, why, parts, meta, error}`. A scorer that throws leaves it unscored: `value` and `pass` are nil, `error` says why. For trying scorers out.",
    sig: "(scorer: dict | closure, outcome!: dict, sample: dict = {}) -> dict",
    effect: "state",
    suspends: "may",
    example: 'eval_score(eval_scorer("exact"), {text: " paris. "}, {target: "Paris"}).pass  // true',
    fields: {
      scorer: "a handle: a function, or what a function of std/eval gives",
      outcome: "data: what a trial left",
      sample: "data: a row of a dataset",
    },
    run: async (task, input: Argument, outcome: Argument, sample: Argument) => {
      const scorer = scorerOf(input ?? null, at("eval_score", "scorer"));
      const end = row.dict(null).read(outcome ?? null, at("eval_score", "outcome"));
      return scoredDict(await runScorer(task, scorer, end, optionsDict("eval_score", sample, "sample")));
    },
  },
});
