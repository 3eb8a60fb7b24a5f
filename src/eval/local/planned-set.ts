/** The rows of a set, from a plan; one process at a time owns them. */

import { showOneLine } from "../../diagnostics/index.ts";
import type { EvalSetRow } from "../../durable/index.ts";
import { UsageError } from "../../host/command/index.ts";
import { nodeSeed } from "../../host/index.ts";
import { describeOwner, isDiskFull, type Lease, type Store } from "../../store/index.ts";
import { presentFields, ScriptError } from "../../values/index.ts";
import {
  type EvalStore,
  judgedBy,
  type RedoChoice,
  type SetOptions,
  type SetSpec,
  type StaleChoice,
  usualOptions,
  writePlan,
} from "../engine/index.ts";
import { codedText, evalMessage } from "../index.ts";
import { hasOnlyFigures } from "../report/index.ts";
import type { MadePlan, PlanRunRequest } from "./plan-at-hand.ts";
import { gatesOf, type ReportFlags } from "./set-reports.ts";
import { isUnplanned } from "./stored-sets.ts";
import { setLease } from "./trials-elsewhere.ts";

/** What is asked of a set besides its plan. */
export interface SetRequest extends Pick<PlanRunRequest, "flags" | "params"> {
  readonly options?: Partial<SetOptions>;
  /** What the set is judged by from now on, besides what its tasks say. */
  readonly judged?: Pick<ReportFlags, "gate" | "baseline">;
  readonly stale?: StaleChoice;
  readonly redo?: RedoChoice | null;
  /** Called before the first call, with the set's name. */
  readonly onPlanned?: (planned: PlannedSet) => void;
}

export interface PlannedSet {
  readonly name: string;
  readonly store: EvalStore;
  readonly trials: number;
  readonly kept: number;
  readonly added: number;
  readonly stale: number;
}

export interface SetWithPlan {
  readonly row: ReturnType<EvalStore["changeSet"]>;
  readonly spec: SetSpec;
  readonly follow: ReadonlySet<number>;
}

function refuseImportedSet(name: string): never {
  throw new UsageError(
    `${name} was imported without journals: nothing can be added to it; give --set another name, and \`harn eval compare\` both`,
  );
}

/** Writes the rows of a set: a new one, or one that grows. */
export function plannedSet(
  files: Store,
  store: EvalStore,
  name: string,
  plan: Omit<MadePlan, "notes">,
  request: SetRequest,
): SetWithPlan {
  const found = store.set(name);
  if (found !== undefined && hasOnlyFigures(found)) refuseImportedSet(name);
  const before = found === undefined || isUnplanned(store, found) ? undefined : found;
  const old = before === undefined ? undefined : (JSON.parse(before.spec) as SetSpec);
  const judged = request.judged ?? {};
  const spec: SetSpec = {
    plan: plan.run,
    at: plan.at ?? null,
    options: { ...(old?.options ?? usualOptions), ...presentFields(request.options ?? {}) },
    modules: plan.modules,
    params: request.params,
    stale: 0,
    ...judgedBy(old, gatesOf(plan.tasks, judged), judged.baseline),
  };
  // All of it or nothing: a set whose plan is half written would be one of fewer tasks.
  const { written, row } = explainedPlan(() =>
    files.transaction(() => {
      const seed = before?.seed ?? seedOf(plan, request);
      const set = store.changeSet(found ?? begunSet(store, name), {
        program: plan.digest,
        seed,
        began: before?.began ?? Date.now(),
      });
      const result = writePlan(store, set, {
        tasks: plan.tasks,
        program: plan.digest,
        stale: request.stale ?? "ask",
        redo: request.redo ?? null,
        changed: old === undefined ? [] : changedFiles(old.modules, plan.modules),
      });
      return { written: result, row: withPlan(store, set, plan.run, { ...spec, stale: result.stale }) };
    }),
  );
  request.onPlanned?.({ name, store, trials: written.kept + written.added, ...written });
  return { row, spec: { ...spec, stale: written.stale }, follow: written.follow };
}

/** What is wrong with a plan is a matter of how it was asked for. */
function explainedPlan<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ScriptError) throw new UsageError(codedText(error));
    throw error;
  }
}

const seedOf = ({ tasks }: Pick<MadePlan, "tasks">, { flags }: SetRequest): string =>
  tasks.find((task) => task.spec.seed !== null)?.spec.seed ?? flags.seed ?? nodeSeed();

/** The row of a set that is about to be planned: whoever looks for the newest set must not find the one before. */
export function begunSet(store: EvalStore, name: string): EvalSetRow {
  const spec: SetSpec = { plan: "", at: null, options: usualOptions, modules: {}, params: {}, stale: 0 };
  const text = JSON.stringify(spec);
  const times = { began: Date.now(), ended: null };
  store.insert("eval_set", [
    {
      name,
      plan: null,
      seed: "",
      spec: text,
      state: "planning",
      why: null,
      program: "",
      ...times,
      receipt: null,
    },
  ]);
  return store.set(name) as EvalSetRow;
}

/** The plan by its name, which the row of the set has as a number. */
export function withPlan(
  store: EvalStore,
  row: SetWithPlan["row"],
  plan: string,
  spec: SetSpec,
): SetWithPlan["row"] {
  const state = row.state === "planning" ? "running" : row.state;
  store.write([{ table: "eval_set", row: { ...row, state, plan, spec: JSON.stringify(spec) } as never }]);
  return store.set(row.name) as SetWithPlan["row"];
}

/** Files that differ, by name. */
function changedFiles(before: SetSpec["modules"], now: SetSpec["modules"]): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...paths].filter((path) => before[path] !== now[path]).map((path) => path.replace(/^.*\//, ""));
}

const renewMs = 10_000;

/** While this process owns the set; another owner is named. */
export async function asOwner<T>(files: Store, name: string, work: () => Promise<T>): Promise<T> {
  const lease: Lease | undefined = files.leases.take(setLease(name));
  if (lease === undefined) {
    const held = files.leases.leaseOwner(setLease(name));
    const owner = held === undefined ? "another process" : describeOwner(held.owner);
    throw new UsageError(evalMessage("HARN-EVL-012", { name, owner }));
  }
  const timer = setInterval(() => whereThereIsRoom(() => files.leases.renew(lease)), renewMs);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    whereThereIsRoom(() => files.leases.release(lease));
  }
}

/** On a full disk a lease ends with its process; what could not be done there says why. */
export function whereThereIsRoom(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

/** Addresses are `SET:TRIAL`, so a set's name has no colon. */
export function checkSetName(name: string | undefined): void {
  if (name !== undefined && !/^[^\s:~%\p{Cc}]+$/u.test(name))
    throw new UsageError(
      `--set: expected a name without blanks, \`:\`, \`~\` and \`%\`, got ${name === "" ? "an empty text" : showOneLine(name)}`,
      "HARN-CLI-003",
    );
}
