/**
 * Where the noise of a set comes from: a part of its samples crossed, each stream of the agent with each of the user, so many
 * re-runs of each cell, so many judgements of each re-run. The trials of the set are the diagonal (1,1), (2,2) … and are not run again.
 */
import type { EvalSetRow, EvalTrialRow } from "../../../durable/index.ts";
import { starMatches } from "../../../values/index.ts";
import { shuffledBySeed } from "../../plan/index.ts";
import type { EvalStore, NewRow } from "../../sets/eval-store.ts";
import { type PlannedTrial, plannedTrials } from "../set-plan.ts";
import { type CellStreams, cellOf, freeStream } from "../trial-streams.ts";
import { freshRow, identityLike } from "./trial-row.ts";

export interface NoiseDesign {
  /** Streams of the agent, streams of the user, re-runs of a cell, judgements of a re-run. */
  readonly agents: number;
  readonly users: number;
  readonly environments: number;
  readonly judges: number;
  /** Somebody is simulated, or was asked for: streams of the user are not those of the agent. */
  readonly hasUser: boolean;
}

export interface NoiseRequest {
  readonly samples: number;
  readonly design: (task: string) => NoiseDesign;
  /** Only tasks whose names fit. */
  readonly task: string | null;
}

export interface NoisePlan {
  /** In the order in which they are run: cell by cell, so that trials of a sample are far from each other. */
  readonly trials: readonly PlannedTrial[];
  /** The set's own trials of the same samples: what they drew is drawn again. */
  readonly sources: readonly PlannedTrial[];
}

/** Writes the rows that are missing. */
export function planNoise(store: EvalStore, set: EvalSetRow, request: NoiseRequest): NoisePlan {
  const own = plannedTrials(store, set).filter(
    ({ spec }) => request.task === null || starMatches(request.task, spec.name),
  );
  const chosen = noiseSamples(store, set, own, request.samples);
  const sources = own.filter(({ row }) => chosen.has(row.sample));
  const wanted = new Set<string>();
  const before = new Map(plannedTrials(store, set, "cross").map((trial) => [keyOf(trial.row), trial.row]));
  const fresh: NewRow[] = [];
  for (const cell of cells(sources, request)) {
    const key = keyOf(cell.row);
    if (wanted.has(key)) continue;
    wanted.add(key);
    if (!before.has(key))
      fresh.push({
        ...cell.row,
        digest: identityLike(store, set, cell.source, {
          epoch: cell.row.epoch,
          streams: { ...cellOf(cell.row) },
        }),
      });
  }
  store.insert("eval_trial", fresh);
  const trials = plannedTrials(store, set, "cross").filter(({ row }) => wanted.has(keyOf(row)));
  return { trials, sources };
}

const keyOf = ({ sample, variant, streams }: Pick<EvalTrialRow, "sample" | "variant" | "streams">): string =>
  `${sample} ${variant} ${streams}`;

/** Of each task the first so many in the order of the set's seed: more samples are these and others. */
function noiseSamples(
  store: EvalStore,
  set: EvalSetRow,
  trials: readonly PlannedTrial[],
  count: number,
): ReadonlySet<number> {
  const chosen = new Set<number>();
  for (const ofTask of Map.groupBy(trials, ({ spec }) => spec.name).values()) {
    const rows = new Map(ofTask.map(({ row, key }) => [key.sample, { id: key.sample, row: row.sample }]));
    for (const { row } of shuffledBySeed([...rows.values()], set.seed, store.digest).slice(0, count))
      chosen.add(row);
  }
  return chosen;
}

interface NoiseTrial {
  readonly row: Omit<EvalTrialRow, "id" | "digest">;
  readonly source: PlannedTrial;
}

/** Every cell of every sample and variant. A trial of the set that is done is the cell of its streams; only judges look at it again. */
function* cells(sources: readonly PlannedTrial[], { design }: NoiseRequest): Generator<NoiseTrial> {
  const first = sources
    .filter(({ row }) => row.epoch === 1)
    .map((source) => ({ source, design: design(source.spec.name) }));
  const done = new Map(
    sources.flatMap(({ row }) =>
      row.state === "done" ? [[`${row.sample} ${row.variant} ${row.epoch}`, row] as const] : [],
    ),
  );
  const most = (of: "agents" | "users" | "environments"): number =>
    Math.max(0, ...first.map((one) => one.design[of]));
  for (let environment = 1; environment <= most("environments"); environment++)
    for (let agent = 1; agent <= most("agents"); agent++)
      for (let user = 1; user <= most("users"); user++)
        for (const { source, design: of } of first) {
          if (agent > of.agents || user > of.users || environment > of.environments) continue;
          // Where there is no user, each trial of the set is the cell of its agent.
          const isOwn = environment === 1 && (agent === user || !of.hasUser);
          const { sample, variant } = source.row;
          const twin = isOwn ? done.get(`${sample} ${variant} ${agent}`) : undefined;
          const cell = { agent, user, environment };
          const judge = isOwn ? agent : freeStream(cell, 1);
          yield { source, row: cellRow(source.row, { ...cell, judge }, twin) };
        }
}

/** The row of a cell: to be run, or a trial of the set as it ended, which costs nothing again. */
function cellRow(of: EvalTrialRow, streams: CellStreams, twin: EvalTrialRow | undefined): NoiseTrial["row"] {
  const waiting = freshRow(of);
  const row =
    twin === undefined
      ? waiting
      : {
          ...waiting,
          state: "done",
          outcome: twin.outcome,
          faults: twin.faults,
          limit_hit: twin.limit_hit,
          turns: twin.turns,
        };
  return { ...row, epoch: streams.agent, kind: "cross", streams: JSON.stringify(streams) };
}
