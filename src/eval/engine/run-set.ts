/**
 * Running a set: its trials in the planned order, so many at once, until all are done, somebody stops it, or something makes it
 * pause. What is true is in the store after every trial, so that a process that dies costs at most the calls in flight.
 */
import type { EvalScoreRow, EvalSetRow, EvalTrialRow } from "../../durable/index.ts";
import type { StopRequest } from "../../effects/index.ts";
import { type ModelConfig, type Projection, type RoleRules, roleOf } from "../../model/index.ts";
import { type Dict, jsonParse, ScriptError, textOf, toJson } from "../../values/index.ts";
import { evalMessage } from "../eval-error.ts";
import { canonicalJson } from "../plan/canonical-json.ts";
import {
  type Fault,
  roleStreams,
  type Score,
  sandboxFiles,
  sandboxFor,
  successOfScores,
  type TaskSpec,
} from "../plan/index.ts";
import { type EvalStore, Pieces } from "../sets/eval-store.ts";
import { oraclesCost } from "../sets/read-set.ts";
import type { SetSpec } from "../sets/set-spec.ts";
import { TrialEnds } from "../sets/trial-ends.ts";
import { blameOf, faultsOf, faultsText, redoneFor, redoneIn } from "../users/index.ts";
import { Draws } from "./draws.ts";
import type { GovernorRules } from "./governor.ts";
import { type GovernedFigures, Governors } from "./governors.ts";
import { withoutTimes } from "./outcome.ts";
import { OwnJudges } from "./own-judges.ts";
import {
  type ForkStart,
  type SandboxFile,
  SandboxProblem,
  type SandboxRequest,
  type TrialRun,
  type TrialRuns,
} from "./ports.ts";
import { receiptOf } from "./receipt.ts";
import { roleOptions } from "./role-options.ts";
import { scoresText } from "./score-trial.ts";
import { SetBudget } from "./set-budget.ts";
import { type PlannedTrial, plannedTrials } from "./set-plan.ts";
import { SetRaces } from "./set-races.ts";
import type { Solver } from "./solve.ts";
import type { ErrorCategory } from "./trial-error.ts";
import {
  judgements,
  outcomeText,
  runTrial,
  scoreRows,
  scoreStored,
  scoringName,
  type TrialEnd,
  type TrialJob,
  type TrialMachinery,
  wantedScores,
} from "./trial-job.ts";
import { judgeStreamOf, storedFaults, streamsOf } from "./trial-streams.ts";
import { TrialWatch } from "./trial-watch.ts";

/** How a set ended. `paused` goes on with `resume`. */
export interface SetEnd {
  readonly set: EvalSetRow;
  readonly state: "done" | "incomplete" | "paused" | "waiting" | "stopped" | "failed";
  readonly why: string | null;
  /** 0, 2 (wrong task or configuration), 5 (not complete), 75 (waits for a person), 130 … of a signal. */
  readonly exitCode: number;
}

export interface SetProgress {
  readonly done: number;
  readonly errored: number;
  readonly total: number;
  readonly running: readonly { readonly path: string; readonly since: number }[];
  readonly spentUsd: number;
  readonly limitUsd: number | null;
  readonly connections: readonly GovernedFigures[];
}

export interface RunSetRequest {
  readonly runs: TrialRuns;
  readonly set: EvalSetRow;
  /** Trials that are followed under a changed program first. */
  readonly follow?: ReadonlySet<number>;
  /** Told after every change. */
  readonly onProgress?: (progress: SetProgress, ended: PlannedTrial | null) => void;
  /** Told once of what does not stop the set, and is most likely not meant. */
  readonly onWarning?: (text: string) => void;
  /** Aborted when somebody wants the set to stop; its reason is a `StopRequest`. */
  readonly signal?: AbortSignal;
  /** From 0 to 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Only scores are made, anew: of these scorers, or of all. The scores that there are stay as older versions. */
  readonly rescore?: { readonly scorers: readonly string[] | null };
  /** Who does the trials; the task's solver unless said otherwise. */
  readonly as?: Solver;
  /** Whether a trial is among those asked for; the others stay as they are. Absent: all are. */
  readonly isAsked?: (trial: PlannedTrial) => boolean;
  /** Other trials than the set's own: nothing of the set itself changes. */
  readonly beside?: TrialsBeside;
}

/** Trials beside those of the set, with money of their own. */
export interface TrialsBeside {
  readonly trials: readonly PlannedTrial[];
  /** How often each scorer judges a trial; undefined: as the task has it. */
  readonly judgements?: number;
  /** US dollars, what was spent on them before included; null: no limit. */
  readonly costUsd: number | null;
  /** What one trial of a sample draws, the next one finds: they run one after the other. Absent: nothing is drawn again. */
  readonly draw?: (trial: PlannedTrial, job: TrialJob) => NonNullable<RoleRules["draw"]>;
  /** Of trials that begin in another run. */
  readonly fork?: (trial: PlannedTrial) => TrialFork;
}

export interface TrialFork {
  readonly start: ForkStart;
  /** What calls of the agent use from the step on, whatever they name. */
  readonly forced: Dict;
}

/** Runs what is left of a set. The caller holds its lease. */
export function runSet(request: RunSetRequest): Promise<SetEnd> {
  return new SetRun(request).run();
}

const interrupted: StopRequest = { reason: "cancel", exitCode: 5, atOnce: true };

class SetRun {
  private readonly request: RunSetRequest;
  private readonly runs: TrialRuns;
  private readonly store: EvalStore;
  private spec: SetSpec;
  private readonly open = new Set<TrialRun>();
  private readonly money: SetBudget;
  private readonly tokens: SetBudget;
  private readonly governors: Governors;
  private readonly judges: OwnJudges;
  private readonly races: SetRaces;
  private readonly draws: Draws;
  private readonly ends: TrialEnds;
  /** Trials that have scores in the store. */
  private readonly scoredBefore = new Set<number>();
  private readonly trials: readonly PlannedTrial[];
  private readonly running = new Map<number, { readonly trial: PlannedTrial; readonly since: number }>();
  private readonly waits = new Map<number, number>();
  /** Finished costs by variant, for what a trial without a limit may cost. */
  private readonly costs = new Map<string, number[]>();
  /** Calls that the set can't pay now. */
  private readonly unpaid = new Set<() => void>();
  private readonly blocked = new Set<number>();
  private readonly firstErrors = new Map<string, string[]>();
  private next = 0;
  private stopping:
    | { readonly state: SetEnd["state"]; readonly why: string | null; readonly exitCode: number }
    | undefined;
  private set: EvalSetRow;
  private wake: () => void = () => {};

  constructor(request: RunSetRequest) {
    this.request = request;
    this.runs = request.runs;
    this.store = request.runs.store;
    this.set = request.set;
    this.spec = JSON.parse(request.set.spec) as SetSpec;
    const { beside } = request;
    this.trials = beside?.trials ?? plannedTrials(this.store, request.set);
    const isOrdinary = beside === undefined && request.rescore === undefined;
    this.races = new SetRaces(this.store, request.set, isOrdinary ? this.trials : []);
    for (const { state } of this.trials) this.count(state, 1);
    this.ends = new TrialEnds(this.store, () => this.runs.steady());
    this.draws = new Draws(this.store, () => this.runs.now());
    const { options } = this.spec;
    this.money = new SetBudget(beside === undefined ? options.costUsd : beside.costUsd, this.spentBefore());
    this.tokens = new SetBudget(beside === undefined ? options.tokens : null, this.tokensBefore());
    for (const budget of [this.money, this.tokens]) budget.changed = () => this.tryAgain();
    this.restAll();
    this.judges = new OwnJudges((judge) => request.onWarning?.(evalMessage("HARN-EVL-031", { judge })));
    this.governors = new Governors({
      now: () => this.runs.monotonic(),
      sleep: (ms, signal) => this.runs.sleep(ms, signal),
      random: request.random,
      rules: rulesOf(options.connections),
      giveUpMs: options.giveUpMs,
      onChange: (provider, step) =>
        void this.store.insert("eval_limit", [
          {
            eval_set: this.set.id,
            at: this.runs.now(),
            provider,
            old: step.old,
            new: step.new,
            reason: step.reason,
          },
        ]),
      onSilent: (provider) =>
        this.stop(
          "paused",
          evalMessage("HARN-EVL-021", { name: provider, time: minutes(options.giveUpMs) }),
          5,
        ),
    });
  }

  /** What races have changed is not in the store yet. */
  private restAll(): void {
    if (this.request.beside !== undefined) return;
    for (const trial of this.trials) if (trial.spec.race === null) trial.rest();
  }

  async run(): Promise<SetEnd> {
    const { signal } = this.request;
    if (this.request.beside === undefined)
      this.set = this.store.changeSet(this.set, { state: "running", why: null, ended: null, receipt: null });
    signal?.addEventListener("abort", () => this.interrupted(signal.reason as StopRequest), { once: true });
    if (signal?.aborted === true) this.interrupted(signal.reason as StopRequest);
    const timer = this.watchTime();
    const tuning = new AbortController();
    void this.watchTuning(tuning.signal);
    try {
      if (await this.hasContainers()) await this.runAll();
    } finally {
      timer?.abort();
      tuning.abort();
    }
    return this.ended();
  }

  /** Nothing is run when trials need containers and there are none. What a killed process has left is gone then. */
  private async hasContainers(): Promise<boolean> {
    const inContainers = this.trials.filter(({ spec }) => spec.sandbox?.container !== undefined);
    if (inContainers.length === 0) return true;
    const unfinished = inContainers.filter((trial) => !this.isSettled(trial));
    const resumed = unfinished.flatMap(({ row }) => this.runs.newestOf(row.id) ?? []);
    try {
      const [first] = unfinished;
      if ((await this.runs.sandboxes.ready(this.set.name, resumed)) || first === undefined) return true;
      this.stop("failed", evalMessage("HARN-EVL-014", { name: first.spec.name }), 2);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      this.stop("failed", textOf(error.value), 2);
    }
    return false;
  }

  /** As many trials at once as are allowed; each that ends lets the next begin. */
  private async runAll(): Promise<void> {
    while (this.stopping === undefined || this.running.size > 0) {
      const started = this.stopping === undefined && this.startNext();
      if (started) continue;
      if (this.running.size === 0) {
        if (this.next < this.trials.length && this.stopping === undefined) this.outOfMoney(this.money);
        return;
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private startNext(): boolean {
    if (this.running.size >= this.spec.options.trials) return false;
    while (this.next < this.trials.length && this.isSettled(this.trials[this.next] as PlannedTrial))
      this.next++;
    const trial = this.trials[this.next];
    if (trial === undefined) return false;
    if (this.request.beside?.draw !== undefined && this.isSampleAtWork(trial)) return false;
    if (this.money.limit !== null && !this.money.open(accountOf(trial), this.allotmentOf(trial)))
      return false;
    this.next++;
    this.running.set(trial.id, { trial, since: this.runs.monotonic() });
    this.count(trial.state, -1);
    void this.runOne(trial).then(
      () => this.left(trial),
      (error) => {
        this.stop("failed", error instanceof Error ? (error.stack ?? error.message) : String(error), 2);
        this.left(trial);
      },
    );
    return true;
  }

  /** What one trial of a sample draws, the next one finds: they do not run side by side. */
  private isSampleAtWork({ row }: PlannedTrial): boolean {
    return [...this.running.values()].some(({ trial }) => trial.row.sample === row.sample);
  }

  private isSettled(trial: PlannedTrial): boolean {
    const { state } = trial;
    if (this.request.isAsked?.(trial) === false) return true;
    if (this.request.rescore !== undefined) return state !== "done";
    if (state === "skipped") return true;
    // What checks the task has no scores of models.
    if (state === "done" && this.request.as === "oracle") return true;
    return state === "done" && !(this.spec.options.withScores && this.missingScorers(trial).length > 0);
  }

  /** The most draws of each scorer, by trial. */
  private scored: Map<number, Map<string, number>> | undefined;

  /** Scorers of a finished trial that have not said anything yet, or not often enough. */
  private missingScorers({ id, spec }: PlannedTrial): TaskSpec["scorers"] {
    const { rescore, beside } = this.request;
    if (rescore !== undefined)
      return spec.scorers.filter(({ name }) => rescore.scorers?.includes(name) !== false);
    if (this.scored === undefined) {
      this.scored = new Map();
      for (const { trial, scorer, draw } of this.store.scores(this.set.id))
        this.noteScored(trial, scorer, draw);
    }
    const known = this.scored.get(id);
    return spec.scorers.filter(({ name }) => (known?.get(name) ?? 0) < (beside?.judgements ?? 1));
  }

  private noteScored(trial: number, scorer: string, draw: number): void {
    const known = this.scored?.get(trial) ?? new Map<string, number>();
    this.scored?.set(trial, known.set(scorer, Math.max(known.get(scorer) ?? 0, draw)));
  }

  /** Trials by state, kept as they change: a set may have a million. */
  private readonly counts = { done: 0, errored: 0 };

  private count(state: string, by: 1 | -1): void {
    if (state === "done" || state === "errored") this.counts[state] += by;
  }

  private left(trial: PlannedTrial): void {
    this.running.delete(trial.id);
    this.count(trial.state, 1);
    this.blocked.delete(trial.id);
    this.waits.delete(trial.id);
    this.money.close(accountOf(trial));
    this.tokens.close(accountOf(trial));
    this.request.onProgress?.(this.progress(), trial);
    if (this.request.beside === undefined) trial.rest();
    this.wake();
  }

  progress(): SetProgress {
    return {
      done: this.counts.done,
      errored: this.counts.errored,
      total: this.trials.length,
      running: [...this.running.values()].map(({ trial, since }) => ({ path: trial.path, since })),
      spentUsd: this.money.spent,
      limitUsd: this.money.limit,
      connections: this.governors.figures(),
    };
  }

  // ── a trial ───────────────────────────────────────────────────────────────────────────────────────────────────

  private async runOne(trial: PlannedTrial): Promise<void> {
    if (trial.row.state === "done") {
      await this.scoreOnly(trial);
      return;
    }
    const replaysFirst = this.request.follow?.has(trial.row.id) === true;
    const retries = this.spec.options.retries ?? trial.spec.retries.max;
    let resume: TrialJob["resume"] = this.resumeOf(trial, replaysFirst);
    for (let retry = 0; ; retry++) {
      const end = await this.attempt(trial, resume);
      if (end.kind === "done" && trial.row.state === "pending") {
        // Given up for a fault of its user: with another stream of it, from the start.
        resume = "no";
        retry = -1;
        continue;
      }
      if (end.kind !== "errored") {
        this.afterEnd(trial, end);
        return;
      }
      const { category } = end.error;
      const isAgain =
        category !== "config" && (trial.spec.retries.on as readonly ErrorCategory[]).includes(category);
      if (!isAgain || retry >= retries || this.stopping !== undefined) {
        this.afterEnd(trial, end);
        return;
      }
      resume = trial.spec.retries.fresh ? "no" : "where it failed";
    }
  }

  private resumeOf({ row }: PlannedTrial, replaysFirst: boolean): TrialJob["resume"] {
    if (replaysFirst) return "under a new program";
    if (row.attempts === 0) return "no";
    if (row.state === "errored") return "where it failed";
    return row.state === "pending" ? "no" : "where it stopped";
  }

  private async attempt(trial: PlannedTrial, resume: TrialJob["resume"]): Promise<TrialEnd> {
    const { row } = trial;
    const began = this.runs.now();
    const resumes = resume === "where it stopped" && row.attempts > 0;
    const attempts = resumes ? row.attempts : row.attempts + 1;
    let job = this.jobOf(trial, resume, attempts);
    try {
      job = await this.inSandbox(trial, job);
    } catch (error) {
      if (!(error instanceof SandboxProblem)) throw error;
      trial.row = { ...row, attempts, began: row.began ?? began };
      return this.withoutSandbox(trial, error.message, began);
    }
    trial.row = { ...row, state: "running", attempts, began: row.began ?? began };
    let isNoted = false;
    const note = (): void => {
      if (!isNoted) this.noteRunning(trial, began);
      isNoted = true;
    };
    // What begins anew leaves nothing behind before its first effect.
    if (resume !== "no" || job.folder !== null) note();
    const machinery = { ...this.machinery(trial), ends: this.ends, begun: note };
    const end = await runTrial(machinery, job, (ended, run) => this.write(trial, ended, run, began));
    const { sandboxes } = this.runs;
    const lost = job.folder === null ? null : sandboxes.lost(job.folder.run);
    if (end.kind === "stopped" && lost !== null) return this.withoutSandbox(trial, lost, began);
    if (end.kind === "stopped" || end.kind === "broken") this.noteUnfinished(trial, end, began);
    if (job.folder !== null)
      await (end.kind === "done" ? sandboxes.remove(job.run) : sandboxes.rest(job.run));
    return end;
  }

  private noteRunning(trial: PlannedTrial, began: number): void {
    const { row } = trial;
    this.store.write([
      { table: "eval_trial", row: { ...row } },
      {
        table: "eval_attempt",
        row: {
          trial: row.id,
          n: row.attempts,
          run: null,
          state: "running",
          error: null,
          category: null,
          began,
          ended: null,
        },
      },
    ]);
  }

  /** The trial has no sandbox, or not any more: an error of the environment, with what was spent. */
  private withoutSandbox(trial: PlannedTrial, message: string, began: number): TrialEnd {
    const end: TrialEnd = {
      kind: "errored",
      error: { category: "environment", message },
      outcome: null,
      watch: new TrialWatch(trial.spec.limits),
    };
    this.write(trial, end, this.runs.newestOf(trial.row.id) ?? null, began);
    return end;
  }

  private jobOf(trial: PlannedTrial, resume: TrialJob["resume"], attempt: number): TrialJob {
    const { row } = trial;
    // What goes on has the name that it began with.
    const fresh = resume === "no" ? attempt : 1;
    const run = this.runNameOf(trial, fresh);
    const { beside } = this.request;
    return {
      id: row.id,
      set: this.set.id,
      run,
      ...(beside?.fork === undefined ? {} : { fork: beside.fork(trial).start }),
      ...(beside?.judgements === undefined
        ? {}
        : {
            scorings: judgements({ run }, trial.spec.scorers, beside.judgements),
            judgeStream: judgeStreamOf(row),
          }),
      address: `${this.set.name}:${trial.path}`,
      spec: trial.spec,
      sample: trial.sample(),
      variant: trial.variant,
      epoch: row.epoch,
      stream: streamsOf(row),
      seed: this.set.seed,
      resume,
      withScores: this.spec.options.withScores,
      draws: this.spec.options.draws ?? {},
      as: this.request.as ?? "solver",
      folder: null,
    };
  }

  /** With the folder that it works in. What goes on without it would go on with other files: it begins anew. */
  private async inSandbox(trial: PlannedTrial, job: TrialJob): Promise<TrialJob> {
    const request = this.sandboxRequest(trial);
    if (request === null) return job;
    const { sandboxes } = this.runs;
    const isThere = job.resume !== "no" && sandboxes.isThere(job.run);
    const fresh = isThere ? job : this.jobOf(trial, "no", trial.row.attempts + 1);
    // What was begun before is given up.
    if (!isThere && fresh.run !== job.run) await sandboxes.remove(job.run);
    await (isThere ? sandboxes.wake(job.run, request.task) : sandboxes.make(fresh.run, request));
    return this.workingIn(fresh, fresh.run, request);
  }

  private workingIn(job: TrialJob, run: string, { spec }: SandboxRequest): TrialJob {
    return { ...job, folder: { run, cwd: this.runs.sandboxes.place(run), env: spec.env, keep: spec.keep } };
  }

  private sandboxRequest(trial: PlannedTrial): SandboxRequest | null {
    const { name, sandbox } = trial.spec;
    const spec = sandbox === null ? null : sandboxFor(trial.spec, trial.sample().body);
    if (spec === null) return null;
    const files = sandboxFiles(name, trial.sample().body.get("files") ?? null, "files");
    return { set: this.set.name, task: name, spec, files };
  }

  /** The run that a trial goes on in: the newest of it that there is. */
  private runNameOf(trial: PlannedTrial, attempt: number): string {
    const base = `${this.set.name}.${trial.row.id}`;
    const { attempts } = trial.row;
    if (attempts === 0) return base;
    const known = this.runs.newestOf(trial.row.id);
    // The attempt that was begun after one that was given up may have died before its first effect.
    if (attempt === 1 && known !== undefined && storedFaults(trial.row).length > 0 && attempts > 1)
      return attemptOf(known) < attempts && this.isAbandoned(trial, attemptOf(known))
        ? `${base}~${attempts}`
        : known;
    if (attempt === 1 && known !== undefined) return known;
    return attempt === 1 ? base : `${base}~${attempt}`;
  }

  private isAbandoned({ row }: PlannedTrial, attempt: number): boolean {
    return this.store.attempts(row.id).some(({ n, state }) => n === attempt && state === "redone");
  }

  private machinery(trial: PlannedTrial): TrialMachinery {
    return {
      runs: this.runs,
      open: this.open,
      waited: (id) => this.waits.get(id) ?? 0,
      waits: (id, ms) => void this.waits.set(id, (this.waits.get(id) ?? 0) + ms),
      models: (watch, job, run) => this.modelsOf(trial, watch, job, run),
    };
  }

  /** What model calls of a trial go through: options of roles and variants, the set's money, the governors. */
  private modelsOf(
    trial: PlannedTrial,
    watch: TrialWatch,
    job: TrialJob,
    run: () => TrialRun,
  ): Pick<ModelConfig, "roles" | "wrap"> {
    const { row, spec, variant } = trial;
    const account = accountOf(trial);
    const waited = (ms: number): void => void this.waits.set(row.id, (this.waits.get(row.id) ?? 0) + ms);
    return {
      roles: {
        options: roleOptions(spec, variant, this.spec.options.roles),
        forced: this.forcedOf(trial, run),
        draw: this.drawsOf(trial, job),
        booked: (call) => {
          watch.booked(call);
          this.judges.see(call.role, watch, call.response);
          const { cost_usd, usage } = call.response;
          this.money.book(account, cost_usd ?? 0);
          this.tokens.book(account, usage.input_tokens + usage.output_tokens);
        },
        admit: (task, worst) => {
          watch.scorer = task.runtime.state(roleStreams).scorer;
          return this.admit(trial, task.runtime.effects.mode === "replay", worst, waited);
        },
      },
      wrap: (client) =>
        this.governors.govern(client, waited, ({ provider }) => provider !== "mock" && provider !== "tape"),
    };
  }

  /** What a fork changes, behind the step at which it begins. */
  private forcedOf(trial: PlannedTrial, run: () => TrialRun): RoleRules["forced"] {
    const forced = this.request.beside?.fork?.(trial).forced;
    if (forced === undefined || forced.size === 0) return undefined;
    return (task) => (roleOf(task) !== "agent" || run().isBeforeFork(task) ? undefined : forced);
  }

  /** Kept answers, where the task or the command line wants them. */
  private drawsOf(trial: PlannedTrial, job: TrialJob): RoleRules["draw"] {
    const { beside } = this.request;
    if (beside !== undefined) return beside.draw?.(trial, job);
    const cache = this.spec.options.cache ?? trial.spec.cache ?? null;
    return cache === null ? undefined : this.draws.of(cache, job.stream);
  }

  // ── money ─────────────────────────────────────────────────────────────────────────────────────────────────────

  private async admit(
    trial: PlannedTrial,
    isReplay: boolean,
    worst: Projection,
    waited: (ms: number) => void,
  ): Promise<() => void> {
    if (isReplay) return () => {};
    const { costUsd } = worst;
    if (this.money.limit !== null && costUsd === null) {
      this.stop("failed", `${trial.path}: the model has no price, so the limit of the set can't be kept`, 2);
      return await new Promise<never>(() => {});
    }
    const account = accountOf(trial);
    const asked = this.runs.monotonic();
    const bounds: [SetBudget, number][] = [
      [this.money, costUsd ?? 0],
      [this.tokens, worst.inputTokens + worst.outputTokens],
    ];
    const held = bounds.filter(([budget]) => budget.limit !== null);
    for (const [budget, amount] of held) await this.reserve(budget, trial, amount);
    if (held.length > 0) waited(this.runs.monotonic() - asked);
    return () => {
      for (const [budget, amount] of held) budget.release(account, amount);
    };
  }

  /** Waits until a budget has room; the set stops when nothing in flight could make any. */
  private async reserve(budget: SetBudget, trial: PlannedTrial, amount: number): Promise<void> {
    while (!budget.reserve(accountOf(trial), amount)) {
      this.blocked.add(trial.row.id);
      // The promise is made before anybody looks whether all are blocked.
      const freed = new Promise<void>((resolve) => this.unpaid.add(resolve));
      this.lookWhetherAllBlocked(budget);
      await freed;
      this.blocked.delete(trial.row.id);
    }
  }

  private tryAgain(): void {
    const waiting = [...this.unpaid];
    this.unpaid.clear();
    for (const resolve of waiting) resolve();
    this.wake();
  }

  /** Nobody can go on, and nothing that is in flight could free anything. */
  private lookWhetherAllBlocked(budget: SetBudget): void {
    if (budget.inFlight > 0) return;
    if (this.blocked.size >= this.running.size) this.outOfMoney(budget);
  }

  private outOfMoney(budget: SetBudget): void {
    this.stop("paused", budget === this.money ? "budget" : "budget of tokens", 5);
  }

  /** What a trial may cost: its limit, else 1.5 times the 95th percentile of its variant; nothing is known at first. */
  private allotmentOf({ spec, variant }: PlannedTrial): number {
    if (spec.limits.costUsd !== null) return spec.limits.costUsd;
    const costs = [...(this.costs.get(`${spec.name}/${variant.key}`) ?? [])].sort((a, b) => a - b);
    if (costs.length === 0) return 0;
    return 1.5 * (costs[Math.min(costs.length - 1, Math.ceil(costs.length * 0.95) - 1)] as number);
  }

  /** Of all trials that ended. */
  private tokensBefore(): number {
    let sum = 0;
    for (const { row } of this.trials)
      if (row.state === "done" || row.state === "errored") sum += row.input_tokens + row.output_tokens;
    return sum;
  }

  /** Of all trials that ended, judges and attempts that failed included. */
  private spentBefore(): number {
    let sum = 0;
    for (const { row } of this.trials) {
      // What goes on books what it spent again while it replays.
      if (row.state === "done" || row.state === "errored") sum += row.cost + row.doubtful;
      // Attempts that were given up are not gone through again.
      else if (redoneIn(storedFaults(row)).length > 0) sum += row.cost;
    }
    const own = new Set(this.trials.map(({ id }) => id));
    for (const { trial, cost } of this.store.scores(this.request.set.id)) {
      this.scoredBefore.add(trial);
      if (own.has(trial)) sum += cost;
    }
    if (this.request.beside === undefined) sum += oraclesCost(this.store, this.set.id, ["cost", "doubtful"]);
    return sum;
  }

  // ── what is written ───────────────────────────────────────────────────────────────────────────────────────────

  /** In the transaction that ends the journal. */
  private write(trial: PlannedTrial, end: TrialEnd, run: string | null, began: number): void {
    if (end.kind !== "done" && end.kind !== "errored") return;
    const pieces = new Pieces(this.store.digest);
    const { watch } = end;
    const isDone = end.kind === "done";
    const cost = watch.costUsd;
    const limit = isDone ? watch.limit : null;
    const error = isDone ? null : end.error;
    const outcome = end.outcome === null ? null : pieces.keep(outcomeText(end.outcome));
    const before = redoneIn(storedFaults(trial.row));
    const found = isDone ? faultsOf(end.outcome, end.scores) : [];
    const findings = [...before, ...found];
    const faults = findings.length === 0 ? null : faultsText(findings);
    const redone = isDone ? redoneFor(trial.spec.onUserFault, before, found) : undefined;
    if (redone !== undefined) {
      this.giveUp(trial, [...before, redone], watch, run, began);
      return;
    }
    const deciding = trial.spec.success;
    const blame = blameOf({
      errorCategory: error?.category ?? null,
      success: isDone ? successOfScores(end.scores, deciding) : null,
      scores: isDone ? end.scores : [],
      deciding,
      oraclePasses: null,
      faults: found,
    });
    const row = {
      ...trial.row,
      state: isDone ? "done" : "errored",
      run,
      outcome,
      error: error?.message ?? null,
      category: error?.category ?? null,
      limit_hit: limit,
      faults,
      blame,
      input_tokens: watch.tokens("inputTokens"),
      output_tokens: watch.tokens("outputTokens"),
      cost: (before.length === 0 ? 0 : trial.row.cost) + cost,
      doubtful: watch.doubtfulUsd,
      turns: isDone ? Number(end.outcome.get("turns") ?? 0) : 0,
      working_ms: isDone ? end.workingMs : 0,
      wall_ms: isDone ? end.wallMs : 0,
      ended: this.runs.now(),
    };
    const scores = isDone ? this.scoreRowsOf(trial, end.scores, watch, pieces, end.scoring) : [];
    this.store.write(
      [
        { table: "eval_trial", row: row as unknown as { [column: string]: string | number | null } },
        {
          table: "eval_attempt",
          row: {
            trial: trial.row.id,
            n: trial.row.attempts,
            run,
            state: row.state,
            error: row.error,
            category: row.category,
            began,
            ended: row.ended,
          },
        },
        ...scores,
      ],
      pieces,
    );
    trial.row = { ...trial.row, ...row, run: null, outcome: null };
  }

  /** The trial begins again; what it has cost stays booked. Of a trial that goes on, the row has the cost of the attempts before. */
  private giveUp(
    trial: PlannedTrial,
    faults: readonly Fault[],
    watch: TrialWatch,
    run: string | null,
    began: number,
  ): void {
    const cost = trial.row.cost + watch.costUsd + (watch.usage.get("judge")?.costUsd ?? 0);
    const row = { ...trial.row, state: "pending", faults: faultsText(faults), cost };
    this.store.write([
      { table: "eval_trial", row: { ...row } },
      {
        table: "eval_attempt",
        row: {
          trial: row.id,
          n: row.attempts,
          run,
          state: "redone",
          error: null,
          category: null,
          began,
          ended: this.runs.now(),
        },
      },
    ]);
    trial.row = row;
  }

  private scoreRowsOf(
    trial: PlannedTrial,
    scores: readonly Score[],
    watch: TrialWatch,
    pieces: Pieces,
    run: string | null = null,
  ): ReturnType<typeof scoreRows> {
    const versions = new Map<string, number>();
    const before = this.scoredBefore.has(trial.row.id) ? this.store.scoresOf(trial.row.id) : [];
    this.scoredBefore.add(trial.row.id);
    for (const row of before) versions.set(row.scorer, Math.max(versions.get(row.scorer) ?? 0, row.version));
    const rows = scoreRows(
      scores,
      {
        set: this.set.id,
        trial: trial.row.id,
        run,
        version: (scorer) => (versions.get(scorer) ?? 0) + 1,
      },
      pieces,
    );
    // What the judges cost is the set's: it stands with the first score.
    const judged = watch.usage.get("judge")?.costUsd ?? 0;
    const [first] = rows;
    if (first !== undefined && judged > 0) (first.row as { cost: number }).cost = judged;
    return rows;
  }

  private noteUnfinished(
    trial: PlannedTrial,
    end: Extract<TrialEnd, { kind: "stopped" | "broken" }>,
    began: number,
  ): void {
    const state =
      end.kind === "broken" ? "errored" : end.request.reason === "parked" ? "waiting" : this.pausedState();
    const error = end.kind === "broken" ? end.message : null;
    const category = end.kind === "broken" ? "harness" : null;
    trial.row = { ...trial.row, state, error, category };
    this.store.write([
      { table: "eval_trial", row: { ...trial.row } },
      {
        table: "eval_attempt",
        row: {
          trial: trial.row.id,
          n: trial.row.attempts,
          run: this.runs.newestOf(trial.row.id) ?? null,
          state,
          error,
          category,
          began,
          ended: this.runs.now(),
        },
      },
    ]);
  }

  private pausedState(): string {
    return this.stopping?.state === "paused" ? "paused" : "running";
  }

  // ── scores alone ──────────────────────────────────────────────────────────────────────────────────────────────

  private async scoreOnly(trial: PlannedTrial): Promise<void> {
    const text = this.store.piece(this.store.trial(trial.row.id)?.outcome ?? null);
    if (text === null) return;
    const outcome = jsonParse(text) as Dict;
    const watch = new TrialWatch(trial.spec.limits);
    const plain = this.jobOf(trial, "where it stopped", 1);
    const scorers = this.missingScorers(trial);
    const before = this.store.scoresOf(trial.row.id);
    const { rescore, beside } = this.request;
    const version =
      rescore === undefined && beside === undefined
        ? 1
        : 1 + before.reduce((most, row) => Math.max(most, row.version), 0);
    const scorings =
      beside?.judgements === undefined
        ? [{ run: scoringName(plain, version), scorers }]
        : judgements(plain, scorers, beside.judgements, version);
    const made: Score[] = [];
    let recorded: string | null = null;
    for (const scoring of scorings) {
      let job: TrialJob;
      try {
        job = await this.rebuilt(trial, plain, scoring.run, outcome);
      } catch (error) {
        if (!(error instanceof SandboxProblem)) throw error;
        // It stays without these scores, as one that was stopped does.
        this.request.onWarning?.(error.message);
        return;
      }
      const scored = await scoreStored(this.machinery(trial), job, outcome, scoring, watch);
      if (job.folder !== null) await this.runs.sandboxes.remove(scoring.run);
      if (scored.kind !== "ended") return;
      made.push(...wantedScores(scoring, scored.scores));
      recorded ??= scored.run;
    }
    const pieces = new Pieces(this.store.digest);
    await this.runs.steady();
    const rows = this.scoreRowsOf(trial, made, watch, pieces, recorded);
    if (version > 1) for (const { row } of rows) (row as { version: number }).version = version;
    const judged = this.judged(trial, outcome, made, before);
    this.store.write([{ table: "eval_trial", row: { ...trial.row, ...judged } }, ...rows], pieces);
    trial.row = { ...trial.row, ...judged };
    for (const { scorer, draw } of made) this.noteScored(trial.row.id, scorer, draw);
  }

  /** With its sandbox as the trial left it; without one where not all of it was kept. */
  private async rebuilt(trial: PlannedTrial, job: TrialJob, name: string, outcome: Dict): Promise<TrialJob> {
    const request = this.sandboxRequest(trial);
    if (request === null) return job;
    const left = toJson(outcome.get("files") ?? null) as unknown as readonly SandboxFile[] | null;
    if (!(await this.runs.sandboxes.rebuild(name, request, left ?? []))) return job;
    return this.workingIn(job, name, request);
  }

  /** Faults and blame of a trial under scores that were made later. */
  private judged(
    trial: PlannedTrial,
    outcome: Dict,
    made: readonly Score[],
    before: readonly EvalScoreRow[],
  ): Pick<EvalTrialRow, "faults" | "blame"> {
    const names = new Set(made.map(({ scorer }) => scorer));
    const kept = newestScores(before.filter(({ scorer }) => !names.has(scorer))).map(plainScore);
    const scores = [...kept, ...made];
    const found = [...redoneIn(storedFaults(trial.row)), ...faultsOf(outcome, scores)];
    const deciding = trial.spec.success;
    return {
      faults: found.length === 0 ? null : faultsText(found),
      blame: blameOf({
        errorCategory: null,
        success: successOfScores(scores, deciding),
        scores,
        deciding,
        oraclePasses: null,
        faults: found,
      }),
    };
  }

  // ── the end ───────────────────────────────────────────────────────────────────────────────────────────────────

  private afterEnd(trial: PlannedTrial, end: TrialEnd): void {
    if (end.kind === "done" || end.kind === "errored")
      this.races.ended(trial, end, (other) => this.running.has(other.id));
    if (end.kind === "done") {
      const key = `${trial.spec.name}/${trial.variant.key}`;
      const costs = this.costs.get(key) ?? [];
      costs.push(trial.row.cost);
      this.costs.set(key, costs);
      this.firstErrors.set(trial.spec.name, []);
      this.alike.set(trial.spec.name, false);
    }
    if (end.kind === "broken") {
      if (end.isMismatch) this.stop("failed", evalMessage("HARN-EVL-030", undefined), 2);
      else this.noteError(trial, end.message);
    }
    if (end.kind !== "errored") return;
    if (end.error.category === "config") this.stop("failed", end.error.message, 2);
    else this.noteError(trial, end.error.message);
    this.lookAtMaxErrors(trial.spec);
  }

  /** Tasks of which something else than an error has been seen. */
  private readonly alike = new Map<string, boolean>();

  /** The first trials of a task that all end with the same error say that the task is broken. */
  private noteError({ spec }: PlannedTrial, message: string): void {
    if (this.request.as === "oracle" && this.request.beside !== undefined) return;
    if (this.alike.get(spec.name) === false) return;
    const errors = this.firstErrors.get(spec.name) ?? [];
    this.firstErrors.set(spec.name, errors);
    errors.push(message);
    if (errors.length === sameErrors && errors.every((one) => one === message))
      this.stop("failed", evalMessage("HARN-EVL-020", { error: message }), 2);
  }

  private lookAtMaxErrors(spec: TaskSpec): void {
    const most = this.spec.options.maxErrors ?? spec.maxErrors;
    if (most === null) return;
    const own = this.trials.filter((trial) => trial.spec.name === spec.name);
    const errored = own.filter(({ state }) => state === "errored").length;
    const limit = most < 1 ? most * own.length : most;
    if (errored >= limit && errored > 0)
      this.stop(
        "incomplete",
        `${errored} trials of ${spec.name} have errored, more than max_errors allows`,
        5,
      );
  }

  private stop(state: SetEnd["state"], why: string | null, exitCode: number): void {
    if (this.stopping !== undefined) return;
    this.stopping = { state, why, exitCode };
    for (const run of this.open) run.stop(interrupted);
    this.wake();
  }

  private interrupted(request: StopRequest): void {
    if (this.stopping !== undefined) return;
    this.stopping = { state: "stopped", why: null, exitCode: request.exitCode };
    for (const run of this.open) run.stop({ ...request, atOnce: true });
    this.wake();
  }

  private watchTime(): AbortController | undefined {
    const { timeMs } = this.spec.options;
    if (timeMs === null || this.request.beside !== undefined) return undefined;
    const timer = new AbortController();
    this.runs.sleep(timeMs, timer.signal).then(
      () => this.stop("paused", "time", 5),
      () => {},
    );
    return timer;
  }

  /** What another process changes of it while it runs (`harn eval tune`). */
  private async watchTuning(signal: AbortSignal): Promise<void> {
    if (this.request.beside !== undefined) return;
    while (!signal.aborted) {
      await this.runs.sleep(lookForTuningMs, signal).catch(() => {});
      if (!signal.aborted) this.takeTuning();
    }
  }

  private takeTuning(): void {
    const now = this.store.set(this.set.name)?.spec;
    if (now === undefined || now === this.set.spec) return;
    const before = this.spec.options;
    this.spec = JSON.parse(now) as SetSpec;
    this.set = { ...this.set, spec: now };
    const { options } = this.spec;
    this.governors.retune(rulesOf(options.connections));
    if (options.tokens !== before.tokens) this.tokens.raise(options.tokens);
    if (options.costUsd !== before.costUsd) this.money.raise(options.costUsd);
    this.wake();
  }

  private ended(): SetEnd {
    // What was changed at the last moment stays for whoever goes on with it.
    if (this.request.beside === undefined) this.takeTuning();
    const end = this.stopping ?? (this.request.rescore === undefined ? this.completeness() : this.asBefore());
    if (this.request.beside !== undefined) return { set: this.set, ...end };
    const receipt = end.state === "done" || end.state === "incomplete" ? this.receipt() : null;
    const set = this.store.changeSet(this.set, {
      state: end.state,
      why: end.why,
      ended: this.runs.now(),
      receipt,
    });
    return { set, ...end };
  }

  private completeness(): Omit<SetEnd, "set"> {
    const states = this.trials.map(({ state }) => state);
    if (states.includes("waiting")) return { state: "waiting", why: null, exitCode: 75 };
    const errored = states.filter((state) => state === "errored").length;
    const open = states.filter((state) => !isOver.has(state)).length;
    const why = [...(open > 0 ? [`${open} open`] : []), ...(errored > 0 ? [`${errored} errored`] : [])];
    if (why.length > 0) return { state: "incomplete", why: why.join(", "), exitCode: 5 };
    return { state: "done", why: null, exitCode: 0 };
  }

  /** Scores that were made anew complete nothing. */
  private asBefore(): Omit<SetEnd, "set"> {
    const { state, why } = this.request.set;
    return { state: state === "running" ? "stopped" : (state as SetEnd["state"]), why, exitCode: 0 };
  }

  private receipt(): string {
    return setReceipt(this.store, this.set);
  }
}

/** States in which nothing of a trial is left to run, as far as it was asked for. */
const isOver: ReadonlySet<string> = new Set(["done", "skipped", "errored"]);

/** How soon a set that runs sees what is changed of it, milliseconds. */
const lookForTuningMs = 500;

/** First trials of a task that have to end alike for the set to stop. */
const sameErrors = 10;

/** A stored score without what it says besides its verdict. */
export const plainScore = ({ scorer, draw, value, pass, label }: EvalScoreRow): Score => ({
  scorer,
  draw,
  value,
  pass: pass === null ? null : pass === 1,
  label,
  answer: null,
  why: null,
  parts: {},
  meta: null,
  error: null,
});

/** The number of the attempt that a run's name tells. */
const attemptOf = (run: string): number => Number(/~(\d+)$/u.exec(run)?.[1] ?? 1);

const accountOf = ({ id }: PlannedTrial): string => String(id);

const minutes = (ms: number): string => (ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`);

/** `5` fixes it, `2-10-50` gives least, first and most. */
export function rulesOf(connections: Readonly<Record<string, string>>): ReadonlyMap<string, GovernorRules> {
  return new Map(
    Object.entries(connections).map(([provider, text]) => {
      const [min = 2, start = min, max = start] = text.split("-").map(Number);
      return [provider, text.includes("-") ? { min, start, max } : { min, start: min, max: min }];
    }),
  );
}

/** One digest over outcomes and scores of all trials that are done. */
export function setReceipt(store: EvalStore, set: EvalSetRow): string {
  const { digest } = store;
  const done = plannedTrials(store, set).filter(({ row }) => row.state === "done");
  const byTrial = new Map<number, Parameters<typeof scoresText>[0][number][]>();
  for (const row of newestScores(store.scores(set.id))) {
    const list = byTrial.get(row.trial) ?? [];
    list.push({ ...row, pass: row.pass === null ? null : row.pass === 1 });
    byTrial.set(row.trial, list);
  }
  const lines = done.map(({ row, path }) => {
    const outcome = jsonParse(store.piece(row.outcome) ?? "null") as Dict;
    return {
      address: path,
      outcome: digest(canonicalJson(withoutTimes(outcome))),
      scores: digest(scoresText(byTrial.get(row.id) ?? [])),
    };
  });
  return receiptOf(lines, digest);
}

/** Of each scorer of a trial the last version. */
export function newestScores<
  T extends { readonly trial: number; readonly scorer: string; readonly version: number },
>(rows: readonly T[]): T[] {
  const newest = new Map<string, number>();
  const keyOf = ({ trial, scorer }: T): string => `${trial} ${scorer}`;
  for (const row of rows) newest.set(keyOf(row), Math.max(newest.get(keyOf(row)) ?? 0, row.version));
  return rows.filter((row) => newest.get(keyOf(row)) === row.version);
}
