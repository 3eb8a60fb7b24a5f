/**
 * Running a set: its trials in the planned order, so many at once, until all are done, somebody stops it, or something makes it
 * pause. What is true is in the store after every trial, so that a process that dies costs at most the calls in flight.
 */
import type { EvalSetRow } from "../../../durable/index.ts";
import type { StopRequest } from "../../../effects/index.ts";
import type { Task } from "../../../interp/index.ts";
import { type ModelConfig, type RoleRules, roleOf } from "../../../model/index.ts";
import { ScriptError } from "../../../values/index.ts";
import { codedText, evalMessage } from "../../eval-error.ts";
import { type RegisteredTask, roleStreams } from "../../plan/index.ts";
import type { EvalStore } from "../../sets/eval-store.ts";
import type { SetSpec } from "../../sets/set-spec.ts";
import { TrialEnds } from "../../sets/trial-ends.ts";
import { Draws } from "../draws.ts";
import { rulesOf } from "../governor.ts";
import { Governors } from "../governors.ts";
import { SandboxProblem, type TrialRun, type TrialRuns } from "../ports.ts";
import { setReceipt } from "../receipt.ts";
import { roleOptions } from "../role-options.ts";
import { type PlannedTrial, plannedTrials } from "../set-plan.ts";
import type { TrialErrorCategory } from "../trial-error.ts";
import { runTrial, type TrialEnd, type TrialJob, type TrialMachinery } from "../trial-job.ts";
import { idleAfterMs, TrialWaits } from "../trial-waits.ts";
import { OwnJudges, TrialWatch } from "../trial-watch.ts";
import { CallsInFlight } from "./calls-in-flight.ts";
import { LaterScores } from "./later-scores.ts";
import type { RunSetRequest, SetEnd, SetProgress } from "./request.ts";
import { SetErrors, whyUncaught } from "./set-errors.ts";
import { SetMoney, unpricedJudge } from "./set-money.ts";
import { SetRaces } from "./set-races.ts";
import { SpentBefore } from "./spent-before.ts";
import type { TrialExecutor, TrialResult, WhySetEnds } from "./trial-executor.ts";
import { TrialJobs } from "./trial-jobs.ts";
import { TrialRows } from "./trial-rows.ts";

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
  private set: EvalSetRow;
  private readonly trials: readonly PlannedTrial[];
  private readonly jobs: TrialJobs;
  private readonly rows: TrialRows;
  private readonly later: LaterScores;
  private readonly money: SetMoney;
  private readonly governors: Governors;
  private readonly judges: OwnJudges;
  private readonly races: SetRaces;
  private readonly errors: SetErrors;
  private readonly draws: Draws;
  private readonly ends: TrialEnds;
  private readonly calls = new CallsInFlight();
  /** Over when nothing runs any more. */
  private readonly over = new AbortController();
  private readonly running = new Map<number, RunningTrial>();
  /** Trials by state, kept as they change: a set may have a million. */
  private readonly counts = { done: 0, errored: 0 };
  private readonly progress: SetProgress;
  private next = 0;
  /** Trials that were in progress elsewhere when this process began. */
  private readonly elsewhere = new Set<number>();
  private stopping: WhySetEnds | undefined;
  private wake: () => void = () => {};
  /** Since they were looked at last. */
  private waitsBegun = 0;

  constructor(request: RunSetRequest) {
    this.request = request;
    this.runs = request.runs;
    this.store = request.runs.store;
    this.set = request.set;
    this.spec = JSON.parse(request.set.spec) as SetSpec;
    const { beside, part, set } = request;
    const { options } = this.spec;
    this.trials = beside?.trials ?? plannedTrials(this.store, set);
    const isOrdinary = beside === undefined && request.rescore === undefined && part === undefined;
    this.races = new SetRaces(this.store, set, isOrdinary ? this.trials : []);
    for (const { state } of this.trials) this.count(state, 1);
    const scores = this.store.scores(set.id);
    this.jobs = new TrialJobs(request, () => this.spec.options);
    this.rows = new TrialRows(this.store, set.id, new Set(scores.map(({ trial }) => trial)), () =>
      this.runs.now(),
    );
    this.later = new LaterScores(request, this.jobs, this.rows);
    this.errors = new SetErrors(this.trials, {
      mayAllFail: request.as === "oracle" && beside !== undefined,
      isPart: part !== undefined,
    });
    this.ends = new TrialEnds(this.store, () => this.runs.steady());
    this.draws = new Draws(this.store, () => this.runs.now());
    this.money = new SetMoney(
      beside === undefined ? options : { costUsd: beside.costUsd, tokens: null },
      new SpentBefore(this.store, set, this.trials, scores, beside === undefined),
      {
        running: () => this.running.size,
        onFree: () => this.wake(),
        onEmpty: (budget) => this.stop({ state: "paused", why: budget, exitCode: 5 }),
        onUnpriced: ({ path }) => {
          const why = `${path}: the model has no price, so the limit of the set can't be kept`;
          this.stop({ state: "failed", why, exitCode: 2 });
        },
      },
    );
    this.restAll();
    this.judges = new OwnJudges((judge) => request.onWarning?.(evalMessage("HARN-EVL-031", { judge })));
    this.governors = new Governors({
      now: () => this.runs.monotonic(),
      sleep: (ms, signal) => this.runs.sleep(ms, signal),
      random: request.random,
      rules: rulesOf(options.connections),
      giveUpMs: options.giveUpMs,
      onChange: (provider, { old, new: now, reason }) => {
        const row = { eval_set: set.id, at: this.runs.now(), provider, old, new: now, reason };
        this.store.insert("eval_limit", [row]);
      },
      onSilent: (provider) => {
        const why = evalMessage("HARN-EVL-021", { name: provider, time: minutes(options.giveUpMs) });
        this.stop({ state: "paused", why, exitCode: 5 });
      },
    });
    this.progress = this.progressOf();
  }

  /** Trials that whoever does them has begun with before this process. */
  private beginElsewhere(executor: TrialExecutor): void {
    const inProgress = executor.begin({
      trials: this.trials,
      open: this.trials.filter((trial) => !this.isSettled(trial)).length,
      money: this.money,
      options: () => this.spec.options,
      stop: (end) => this.stop(end),
      wake: () => this.wake(),
    });
    for (const trial of inProgress) {
      this.elsewhere.add(trial.id);
      this.start(trial);
    }
  }

  /** Rows that races have changed are not in the store yet, and trials beside the set are few. */
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
    this.watchTime();
    void this.watchTuning();
    try {
      if (await this.hasContainers()) await this.runAll();
    } finally {
      this.over.abort();
    }
    return this.ended();
  }

  /** Nothing is run when trials need containers and there are none. What a killed process has left is gone then. */
  private async hasContainers(): Promise<boolean> {
    const inContainers = this.trials.filter(({ spec }) => spec.sandbox?.container !== undefined);
    if (inContainers.length === 0 || this.request.executor !== undefined) return true;
    const unfinished = inContainers.filter((trial) => !this.isSettled(trial));
    const resumed = unfinished.flatMap(({ id }) => this.runs.newestOf(id) ?? []);
    try {
      const [first] = unfinished;
      const { name } = this.request.part ?? this.set;
      if ((await this.runs.sandboxes.ready(name, resumed)) || first === undefined) return true;
      this.fail(evalMessage("HARN-EVL-014", { name: first.spec.name }));
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      this.fail(codedText(error));
    }
    return false;
  }

  /** As many trials at once as are allowed; each that ends lets the next begin. */
  private async runAll(): Promise<void> {
    const { executor } = this.request;
    if (executor !== undefined) this.beginElsewhere(executor);
    this.request.onProgress?.(this.progress, null);
    while (this.stopping === undefined || this.running.size > 0) {
      const started = this.stopping === undefined && this.startNext();
      if (started) continue;
      if (this.running.size === 0) {
        // Nothing has to end before the next one could begin, and it can't.
        if (this.next < this.trials.length) this.stop({ state: "paused", why: "budget", exitCode: 5 });
        break;
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    await executor?.over();
  }

  private startNext(): boolean {
    const { executor, beside } = this.request;
    if (executor === undefined && !this.hasRoom()) return false;
    while (this.next < this.trials.length && this.isPassed(this.trials[this.next] as PlannedTrial))
      this.next++;
    const trial = this.trials[this.next];
    if (trial === undefined) return false;
    if (executor?.hasRoomFor(trial) === false) return false;
    if (beside?.draw !== undefined && this.isSampleAtWork(trial)) return false;
    if (executor === undefined && !this.money.begin(trial)) return false;
    this.next++;
    this.start(trial);
    return true;
  }

  private isPassed(trial: PlannedTrial): boolean {
    return this.elsewhere.has(trial.id) || this.isSettled(trial);
  }

  private start(trial: PlannedTrial): void {
    const waits = new TrialWaits(
      () => this.runs.monotonic(),
      () => this.lookForIdle(),
    );
    this.running.set(trial.id, { trial, since: this.runs.now(), waits, open: new Set() });
    this.count(trial.state, -1);
    void this.runOne(trial, waits).then(
      () => this.left(trial),
      (error) => {
        this.fail(whyUncaught(trial, error, (text) => this.request.onWarning?.(text)));
        this.left(trial);
      },
    );
  }

  /** Trials that only wait, for a rate limit or a turn, leave their places to others. Those in containers hold what is scarce. */
  private hasRoom(): boolean {
    const { trials } = this.spec.options;
    if (this.running.size < trials) return true;
    if (this.running.size >= trials + maxIdle) return false;
    let busy = 0;
    for (const { trial, waits } of this.running.values())
      if (!waits.isIdle || trial.spec.sandbox?.container !== undefined) busy++;
    return busy < trials;
  }

  /** Whoever waits for long enough leaves its place. */
  private lookForIdle(): void {
    this.waitsBegun++;
    if (this.waitsBegun > 1) return;
    void this.runs.sleep(idleAfterMs + 1).then(() => {
      const isLater = this.waitsBegun > 1;
      this.waitsBegun = 0;
      this.wake();
      if (isLater) this.lookForIdle();
    });
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
    return state === "done" && !(this.spec.options.withScores && this.later.missing(trial).length > 0);
  }

  private count(state: string, by: 1 | -1): void {
    if (state === "done" || state === "errored") this.counts[state] += by;
  }

  private left(trial: PlannedTrial): void {
    this.running.delete(trial.id);
    this.count(trial.state, 1);
    this.money.left(trial);
    this.request.onProgress?.(this.progress, trial);
    if (this.request.beside === undefined) trial.rest();
    this.wake();
  }

  private progressOf(): SetProgress {
    const { counts, trials, running, money, governors, calls } = this;
    return {
      get done() {
        return counts.done;
      },
      get errored() {
        return counts.errored;
      },
      total: trials.length,
      get running() {
        return [...running.values()].map(({ trial, since }) => ({ path: trial.path, since }));
      },
      get spentUsd() {
        return money.spentUsd;
      },
      get limitUsd() {
        return money.limitUsd;
      },
      get ending() {
        return calls.ending;
      },
      get connections() {
        return governors.figures();
      },
    };
  }

  // ── a trial ───────────────────────────────────────────────────────────────────────────────────────────────────

  private async runOne(trial: PlannedTrial, waits: TrialWaits): Promise<void> {
    const { executor } = this.request;
    if (executor !== undefined) {
      await this.executed(trial, executor);
      return;
    }
    if (trial.row.state === "done") {
      await this.later.make(trial, this.machinery(trial, waits));
      return;
    }
    const retries = this.spec.options.retries ?? trial.spec.retries.max;
    let resume = this.resumeOf(trial);
    for (let retry = 0; ; retry++) {
      const end = await this.attempt(trial, resume, waits);
      if (end.kind === "done" && trial.row.state === "pending") {
        // Given up for a fault of its user: with another stream of it, from the start.
        resume = "no";
        retry = -1;
        continue;
      }
      if (end.kind !== "errored" || !this.isTriedAgain(trial, end.error.category, retry < retries)) {
        this.afterEnd(trial, end);
        return;
      }
      resume = trial.spec.retries.fresh ? "no" : whereItErrored(end.watch.limit);
    }
  }

  private async executed(trial: PlannedTrial, executor: TrialExecutor): Promise<void> {
    const end = await executor.perform(trial);
    if (end.kind !== "lost") {
      this.afterEnd(trial, end);
      return;
    }
    const now = this.runs.now();
    trial.row = { ...trial.row, attempts: trial.row.attempts + 1, began: trial.row.began ?? now };
    this.afterEnd(trial, this.withoutPlace(trial, end.message, now));
  }

  private isTriedAgain({ spec }: PlannedTrial, category: TrialErrorCategory, isLeft: boolean): boolean {
    const retried: readonly TrialErrorCategory[] = spec.retries.on;
    return isLeft && category !== "config" && retried.includes(category) && this.stopping === undefined;
  }

  private resumeOf({ row }: PlannedTrial): TrialJob["resume"] {
    if (this.request.follow?.has(row.id) === true) return "under a new program";
    if (row.attempts === 0) return "no";
    if (row.state === "errored") return whereItErrored(row.limit_hit);
    return row.state === "pending" ? "no" : "where it stopped";
  }

  private async attempt(
    trial: PlannedTrial,
    resume: TrialJob["resume"],
    waits: TrialWaits,
  ): Promise<TrialEnd> {
    const { row } = trial;
    const began = this.runs.now();
    const resumes = resume === "where it stopped" && row.attempts > 0;
    const attempts = resumes ? row.attempts : row.attempts + 1;
    let job = this.jobs.of(trial, resume, attempts);
    try {
      job = await this.jobs.inSandbox(trial, job);
    } catch (error) {
      if (!(error instanceof SandboxProblem)) throw error;
      trial.row = { ...row, attempts, began: row.began ?? began };
      return this.withoutPlace(trial, error.message, began);
    }
    trial.row = { ...row, state: "running", attempts, began: row.began ?? began };
    let isNoted = false;
    const note = (): void => {
      if (!isNoted) this.rows.begun(trial, began);
      isNoted = true;
    };
    // What begins anew leaves nothing behind before its first effect.
    if (resume !== "no" || job.folder !== null) note();
    const machinery = { ...this.machinery(trial, waits), ends: this.ends, begun: note };
    const end = await runTrial(machinery, job, (ended, run) => {
      if (ended.kind === "done" || ended.kind === "errored")
        this.rows.ended(trial, ended, { run, began, spentUsd: this.money.spentOn(trial) });
    });
    const { sandboxes } = this.runs;
    const lost = job.folder === null ? null : sandboxes.lost(job.folder.run);
    if (end.kind === "stopped" && lost !== null) return this.withoutPlace(trial, lost, began);
    if (end.kind === "stopped" || end.kind === "broken") this.noteUnfinished(trial, end, began);
    if (job.folder !== null)
      await (end.kind === "done" ? sandboxes.remove(job.run) : sandboxes.rest(job.run));
    return end;
  }

  /** The trial has no sandbox or no machine, or not any more: an error of the environment, with what was spent. */
  private withoutPlace(
    trial: PlannedTrial,
    message: string,
    began: number,
  ): Extract<TrialEnd, { kind: "errored" }> {
    const end = {
      kind: "errored",
      error: { category: "environment", message },
      outcome: null,
      watch: new TrialWatch(trial.spec.limits),
    } as const;
    const run = this.newestOf(trial);
    this.rows.ended(trial, end, { run, began, spentUsd: this.money.spentOn(trial) });
    return end;
  }

  private noteUnfinished(
    trial: PlannedTrial,
    end: Extract<TrialEnd, { kind: "stopped" | "broken" }>,
    began: number,
  ): void {
    const why =
      end.kind === "broken"
        ? { state: "errored", error: end.message, category: "harness" }
        : { state: this.restingState(end.request), error: null, category: null };
    this.rows.unfinished(trial, why, this.newestOf(trial), began);
  }

  private restingState({ reason }: StopRequest): string {
    if (reason === "parked") return "waiting";
    return this.stopping?.state === "paused" ? "paused" : "running";
  }

  private newestOf({ row }: PlannedTrial): string | null {
    return this.runs.newestOf(row.id) ?? null;
  }

  private machinery(trial: PlannedTrial, waits: TrialWaits): TrialMachinery {
    return {
      runs: this.runs,
      open: this.running.get(trial.id)?.open ?? new Set(),
      waits,
      refuses: (task, registered) => this.refuses(task, registered),
      models: (watch, job, run) => this.modelsOf(trial, waits, watch, job, run),
    };
  }

  /** A judge without a price would be found out when the agents are paid for. */
  private refuses(task: Task, registered: RegisteredTask): boolean {
    const isChecked = this.money.limitUsd !== null && (this.request.as ?? "solver") === "solver";
    const why = isChecked ? unpricedJudge(task, registered) : undefined;
    if (why !== undefined) this.fail(why);
    return why !== undefined;
  }

  /** What model calls of a trial go through: options of roles and variants, the set's money, the governors. */
  private modelsOf(
    trial: PlannedTrial,
    waits: TrialWaits,
    watch: TrialWatch,
    job: TrialJob,
    run: () => TrialRun,
  ): Pick<ModelConfig, "roles" | "wrap"> {
    const { spec, variant } = trial;
    return {
      roles: {
        options: roleOptions(spec, variant, this.spec.options.roles),
        forced: this.forcedOf(trial, run),
        draw: this.drawsOf(trial, job),
        booked: (call) => {
          watch.booked(call);
          watch.scorer = call.task.runtime.state(roleStreams).scorer;
          this.judges.see(call.role, watch, call.response);
          const { cost_usd, usage } = call.response;
          if (call.isNew) this.money.book(trial, cost_usd ?? 0, usage.input_tokens + usage.output_tokens);
        },
        lost: (usd) => this.money.book(trial, usd, 0),
        admit: async (_task, worst) =>
          await this.calls.begin(trial.id, await this.money.admit(trial, worst, waits)),
        waits: (name) => waits.begin({ name, category: "provider" }),
      },
      wrap: (client) => this.governors.govern(client, waits, () => this.calls.over(trial.id)),
    };
  }

  /** What a fork changes, after the step at which it begins. */
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

  // ── the end ───────────────────────────────────────────────────────────────────────────────────────────────────

  private afterEnd(trial: PlannedTrial, end: TrialResult): void {
    if (end.kind === "done" || end.kind === "errored")
      this.races.ended(trial, end, (other) => this.running.has(other.id));
    if (end.kind === "done") this.money.learn(trial);
    const why = this.errors.ended(trial, end, this.spec.options.maxErrors);
    if (why !== undefined) this.stop(why);
  }

  private fail(why: string): void {
    this.stop({ state: "failed", why, exitCode: 2 });
  }

  /** The first reason counts. A trial goes on until its calls in flight have ended, for so long as they may take. */
  private stop(end: WhySetEnds, request: StopRequest = interrupted): void {
    if (this.stopping !== undefined) return;
    this.stopping = end;
    this.governors.close();
    const stop = (trial: number): void => {
      for (const run of this.running.get(trial)?.open ?? []) run.stop(request);
    };
    this.calls.close([...this.running.keys()], stop);
    this.request.executor?.stop();
    this.wake();
    const calls = this.calls.left.reduce((sum, [, count]) => sum + count, 0);
    if (calls === 0) return;
    const graceMs = this.spec.options.graceMs ?? usualGraceMs(request);
    this.calls.ending = { calls, graceMs };
    this.request.onProgress?.(this.progress, null);
    this.runs.sleep(graceMs, this.over.signal).then(
      () => {
        this.emitCut();
        for (const [trial] of this.calls.left) stop(trial);
      },
      () => {},
    );
  }

  /** What nobody waited for is paid again, and what it may have cost stays booked. */
  private emitCut(): void {
    const names = this.calls.left.map(([trial, calls]) => {
      const path = this.running.get(trial)?.trial.path ?? "";
      return calls === 1 ? path : `${path} (${calls} calls)`;
    });
    this.request.onWarning?.(
      `model calls that had not ended were cut off; they are booked at their worst case and asked again by \`harn eval resume\`: ${names.join(", ")}`,
    );
  }

  private interrupted(request: StopRequest): void {
    this.stop({ state: "stopped", why: null, exitCode: request.exitCode }, { ...request, atOnce: true });
  }

  private watchTime(): void {
    const { timeMs } = this.spec.options;
    if (timeMs === null || this.request.beside !== undefined) return;
    this.runs.sleep(timeMs, this.over.signal).then(
      () => this.stop({ state: "paused", why: "time", exitCode: 5 }),
      () => {},
    );
  }

  /** What another process changes of it while it runs (`harn eval tune`). */
  private async watchTuning(): Promise<void> {
    const { signal } = this.over;
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
    this.money.raise(options, before);
    this.wake();
  }

  private ended(): SetEnd {
    // What was changed at the last moment stays for whoever resumes it.
    if (this.request.beside === undefined) this.takeTuning();
    const end = this.stopping ?? (this.request.rescore === undefined ? this.completeness() : this.asBefore());
    if (this.request.beside !== undefined) return { set: this.set, ...end };
    const isOver = end.state === "done" || end.state === "incomplete";
    const set = this.store.changeSet(this.set, {
      state: end.state,
      why: end.why,
      ended: this.runs.now(),
      receipt: isOver ? setReceipt(this.store, this.set) : null,
    });
    return { set, ...end };
  }

  private completeness(): WhySetEnds {
    const states = this.trials.map(({ state }) => state);
    if (states.includes("waiting")) return { state: "waiting", why: null, exitCode: 75 };
    const errored = states.filter((state) => state === "errored").length;
    const open = states.filter((state) => !isOver.has(state)).length;
    const why = [...(open > 0 ? [`${open} open`] : []), ...(errored > 0 ? [`${errored} errored`] : [])];
    if (why.length > 0) return { state: "incomplete", why: why.join(", "), exitCode: 5 };
    return { state: "done", why: null, exitCode: 0 };
  }

  /** Scores that were made anew complete nothing. */
  private asBefore(): WhySetEnds {
    const { state, why } = this.request.set;
    return { state: state === "running" ? "stopped" : (state as SetEnd["state"]), why, exitCode: 0 };
  }
}

interface RunningTrial {
  readonly trial: PlannedTrial;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly waits: TrialWaits;
  /** Runs of it in progress: to stop them. */
  readonly open: Set<TrialRun>;
}

/** The system kills what has not ended soon after it asked. */
const usualGraceMs = ({ reason }: StopRequest): number =>
  reason === "terminate" || reason === "hangup" ? 10_000 : 30_000;

/** Trials that wait beside those at once: each has a Runtime in memory. */
const maxIdle = 100;

/** Where an errored trial goes on: one that met a limit of time waited in vain. */
const whereItErrored = (limit: string | null): TrialJob["resume"] =>
  limit === "time" || limit === "wall" ? "where it waited" : "where it failed";

/** States in which nothing of a trial is left to run, as far as it was asked for. */
const isOver: ReadonlySet<string> = new Set(["done", "skipped", "errored"]);

/** How soon a set that runs sees what is changed of it, milliseconds. */
const lookForTuningMs = 500;

const minutes = (ms: number): string => (ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`);
