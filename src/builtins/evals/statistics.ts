/** The statistics of evaluations for scripts: `std/eval/stats` gives each of them a short name. */

import { stats } from "../../eval/index.ts";
import { spend } from "../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { display, List, runtimeError, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";
import { optionsOf } from "../arguments.ts";
import {
  alphaFields,
  bootstrapFields,
  detectableFields,
  drawsFields,
  kappaFields,
  meanIntervalFields,
  pairedFields,
  roganGladenFields,
  samplesNeededFields,
  sequenceFields,
} from "../rows/statistics.ts";
import { count, figure, figureValue, items, numberArguments, sameLength, shareArgument } from "./figures.ts";

function sampleClustersOf(
  name: string,
  clusters: List | null,
  values: readonly unknown[],
): readonly string[] | undefined {
  if (clusters === null) return undefined;
  const names = items(name, "clusters", clusters).map((item) => display(item));
  sameLength(name, values, names);
  return names;
}

/** Shape and arguments that all of them have in common. */
const pure = { effect: "pure" } as const;

export const statistics = defineBuiltins("evals", {
  stats_wilson: {
    ...pure,
    doc: "Wilson's score interval of x successes among n: `{value, low, high}`.",
    sig: "(x: int, n: int, level: float = 0.95) -> dict",
    example: "stats_wilson(17, 20).value  // 0.85",
    run: (_task, x: Argument, n: Argument, level: Argument) => {
      const trials = count("stats_wilson", "n", n, 1);
      const hits = count("stats_wilson", "x", x);
      if (hits > trials) throw refusal(at("stats_wilson", "x"), `int <= ${trials}`, hits);
      return figureValue(stats.wilson(hits, trials, shareArgument("stats_wilson", "level", level, 0.95)));
    },
  },
  stats_mean_interval: {
    ...pure,
    doc: "A mean with the interval that fits the data: `{value, low, high, se, n, clusters, method}`.",
    sig: "(values: list, options: dict? = nil) -> dict",
    fields: { options: () => meanIntervalFields },
    example: "stats_mean_interval([1, 0, 1, 1]).method  // wilson",
    run: (_task, values: Argument, input: Argument) => {
      const name = "stats_mean_interval";
      const numbers = numberArguments(name, "values", values);
      const { clusters, trials, method, seed, ...read } = optionsOf(name, input, meanIntervalFields);
      const wanted = {
        ...read,
        clusters: sampleClustersOf(name, clusters, numbers),
        trials: trials ?? undefined,
        method: method ?? undefined,
        seed: BigInt(seed),
      };
      return figureValue(stats.meanInterval(numbers, wanted));
    },
  },
  stats_pass_at_k: {
    ...pure,
    doc: "The chance that at least one of k trials passes, when c of n did.",
    sig: "(n: int, c: int, k: int) -> float",
    example: "stats_pass_at_k(4, 2, 1)  // 0.5",
    run: (task, n: Argument, c: Argument, k: Argument) =>
      figureValue(stats.passAtK(...passCounts("stats_pass_at_k", n, c, k), () => spend(task))),
  },
  stats_pass_caret_k: {
    ...pure,
    doc: "The chance that all of k trials pass, when c of n did.",
    sig: "(n: int, c: int, k: int) -> float",
    example: "stats_pass_caret_k(4, 2, 1)  // 0.5",
    run: (task, n: Argument, c: Argument, k: Argument) =>
      figureValue(stats.passCaretK(...passCounts("stats_pass_caret_k", n, c, k), () => spend(task))),
  },
  stats_paired: {
    ...pure,
    doc: "B less A on the same samples: `{value, low, high, se, n, clusters, method, p, wins, losses, ties}`.",
    sig: "(a: list, b: list, options: dict? = nil) -> dict",
    fields: { options: () => pairedFields },
    example: "stats_paired([0, 1, 0], [1, 1, 0]).wins  // 1",
    run: (_task, a: Argument, b: Argument, input: Argument) => {
      const name = "stats_paired";
      const [first, second] = [numberArguments(name, "a", a), numberArguments(name, "b", b)];
      sameLength(name, first, second);
      const { clusters, level, kind } = optionsOf(name, input, pairedFields);
      const groups = sampleClustersOf(name, clusters, first);
      return figureValue(stats.paired(first, second, { clusters: groups, level, kind: kind ?? undefined }));
    },
  },
  stats_mcnemar: {
    ...pure,
    doc: "McNemar's test on b pairs that only the first passed and c that only the second did: `{p, p_exact}` (mid-p).",
    sig: "(b: int, c: int) -> dict",
    example: "stats_mcnemar(0, 0)  // {p: 1.0, p_exact: 1.0}",
    run: (_task, b: Argument, c: Argument) =>
      figureValue(stats.mcnemar(count("stats_mcnemar", "b", b), count("stats_mcnemar", "c", c))),
  },
  stats_newcombe_paired: {
    ...pure,
    doc: "The second share less the first on the same samples: both passed e, only the first f, only the second g, none h.",
    sig: "(e: int, f: int, g: int, h: int, level: float = 0.95) -> dict",
    example: "stats_newcombe_paired(5, 0, 5, 0).value  // 0.5",
    run: (_task, e: Argument, f: Argument, g: Argument, h: Argument, level: Argument) => {
      const name = "stats_newcombe_paired";
      const cells = [e, f, g, h].map((cell, at) => count(name, "efgh"[at] as string, cell));
      const [both = 0, first = 0, second = 0, none = 0] = cells;
      if (both + first + second + none === 0) throw runtimeError(`${name}: there are no samples`);
      return figureValue(
        stats.newcombePaired(both, first, second, none, shareArgument(name, "level", level, 0.95)),
      );
    },
  },
  stats_newcombe: {
    ...pure,
    doc: "The second share less the first on different samples: x1 of n1, x2 of n2.",
    sig: "(x1: int, n1: int, x2: int, n2: int, level: float = 0.95) -> dict",
    example: "stats_newcombe(1, 4, 3, 4).value  // 0.5",
    run: (_task, x1: Argument, n1: Argument, x2: Argument, n2: Argument, level: Argument) => {
      const name = "stats_newcombe";
      const [hits1, all1] = [count(name, "x1", x1), count(name, "n1", n1, 1)];
      const [hits2, all2] = [count(name, "x2", x2), count(name, "n2", n2, 1)];
      if (hits1 > all1) throw refusal(at(name, "x1"), `int <= ${all1}`, hits1);
      if (hits2 > all2) throw refusal(at(name, "x2"), `int <= ${all2}`, hits2);
      return figureValue(stats.newcombe(hits1, all1, hits2, all2, shareArgument(name, "level", level, 0.95)));
    },
  },
  stats_fisher: {
    ...pure,
    doc: "Fisher's exact test: a of a + b against c of c + d. Two-sided p.",
    sig: "(a: int, b: int, c: int, d: int) -> float",
    example: "round(stats_fisher(1, 1, 1, 1), 6)  // 1.0",
    run: (task, ...cells: Argument[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = cells.map((cell, at) =>
        count("stats_fisher", "abcd"[at] as string, cell),
      );
      return figureValue(stats.fisher(a, b, c, d, () => spend(task)));
    },
  },
  stats_sign_flip: {
    ...pure,
    doc: "The exact p of differences over all sign patterns of their (clusters') sums; nil above 20.",
    sig: "(differences: list, clusters: list? = nil) -> float?",
    example: "stats_sign_flip([1, 1])  // 0.5",
    run: (_task, differences: Argument, clusters: Argument) => {
      const name = "stats_sign_flip";
      const numbers = numberArguments(name, "differences", differences);
      const names =
        clusters === null || clusters === undefined
          ? undefined
          : items(name, "clusters", clusters).map((item) => display(item));
      if (names !== undefined) sameLength(name, numbers, names);
      return figureValue(stats.signFlip(numbers, names));
    },
  },
  stats_holm: {
    ...pure,
    doc: "p values of several comparisons, corrected by Holm's method, in their order.",
    sig: "(ps: list) -> list<float>",
    example: "stats_holm([0.01, 0.5])  // [0.02, 0.5]",
    run: (_task, ps: Argument) => figureValue(stats.holm(numberArguments("stats_holm", "ps", ps, 0))),
  },
  stats_min_detectable: {
    ...pure,
    doc: "The smallest difference that is found with this power, given a standard error.",
    sig: "(se: int | float, options: dict? = nil) -> float",
    fields: { options: () => detectableFields },
    example: "round(stats_min_detectable(0.031), 6)  // 0.086849",
    run: (_task, se: Argument, input: Argument) => {
      const name = "stats_min_detectable";
      const error = figure(name, "se", se);
      return figureValue(stats.minDetectable(error, optionsOf(name, input, detectableFields)));
    },
  },
  stats_samples_needed: {
    ...pure,
    doc: "Samples that a difference needs to be found, not rounded.",
    sig: "(plan: dict) -> float",
    fields: { plan: () => samplesNeededFields },
    example:
      "round(stats_samples_needed({delta: 0.05, omega2: 0.06, sigma2_a: 0.09, k_a: 3, sigma2_b: 0.09, k_b: 3}), 3)  // 376.746",
    run: (_task, plan: Argument) => {
      const read = optionsOf("stats_samples_needed", plan, samplesNeededFields);
      const { sigma2A: sigma2_a, sigma2B: sigma2_b, kA: k_a, kB: k_b } = read;
      return figureValue(stats.samplesNeeded({ ...read, sigma2_a, sigma2_b, k_a, k_b }));
    },
  },
  stats_e_value: {
    ...pure,
    doc: "Evidence against equality after b and c discordant pairs; 1/e is a p that holds at every look.",
    sig: "(b: int, c: int) -> float",
    example: "round(stats_e_value(0, 6), 4)  // 14.4375",
    run: (_task, b: Argument, c: Argument) =>
      figureValue(stats.eValue(count("stats_e_value", "b", b), count("stats_e_value", "c", c))),
  },
  stats_confidence_sequence: {
    ...pure,
    doc: "After each difference (from -1 to 1) the interval of their mean that is valid at every look: `{low, high}` each.",
    sig: "(values: list, options: dict? = nil) -> list<dict>",
    fields: { options: () => sequenceFields },
    example: "stats_confidence_sequence([0])  // [{high: 1.0, low: -1.0}]",
    run: (_task, values: Argument, input: Argument) => {
      const name = "stats_confidence_sequence";
      const numbers = numberArguments(name, "values", values, 0);
      const wrong = numbers.find((value) => value < -1 || value > 1);
      if (wrong !== undefined) throw runtimeError(`${name}: differences lie between -1 and 1, got ${wrong}`);
      const looks = stats.confidenceSequence(numbers, optionsOf(name, input, sequenceFields).alpha);
      return figureValue(looks.map(({ low, high }) => ({ low, high })));
    },
  },
  stats_components: {
    ...pure,
    doc: "Where noise comes from, of nested lists of samples, agents, users, re-runs and draws: `{ms, components}`.",
    sig: "(table: list) -> dict",
    example: "stats_components([[[[[1, 0]]]], [[[[1, 1]]]]]).components.judge  // 0.25",
    run: (_task, table: Argument) => {
      const name = "stats_components";
      const nested = nestedFigures(name, table, 4);
      try {
        return figureValue(stats.components(nested as stats.CrossedValues));
      } catch (problem) {
        if (problem instanceof RangeError) throw runtimeError(`${name}: ${problem.message}`);
        throw problem;
      }
    },
  },
  stats_best_draws: {
    ...pure,
    doc: "The number of draws per trial that buys the most for its money, not rounded.",
    sig: "(costs: dict) -> float",
    fields: { costs: () => drawsFields },
    example:
      "round(stats_best_draws({trial_cost: 0.12, draw_cost: 0.01, within: 0.06, judge: 0.03}), 5)  // 2.44949",
    run: (_task, costs: Argument) => {
      const { trialCost, drawCost, ...read } = optionsOf("stats_best_draws", costs, drawsFields);
      return figureValue(stats.bestDraws({ ...read, trial_cost: trialCost, draw_cost: drawCost }));
    },
  },
  stats_kappa: {
    ...pure,
    doc: "Cohen's kappa of two raters; nil when chance alone explains all agreement.",
    sig: "(a: list, b: list, options: dict? = nil) -> float?",
    fields: { options: () => kappaFields },
    example: "stats_kappa([1, 0, 1, 0], [1, 0, 1, 0])  // 1.0",
    run: (_task, a: Argument, b: Argument, input: Argument) => {
      const name = "stats_kappa";
      const { weights } = optionsOf(name, input, kappaFields);
      const [first, second] = [ratings(name, "a", a, weights), ratings(name, "b", b, weights)];
      sameLength(name, first, second);
      return figureValue(stats.kappa(first as string[], second as string[], weights));
    },
  },
  stats_alpha: {
    ...pure,
    doc: "Krippendorff's alpha; a list per rater, nil where a rating is missing.",
    sig: "(raters: list, options: dict? = nil) -> float?",
    fields: { options: () => alphaFields },
    example: "stats_alpha([[1, 0, 1], [1, 0, 1]])  // 1.0",
    run: (_task, raters: Argument, input: Argument) => {
      const name = "stats_alpha";
      const { level } = optionsOf(name, input, alphaFields);
      const weights = level === "nominal" ? "none" : "quadratic";
      const rows = items(name, "raters", raters, 2).map((row, at) =>
        ratings(name, `raters[${at}]`, row, weights),
      );
      for (const row of rows) sameLength(name, rows[0] ?? [], row);
      return figureValue(stats.alpha(rows, level));
    },
  },
  stats_rogan_gladen: {
    ...pure,
    doc: "The true share behind a judge's share q of n, from labels (tp, fn, tn, fp); an error for a judge no better than chance.",
    sig: "(judged: dict) -> dict",
    fields: { judged: () => roganGladenFields },
    example: "stats_rogan_gladen({q: 0.5, n: 10, tp: 5, fn: 0, tn: 5, fp: 0}).value  // 0.5",
    run: (_task, judged: Argument) => {
      const name = "stats_rogan_gladen";
      const { level, ...counts } = optionsOf(name, judged, roganGladenFields);
      const got = stats.roganGladen(counts, level);
      if (got === undefined) throw runtimeError(`${name}: the judge is not better than chance`);
      return figureValue(got);
    },
  },
  stats_ppi: {
    ...pure,
    doc: "A mean from labels y, the judge's scores f of the same items, and its scores of unlabelled ones.",
    sig: "(y: list, f: list, unlabelled: list, level: float = 0.95) -> dict",
    example: "stats_ppi([1, 0], [1, 0], [1, 0]).value  // 0.5",
    run: (_task, y: Argument, f: Argument, unlabelled: Argument, level: Argument) => {
      const name = "stats_ppi";
      const [labels, scores] = [numberArguments(name, "y", y, 2), numberArguments(name, "f", f, 2)];
      sameLength(name, labels, scores);
      const others = numberArguments(name, "unlabelled", unlabelled, 2);
      return figureValue(stats.ppi(labels, scores, others, shareArgument(name, "level", level, 0.95)));
    },
  },
  stats_macro_f1: {
    ...pure,
    doc: "F1 over labels: for each label the harmonic mean of precision and recall, then their mean.",
    sig: "(expected: list, given: list) -> float",
    example: 'round(stats_macro_f1(["a", "a", "b"], ["a", "b", "b"]), 6)  // 0.666667',
    run: (_task, expected: Argument, given: Argument) => {
      const name = "stats_macro_f1";
      const [first, second] = [
        items(name, "expected", expected).map((item) => display(item)),
        items(name, "given", given).map((item) => display(item)),
      ];
      sameLength(name, first, second);
      return figureValue(stats.macroF1(first, second));
    },
  },
  stats_icc: {
    ...pure,
    doc: "The intraclass correlation ICC(1) of rows of equal length; nil when nothing differs.",
    sig: "(rows: list) -> float?",
    example: "stats_icc([[1, 1], [0, 0]])  // 1.0",
    run: (_task, rows: Argument) => {
      const table = items("stats_icc", "rows", rows, 2).map((row, at) =>
        numberArguments("stats_icc", `rows[${at}]`, row, 2),
      );
      for (const row of table) sameLength("stats_icc", table[0] ?? [], row);
      return figureValue(stats.icc(table));
    },
  },
  stats_bootstrap: {
    ...pure,
    doc: "The percentile bootstrap interval of a mean, clusters resampled whole: `{low, high}`.",
    sig: "(values: list, options: dict? = nil) -> dict",
    fields: { options: () => bootstrapFields },
    example: "stats_bootstrap([1, 1, 1])  // {high: 1.0, low: 1.0}",
    run: (_task, values: Argument, input: Argument) => {
      const name = "stats_bootstrap";
      const numbers = numberArguments(name, "values", values);
      const { clusters, seed, ...read } = optionsOf(name, input, bootstrapFields);
      const groups = sampleClustersOf(name, clusters, numbers);
      return figureValue(stats.bootstrap(numbers, { ...read, clusters: groups, seed: BigInt(seed) }));
    },
  },
  stats_quantile: {
    ...pure,
    doc: "The value at a share of the sorted numbers, interpolated linearly.",
    sig: "(values: list, q: int | float) -> float",
    example: "stats_quantile([1, 2], 0.5)  // 1.5",
    run: (_task, values: Argument, q: Argument) => {
      const at = figure("stats_quantile", "q", q);
      if (at < 0 || at > 1) throw runtimeError(`stats_quantile: q must lie between 0 and 1, got ${at}`);
      return figureValue(stats.quantile(numberArguments("stats_quantile", "values", values), at));
    },
  },
});

function passCounts(name: string, n: Argument, c: Argument, k: Argument): [number, number, number] {
  const [all, passed, chosen] = [count(name, "n", n, 1), count(name, "c", c), count(name, "k", k, 1)];
  if (passed > all) throw refusal(at(name, "c"), `int <= ${all}`, passed);
  if (chosen > all) throw refusal(at(name, "k"), `int <= ${all}`, chosen);
  return [all, passed, chosen];
}

/** Ratings are compared as they are; weights need numbers. Nil is missing. */
function ratings(name: string, what: string, value: Argument, weights: stats.KappaWeights): stats.Rating[] {
  return items(name, what, value).map((item, at) => {
    if (item === null) return undefined;
    return weights === "none" && typeof item === "string" ? item : figure(name, `${what}[${at}]`, item);
  });
}

type NumberTree = number | readonly NumberTree[];

function nestedFigures(name: string, value: Argument, depth: number): NumberTree {
  if (!(value instanceof List)) throw refusal(at(name, "table"), "lists nested five deep", value);
  if (depth === 0) return numberArguments(name, "draws", value);
  return value.toArray().map((part: Value) => nestedFigures(name, part, depth - 1));
}
