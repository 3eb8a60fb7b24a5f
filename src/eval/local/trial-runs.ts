/**
 * Runtimes of trials and scorings: each goes silently through the journal of the plan to where the set begins, then lives in a
 * journal of its own, in the same store.
 */
import { resolve } from "node:path";
import {
  BranchedEffects,
  History,
  historyBefore,
  type Journal,
  type JournalProblem,
  type JournalRecord,
  type Json,
  Recorder,
  type ResumePoint,
  resumePoint,
  retryPoint,
  Secrets,
  stepsOf,
  waitingPoint,
} from "../../effects/index.ts";
import { version } from "../../host/command/index.ts";
import type { ContainedHost } from "../../host/containers/index.ts";
import { type Host, HostError, nodeAtRest, nodeDigest, nodeOutputHash } from "../../host/index.ts";
import {
  type Console,
  type GuardedEnd,
  type Interrupts,
  Runtime,
  type RuntimeOptions,
  runGuarded,
  Task,
} from "../../interp/index.ts";
import { type ExecutableProgram, LoweredCode, type RunOutcome, runProgram } from "../../lower/index.ts";
import {
  doubtDecisions,
  humanAnswersOf,
  ownResult,
  type RunFlags,
  runLimits,
} from "../../run/setup/index.ts";
import { SharedModels, wireModels } from "../../run/setup/wire-models.ts";
import type { RunWriter, Store } from "../../store/index.ts";
import type { BuiltinTable } from "../../table/index.ts";
import type { MaybePromise } from "../../values/index.ts";
import type {
  EvalStore,
  ForkStart,
  TrialPlay,
  TrialResume,
  TrialRun,
  TrialRunOptions,
  TrialRuns,
} from "../engine/index.ts";
import { evalRegistry, scoringContext, setStart } from "../index.ts";
import { ProcessPermits } from "./limited-processes.ts";
import { NodeSandboxes } from "./sandboxes.ts";
import type { SetStop } from "./set-stop.ts";

/** The plan as trials go through it. */
export interface PlanAtHand {
  /** Name of its run. */
  readonly run: string;
  readonly program: ExecutableProgram;
  readonly history: History;
  readonly host: Host;
  readonly builtins: BuiltinTable;
  readonly args: readonly string[];
  readonly flags: RunFlags;
  /** `path#number` of the effect at which the set begins; null: the end of the program. */
  readonly at: string | null;
  readonly params: Readonly<Record<string, string>>;
  readonly onDoubt: "ask" | "redo" | "skip" | "fail";
  /** Where files lie that came along from another machine, by the paths that they are known by; absent: each lies where its path says. */
  readonly travelled?: ReadonlyMap<string, string> | undefined;
  /** Called when the journal of a trial can't be written any more, here or in its copy elsewhere. */
  readonly onUnwritable?: ((problem: JournalProblem) => void) | undefined;
  /** Commands that its trials run at once; null or absent: as many as there are processors. */
  readonly processes?: number | null;
}

const containerLost = { reason: "cancel", exitCode: 5, atOnce: true } as const;

/** Characters of what a trial prints that are kept. */
const keptOutput = 64 * 1024;

export class NodeTrialRuns implements TrialRuns {
  readonly store: EvalStore;
  private readonly files: Store;
  private readonly plan: PlanAtHand;
  private readonly stop: SetStop | undefined;
  private readonly permits: ProcessPermits;
  private readonly wirings: RuntimeOptions["wirings"];
  private readonly shared: SharedByRuns;
  readonly sandboxes: NodeSandboxes;

  constructor(
    files: Store,
    store: EvalStore,
    plan: PlanAtHand,
    stop?: SetStop,
    /** What sees the Runtimes of trials, not those of scorings. */
    wirings?: RuntimeOptions["wirings"],
  ) {
    this.wirings = wirings;
    this.files = files;
    this.store = store;
    // A look at the environment copies it.
    this.plan = { ...plan, host: withParts(plan.host, { env: plan.host.env }) };
    this.shared = { code: [], models: new SharedModels(plan.flags) };
    this.stop = stop;
    this.permits = new ProcessPermits(plan.processes ?? null);
    this.sandboxes = new NodeSandboxes(files, plan.host, plan.travelled);
  }

  now(): number {
    return this.plan.host.clock.now();
  }
  monotonic(): number {
    return this.plan.host.clock.monotonic();
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.plan.host.clock.sleep(ms, signal);
  }
  steady(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  revealed(json: string): string {
    this.secrets ??= Secrets.ofEnvironment((this.plan.host.own ?? this.plan.host).env);
    return this.secrets.revealInJson(json);
  }
  private secrets: Secrets | undefined;

  runNamed(id: number): string | undefined {
    return this.files.runs.nameOf(id);
  }

  hasEnded(run: string): boolean {
    return this.files.runs.find(run)?.state === "done";
  }

  newestOf(trial: number): string | undefined {
    return this.files.runs.ofTrial(trial).findLast((name) => !isScoring(name));
  }

  open(options: TrialRunOptions): TrialRun {
    // A replay touches nothing, so it needs no container.
    const contained =
      options.replayOnly === true ? undefined : this.sandboxes.inside(options.sandbox, this.plan.host);
    const host = contained?.host ?? this.plan.host;
    const processes = this.permits.of(host.processes, options.waits);
    const plan = { ...this.plan, host: withParts(host, { processes }) };
    const wirings = isScoring(options.run) ? undefined : this.wirings;
    const run = new NodeTrialRun(
      this.files,
      plan,
      options,
      this.shared,
      this.stop?.interrupts(),
      wirings,
      contained,
    );
    // What it would still pay for is lost.
    if (contained !== undefined) this.sandboxes.onLost(options.sandbox ?? "", () => run.stop(containerLost));
    return run;
  }
}

/** Runs of scorings are named after the run of the trial. */
const isScoring = (run: string): boolean => /\.score\d*$/.test(run);

class KeptConsole implements Console {
  text = "";
  write(text: string): void {
    if (this.text.length < keptOutput) this.text += text.slice(0, keptOutput - this.text.length);
  }
  writeError(text: string): void {
    this.write(text);
  }
}

/** What runs leave to those after them. */
interface SharedByRuns {
  /** Lowered by runs that are over. */
  readonly code: LoweredCode[];
  readonly models: SharedModels;
}

class NodeTrialRun implements TrialRun {
  readonly runtime: Runtime;
  private readonly effects: BranchedEffects;
  private readonly files: Store;
  private readonly plan: PlanAtHand;
  private readonly options: TrialRunOptions;
  private readonly interrupts: Interrupts | undefined;
  private readonly wirings: RuntimeOptions["wirings"];
  private readonly console = new KeptConsole();
  private readonly secrets: Secrets;
  private readonly outputHash = nodeOutputHash();
  private readonly prior: { readonly journal: Journal; readonly point: ResumePoint } | undefined;
  /** The run that it goes on in, taken over. */
  private owned: RunWriter | undefined;
  private writer: RunWriter | undefined;
  private name: string;
  private readonly forkedFrom: ForkOrigin | undefined;
  private request: Parameters<TrialRun["stop"]>[0] | undefined;
  private readonly contained: ContainedHost | undefined;
  private readonly shared: SharedByRuns;
  private readonly code: LoweredCode;

  constructor(
    files: Store,
    plan: PlanAtHand,
    options: TrialRunOptions,
    shared: SharedByRuns,
    interrupts: Interrupts | undefined,
    wirings: RuntimeOptions["wirings"],
    contained: ContainedHost | undefined,
  ) {
    this.contained = contained;
    this.shared = shared;
    this.code = shared.code.pop() ?? new LoweredCode();
    this.files = files;
    this.wirings = wirings;
    this.interrupts = interrupts;
    this.plan = plan;
    this.options = options;
    this.name = options.run;
    const env = (plan.host.own ?? plan.host).env;
    this.secrets = Secrets.ofEnvironment(env);
    this.forkedFrom = options.fork === undefined ? undefined : forkedFrom(files, options.fork);
    this.prior = this.priorRun();
    if (this.prior !== undefined && !this.beginsFork && options.replayOnly !== true)
      this.owned = files.runs.take(options.run);
    this.effects = this.branch(Secrets.ofEnvironment(env));
    this.runtime = this.makeRuntime();
  }

  private priorRun(): { readonly journal: Journal; readonly point: ResumePoint } | undefined {
    const { resume, run, replayOnly } = this.options;
    if (this.beginsFork) return this.forkedFrom;
    if (resume === "no" || !this.files.runs.has(run)) return undefined;
    const { runs } = this.files;
    const journal = replayOnly === true ? runs.wholeJournal(run) : runs.read(run);
    return { journal, point: pointOf(journal, resume) };
  }

  /** Its journal is still that of the run that it goes like. */
  private get beginsFork(): boolean {
    return this.forkedFrom !== undefined && !this.files.runs.has(this.options.run);
  }

  private branch(originSecrets: Secrets): BranchedEffects {
    const { plan, options, prior, secrets } = this;
    const { seed } = options;
    const history = prior?.point.history ?? emptyHistory(seed);
    return new BranchedEffects({
      atRest: nodeAtRest(),
      seed,
      history,
      origin: { history: plan.history, secrets: originSecrets },
      digest: nodeDigest,
      secrets,
      outputHash: this.outputHash,
      hostError: (code, message) => new HostError(code, message),
      now: () => plan.host.clock.now(),
      shown: 0,
      acceptChanges: options.resume === "under a new program" || options.fork?.otherProgram === true,
      failed: prior?.point.failed,
      ...(this.owned !== undefined && prior !== undefined
        ? { lost: this.files.runs.lostPart(options.run, prior.journal, prior.point) }
        : {}),
      answers: this.answers(),
      decisions: prior === undefined ? new Map() : doubtDecisions(this.files, options.run),
      onDecided: (place) => this.writer?.settled(place),
      onDoubt: plan.onDoubt,
      reportInDoubt: (text) => this.console.writeError(`harn: ${text}\n`),
      onward: (replayed, changed) => this.onward(replayed, changed),
      attended: () => false,
      onQuestion: (place, question) => this.writer?.question(place, JSON.stringify(question)),
      together: options.ending,
      ...(options.replayOnly === true ? { replayOnly: true } : {}),
    });
  }

  private answers(): ReadonlyMap<string, Json> {
    if (this.prior === undefined) return new Map();
    const answers = humanAnswersOf(this.files, this.options.fork?.run ?? this.options.run);
    const own = this.forkedFrom?.own;
    if (own !== undefined) answers.set(own.place, own.result);
    return answers;
  }

  isBeforeFork({ scope }: Task): boolean {
    return (this.forkedFrom?.lastCalls.get(scope.path) ?? -1) >= scope.effects;
  }

  private makeRuntime(): Runtime {
    const { plan, options } = this;
    const env = options.fork?.env ?? {};
    const runtime = new Runtime({
      effects: this.effects,
      host: withVariables(plan.host, env),
      console: this.console,
      builtins: plan.builtins,
      args: plan.args,
      limits: runLimits(plan.flags),
      recordedAs: () => this.name,
      ...(this.wirings === undefined ? {} : { wirings: this.wirings }),
    });
    // In a container, and under variables of its own, it may find other models.
    const isElsewhere = this.contained !== undefined || Object.keys(env).length > 0;
    if (isElsewhere) wireModels(runtime, plan.flags, 0, options.models);
    else this.shared.models.wire(runtime, options.models);
    const { params } = runtime.state(evalRegistry);
    for (const [name, value] of Object.entries(plan.params)) params.set(name, value);
    runtime.state(setStart).at = plan.at;
    runtime.state(scoringContext).placeOf = (path) => plan.travelled?.get(resolve(path));
    return runtime;
  }

  private parentRun(isFork: boolean): { readonly parent?: string } {
    const from = isFork ? this.options.fork?.run : this.options.run;
    return from === undefined ? {} : { parent: from };
  }

  /** The journal from here on: begun, resumed, or branched off from the one that was there. */
  private onward(replayed: readonly JournalRecord[], changed: boolean): Recorder {
    const { prior, owned, secrets, options } = this;
    const branch = owned === undefined || changed;
    const isFork = this.beginsFork;
    if (branch && prior !== undefined && !isFork) {
      owned?.close();
      this.owned = undefined;
      this.name = this.freeName();
    }
    const parent = branch && prior !== undefined ? this.parentRun(isFork) : {};
    const writer = branch
      ? this.files.runs.begin(this.name, { ...parent, trial: options.trial, also: options.beginning })
      : (owned as RunWriter);
    this.writer = writer;
    const recorder = new Recorder({
      writer,
      digest: nodeDigest,
      secrets,
      outputHash: this.outputHash,
      ...(prior === undefined ? {} : { format: prior.journal.header.format }),
    });
    if (!branch) {
      recorder.append({ t: "resume", keep: prior?.point.history.records.length ?? 0, runtime: version });
      return recorder;
    }
    recorder.begin(
      {
        run: this.name,
        runtime: version,
        platform: {},
        argv: [],
        entry: options.address,
        cwd: options.cwd ?? "",
        options: { plan: this.plan.run, trial: options.address },
      },
      options.seed,
    );
    for (const record of replayed) writer.append(record);
    return recorder;
  }

  private freeName(): string {
    for (let n = 2; ; n++) {
      const name = `${this.options.run.replace(/~\d+$/, "")}~${n}`;
      if (!this.files.runs.has(name)) return name;
    }
  }

  recordedAs(): string | null {
    return this.writer === undefined && this.prior === undefined ? null : this.name;
  }

  hidden(text: string): string {
    return this.secrets.hide(text);
  }

  printed(): string {
    return this.console.text;
  }

  stop(request: Parameters<TrialRun["stop"]>[0]): void {
    this.request ??= request;
    this.effects.requestStop(request);
  }

  async play<T>(body: (task: Task) => Promise<T>): Promise<TrialPlay<T>> {
    try {
      const ended = await runGuarded<T>(this.runtime, () => this.toPlace(body), {
        end: () => ({ reason: "done", exitCode: 0 }),
        ...(this.interrupts === undefined ? {} : { interrupts: this.interrupts }),
      });
      if (ended.kind === "ended") this.leaveCode();
      return this.played(ended);
    } catch (error) {
      if (error instanceof BrokenPlan) return { kind: "broken", message: error.message, isMismatch: true };
      throw error;
    } finally {
      this.owned?.close();
    }
  }

  /** For the next run. What this one has spawned and not waited for could still go on in it. */
  private leaveCode(): void {
    const { live } = this.runtime.tasks;
    if ([...live].every((task) => task === this.program)) this.shared.code.push(this.code);
  }

  private played<T>(ended: GuardedEnd<T>): TrialPlay<T> {
    switch (ended.kind) {
      case "ended":
        return { kind: "ended", value: ended.outcome };
      case "stopped":
        return { kind: "stopped", request: ended.request };
      case "problem": {
        const { message, details } = ended.problem;
        if (ended.problem.kind === "unwritable") this.plan.onUnwritable?.(ended.problem);
        const isMismatch = !this.effects.entered && ended.problem.kind === "mismatch";
        const { divergedAt } = this.effects;
        return {
          kind: "broken",
          message: [message, ...details].join("; "),
          isMismatch,
          ...(divergedAt === undefined ? {} : { divergedAt }),
        };
      }
    }
  }

  /** Through the program to the place, then the body in a task of its own. */
  private async toPlace<T>(body: (task: Task) => Promise<T>): Promise<T> {
    if (this.plan.at === null) {
      const outcome = await this.runProgram();
      if (outcome.error !== undefined) throw new BrokenPlan(outcome.error.text);
      if (outcome.internal !== undefined) throw outcome.internal;
      return await this.begin(body);
    }
    const start = this.runtime.state(setStart);
    return await new Promise<T>((resolve, reject) => {
      start.reached = (task) => {
        this.program = task;
        this.runtime.locals = task.locals;
        this.begin(body).then(resolve, reject);
      };
      const ended = async (): Promise<void> => {
        const outcome = await this.runProgram();
        if (!this.effects.entered)
          throw new BrokenPlan(outcome.error?.text ?? "the program ended before it came to its set");
      };
      ended().catch(reject);
    });
  }

  /** The task that stands where the set begins, for good. */
  private program: Task | undefined;

  private runProgram(): MaybePromise<RunOutcome> {
    return runProgram(this.runtime, this.plan.program, { code: this.code });
  }

  private async begin<T>(body: (task: Task) => Promise<T>): Promise<T> {
    this.runtime.state(setStart).entered = true;
    this.contained?.enter();
    const task = new Task(this.runtime, undefined, "task_trial", this.effects.enter());
    // What it prints is its own; tasks without a parent print at once.
    try {
      return await body(task);
    } finally {
      task.end();
    }
  }
}

function pointOf(journal: Journal, resume: TrialResume): ResumePoint {
  if (resume === "where it waited") return waitingPoint(journal);
  return resume === "where it failed" ? retryPoint(journal) : resumePoint(journal);
}

/** What a fork has of the run that it goes like. */
interface ForkOrigin {
  readonly journal: Journal;
  readonly point: ResumePoint;
  /** The result that its step has here. */
  readonly own: { readonly place: string; readonly result: Json } | undefined;
  /** Number of the last model call before the step, by path. */
  readonly lastCalls: ReadonlyMap<string, number>;
}

function forkedFrom(files: Store, { run, step: number, result }: ForkStart): ForkOrigin {
  const journal = files.runs.read(run);
  const { history } = resumePoint(journal);
  const steps = stepsOf(history);
  const step = steps[number - 1];
  if (step === undefined) throw new Error(`${run} has no step ${number}`);
  const own = result === null ? undefined : { place: step.place, result: ownResult(result, step, history) };
  const lastCalls = new Map<string, number>();
  for (const { kind, place } of steps.slice(0, number - 1)) {
    const [path = "", at = ""] = place.split("#");
    if (kind === "llm.call") lastCalls.set(path, Math.max(lastCalls.get(path) ?? -1, Number(at)));
  }
  const before = historyBefore(journal, history, step, own !== undefined);
  return {
    journal,
    point: { history: before, because: "cut off", failed: undefined, shown: 0 },
    own,
    lastCalls,
  };
}

function withVariables(host: Host, env: Readonly<Record<string, string>>): Host {
  const set = Object.entries(env);
  return set.length === 0 ? host : withParts(host, { env: new Map([...host.env, ...set]) });
}

/** The same machine with parts of it replaced: what it has in common with others it keeps. */
function withParts(host: Host, parts: Partial<Host>): Host {
  const own = Object.entries(parts).map(([name, value]) => [name, { value, enumerable: true }] as const);
  return Object.create(host, Object.fromEntries(own)) as Host;
}

/** The program did not come to where the set begins. */
class BrokenPlan extends Error {}

/** Of a run that has not begun. */
const emptyHistory = (seed: string): History =>
  new History({
    header: {
      t: "run",
      journal: "harn",
      format: 3,
      run: "",
      runtime: version,
      platform: {},
      seed,
      argv: [],
      entry: "",
      cwd: "",
      options: {},
    },
    records: [],
  });
