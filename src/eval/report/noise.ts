/**
 * Where the noise of a metric comes from: its variance by source, from crossed re-runs of some samples, and what buys a smaller
 * error. What a design can't tell apart is named together.
 */
import { parseMetricName } from "../plan/index.ts";
import {
  bestDraws,
  type Components,
  type CrossedValues,
  componentIntervals,
  components,
  expectedError,
  mean,
} from "../stats/index.ts";
import { shownMetrics } from "./metrics/figures.ts";
import { type SampleReader, sampleReader } from "./metrics/sample-values.ts";
import { type RecordedTask, type RecordedTrial, withScores } from "./recorded-set.ts";

/** Sizes of a crossed design, and who took part in it. */
export interface CrossedDesign {
  readonly agents: number;
  readonly users: number;
  readonly environments: number;
  readonly judges: number;
  readonly hasUser: boolean;
  /** A model judges, or the scores were drawn several times. */
  readonly hasJudge: boolean;
}

export interface CrossedTrial {
  readonly trial: RecordedTrial;
  /** Streams of agent and user, number of the re-run; from 1. */
  readonly agent: number;
  readonly user: number;
  readonly environment: number;
}

export interface NoiseInput {
  /** With the set's own trials. */
  readonly task: RecordedTask;
  readonly variant: string;
  readonly metric: string;
  readonly design: CrossedDesign;
  readonly crossed: readonly CrossedTrial[];
  /** US dollars of one judgement of a trial; null when nothing is known. */
  readonly drawCost: number | null;
}

export type NoiseSource = keyof Components["components"];

export interface NoisePart {
  /** Of several that can't be told apart the one that the number stands under. */
  readonly source: NoiseSource;
  /** All that is in it: `agent and environment`. */
  readonly name: string;
  /** Its variance, as it comes out: it may be below 0. */
  readonly variance: number;
  readonly low: number | null;
  readonly high: number | null;
  /** Of the sum of those above 0. */
  readonly share: number;
}

export interface NoiseDesignError {
  readonly what: "now" | "samples" | "epochs" | "draws";
  readonly samples: number;
  readonly epochs: number;
  readonly draws: number;
  /** Standard error of the metric. */
  readonly se: number;
  /** US dollars of all of it; null when prices are unknown. */
  readonly costUsd: number | null;
}

export interface NoiseReport {
  readonly task: string;
  readonly variant: string;
  readonly metric: string;
  readonly design: CrossedDesign;
  /** Samples that it is made of, and those left out because a trial of theirs errored or is unscored. */
  readonly samples: number;
  readonly left: readonly string[];
  readonly ms: Components["ms"];
  readonly parts: readonly NoisePart[];
  /** What the set has, and twice of each. */
  readonly errors: readonly NoiseDesignError[];
  readonly bestDraws: {
    readonly value: number;
    readonly trialCost: number;
    readonly drawCost: number;
  } | null;
}

/** The metric that noise is about unless one is named; undefined when none of the task's can be taken of a single trial. */
export const noiseMetric = (task: RecordedTask): string | undefined =>
  shownMetrics(task).find((name) => readerOf(task, name) !== undefined);

/** Why noise can't be about this metric; undefined: it can. */
export const noiseMetricProblem = (task: RecordedTask, metric: string): string | undefined =>
  readerOf(task, metric) === undefined
    ? `noise is about figures of single trials: success, a scorer, a part of one; got ${metric}`
    : undefined;

function readerOf(task: RecordedTask, metric: string): SampleReader | undefined {
  const name = parseMetricName(
    metric,
    task.spec.scorers.map((scorer) => scorer.name),
  );
  if (name === undefined || name.kind === "pass" || (name.kind === "share" && name.of === "flaky"))
    return undefined;
  return sampleReader(name, task.spec);
}

export function noiseReport(input: NoiseInput): NoiseReport {
  const { task, variant, metric, design } = input;
  const { table, left } = crossedTable(input);
  const found = table.length === 0 ? undefined : components(table);
  return {
    task: task.spec.name,
    variant,
    metric,
    design,
    samples: table.length,
    left,
    ms: found?.ms ?? {},
    parts: found === undefined ? [] : partsOf(found, table, design),
    ...(found === undefined ? { errors: [], bestDraws: null } : whatToBuy(input, found.components)),
  };
}

/** Values by sample, agent, user, re-run and judgement; samples with a gap are left out, since the design must be balanced. */
function crossedTable({ task, metric, design, crossed }: NoiseInput): {
  readonly table: CrossedValues;
  readonly left: readonly string[];
} {
  const read = readerOf(task, metric);
  const bySample = Map.groupBy(crossed, ({ trial }) => trial.sample);
  const table: number[][][][][] = [];
  const left: string[] = [];
  for (const [sample, trials] of bySample) {
    const cells = new Map(trials.map((one) => [`${one.agent} ${one.user} ${one.environment}`, one.trial]));
    let isWhole = read !== undefined;
    const values = upTo(design.agents, (agent) =>
      upTo(design.users, (user) =>
        upTo(design.environments, (environment) =>
          upTo(design.judges, (draw) => {
            const trial = cells.get(`${agent} ${user} ${environment}`);
            const own = trial?.scores.filter((score) => score.draw === draw) ?? [];
            const value = trial === undefined ? undefined : read?.([withScores(trial, own)]).value;
            isWhole &&= value !== undefined;
            return value ?? 0;
          }),
        ),
      ),
    );
    if (isWhole) table.push(values);
    else left.push(sample);
  }
  return { table, left };
}

const upTo = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at + 1));

const order: readonly NoiseSource[] = ["sample", "agent", "user", "interaction", "environment", "judge"];

/** Where what has no number of its own is in: what varies between all cells. */
function restOf({ agents, users, environments }: CrossedDesign): NoiseSource {
  if (environments > 1) return "environment";
  if (agents > 1 && users > 1) return "interaction";
  if (agents > 1) return "agent";
  return users > 1 ? "user" : "sample";
}

function shownSources(design: CrossedDesign): NoiseSource[] {
  const { agents, users, environments, judges } = design;
  const isShown: Readonly<Record<NoiseSource, boolean>> = {
    sample: true,
    agent: agents > 1,
    user: users > 1,
    interaction: agents > 1 && users > 1,
    environment: environments > 1,
    judge: judges > 1,
  };
  return order.filter((source) => isShown[source]);
}

function nameOf(source: NoiseSource, design: CrossedDesign): string {
  if (source !== restOf(design)) return source;
  const { agents, users, environments, judges, hasUser, hasJudge } = design;
  const within = [
    source,
    ...(agents === 1 && source === "sample" ? ["agent"] : []),
    ...(users === 1 && hasUser && source !== "environment" ? ["user"] : []),
    ...(environments === 1 ? ["environment"] : []),
    ...(judges === 1 && hasJudge ? ["judge"] : []),
  ];
  return [within.slice(0, -1).join(", "), within.at(-1)].filter((part) => part !== "").join(" and ");
}

function partsOf(found: Components, table: CrossedValues, design: CrossedDesign): NoisePart[] {
  const sources = shownSources(design);
  const intervals = componentIntervals(table);
  const sum = sources.reduce((all, source) => all + Math.max(0, found.components[source]), 0);
  return sources.map((source) => {
    const variance = found.components[source];
    const interval = intervals?.[source];
    return {
      source,
      name: nameOf(source, design),
      variance,
      low: interval?.low ?? null,
      high: interval?.high ?? null,
      share: sum === 0 ? 0 : Math.max(0, variance) / sum,
    };
  });
}

/** The standard error with what the set has, and with twice of each, with prices. */
function whatToBuy(
  { task, variant, design, drawCost }: NoiseInput,
  { judge, environment, interaction, agent, user, sample }: Components["components"],
): Pick<NoiseReport, "errors" | "bestDraws"> {
  const done = task.trials.filter((trial) => trial.variant === variant && trial.state === "done");
  const samples = new Set(done.map((trial) => trial.sample)).size;
  const { epochs } = task.spec;
  const draws = done.reduce(
    (most, { scores }) => scores.reduce((own, one) => Math.max(own, one.draw), most),
    1,
  );
  const positive = (value: number): number => Math.max(0, value);
  const within = positive(agent) + positive(user) + positive(interaction) + positive(environment);
  const costs = done.flatMap(({ costUsd }) => costUsd ?? []);
  const trialCost = costs.length === done.length && costs.length > 0 ? mean(costs) : null;
  const errorOf = (what: NoiseDesignError["what"], n: number, k: number, j: number): NoiseDesignError => ({
    what,
    samples: n,
    epochs: k,
    draws: j,
    se: expectedError({ n, k, j, sample: positive(sample), within, judge: positive(judge) }),
    costUsd: trialCost === null ? null : n * k * (trialCost + j * (drawCost ?? 0)),
  });
  const isWorthIt = within > 0 && judge > 0 && trialCost !== null && drawCost !== null && drawCost > 0;
  return {
    errors: [
      errorOf("now", samples, epochs, draws),
      errorOf("samples", 2 * samples, epochs, draws),
      errorOf("epochs", samples, 2 * epochs, draws),
      ...(design.judges > 1 ? [errorOf("draws", samples, epochs, 2 * draws)] : []),
    ],
    bestDraws: isWorthIt
      ? {
          value: bestDraws({ trial_cost: trialCost, draw_cost: drawCost, within, judge }),
          trialCost,
          drawCost,
        }
      : null,
  };
}
