/** Scorers for scripts: `std/eval` gives each of the table a function of its own. */
import { makeScorer, runScorer, type ScorerTools, scoredDict, scorerOf } from "../../eval/index.ts";
import { at, defineBuiltins, row } from "../../table/index.ts";
import { optionsDict } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { unifiedDiff } from "../text/line-diff.ts";
import { checkWork, compileRegex, matches } from "../text/regex-engine.ts";

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
