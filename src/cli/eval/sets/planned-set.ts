/** The rows of a set, from a plan; one process at a time owns them. */
import {
  type EvalStore,
  type RedoChoice,
  type SetOptions,
  type SetSpec,
  type StaleChoice,
  usualOptions,
  writePlan,
} from "../../../eval/engine/index.ts";
import { evalMessage } from "../../../eval/index.ts";
import { hasOnlyFigures } from "../../../eval/report/index.ts";
import { nodeSeed } from "../../../host/index.ts";
import { describeOwner, type Lease, type Store } from "../../../store/index.ts";
import { presentFields, ScriptError, textOf } from "../../../values/index.ts";
import { exitCode } from "../../exit-codes.ts";
import { UsageError } from "../../usage-error.ts";
import type { MadePlan, PlanRunRequest } from "./plan-at-hand.ts";

/** What is asked of a set besides its plan. */
export interface SetRequest extends Pick<PlanRunRequest, "flags" | "params"> {
  readonly options?: Partial<SetOptions>;
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

export interface Planned {
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
): Planned {
  const before = store.set(name);
  if (before !== undefined && hasOnlyFigures(before)) refuseImportedSet(name);
  const old = before === undefined ? undefined : (JSON.parse(before.spec) as SetSpec);
  const spec: SetSpec = {
    plan: plan.run,
    at: plan.at ?? null,
    options: { ...(old?.options ?? usualOptions), ...presentFields(request.options ?? {}) },
    modules: plan.modules,
    params: request.params,
    stale: 0,
  };
  const row =
    before === undefined
      ? newSet(store, name, plan, spec, request)
      : store.changeSet(before, { program: plan.digest });
  const written = explainedPlan(() =>
    files.transaction(() =>
      writePlan(store, row, {
        tasks: plan.tasks,
        program: plan.digest,
        stale: request.stale ?? "ask",
        redo: request.redo ?? null,
        changed: old === undefined ? [] : changedFiles(old.modules, plan.modules),
      }),
    ),
  );
  const kept = { ...spec, stale: written.stale };
  const set = withPlan(store, row, plan.run, kept);
  request.onPlanned?.({ name, store, trials: written.kept + written.added, ...written });
  return { row: set, spec: kept, follow: written.follow };
}

/** What is wrong with a plan is a matter of how it was asked for. */
function explainedPlan<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ScriptError) throw new UsageError(textOf(error.value), exitCode.usage);
    throw error;
  }
}

function newSet(
  store: EvalStore,
  name: string,
  plan: Omit<MadePlan, "notes">,
  spec: SetSpec,
  request: SetRequest,
): Planned["row"] {
  const seed =
    plan.tasks.find((task) => task.spec.seed !== null)?.spec.seed ?? request.flags.seed ?? nodeSeed();
  store.insert("eval_set", [
    {
      name,
      plan: plan.run,
      seed,
      spec: JSON.stringify(spec),
      state: "running",
      why: null,
      program: plan.digest,
      began: Date.now(),
      ended: null,
      receipt: null,
    },
  ]);
  return store.set(name) as Planned["row"];
}

/** The plan by its name, which the row of the set has as a number. */
export function withPlan(store: EvalStore, row: Planned["row"], plan: string, spec: SetSpec): Planned["row"] {
  store.write([{ table: "eval_set", row: { ...row, plan, spec: JSON.stringify(spec) } as never }]);
  return store.set(row.name) as Planned["row"];
}

/** Files that differ, by name. */
function changedFiles(before: SetSpec["modules"], now: SetSpec["modules"]): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...paths].filter((path) => before[path] !== now[path]).map((path) => path.replace(/^.*\//, ""));
}

const renewMs = 10_000;

/** While this process owns the set; another owner is named. */
export async function asOwner<T>(files: Store, name: string, work: () => Promise<T>): Promise<T> {
  const lease: Lease | undefined = files.leases.take(`eval:${name}`);
  if (lease === undefined) {
    const held = files.leases.leaseOwner(`eval:${name}`);
    const owner = held === undefined ? "another process" : describeOwner(held.owner);
    throw new UsageError(evalMessage("HARN-EVL-012", { name, owner }), exitCode.usage);
  }
  const timer = setInterval(() => files.leases.renew(lease), renewMs);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    files.leases.release(lease);
  }
}
