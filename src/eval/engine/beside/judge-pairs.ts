/**
 * Outcomes of two sides judged beside each other: a judge of the task made with `pairwise` looks at both of each shared sample and
 * epoch, in both orders. Every judgement is a run of its own, so that none is paid for twice; nothing of the sets changes.
 */
import type { EvalSetRow } from "../../../durable/index.ts";
import { callRoles } from "../../../model/index.ts";
import { Dict, display, jsonParse, ScriptError, textOf, uncaughtText } from "../../../values/index.ts";
import { evalRegistry, roleStreams, streamSeed } from "../../plan/index.ts";
import type { SetSpec } from "../../sets/set-spec.ts";
import { mcnemar } from "../../stats/index.ts";
import { rulesOf } from "../governor.ts";
import { Governors } from "../governors.ts";
import type { TrialRun, TrialRuns } from "../ports.ts";
import { roleOptions } from "../role-options.ts";
import { type PlannedTrial, plannedTrials } from "../set-plan.ts";

interface PairedSide {
  readonly set: EvalSetRow;
  readonly variant: string;
  /** What people call it. */
  readonly label: string;
}

interface JudgePairsRequest {
  /** Of the program that has the judge. */
  readonly runs: TrialRuns;
  /** The set of that program. */
  readonly owner: EvalSetRow;
  readonly task: string;
  /** Name of the judge. */
  readonly judge: string;
  readonly a: PairedSide;
  readonly b: PairedSide;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Called before the first call with how many pairs there are. */
  readonly onPairs: (count: number) => void;
}

/** B against A, sample by sample. */
export interface JudgedPairs {
  readonly task: string;
  readonly judge: string;
  readonly a: string;
  readonly b: string;
  /** Samples on which B, A or neither is preferred. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** Pairs without a verdict, and the first reason. */
  readonly unscored: number;
  readonly why: string | null;
  /** McNemar's mid-p of wins and losses, and the exact one. */
  readonly p: number;
  readonly pExact: number;
  /** Stopped before all pairs were judged. */
  readonly isStopped: boolean;
}

/** Pairs that are judged side by side. */
const atOnce = 8;

interface TrialPair {
  readonly a: PlannedTrial;
  readonly b: PlannedTrial;
}

export async function judgePairs(request: JudgePairsRequest): Promise<JudgedPairs> {
  const { task, judge, a, b, signal } = request;
  const pairs = trialPairs(request);
  request.onPairs(pairs.length);
  const judged = new Judging(request);
  const sums = new Map<string, number>();
  let unscored = 0;
  let why: string | null = null;
  let isStopped = false;
  const queue = [...pairs];
  const work = async (): Promise<void> => {
    for (let pair = queue.shift(); pair !== undefined && !signal.aborted; pair = queue.shift()) {
      const said = await judged.prefer(pair);
      if (said === "stopped") isStopped = true;
      else if (typeof said === "string") {
        unscored++;
        why ??= said;
      } else sums.set(pair.a.key.sample, (sums.get(pair.a.key.sample) ?? 0) + said.points);
    }
    if (signal.aborted) isStopped = true;
  };
  const stop = (): void => judged.stop();
  signal.addEventListener("abort", stop, { once: true });
  await Promise.all(Array.from({ length: atOnce }, work));
  signal.removeEventListener("abort", stop);
  const points = [...sums.values()];
  const wins = points.filter((sum) => sum > 0).length;
  const losses = points.filter((sum) => sum < 0).length;
  const { p, p_exact: pExact } = mcnemar(losses, wins);
  const ties = points.length - wins - losses;
  return { task, judge, a: a.label, b: b.label, wins, losses, ties, unscored, why, p, pExact, isStopped };
}

/** Trials of both sides that are done, of the same sample with the same content and the same epoch. */
function trialPairs({ runs, task, a, b }: JudgePairsRequest): TrialPair[] {
  const done = ({ set, variant }: PairedSide): PlannedTrial[] =>
    plannedTrials(runs.store, set).filter(
      (trial) => trial.spec.name === task && trial.variant.name === variant && trial.row.state === "done",
    );
  const nameOf = (trial: PlannedTrial): string =>
    `${trial.key.sample}.${trial.key.epoch} ${trial.sample().digest}`;
  const others = new Map(done(b).map((trial) => [nameOf(trial), trial]));
  return done(a).flatMap((trial) => {
    const other = others.get(nameOf(trial));
    return other === undefined ? [] : [{ a: trial, b: other }];
  });
}

class Judging {
  private readonly request: JudgePairsRequest;
  private readonly governors: Governors;
  private readonly open = new Set<TrialRun>();

  constructor(request: JudgePairsRequest) {
    this.request = request;
    const { runs, random, owner } = request;
    const { options } = JSON.parse(owner.spec) as SetSpec;
    this.governors = new Governors({
      now: () => runs.monotonic(),
      sleep: (ms, signal) => runs.sleep(ms, signal),
      random,
      rules: rulesOf(options.connections),
      giveUpMs: options.giveUpMs,
      onChange: () => {},
      onSilent: () => this.stop(),
    });
  }

  stop(): void {
    for (const run of this.open) run.stop({ reason: "cancel", exitCode: 130, atOnce: true });
  }

  /** Points for B: 1, 0 or -1; why there is no verdict; or that it was stopped. */
  async prefer({ a, b }: TrialPair): Promise<{ readonly points: number } | string> {
    const { runs, owner, judge } = this.request;
    const { digest } = runs.store;
    const { options } = JSON.parse(owner.spec) as SetSpec;
    const [first, second] = [a, b].map(({ row }) => runs.store.piece(row.outcome) ?? "{}") as [
      string,
      string,
    ];
    // Another outcome, or another judge, is another run; scorings of a trial end so, too.
    const name = digest([owner.program, judge, first, second].join("\n")).slice(0, 12);
    const seedOf = (role: "agent" | "user" | "judge", stream: number | null): string =>
      streamSeed(digest, {
        seed: owner.seed,
        task: b.spec.name,
        sample: b.key.sample,
        role,
        stream: stream ?? b.row.epoch,
      });
    const run = runs.open({
      run: `${owner.name}.${b.row.id}.pair-${name}.score`,
      trial: b.row.id,
      address: `${owner.name}:${b.path}`,
      seed: seedOf("judge", null),
      resume: "where it stopped",
      models: {
        roles: {
          options: roleOptions(b.spec, b.variant, options.roles),
          booked: () => {},
          admit: async () => () => {},
        },
        wrap: (client) => this.governors.govern(client),
      },
    });
    this.open.add(run);
    try {
      const played = await run.play(async (task) => {
        const made = task.runtime.state(evalRegistry).tasks.get(b.spec.name)?.code.pairwise;
        const compare = made?.find((one) => one.name === judge)?.compare;
        if (compare === undefined) throw new Error(`the program has no judge ${judge} any more`);
        task.runtime.state(roleStreams).seedOf = seedOf;
        const leave = callRoles.enter(task, "judge");
        try {
          return await compare.call(task, [jsonParse(first), jsonParse(second), b.sample().body]);
        } catch (error) {
          if (error instanceof ScriptError) return Dict.of({ error: uncaughtText(error) });
          throw error;
        } finally {
          leave();
        }
      });
      if (played.kind === "stopped") return "stopped";
      if (played.kind === "broken") return played.message;
      return pointsOf(played.value instanceof Dict ? played.value : new Dict());
    } finally {
      this.open.delete(run);
    }
  }
}

function pointsOf(said: Dict): { readonly points: number } | string {
  const points = { A: -1, tie: 0, B: 1 }[textOf(said.get("preference") ?? "")];
  if (points !== undefined) return { points };
  const error = said.get("error") ?? null;
  if (error === null) return "it must give {preference}: A, B or tie";
  return display(error instanceof Dict ? (error.get("message") ?? error) : error);
}
