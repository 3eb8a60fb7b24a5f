/** Scorers made of scorers. What is unscored only counts where it could decide. */
import { field, fieldTable } from "../../../table/index.ts";
import { Dict, numberValue, runtimeError, thrown, type Value } from "../../../values/index.ts";
import { combineDraws, type NamedScorer, readScorer, type Score } from "../../plan/index.ts";
import { runScorer } from "../run-scorer.ts";
import { lookAtSample } from "../sample-look.ts";
import { asNumber, type ScorerInput, type ScorerKind, unscored, verdict } from "../scorer-kind.ts";

const scorersRow = field("scorers", "list", "The scorers.");

async function partsOf(input: ScorerInput, list: readonly Value[]): Promise<Score[]> {
  const scores: Score[] = [];
  for (const [index, one] of list.entries())
    scores.push(verdictOf(await runScorer(input.task, scorerAt(one, index), input.outcome, input.sample)));
  return scores;
}

/** Several draws of a part count as one score. */
const verdictOf = (draws: readonly Score[]): Score => {
  const [first] = draws as [Score];
  return { ...first, ...combineDraws(draws) };
};

const scorerAt = (value: Value, index: number): NamedScorer => {
  const scorer = readScorer(value);
  if (typeof scorer === "string") throw runtimeError(`scorer ${index + 1}: ${scorer}`);
  return scorer;
};

/** Nothing to combine would pass, or fail, whatever the answer is. */
function checkScorers(who: string, list: readonly Value[]): void {
  if (list.length === 0) throw thrown(`${who}: needs a list of at least one scorer`);
  for (const [index, one] of list.entries()) {
    const scorer = readScorer(one);
    if (typeof scorer === "string") throw thrown(`${who}: scorer ${index + 1} can't be read: ${scorer}`);
  }
}

/** What one of them says of a sample. */
function lookAtAll(list: readonly Value[], sample: Dict): string | undefined {
  for (const [index, one] of list.entries()) {
    const said = lookAtSample(scorerAt(one, index).score, sample);
    if (said !== undefined) return said;
  }
  return undefined;
}

const figures = (scores: readonly Score[]): Record<string, number> =>
  Object.fromEntries(scores.flatMap(({ scorer, value }) => (value === null ? [] : [[scorer, value]])));

const said = (pass: boolean | null): string =>
  pass === null ? "unscored" : pass ? "passes" : "does not pass";

const reasons = (scores: readonly Score[]): string =>
  scores
    .map(({ scorer, pass, why, error }) => `${scorer}: ${error?.message ?? why ?? said(pass)}`)
    .join("\n");

const allOf: ScorerKind = {
  fields: fieldTable(() => [scorersRow], { strict: true }),
  check: ({ args }) => checkScorers("all_of", args.list("scorers") ?? []),
  lookAt: ({ args, sample }) => lookAtAll(args.list("scorers") ?? [], sample),
  async score(input) {
    const scores = await partsOf(input, input.args.list("scorers") ?? []);
    const failed = scores.filter((score) => score.pass === false);
    const open = scores.filter((score) => score.pass === null);
    if (failed.length === 0 && open.length > 0) return unscored(reasons(open));
    return verdict(failed.length === 0, { why: reasons(failed), parts: figures(scores) });
  },
};

const anyOf: ScorerKind = {
  fields: fieldTable(() => [scorersRow], { strict: true }),
  check: ({ args }) => checkScorers("any_of", args.list("scorers") ?? []),
  lookAt: ({ args, sample }) => lookAtAll(args.list("scorers") ?? [], sample),
  async score(input) {
    const scores = await partsOf(input, input.args.list("scorers") ?? []);
    const passed = scores.some((score) => score.pass === true);
    const open = scores.filter((score) => score.pass === null);
    if (!passed && open.length > 0) return unscored(reasons(open));
    return verdict(passed, { why: reasons(scores), parts: figures(scores) });
  },
};

const not: ScorerKind = {
  fields: fieldTable(() => [field("scorer", "dict | closure", "The scorer that must not pass.")], {
    strict: true,
  }),
  check: ({ args }) => checkScorers("not_", [args.value("scorer")]),
  lookAt: ({ args, sample }) => lookAtAll([args.value("scorer")], sample),
  async score(input) {
    const [score] = await partsOf(input, [input.args.value("scorer")]);
    if (score === undefined || score.pass === null)
      return unscored(score === undefined ? "" : reasons([score]));
    return verdict(!score.pass, { why: `${score.scorer} passes, and must not` });
  },
};

const weighted: ScorerKind = {
  fields: fieldTable(
    () => [
      field("scorers", "list<dict>", "`{scorer, weight}` each."),
      field("threshold", "float", "From where it passes.", { default: "1", range: [0, null] }),
    ],
    { strict: true },
  ),
  check({ args }) {
    const list = (args.list("scorers") ?? []) as readonly Dict[];
    checkScorers("weighted", weightedParts(args));
    for (const one of list) {
      const other = one.keys().find((key) => key !== "scorer" && key !== "weight");
      if (other !== undefined)
        throw thrown(`weighted: a scorer has \`scorer\` and \`weight\`, and no \`${other}\``);
    }
    if (list.map(weightOf).every((weight) => weight === 0)) throw thrown("weighted: the weights add up to 0");
  },
  lookAt: ({ args, sample }) => lookAtAll(weightedParts(args), sample),
  async score(input) {
    const list = (input.args.list("scorers") ?? []) as readonly Dict[];
    const weights = list.map(weightOf);
    const scores = await partsOf(input, weightedParts(input.args));
    const open = scores.filter((score, at) => score.value === null && weights[at] !== 0);
    if (open.length > 0) return unscored(reasons(open));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const sum = scores.reduce((part, score, at) => part + (score.value ?? 0) * (weights[at] as number), 0);
    const failed = scores.filter((score) => score.pass === false);
    return Dict.of({
      value: numberValue(sum / total),
      why: failed.length === 0 ? null : reasons(failed),
      parts: Dict.from(
        Object.entries(figures(scores)).map(([name, value]) => [name, numberValue(value)] as const),
      ),
    });
  },
};

const weightedParts = (args: ScorerInput["args"]): readonly Value[] =>
  (args.list("scorers") ?? []).map((one) => (one as Dict).get("scorer") ?? null);

function weightOf(one: Value, index: number): number {
  const weight = one instanceof Dict ? asNumber(one.get("weight") ?? 1) : undefined;
  if (weight === undefined || weight < 0)
    throw thrown(`weighted: scorer ${index + 1}: the weight must be a number from 0 on`);
  return weight;
}

export const combinedScorers = { all_of: allOf, any_of: anyOf, not_: not, weighted } as const;
