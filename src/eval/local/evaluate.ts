/** A set from its program to its end: `evaluate` begins or grows one, `resumeEvaluation` resumes one. */
import { EmbeddedOperations, type EvalSetRow } from "../../durable/index.ts";
import { exitCode, ownStateFolder, UsageError } from "../../host/command/index.ts";
import { nodeDigest, nodeSeed } from "../../host/index.ts";
import type { RuntimeOptions } from "../../interp/index.ts";
import { openStore, type Store } from "../../store/index.ts";
import { presentFields } from "../../values/index.ts";
import {
  EvalStore,
  endRaces,
  judgedBy,
  type PlanChoice,
  type PlannedTask,
  type PlannedTrial,
  plannedTrials,
  type RedoChoice,
  type ReplayedSet,
  type RunSetRequest,
  redoTrials,
  replaySet,
  runSetAndBlame,
  type SetEnd,
  type SetOptions,
  type SetProgress,
  type SetSpec,
  type Solver,
  sampleIsChosen,
  storedSetOf,
  taskIsChosen,
  usualOptions,
} from "../engine/index.ts";
import { decodePart, type EvalNotes, type TaskSpec, trialAddress } from "../index.ts";
import { hasOnlyFigures, type TrialState } from "../report/index.ts";
import { type MadePlan, type PlanRunRequest, planAtHand } from "./plan-at-hand.ts";
import { missedBy, NothingChosen, runPlan } from "./plan-run.ts";
import {
  asOwner,
  begunSet,
  type PlannedSet,
  plannedSet,
  type SetRequest,
  type SetWithPlan,
  whereThereIsRoom,
  withPlan,
} from "./planned-set.ts";
import { gatesOf } from "./set-reports.ts";
import type { SetStop } from "./set-stop.ts";
import { isUnplanned, plannedRow, trialNamed } from "./stored-sets.ts";
import { NodeTrialRuns } from "./trial-runs.ts";
import { mustBeHere } from "./trials-elsewhere.ts";

export type SetRunner = (request: RunSetRequest) => Promise<SetEnd>;

export interface EvaluateRequest extends PlanRunRequest, SetRequest {
  /** `--set`: a new name, or a set that grows. */
  readonly set?: string | undefined;
  readonly onProgress?: (progress: SetProgress, ended: PlannedTrial | null) => void;
  readonly stop?: SetStop;
  readonly onWarning?: (text: string) => void;
  readonly as?: Solver;
  /** Who runs the trials; this process unless said otherwise. */
  readonly run?: SetRunner;
  /** Called before anything is written: what it throws ends the command. */
  readonly onTasks?: (tasks: readonly PlannedTask[], plan: Pick<MadePlan, "unasked" | "program">) => void;
}

export type EvaluationEnd =
  | { readonly kind: "set"; readonly end: SetEnd; readonly store: EvalStore }
  /** The program registers no task, or did not run: how it ended. */
  | { readonly kind: "no set"; readonly exitCode: number; readonly notes: EvalNotes };

/** Plans and runs. The store stays open. */
export async function evaluate(request: EvaluateRequest): Promise<EvaluationEnd> {
  const name = request.set ?? newSetName();
  const begun = new BegunSet(name);
  try {
    const plan = await runPlan(request, () => begun.begin());
    if (plan === undefined)
      return { kind: "no set", exitCode: exitCode.failed, notes: { metrics: [], results: [] } };
    if (plan.tasks.length === 0 || plan.exitCode !== 0)
      return { kind: "no set", exitCode: plan.exitCode, notes: plan.notes };
    request.onTasks?.(plan.tasks, plan);
    return await runPlanned(name, plan, request);
  } finally {
    begun.end();
  }
}

/** From when its program has tasks until they are written: a set that is planned stands in the store from the beginning. */
class BegunSet {
  private readonly name: string;
  private files: Store | undefined;

  constructor(name: string) {
    this.name = name;
  }

  begin(): void {
    const files = openStore(ownStateFolder());
    const store = evalStoreOf(files);
    if (store.set(this.name) !== undefined) {
      files.close();
      return;
    }
    begunSet(store, this.name);
    this.files = files;
  }

  /** What came to nothing leaves nothing behind. */
  end(): void {
    const { files } = this;
    if (files === undefined) return;
    whereThereIsRoom(() => {
      const store = evalStoreOf(files);
      const row = store.set(this.name);
      if (row !== undefined && isUnplanned(store, row))
        store.stored.remove({ table: "eval_set", where: { id: row.id } });
      files.close();
    });
  }
}

async function runPlanned(name: string, plan: MadePlan, request: EvaluateRequest): Promise<EvaluationEnd> {
  const files = openStore(ownStateFolder());
  const store = evalStoreOf(files);
  return await asOwner(files, name, async () => {
    const before = store.set(name);
    if (before !== undefined) mustBeHere(files, before);
    const set = plannedSet(files, store, name, plan, request);
    const at = await planAtHand(files, plan.run, {
      ...atOf(set.spec),
      flags: request.flags,
      program: plan.program,
    });
    const end = await ranSet(request, {
      runs: new NodeTrialRuns(files, store, at, request.stop),
      set: set.row,
      follow: set.follow,
      as: request.as ?? "solver",
    });
    return { kind: "set", end, store };
  });
}

interface ResumeRequest {
  /** Name of the set, or `last`. */
  readonly set: string;
  readonly flags: PlanRunRequest["flags"];
  /** What is changed of what it was asked for: a higher limit, more trials at once. */
  readonly options?: Partial<SetOptions>;
  readonly judged?: SetRequest["judged"];
  readonly redo?: RedoChoice | null;
  /** Only these of the open trials are done; the others stay as they are. */
  readonly choice?: Pick<PlanChoice, "task" | "samples">;
  /** False: what races did not need is run. */
  readonly race?: boolean;
  readonly onProgress?: EvaluateRequest["onProgress"];
  readonly stop?: SetStop;
  readonly onWarning?: EvaluateRequest["onWarning"];
  readonly run?: EvaluateRequest["run"];
  /** Called before the first call. */
  readonly onPlanned?: (planned: Pick<PlannedSet, "name" | "store">) => void;
  /** Called before the first call, where a choice leaves open trials as they are. */
  readonly onChosen?: (open: { readonly asked: number; readonly all: number }) => void;
}

export async function resumeEvaluation(
  request: ResumeRequest,
): Promise<Extract<EvaluationEnd, { kind: "set" }>> {
  const files = openStore(ownStateFolder());
  const store = evalStoreOf(files);
  const found = plannedRow(store, request.set);
  return await asOwner(files, found.name, async () => {
    if (request.run === undefined) mustBeHere(files, found);
    const isAsked = askedTrials(store, found, request.choice);
    const before = JSON.parse(found.spec) as SetSpec;
    if (hasOnlyFigures(found))
      throw new UsageError(`${found.name} was imported without journals: there is nothing that could go on`);
    const { gate, baseline } = request.judged ?? {};
    const tasks = storedSetOf(store, found).tasks;
    const spec: SetSpec = {
      ...before,
      options: { ...before.options, ...presentFields(request.options ?? {}) },
      ...judgedBy(before, gatesOf(tasks, { gate }), baseline),
    };
    const set = store.changeSet(found, { spec: JSON.stringify(spec) });
    if (request.race === false) endRaces(store, set);
    if (request.redo !== undefined && request.redo !== null) redoTrials(store, set, request.redo, isAsked);
    request.onPlanned?.({ name: found.name, store });
    if (isAsked !== undefined) {
      const open = plannedTrials(store, set).filter(({ row }) => !["done", "skipped"].includes(row.state));
      request.onChosen?.({ asked: open.filter(isAsked).length, all: open.length });
    }
    const at = await planAtHand(files, spec.plan, { ...atOf(spec), flags: request.flags });
    const end = await ranSet(request, {
      runs: new NodeTrialRuns(files, store, at, request.stop),
      set,
      ...(isAsked === undefined ? {} : { isAsked }),
    });
    return { kind: "set", end, store };
  });
}

/** Which trials of a set a choice is about; undefined: all. What fits none of them is told. */
function askedTrials(
  store: EvalStore,
  set: EvalSetRow,
  choice: ResumeRequest["choice"] = {},
): RunSetRequest["isAsked"] {
  if (choice.task === undefined && choice.samples === undefined) return undefined;
  const names = store.tasks(set.id);
  const samples = Map.groupBy(
    store.samples(set.id).filter(({ retired }) => retired === 0),
    ({ task }) => task,
  );
  const chosen = names
    .filter(({ name }) => taskIsChosen(choice, name))
    .map(({ id, name }) => ({
      spec: { name },
      samples: (samples.get(id) ?? []).filter(({ key }) => sampleIsChosen(choice, decodePart(key))),
    }));
  const missed = missedBy(
    choice,
    names.map(({ name }) => name),
    chosen,
  );
  if (missed !== undefined) throw new NothingChosen(missed);
  return ({ key }) => taskIsChosen(choice, key.task) && sampleIsChosen(choice, decodePart(key.sample));
}

async function ranSet(
  { onProgress, onWarning, stop, run }: Pick<EvaluateRequest, "onProgress" | "onWarning" | "stop" | "run">,
  set: Pick<RunSetRequest, "runs" | "set" | "follow" | "as" | "rescore" | "isAsked">,
): Promise<SetEnd> {
  await stop?.watch();
  return await runSetAndBlame(
    {
      ...set,
      random: Math.random,
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(onWarning === undefined ? {} : { onWarning }),
      ...(stop === undefined ? {} : { signal: stop.signal }),
    },
    run,
  );
}

interface RescoreRequest
  extends Pick<ResumeRequest, "set" | "flags" | "options" | "onProgress" | "stop" | "onWarning"> {
  /** Another script whose scorers count from now on. */
  readonly script?: string | undefined;
  readonly args: readonly string[];
  /** All unless they are named. */
  readonly scorers: readonly string[] | null;
  /** Draws of each judge among them. */
  readonly draws: number | undefined;
  readonly onPlanned?: (planned: Pick<PlannedSet, "name" | "store">) => void;
}

function refuseUnknownScorers(wanted: readonly string[], names: readonly string[]): void {
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `--scorer: there is no scorer ${unknown}; there are ${names.join(", ")}`,
      "HARN-CLI-003",
    );
}

/** `names`: the scorers that there are. */
function scoringOptions(
  spec: SetSpec,
  request: RescoreRequest,
  names: readonly string[],
): SetSpec["options"] {
  const { draws } = request;
  const drawn =
    draws === undefined ? {} : Object.fromEntries((request.scorers ?? names).map((name) => [name, draws]));
  const options = { ...usualOptions, ...spec.options, ...presentFields(request.options ?? {}) };
  return { ...options, draws: { ...options.draws, ...drawn } };
}

/** Scores what is done again, as a new version. Undefined when the script does not compile, which has been reported. */
export async function scoreEvaluation(
  request: RescoreRequest,
): Promise<Extract<EvaluationEnd, { kind: "set" }> | undefined> {
  const files = openStore(ownStateFolder());
  const store = evalStoreOf(files);
  const found = plannedRow(store, request.set);
  const before = JSON.parse(found.spec) as SetSpec;
  if (before.plan === "" && request.script === undefined)
    throw new UsageError(`${found.name} was imported: name the scorers with --script FILE`, "HARN-CLI-002");
  if (request.script !== undefined && before.at !== null)
    throw new UsageError(`${found.name} was made by eval_run: its own program makes its scores`);
  const plan = request.script === undefined ? undefined : await planOfScript(request, before);
  if (plan === null) return undefined;
  return await asOwner(files, found.name, async () => {
    mustBeHere(files, found);
    let row = found;
    let spec = before;
    if (plan !== undefined) {
      spec = { ...before, plan: plan.run, modules: plan.modules };
      takeScorers(store, row, plan.tasks);
      row = withPlan(store, { ...row, program: plan.digest }, plan.run, spec);
    }
    const names = [...new Set(store.tasks(row.id).flatMap((task) => namesOfScorers(task.spec)))];
    refuseUnknownScorers(request.scorers ?? [], names);
    spec = { ...spec, options: scoringOptions(spec, request, names) };
    row = store.changeSet(row, { spec: JSON.stringify(spec) });
    request.onPlanned?.({ name: row.name, store });
    const at = await planAtHand(files, spec.plan, {
      ...atOf(spec),
      flags: request.flags,
      ...(plan === undefined ? {} : { program: plan.program }),
    });
    const end = await ranSet(request, {
      runs: new NodeTrialRuns(files, store, at, request.stop),
      set: row,
      rescore: { scorers: request.scorers },
    });
    return { kind: "set", end, store };
  });
}

/** Null: it did not compile, or did not run. */
async function planOfScript(request: RescoreRequest, { params }: SetSpec): Promise<MadePlan | null> {
  const { script = "", args, flags } = request;
  const plan = await runPlan({ file: script, args, flags, params, choice: {} });
  return plan === undefined || plan.exitCode !== 0 ? null : plan;
}

const namesOfScorers = (spec: string): string[] =>
  (JSON.parse(spec) as TaskSpec).scorers.map(({ name }) => name);

/** The tasks of a set with the scorers, gates and metrics that a script has for them; what was run stays as it was. */
function takeScorers(store: EvalStore, set: SetWithPlan["row"], planned: readonly PlannedTask[]): void {
  const rows = store.tasks(set.id);
  for (const row of rows) {
    const now = planned.find(({ spec }) => spec.name === row.name)?.spec;
    if (now === undefined)
      throw new UsageError(
        `--script: it has no task ${row.name}; it has ${planned.map(({ spec }) => spec.name).join(", ") || "none"}`,
        "HARN-CLI-003",
      );
    const { scorers, success, metrics, reduce, gates, baseline, groupBy } = now;
    const old = JSON.parse(row.spec) as TaskSpec;
    const text = JSON.stringify({ ...old, scorers, success, metrics, reduce, gates, baseline, groupBy });
    store.write([{ table: "eval_task", row: { ...row, spec: text, digest: store.digest(text) } as never }]);
  }
}

/** A set again from its journals, with nothing outside touched. */
export async function replayEvaluation(name: string): Promise<ReplayedSet & { readonly set: string }> {
  const files = openStore(ownStateFolder());
  const store = evalStoreOf(files);
  const found = plannedRow(store, name);
  return { ...(await replayed(files, store, found, {})), set: found.name };
}

/** One trial of a set in the same way, also one that is not done; `wirings` see its Runtime, not those of its scorings. */
export async function replayTrialNamed(
  address: string,
  wirings?: RuntimeOptions["wirings"],
): Promise<{ readonly trial: string; readonly state: TrialState; readonly replayed: ReplayedSet }> {
  const files = openStore(ownStateFolder());
  const store = evalStoreOf(files);
  const { set, task, trial } = trialNamed(store, address);
  const { variant, sample, epoch, state } = trial;
  return {
    trial: trialAddress(set.name, { task: task.spec.name, variant, sample, epoch }),
    state,
    replayed: await replayed(files, store, set.row, { only: trial.row.id, wirings }),
  };
}

async function replayed(
  files: Store,
  store: EvalStore,
  set: EvalSetRow,
  { only, wirings }: { readonly only?: number; readonly wirings?: RuntimeOptions["wirings"] | undefined },
): Promise<ReplayedSet> {
  const spec = JSON.parse(set.spec) as SetSpec;
  if (spec.plan === "")
    throw new UsageError(`${set.name} was imported without journals: there is nothing to follow`);
  const at = await planAtHand(files, spec.plan, { ...atOf(spec), flags: {} });
  return await replaySet(new NodeTrialRuns(files, store, at, undefined, wirings), set, only);
}

export const atOf = ({ at, params, options }: SetSpec) => ({
  at,
  params,
  onDoubt: options.onDoubt,
  processes: options.processes ?? null,
});

export const evalStoreOf = (files: Store): EvalStore =>
  new EvalStore(new EmbeddedOperations(files), nodeDigest);

/** `eval-YYYYMMDD-HHMMSS-xxxxxxxx` */
export function newSetName(): string {
  const time = new Date().toISOString().replace(/[-:]/g, "").replace(/\..*/, "").replace("T", "-");
  return `eval-${time}-${nodeSeed().slice(0, 8)}`;
}
