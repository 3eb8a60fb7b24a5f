/** Scorers made of scorers. What is unscored only counts where it could decide. */
import { row, rows } from "../../../table/index.ts";
import { Dict, numberValue } from "../../../values/index.ts";
import { combineDraws, type NamedScorer, type Score, scorerRow } from "../../plan/index.ts";
import { runScorer } from "../run-scorer.ts";
import { lookAtSample } from "../sample-look.ts";
import { type ScorerInput, scorerKind, unscored, verdict } from "../scorer-kind.ts";

/** Nothing to combine would pass, or fail, whatever the answer is. */
const scorersRows = () => ({
  scorers: row
    .list(scorerRow(), "The scorers.")
    .full()
    .where("a list of at least one scorer", (scorers) => scorers.length > 0)
    .required(),
});

async function partsOf(
  { task, outcome, sample }: ScorerInput,
  scorers: readonly NamedScorer[],
): Promise<Score[]> {
  const scores: Score[] = [];
  for (const one of scorers) scores.push(verdictOf(await runScorer(task, one, outcome, sample)));
  return scores;
}

/** Several draws of a part count as one score. */
const verdictOf = (draws: readonly Score[]): Score => {
  const [first] = draws as [Score];
  return { ...first, ...combineDraws(draws) };
};

/** What one of them says of a sample. */
function lookAtAll(scorers: readonly NamedScorer[], sample: Dict): string | undefined {
  for (const { score } of scorers) {
    const said = lookAtSample(score, sample);
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

const allOf = scorerKind(scorersRows, {
  lookAt: ({ args, sample }) => lookAtAll(args.scorers, sample),
  async score(input) {
    const scores = await partsOf(input, input.args.scorers);
    const failed = scores.filter((score) => score.pass === false);
    const open = scores.filter((score) => score.pass === null);
    if (failed.length === 0 && open.length > 0) return unscored(reasons(open));
    return verdict(failed.length === 0, { why: reasons(failed), parts: figures(scores) });
  },
});

const anyOf = scorerKind(scorersRows, {
  lookAt: ({ args, sample }) => lookAtAll(args.scorers, sample),
  async score(input) {
    const scores = await partsOf(input, input.args.scorers);
    const passed = scores.some((score) => score.pass === true);
    const open = scores.filter((score) => score.pass === null);
    if (!passed && open.length > 0) return unscored(reasons(open));
    return verdict(passed, { why: reasons(scores), parts: figures(scores) });
  },
});

const notRows = () => ({ scorer: scorerRow("The scorer that must not pass.").required() });

const not = scorerKind(notRows, {
  lookAt: ({ args, sample }) => lookAtAll([args.scorer], sample),
  async score(input) {
    const [score] = await partsOf(input, [input.args.scorer]);
    if (score === undefined || score.pass === null)
      return unscored(score === undefined ? "" : reasons([score]));
    return verdict(!score.pass, { why: `${score.scorer} passes, and must not` });
  },
});

const partRows = rows(() => ({ scorer: scorerRow().required(), weight: row.number("", 1, { min: 0 }) }), {
  strict: true,
});
const weightedRows = () => ({
  scorers: row
    .list(row.dict(partRows), "`{scorer, weight}` each.")
    .full()
    .where("a list of at least one scorer", (parts) => parts.length > 0)
    .where("weights that do not add up to 0", (parts) => parts.some(({ weight }) => weight > 0))
    .required(),
  threshold: row.number("From where it passes.", 1, { min: 0 }),
});

const weighted = scorerKind(weightedRows, {
  lookAt: ({ args, sample }) =>
    lookAtAll(
      args.scorers.map(({ scorer }) => scorer),
      sample,
    ),
  async score(input) {
    const weights = input.args.scorers.map(({ weight }) => weight);
    const scores = await partsOf(
      input,
      input.args.scorers.map(({ scorer }) => scorer),
    );
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
});

export const combinedScorers = { all_of: allOf, any_of: anyOf, not_: not, weighted } as const;
