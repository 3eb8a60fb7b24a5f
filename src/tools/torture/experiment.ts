/**
 * One run of a script on a machine of its own (files in memory over the project, a clock that need not wait), with a fault
 * at one effect, resumed until it has ended. What it did comes back as data.
 */
import { type LoopPhase, phaseObserver } from "../../agent/index.ts";
import {
  type EffectCall,
  type Effects,
  type Journal,
  JournalProblem,
  type Json,
  Recorder,
  ResumingEffects,
  resumePoint,
  Secrets,
  stepsOf,
} from "../../effects/index.ts";
import {
  type Host,
  HostError,
  hermeticSeed,
  nodeAtRest,
  nodeDigest,
  nodeOutputHash,
} from "../../host/index.ts";
import { Runtime, runGuarded } from "../../interp/index.ts";
import { type ExecutableProgram, type RunOutcome, runProgram } from "../../lower/index.ts";
import { type RunFlags, runLimits } from "../../run/setup/index.ts";
import { wireModels } from "../../run/setup/wire-models.ts";
import type { BuiltinTable } from "../../table/index.ts";
import { CrashJournal } from "./crash-journal.ts";
import type { TortureFault } from "./faults.ts";
import { type FaultPlan, FaultyEffects } from "./faulty-effects.ts";

export interface Subject {
  readonly program: ExecutableProgram;
  readonly path: string;
  readonly args: readonly string[];
  readonly flags: RunFlags;
  readonly builtins: BuiltinTable;
  readonly machine: () => Host;
}

export interface ExperimentRun {
  readonly stdout: string;
  readonly exitCode: number;
  /** Effects as asked: place, kind and fingerprint; in the order of their places. */
  readonly effects: readonly string[];
  /** How often each place changed the outside, without what may be done twice. */
  readonly changes: ReadonlyMap<string, number>;
  /** How often its agents came into each phase of a turn. */
  readonly phases: ReadonlyMap<LoopPhase, number>;
  /** Names of files that were written, with a hash of their content. */
  readonly files: ReadonlyMap<string, string>;
  readonly costUsd: number;
  /** What is wrong with a transcript that was sent to a model. */
  readonly transcriptFaults: readonly string[];
  /** Effects that the first process asked for, by class. */
  readonly classes: readonly string[];
  /** A bug of ours, or a run that does not end. */
  readonly internal: string | undefined;
  readonly resumed: number;
}

/** Processes that one experiment may take: more means that a resume does not get further. */
const maxResumes = 3;

export async function experiment(subject: Subject, plan: FaultPlan | undefined): Promise<ExperimentRun> {
  const world = new TortureWorld(subject);
  let process = await world.first(plan);
  let resumed = 0;
  while (process.died && resumed < maxResumes) {
    resumed++;
    process = await world.next(process.journal);
  }
  return world.execution(process, resumed);
}

interface Process {
  readonly journal: CrashJournal;
  readonly died: boolean;
  readonly exitCode: number;
  readonly internal: string | undefined;
}

class TortureWorld {
  private readonly subject: Subject;
  private readonly host: Host;
  private readonly secrets: Secrets;
  private readonly changes = new Map<string, number>();
  private readonly phases = new Map<LoopPhase, number>();
  private stdout = "";

  constructor(subject: Subject) {
    this.subject = subject;
    this.host = subject.machine();
    this.secrets = Secrets.ofEnvironment(this.host.env);
  }

  first(plan: FaultPlan | undefined): Promise<Process> {
    const journal = new CrashJournal();
    const effects = new FaultyEffects({
      atRest: nodeAtRest(),
      seed: hermeticSeed,
      open: () => this.begin(journal),
      now: () => this.host.clock.now(),
      journal,
      plan,
      done: (place, call) => this.count(place, call),
    });
    return this.run(effects, journal, 0);
  }

  /** The next process finds what the last one left, and goes on; without a journal it begins anew. */
  next(last: CrashJournal): Promise<Process> {
    const found = last.left();
    if (found === undefined) {
      this.stdout = "";
      return this.first(undefined);
    }
    const { history, failed, shown } = resumePoint(found);
    const journal = CrashJournal.after(found);
    const outputHash = nodeOutputHash();
    const effects = new CountingResume(
      {
        atRest: nodeAtRest(),
        seed: found.header.seed,
        history,
        shown,
        acceptChanges: false,
        ...(failed === undefined ? {} : { failed }),
        digest: nodeDigest,
        secrets: this.secrets,
        hostError: (code, message) => new HostError(code, message),
        outputHash,
        now: () => this.host.clock.now(),
        onDoubt: "ask",
        reportInDoubt: () => {},
        onward: () => {
          const recorder = this.recorder(journal, outputHash);
          recorder.append({ t: "resume", keep: history.records.length, runtime: "torture" });
          return recorder;
        },
      },
      (place, call) => this.count(place, call),
    );
    let played = 0;
    for (const step of stepsOf(history)) if (step.kind === "llm.call" && step.result !== undefined) played++;
    return this.run(effects, journal, played);
  }

  private begin(journal: CrashJournal): Recorder {
    const recorder = this.recorder(journal, nodeOutputHash());
    const { path, args } = this.subject;
    const info = {
      run: "torture",
      runtime: "torture",
      platform: {},
      argv: args,
      entry: path,
      cwd: this.host.cwd,
    };
    recorder.begin({ ...info, options: null }, hermeticSeed);
    return recorder;
  }

  private recorder(writer: CrashJournal, outputHash: ReturnType<typeof nodeOutputHash>): Recorder {
    return new Recorder({ writer, digest: nodeDigest, secrets: this.secrets, outputHash });
  }

  /** What may be done twice (a file that is replaced) shows in the files, not here. */
  private count(place: string, call: EffectCall<unknown>): void {
    if (call.effect !== "write" || call.inDoubt === "repeat") return;
    const key = `${place} ${call.kind}`;
    this.changes.set(key, (this.changes.get(key) ?? 0) + 1);
  }

  private async run(effects: Effects, journal: CrashJournal, played: number): Promise<Process> {
    const { program, args, flags, builtins } = this.subject;
    const console = {
      // As on the command line: recorded and noted, then printed.
      write: (text: string): void => {
        try {
          effects.shown(effects.printed);
          if (effects.problem === undefined) this.stdout += text;
        } catch (error) {
          if (!(error instanceof JournalProblem)) throw error;
        }
      },
      writeError: (): void => {},
    };
    const limits = runLimits(flags);
    const runtime = new Runtime({ effects, host: this.host, console, builtins, args, limits });
    wireModels(runtime, flags, played);
    runtime.state(phaseObserver).reached = (phase) => {
      this.phases.set(phase, (this.phases.get(phase) ?? 0) + 1);
    };
    try {
      const ended = await runGuarded(runtime, () => runProgram(runtime, program), { end: endOf });
      if (ended.kind === "problem") {
        const died = ended.problem.kind === "unwritable";
        const internal = died ? undefined : ended.problem.message;
        return { journal, died, exitCode: -1, internal };
      }
      const { outcome } = ended;
      const internal =
        outcome?.internal === undefined ? undefined : String(outcome.internal.cause ?? outcome.internal);
      return { journal, died: false, exitCode: outcome?.exitCode ?? -1, internal };
    } catch (error) {
      return { journal, died: false, exitCode: -1, internal: String(error) };
    }
  }

  execution(last: Process, resumed: number): ExperimentRun {
    const journal = last.journal.left();
    const internal = last.died ? `it does not end after ${resumed} resumes` : last.internal;
    const { stdout, changes, phases } = this;
    const rest = { stdout, exitCode: last.exitCode, changes, phases, internal, resumed };
    const files = filesOfHost(this.host);
    if (journal === undefined) {
      return { ...rest, files, effects: [], costUsd: 0, transcriptFaults: [], classes: [] };
    }
    return { ...rest, files, ...whatHappened(journal) };
  }
}

/** A resume whose own effects are counted as well. */
class CountingResume extends ResumingEffects {
  private readonly onEffect: (place: string, call: EffectCall<unknown>) => void;
  private readonly named = new Map<unknown, string>();
  constructor(
    options: ConstructorParameters<typeof ResumingEffects>[0],
    onEffect: (place: string, call: EffectCall<unknown>) => void,
  ) {
    super(options);
    this.onEffect = onEffect;
  }
  override perform: ResumingEffects["perform"] = (scope, call, inFlight) => {
    if (!this.inside) this.named.set(call, `${scope.path}#${scope.effects}`);
    return super.perform(scope, call, inFlight);
  };
  protected override start: ResumingEffects["start"] = (call, inFlight, left) => {
    const place = this.named.get(call);
    if (place !== undefined && !this.inside) this.onEffect(place, call as EffectCall<unknown>);
    return super.start(call, inFlight, left);
  };
}

const endOf = (outcome: RunOutcome): { reason: "error" | "done"; exitCode: number } => ({
  reason: outcome.error === undefined && outcome.internal === undefined ? "done" : "error",
  exitCode: outcome.exitCode,
});

/** Files that were written in memory. */
function filesOfHost(host: Host): Map<string, string> {
  const files = new Map<string, string>();
  const { entries } = host.files as unknown as {
    entries: ReadonlyMap<string, { kind: string; data?: Uint8Array }>;
  };
  for (const [path, entry] of entries) {
    if (entry.data !== undefined) files.set(path, nodeDigest(Buffer.from(entry.data).toString("base64")));
  }
  return files;
}

type ObservedRun = Pick<ExperimentRun, "effects" | "costUsd" | "transcriptFaults" | "classes">;

function whatHappened(journal: Journal): ObservedRun {
  const { history } = resumePoint(journal);
  const steps = stepsOf(history);
  let costUsd = 0;
  const transcriptFaults: string[] = [];
  for (const step of steps) {
    if (step.kind !== "llm.call") continue;
    const outcome = step.result?.v === undefined ? null : history.whole(step.result.v);
    costUsd += outcomeCost(outcome);
    const { request } = history.whole((step.args ?? null) as Json) as { request?: { messages?: Json } };
    for (const fault of conversationFaults(request?.messages ?? []))
      transcriptFaults.push(`${step.place}: ${fault}`);
  }
  const effects = steps.map(
    (step) => `${step.place} ${step.kind} ${history.at(...placeOf(step.place))?.print?.h}`,
  );
  return { effects: effects.sort(), costUsd, transcriptFaults, classes: steps.map((step) => step.effect) };
}

function placeOf(place: string): [string, number] {
  const [path = "", number] = place.split("#");
  return [path, Number(number)];
}

function outcomeCost(outcome: Json): number {
  const { response, partial } = (outcome ?? {}) as {
    response?: { cost_usd?: number };
    partial?: { cost_usd?: number };
  };
  return response?.cost_usd ?? partial?.cost_usd ?? 0;
}

/** Every call of a tool has one result after it, and no result is without its call. */
function conversationFaults(messages: Json): string[] {
  const faults: string[] = [];
  const open = new Set<string>();
  for (const message of messages as readonly {
    role?: string;
    tool_calls?: { id?: string }[];
    tool_call_id?: string;
  }[]) {
    if (message.role === "tool" && message.tool_call_id !== undefined) {
      if (!open.delete(message.tool_call_id))
        faults.push(`a result without its call: ${message.tool_call_id}`);
      continue;
    }
    if (open.size > 0) faults.push(`calls without results: ${[...open].join(", ")}`);
    open.clear();
    for (const call of message.tool_calls ?? []) if (call.id !== undefined) open.add(call.id);
  }
  return faults;
}

/** Where a run with a fault differs from the run without one. Nothing, when all is as it should be. */
export function differences(
  reference: ExperimentRun,
  execution: ExperimentRun,
  fault: TortureFault,
): string[] {
  const found: string[] = [];
  if (execution.internal !== undefined) found.push(`it broke: ${execution.internal}`);
  found.push(...execution.transcriptFaults.map((one) => `transcript: ${one}`));
  for (const [place, times] of execution.changes) {
    const usual = reference.changes.get(place) ?? 1;
    if (times > usual) found.push(`side effects: ${place} happened ${times} times, not ${usual}`);
  }
  // A model that answers otherwise takes the program elsewhere: only what holds on every course is asked then.
  return fault.kind === "model" ? found : [...found, ...otherExecution(reference, execution)];
}

function otherExecution(reference: ExperimentRun, execution: ExperimentRun): string[] {
  const found: string[] = [];
  if (execution.stdout !== reference.stdout) {
    found.push(`output: ${firstStateDifference(reference.stdout, execution.stdout)}`);
  }
  if (execution.exitCode !== reference.exitCode) {
    found.push(`exit code: ${execution.exitCode}, not ${reference.exitCode}`);
  }
  if (Math.abs(execution.costUsd - reference.costUsd) > 1e-9) {
    found.push(`budget: $${execution.costUsd} spent, not $${reference.costUsd}`);
  }
  for (const effect of reference.effects) {
    if (!execution.effects.includes(effect)) found.push(`effects: ${effect} is missing`);
  }
  for (const [path, hash] of reference.files) {
    if (execution.files.get(path) !== hash) found.push(`files: ${path} has another content`);
  }
  for (const path of execution.files.keys()) {
    if (!reference.files.has(path)) found.push(`files: ${path} was written`);
  }
  return found;
}

const around = 30;

function firstStateDifference(expected: string, found: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at++;
  const part = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - around), at + around));
  return `${part(expected)} became ${part(found)}`;
}
