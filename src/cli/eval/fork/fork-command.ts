/** `harn eval fork`: a trial again from a step on, many times, with a change and without: what does the change do there? */

import { showOneLine } from "../../../diagnostics/index.ts";
import { type HistoryStep, resumePoint, stepsOf } from "../../../effects/index.ts";
import {
  type EvalStore,
  type ForkArm,
  type ForkChange,
  type PlannedTrial,
  planForks,
  plannedTrials,
  runSet,
  type SetEnd,
  type SetSpec,
  trialFork,
} from "../../../eval/engine/index.ts";
import {
  asOwner,
  atOf,
  evalStoreOf,
  NodeTrialRuns,
  neverRecorded,
  type PlanAtHand,
  type Probe,
  pivotReport,
  pivotText,
  planAtHand,
  runPlan,
  trialNamed,
} from "../../../eval/local/index.ts";
import {
  countedText,
  type ForkArmReport,
  forkArm,
  forkReport,
  forkText,
  type StoredTask,
  storedSetOf,
} from "../../../eval/report/index.ts";
import type { FlagsOf } from "../../../host/command/flags.ts";
import { exitCode, ownStateFolder, print, reportAsJson, UsageError } from "../../../host/command/index.ts";
import { openStore, type Store } from "../../../store/index.ts";
import type { forkTrialFlags } from "../../flags/eval.ts";
import { type SetFlags, setOptions } from "../run-options.ts";
import { type SetWork, workOnSet } from "../set-command.ts";

export type ForkTrialFlags = FlagsOf<typeof forkTrialFlags>;

export function forkTrialCommand(
  address: string,
  args: readonly string[],
  flags: ForkTrialFlags,
): Promise<number> {
  const { trials: _count, ...view } = flags;
  return workOnSet(view, (work) => forkTrial(address, args, flags, work));
}

async function forkTrial(
  address: string,
  args: readonly string[],
  flags: ForkTrialFlags,
  work: SetWork,
): Promise<number> {
  const files = openStore(ownStateFolder());
  const store = evalStoreOf(files);
  const fork = new ForkWork(files, store, address, args, flags, work);
  return await asOwner(files, fork.setName, () => fork.run());
}

class ForkWork {
  readonly setName: string;
  private readonly files: Store;
  private readonly store: EvalStore;
  private readonly args: readonly string[];
  private readonly flags: ForkTrialFlags;
  private readonly work: SetWork;
  private readonly source: PlannedTrial;
  private readonly task: StoredTask;
  private readonly succeeded: 0 | 1 | null;
  private readonly set: NonNullable<ReturnType<EvalStore["set"]>>;
  private readonly spec: SetSpec;
  /** The run that it goes like, and its steps. */
  private readonly from: string;
  private readonly steps: readonly HistoryStep[];
  private readonly count: number;

  private readonly options: ReturnType<typeof setOptions>;

  constructor(
    files: Store,
    store: EvalStore,
    address: string,
    args: readonly string[],
    flags: ForkTrialFlags,
    work: SetWork,
  ) {
    this.files = files;
    this.store = store;
    this.args = args;
    this.flags = flags;
    this.work = work;
    this.count = flags.trials ?? 8;
    this.options = setOptions(this.runFlags());
    const { set, task, trial } = trialNamed(store, address);
    this.set = set.row;
    this.setName = set.name;
    this.task = task;
    this.spec = JSON.parse(set.row.spec) as SetSpec;
    const path = `${task.spec.name}/${trial.variant}/${trial.sample}.${trial.epoch}`;
    const run = trial.row.run === null ? undefined : files.runs.nameOf(trial.row.run);
    if (this.spec.plan === "")
      throw new UsageError(`${set.name} was imported without journals: there is nothing that could go on`);
    if (run === undefined) throw new UsageError(`${path} has no steps: ${neverRecorded}`);
    if (task.spec.sandbox !== null)
      throw new UsageError(
        `${path} works in a sandbox, and its files are not kept step by step: what goes on from one would find others; compare whole trials instead (run the set with the change, then \`harn eval compare\`)`,
      );
    this.from = run;
    this.steps = stepsOf(resumePoint(files.runs.read(run)).history);
    this.source = plannedTrials(store, set.row).find(({ row }) => row.id === trial.row.id) as PlannedTrial;
    this.succeeded = (forkArm(task, [trial]).rate ?? null) as 0 | 1 | null;
  }

  async run(): Promise<number> {
    const { at } = this.flags;
    const program = await this.otherPlan();
    if (program === null) return exitCode.failed;
    const change = this.changeOf(program === undefined ? null : program.digest);
    if (at === "pivot") {
      if (change !== null)
        throw new UsageError("--at pivot looks for the step itself: nothing else is changed with it");
      return await this.pivot();
    }
    const step = this.stepAt(at);
    if (change === null)
      throw new UsageError(
        "name what is different from the step on: --model, --provider, --set NAME=VALUE, --script FILE or --result JSON",
        "HARN-CLI-002",
      );
    return await this.compare(step, change, program?.at);
  }

  // ── what is asked ───────────────────────────────────────────────────────────────────────────────────────────────

  private stepAt(text: string | undefined): HistoryStep {
    const number = Number(text);
    const step = Number.isInteger(number) ? this.steps[number - 1] : undefined;
    if (step !== undefined) return step;
    const listed = this.steps
      .filter(({ kind }) => !kind.startsWith("clock."))
      .slice(0, maxListed)
      .map(({ number: at, kind }) => `${at} ${kind}`)
      .join(", ");
    const there = `${this.source.path} has ${countedText(this.steps.length, "step")}: ${listed}`;
    throw new UsageError(
      text === undefined
        ? `--at N is needed, the step that is done differently, or --at pivot; ${there}`
        : `there is no step ${showOneLine(text)}; ${there}`,
      "HARN-CLI-002",
    );
  }

  private changeOf(program: string | null): ForkChange | null {
    const { model = null, provider = null, set: env = {}, result = null } = this.flags;
    const isNone =
      model === null &&
      provider === null &&
      Object.keys(env).length === 0 &&
      result === null &&
      program === null;
    return isNone ? null : { model, provider, env, program, result };
  }

  /** Undefined without `--script`; null when it does not run, which has been reported. */
  private async otherPlan(): Promise<
    { readonly digest: string; readonly at: PlanAtHand } | null | undefined
  > {
    const { script } = this.flags;
    if (script === undefined) return undefined;
    if (this.spec.at !== null)
      throw new UsageError(`${this.setName} was made by eval_run: only its own program makes its trials`);
    const flags = this.runFlags();
    const plan = await runPlan({
      file: script,
      args: this.args,
      flags,
      params: this.spec.params,
      choice: {},
    });
    if (plan === undefined || plan.exitCode !== 0) return null;
    const { name } = this.task.spec;
    if (!plan.tasks.some(({ spec }) => spec.name === name))
      throw new UsageError(
        `--script: it has no task ${name}; it has ${plan.tasks.map(({ spec }) => spec.name).join(", ") || "none"}`,
        "HARN-CLI-003",
      );
    const at = await planAtHand(this.files, plan.run, { ...atOf(this.spec), flags, program: plan.program });
    return { digest: plan.digest, at };
  }

  /** What holds for the whole program: a model is changed from the step on alone. */
  private runFlags(): SetFlags {
    const { model: _model, provider: _provider, trials: _trials, ...flags } = this.flags;
    return flags;
  }

  // ── what is run ─────────────────────────────────────────────────────────────────────────────────────────────────

  private async compare(
    step: HistoryStep,
    change: ForkChange,
    other: PlanAtHand | undefined,
  ): Promise<number> {
    const arms: ForkArm[] = [null, change].map((one) => ({ at: step.number, change: one }));
    const own = await planAtHand(this.files, this.spec.plan, { ...atOf(this.spec), flags: this.runFlags() });
    const trials = planForks(this.store, this.set, this.source, {
      from: this.from,
      count: this.count,
      arms,
    });
    const isChanged = (_: PlannedTrial, at: number): boolean => at % arms.length === 1;
    const rounds =
      other === undefined
        ? [{ at: own, trials }]
        : [
            { at: own, trials: trials.filter((trial, at) => !isChanged(trial, at)) },
            { at: other, trials: trials.filter(isChanged) },
          ];
    let end: SetEnd | undefined;
    for (const round of rounds) {
      if (end !== undefined && end.exitCode !== exitCode.ok && end.state !== "incomplete") break;
      end = await this.carryOut(round.at, round.trials);
    }
    const armOf = (isOther: boolean): ForkArmReport =>
      this.armOf(trials.filter((trial, at) => isChanged(trial, at) === isOther));
    const report = forkReport(armOf(false), armOf(true));
    this.work.closed();
    const trial = `${this.setName}:${this.source.path}`;
    if (this.flags.json === true)
      reportAsJson({ set: this.setName, trial, at: step.number, step: step.kind, change, ...report });
    else {
      const head = `${trial} from step ${step.number} of ${this.steps.length} on (${step.kind})`;
      print(`${showOneLine(head)}\n${forkText(report)}${forkEndText(end)}`);
    }
    return end?.exitCode ?? exitCode.ok;
  }

  /** The step after which success falls most, by bisection over the model calls. */
  private async pivot(): Promise<number> {
    const calls = this.steps.filter(({ kind }) => kind === "llm.call");
    if (calls.length === 0)
      throw new UsageError(`${this.source.path} asks no model: nothing of it would come out otherwise`);
    if (this.succeeded === null)
      throw new UsageError(`${this.source.path} is not scored: nobody knows how it ended`);
    const own = await planAtHand(this.files, this.spec.plan, { ...atOf(this.spec), flags: this.runFlags() });
    let end: SetEnd | undefined;
    const found = await pivotReport(calls, this.succeeded, async (step): Promise<Probe | undefined> => {
      const trials = planForks(this.store, this.set, this.source, {
        from: this.from,
        count: this.count,
        arms: [{ at: step.number, change: null }],
      });
      end = await this.carryOut(own, trials);
      const arm = this.armOf(trials);
      return arm.rate === null ? undefined : { step: step.number, kind: step.kind, arm };
    });
    this.work.closed();
    const trial = `${this.setName}:${this.source.path}`;
    if (this.flags.json === true) reportAsJson({ set: this.setName, trial, ...found });
    else print(`${pivotText(trial, this.succeeded, found)}${forkEndText(end)}`);
    return end?.exitCode ?? exitCode.ok;
  }

  private async carryOut(at: PlanAtHand, trials: readonly PlannedTrial[]): Promise<SetEnd> {
    const { work, store } = this;
    work.onPlanned({ name: this.setName, store, kind: "fork" });
    await work.stop.watch();
    return await runSet({
      runs: new NodeTrialRuns(this.files, store, at, work.stop),
      set: this.set,
      beside: {
        trials,
        costUsd: this.options.costUsd ?? null,
        fork: trialFork,
      },
      onProgress: work.onProgress,
      onWarning: work.onWarning,
      signal: work.stop.signal,
      random: Math.random,
    });
  }

  private armOf(trials: readonly PlannedTrial[]): ForkArmReport {
    const ids = new Set(trials.map(({ row }) => row.id));
    const found = storedSetOf(this.store, this.set, "fork").tasks.flatMap((task) => task.trials);
    return forkArm(
      this.task,
      found.filter(({ row }) => ids.has(row.id)),
    );
  }
}

/** Steps that are listed when one is needed. */
const maxListed = 40;

function forkEndText(end: SetEnd | undefined): string {
  if (end === undefined || end.exitCode === exitCode.ok) return "";
  const why = end.why === null ? "" : `: ${showOneLine(end.why)}`;
  return `${end.state}${why}; the same command goes on\n`;
}
