/** One trial from its first effect to the transaction in which outcome, scores and the end of its journal become true. */
import { type Digest, type StopRequest, shape } from "../../effects/index.ts";
import { type Task, type Workspace, workspaces } from "../../interp/index.ts";
import type { ModelConfig } from "../../model/index.ts";
import { Dict, fromJson, jsonParse, type Value } from "../../values/index.ts";
import { canonicalJson } from "../plan/canonical-json.ts";
import { sampleLimits } from "../plan/dataset.ts";
import {
  combineDraws,
  evalRegistry,
  narrowed,
  type RegisteredTask,
  roleStreams,
  type Sample,
  type SandboxSpec,
  type Score,
  scoringContext,
  streamSeed,
  type TaskSpec,
  type TrialRole,
  type Variant,
} from "../plan/index.ts";
import type { Pieces } from "../sets/eval-store.ts";
import type { TrialEnds } from "../sets/trial-ends.ts";
import { worldOf } from "../world/index.ts";
import { outcomeOf } from "./outcome.ts";
import {
  type ForkStart,
  type Sandboxes,
  type SandboxFile,
  SandboxProblem,
  type TrialPlay,
  type TrialResume,
  type TrialRun,
  type TrialRuns,
} from "./ports.ts";
import { scoreBody, scoreTrial } from "./score-trial.ts";
import { cleanUp, type SolveRequest, type Solver, solve } from "./solve.ts";
import { askedOf } from "./solver-prompt.ts";
import type { TrialError } from "./trial-error.ts";
import type { TrialWaits } from "./trial-waits.ts";
import { TrialWatch } from "./trial-watch.ts";

/** Where a trial works: a folder of its own, here or in a container. */
export interface TrialFolder extends Workspace {
  /** The run that it has its name of. */
  readonly run: string;
  readonly keep: SandboxSpec["keep"];
}

export interface TrialJob {
  /** Row of the trial, and of its set. */
  readonly id: number;
  readonly set: number;
  /** Name of its run in the store; that of its scoring begins with it. */
  readonly run: string;
  /** `SET:TASK/VARIANT/SAMPLE.EPOCH` */
  readonly address: string;
  readonly spec: TaskSpec;
  readonly sample: Sample;
  readonly variant: Variant;
  readonly epoch: number;
  /** Of each role; ordinarily the epoch. */
  readonly stream: (role: "agent" | "user" | "judge") => number;
  /** Of the set. */
  readonly seed: string;
  readonly resume: TrialResume;
  /** Its sandbox; null: it works where the program does. */
  readonly folder: TrialFolder | null;
  readonly fork?: ForkStart;
  readonly replayOnly?: boolean;
  readonly withScores: boolean;
  /** Draws of judges, by scorer. */
  readonly draws: Readonly<Record<string, number>>;
  readonly as: Solver;
  /** The scorings that a replay goes through; a trial that is live has one. */
  readonly scorings?: readonly Scoring[];
  /** Of a crossed trial: the stream of the judge for the nth judgement. */
  readonly judgeStream?: (judgement: number) => number;
}

/** Scorers in a Runtime of theirs. */
export interface Scoring {
  /** Name of its run in the store, when it has effects. */
  readonly run: string;
  readonly scorers: TaskSpec["scorers"];
  /** Draws of judges, by scorer, where they are known: of a replay. */
  readonly draws?: Readonly<Record<string, number>>;
  /** Of these the scores are wanted; the others are only gone through. */
  readonly wanted?: ReadonlySet<string>;
  /** Number of the judgement: each scorer judges once, on this stream of the judge. */
  readonly judgement?: number;
}

export interface TrialMachinery {
  readonly runs: TrialRuns;
  /** What model calls of the trial go through. */
  readonly models: (
    watch: TrialWatch,
    job: TrialJob,
    run: () => TrialRun,
  ) => Pick<ModelConfig, "roles" | "wrap">;
  /** What of the trial's time is no work; absent where nothing happens. */
  readonly waits?: TrialWaits;
  /** Runs in progress: to stop them. */
  readonly open: Set<TrialRun>;
  /** Where it ends; absent where nothing of it is written. */
  readonly ends?: TrialEnds;
  /** Called before the trial asks for anything; what it gives ends the set, and the trial waits for that. */
  readonly refuses?: (task: Task, registered: RegisteredTask) => boolean;
  /** Called in the transaction that begins a journal of the trial, unless it ends in the same one. */
  readonly begun?: () => void;
}

export type TrialEnd =
  | {
      readonly kind: "done";
      readonly outcome: Dict;
      readonly scores: readonly Score[];
      /** Of the scoring; null when it had no effects. */
      readonly scoring: string | null;
      readonly watch: TrialWatch;
      readonly workingMs: number;
      readonly wallMs: number;
    }
  | {
      readonly kind: "errored";
      readonly error: TrialError;
      readonly outcome: Dict | null;
      readonly watch: TrialWatch;
    }
  | { readonly kind: "stopped"; readonly request: StopRequest; readonly watch: TrialWatch }
  | Extract<TrialPlay<never>, { kind: "broken" }>;

/**
 * Runs it. `finish` is called inside the transaction that ends its journal, with what it came to; it writes the rows. It is not
 * called for a trial that was stopped or broken off, whose journal goes on from there.
 */
export async function runTrial(
  machinery: TrialMachinery,
  job: TrialJob,
  finish: (end: TrialEnd, run: string | null) => void,
): Promise<TrialEnd> {
  const { runs, ends } = machinery;
  let end: TrialEnd | undefined;
  const limits = narrowed(job.spec.limits, sampleLimits(job.spec.name, job.sample.body));
  const watch = new TrialWatch(limits);
  const run: TrialRun = runs.open({
    run: job.run,
    trial: job.id,
    address: job.address,
    seed: streamSeed(runs.store.digest, {
      seed: job.seed,
      task: job.spec.name,
      sample: job.sample.id,
      role: "agent",
      stream: job.stream("agent"),
    }),
    resume: job.resume,
    ...(job.replayOnly === undefined ? {} : { replayOnly: job.replayOnly }),
    fork: job.fork,
    waits: machinery.waits,
    models: machinery.models(watch, job, () => run),
    cwd: job.folder?.cwd,
    sandbox: job.folder?.run,
    beginning: () => {
      if (end === undefined) machinery.begun?.();
    },
    ending:
      ends === undefined
        ? undefined
        : (write) =>
            ends.end(() => {
              write();
              if (end?.kind === "done" || end?.kind === "errored") finish(end, run.recordedAs());
            }),
  });
  machinery.open.add(run);
  try {
    const played = await run.play(async (task) => {
      end = withoutSecrets(run, await playTrial(task, machinery, job, watch, limits));
      // One that waits for nothing, and for no transaction, would keep the process to itself.
      if (ends === undefined) await task.runtime.effects.turns.hold(runs.steady());
      return end;
    });
    switch (played.kind) {
      case "ended":
        return played.value;
      case "stopped":
        return { kind: "stopped", request: played.request, watch };
      case "broken":
        return played;
    }
  } finally {
    machinery.open.delete(run);
  }
}

/** What the store keeps of it: nothing that a trial left shows a secret, and a replay without the secrets leaves the same. */
function withoutSecrets(run: TrialRun, end: TrialEnd): TrialEnd {
  if (end.kind === "done") return { ...end, outcome: hiddenDict(run, end.outcome) };
  if (end.kind !== "errored") return end;
  const error = { ...end.error, message: run.hidden(end.error.message) };
  return { ...end, error, outcome: end.outcome === null ? null : hiddenDict(run, end.outcome) };
}

function hiddenDict(run: TrialRun, value: Dict): Dict {
  const text = canonicalJson(value);
  const hidden = run.hidden(text);
  return hidden === text ? value : (jsonParse(hidden) as Dict);
}

const hiddenScores = (run: TrialRun, scores: readonly Score[]): Score[] =>
  scores.map((score) => ({
    ...score,
    label: score.label === null ? null : run.hidden(score.label),
    why: score.why === null ? null : run.hidden(score.why),
    answer: hiddenDict(run, Dict.of({ answer: score.answer })).get("answer") ?? null,
    meta: score.meta === null ? null : hiddenDict(run, score.meta),
    error: score.error === null ? null : { ...score.error, message: run.hidden(score.error.message) },
  }));

async function playTrial(
  task: Task,
  machinery: TrialMachinery,
  job: TrialJob,
  watch: TrialWatch,
  limits: SolveRequest["limits"],
): Promise<TrialEnd> {
  const { runs } = machinery;
  const registered = task.runtime.state(evalRegistry).tasks.get(job.spec.name);
  if (registered === undefined) {
    const message = `the program has no task ${job.spec.name}`;
    return { kind: "errored", error: { category: "harness", message }, outcome: null, watch };
  }
  if (job.withScores && machinery.refuses?.(task, registered) === true)
    return await new Promise<never>(() => {});
  task.runtime.state(roleStreams).seedOf = seedsOf(runs.store.digest, job);
  task.runtime.state(scoringContext).task = job.spec.name;
  const began = runs.monotonic();
  const waited = machinery.waits?.since();
  const request: SolveRequest = {
    as: job.as,
    registered,
    sample: job.sample,
    variant: job.variant,
    epoch: job.epoch,
    address: job.address,
    limits,
    sandbox: job.folder?.cwd ?? null,
    waits: machinery.waits,
  };
  const leave = job.folder === null ? () => {} : workspaces.enter(task, job.folder);
  const solved = await solve(task, request, watch);
  const cleaned = await cleanUp(task, request);
  leave();
  const lost = lostSandbox(runs, job);
  const looked =
    job.folder === null || lost !== null
      ? { files: null, error: lost }
      : await sandboxLook(task, runs.sandboxes, job.folder);
  const error = looked.error ?? solved.error ?? cleaned;
  const wallMs = Math.round(runs.monotonic() - began);
  const workingMs = Math.max(0, Math.round(wallMs - (waited?.ms ?? 0)));
  const outcome = outcomeOf(
    task,
    {
      sample: job.sample.id,
      variant: job.variant.name,
      epoch: job.epoch,
      result: solved.result,
      input: askedOf(registered.code.solver, job.sample.body),
      world: worldOf(task.runtime).value,
      files: looked.files,
      error,
      workingMs,
      wallMs,
    },
    watch,
  );
  if (error !== null) return { kind: "errored", error, outcome, watch };
  if (!job.withScores) return { kind: "done", outcome, scores: [], scoring: null, watch, workingMs, wallMs };
  const scorings = job.scorings ?? [{ run: scoringName(job), scorers: scorersFor(job, registered.spec) }];
  const scores: Score[] = [];
  let recorded: string | null = null;
  for (const one of scorings) {
    const scored = await task.runtime.effects.turns.hold(scoreOutcome(machinery, job, outcome, one, watch));
    if (scored.kind !== "ended") return scored.end;
    scores.push(...wantedScores(one, scored.scores));
    recorded ??= scored.run;
  }
  const lostThen = lostSandbox(runs, job);
  if (lostThen !== null) return { kind: "errored", error: lostThen, outcome, watch };
  return { kind: "done", outcome, scores, scoring: recorded, watch, workingMs, wallMs };
}

/** The run of the first scoring of a trial, or of a later one. */
export const scoringName = ({ run }: Pick<TrialJob, "run">, version = 1): string =>
  `${run}.score${version === 1 ? "" : version}`;

/** What a scoring says; of a judgement each scorer's draws are one. */
export function wantedScores({ wanted, judgement }: Scoring, scores: readonly Score[]): Score[] {
  const own = scores.filter(({ scorer }) => wanted?.has(scorer) !== false);
  if (judgement === undefined) return own;
  return [...Map.groupBy(own, ({ scorer }) => scorer).values()].map((draws) => {
    const [first] = draws as [Score];
    return { ...first, ...combineDraws(draws), draw: judgement };
  });
}

/** So many judgements of an outcome, each on a stream of its own. */
export function judgements(
  job: Pick<TrialJob, "run">,
  scorers: TaskSpec["scorers"],
  count: number,
  version = 1,
): Scoring[] {
  const draws = Object.fromEntries(scorers.map(({ name }) => [name, 1]));
  return Array.from({ length: count }, (_, at) => ({
    run: scoringName(job, (version - 1) * count + at + 1),
    scorers,
    draws,
    judgement: at + 1,
  }));
}

/** The job as a scoring sees it. */
function scoringJob(job: TrialJob, { judgement }: Scoring): TrialJob {
  if (judgement === undefined || job.judgeStream === undefined) return job;
  const stream = job.judgeStream(judgement);
  return { ...job, stream: (role) => (role === "judge" ? stream : job.stream(role)) };
}

/** A container that is gone says nothing about the agent. */
function lostSandbox({ sandboxes }: TrialRuns, { folder }: TrialJob): TrialError | null {
  const message = folder === null ? null : sandboxes.lost(folder.run);
  return message === null ? null : { category: "environment", message };
}

interface WorkspaceFiles {
  readonly files: Value;
  readonly error: TrialError | null;
}

const sandboxFileShape = shape.record<SandboxFile>({
  path: shape.text,
  digest: shape.orNull(shape.text),
  bytes: shape.count,
  text: shape.optional(shape.text),
  base64: shape.optional(shape.text),
});

/** What the trial left in its sandbox, recorded: a replay has no folder. */
async function sandboxLook(
  task: Task,
  sandboxes: Sandboxes,
  { run, keep }: TrialFolder,
): Promise<WorkspaceFiles> {
  const found = await task.perform<readonly SandboxFile[] | string>({
    effect: "observe",
    kind: "eval.sandbox",
    args: () => ({ keep }),
    run: async () => {
      try {
        return await sandboxes.files(run, keep);
      } catch (error) {
        if (error instanceof SandboxProblem) return error.message;
        throw error;
      }
    },
    result: shape.either(shape.listOf(sandboxFileShape), shape.text),
  });
  return typeof found === "string"
    ? { files: null, error: { category: "environment", message: found } }
    : { files: fromJson(found as never), error: null };
}

/** Checks of a task ask no model. */
const scorersFor = ({ as }: TrialJob, { scorers }: TaskSpec): TaskSpec["scorers"] =>
  as === "solver" ? scorers : scorers.filter(({ needs }) => !needs.includes("model"));

export type ScoringResult =
  | { readonly kind: "ended"; readonly scores: readonly Score[]; readonly run: string | null }
  | { readonly kind: "not"; readonly end: TrialEnd };

const judgeSeed = (digest: Parameters<typeof streamSeed>[0], job: TrialJob): string =>
  streamSeed(digest, {
    seed: job.seed,
    task: job.spec.name,
    sample: job.sample.id,
    role: "judge",
    stream: job.stream("judge"),
  });

/** The scorers that are wanted, over an outcome. */
async function scoreOutcome(
  machinery: TrialMachinery,
  trial: TrialJob,
  outcome: Dict,
  scoring: Scoring,
  watch: TrialWatch,
): Promise<ScoringResult> {
  const job = scoringJob(trial, scoring);
  const { runs, open } = machinery;
  const seed = judgeSeed(runs.store.digest, job);
  const run: TrialRun = runs.open({
    run: scoring.run,
    trial: job.id,
    address: job.address,
    seed,
    resume:
      job.resume === "where it failed" || job.resume === "where it waited" ? "where it stopped" : job.resume,
    ...(job.replayOnly === undefined ? {} : { replayOnly: job.replayOnly }),
    models: machinery.models(watch, job, () => run),
    waits: machinery.waits,
    cwd: job.folder?.cwd,
    sandbox: job.folder?.run,
    beginning: machinery.begun,
  });
  open.add(run);
  try {
    const played = await scoreTrial(run, {
      task: job.spec.name,
      scorers: scoring.scorers,
      draws: scoring.draws ?? job.draws,
      outcome,
      sample: job.sample,
      seed,
      seedOf: seedsOf(runs.store.digest, job),
      folder: job.folder,
    });
    if (played.kind === "ended")
      return { kind: "ended", scores: hiddenScores(run, played.value), run: run.recordedAs() };
    const { kind } = played;
    return { kind: "not", end: kind === "stopped" ? { kind, request: played.request, watch } : played };
  } finally {
    open.delete(run);
  }
}

/** The same over an outcome as the store has it. */
export function scoreStored(
  machinery: TrialMachinery,
  job: TrialJob,
  stored: Dict,
  scoring: Scoring,
  watch: TrialWatch,
): Promise<ScoringResult> {
  const outcome = jsonParse(machinery.runs.revealed(canonicalJson(stored))) as Dict;
  return scoreOutcome(machinery, job, outcome, scoring, watch);
}

/** The seeds of a trial's roles: each has a stream of its own, ordinarily the epoch. */
const seedsOf =
  (digest: Digest, job: TrialJob) =>
  (role: TrialRole, stream: number | null): string =>
    streamSeed(digest, {
      seed: job.seed,
      task: job.spec.name,
      sample: job.sample.id,
      role,
      stream: stream ?? job.stream(role),
    });

/** The outcome as the store keeps it. */
export const outcomeText = (outcome: Dict): string => canonicalJson(outcome);

/** Rows of scores, with their large parts. */
export function scoreRows(
  scores: readonly Score[],
  of: {
    readonly set: number;
    readonly trial: number;
    readonly run: string | null;
    readonly version: (scorer: string) => number;
  },
  pieces: Pieces,
): { readonly table: "eval_score"; readonly row: { readonly [column: string]: string | number | null } }[] {
  return scores.map((score) => ({
    table: "eval_score",
    row: {
      eval_set: of.set,
      trial: of.trial,
      scorer: score.scorer,
      version: of.version(score.scorer),
      draw: score.draw,
      value: score.value,
      pass: score.pass === null ? null : Number(score.pass),
      label: score.label,
      body: pieces.keep(scoreBody(score)),
      run: of.run,
      cost: 0,
    },
  }));
}
