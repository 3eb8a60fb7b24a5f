/** The body of a trial: setup, solver, cleanup, under the limits of the trial. What it throws becomes an error of the trial. */
import { bindBuiltin, Interruption, type Task, withinTime } from "../../interp/index.ts";
import { ModelBudget, modelBudgets, toolSetOfValue } from "../../model/index.ts";
import { Callable, Dict, List, ScriptError, thrown, type Value } from "../../values/index.ts";
import {
  isTaskFolder,
  type LimitName,
  type RegisteredTask,
  type Sample,
  type TrialLimits,
  type Variant,
} from "../plan/index.ts";
import { carryOutActions, runSolution } from "../score/index.ts";
import { beginWorld } from "../world/index.ts";
import { askedOf } from "./solver-prompt.ts";
import { errorOfResult, errorOfTrial, limitOfError, type TrialError } from "./trial-error.ts";
import type { TrialWaits, WaitSubject } from "./trial-waits.ts";
import type { TrialWatch } from "./trial-watch.ts";

/**
 * Who does a trial: the task's solver; its oracle, which must succeed on every sample that has one; or nobody, who must succeed
 * on none (`harn eval check`).
 */
export type Solver = "solver" | "oracle" | "nop";

export interface SolveRequest {
  readonly as: Solver;
  readonly registered: RegisteredTask;
  readonly sample: Sample;
  readonly variant: Variant;
  readonly epoch: number;
  /** `SET:TASK/VARIANT/SAMPLE.EPOCH` */
  readonly address: string;
  readonly limits: TrialLimits;
  /** Path of its own folder; null without a sandbox. */
  readonly sandbox: string | null;
  readonly waits: TrialWaits | undefined;
}

export interface SolverResult {
  readonly result: Value;
  readonly error: TrialError | null;
  readonly thrown: ScriptError | null;
}

/** World, user, setup, and then the solver. */
async function solveSample(task: Task, request: SolveRequest): Promise<Value> {
  const { registered } = request;
  const { world, user: makeUser, setup } = registered.code;
  const sample = request.sample.body;
  beginWorld(
    task.runtime,
    world instanceof Callable ? await world.call(task, [sample]) : (world ?? new Dict()),
  );
  const user: Value = makeUser === null ? null : await makeUser.call(task, [sample]);
  const trial = trialDict(request, user);
  if (setup !== null) await setup.call(task, [sample, trial]);
  return await solvers[request.as](task, registered, sample, trial);
}

export async function solve(task: Task, request: SolveRequest, watch: TrialWatch): Promise<SolverResult> {
  const { limits, waits } = request;
  const modelBudget = new ModelBudget(null);
  modelBudget.limitUsd = limits.costUsd;
  modelBudget.limitTokens = limits.tokens;
  const leave = modelBudgets.enter(task, modelBudget);
  const unwatch = watch.begin(task);
  let outage: TrialError | null = null;
  const within = (limit: "time" | "wall", ms: number, run: () => Promise<Value>): Promise<Value> => {
    const late = (): Value => {
      watch.limit ??= limit;
      return null;
    };
    return withinTime(task, ms, run, late, {
      uncounted: limit === "time" ? waits?.since() : undefined,
      passes: () => {
        outage ??= waitedInVain(waits?.awaited(limit), limit);
      },
    });
  };
  const body = () => solveSample(task, request);
  const timed = async (): Promise<Value> =>
    limits.timeMs === null ? await body() : await within("time", limits.timeMs, body);
  try {
    const result = limits.wallMs === null ? await timed() : await within("wall", limits.wallMs, timed);
    noteBudget(result, modelBudget, watch);
    return { result, error: outage ?? errorOfResult(result) ?? watch.outage, thrown: null };
  } catch (error) {
    if (watch.limit !== null && !(error instanceof ScriptError)) return ended(error, watch);
    if (!(error instanceof ScriptError)) throw error;
    const limit = limitOfError(error.value);
    if (limit !== undefined && isOwnLimit(limit, limits)) {
      watch.limit ??= limit;
      return { result: null, error: watch.outage, thrown: null };
    }
    return { result: null, error: errorOfTrial(error), thrown: error };
  } finally {
    unwatch();
    leave();
  }
}

/** The trial was ended at a limit: what it gave is what was said until then. */
function ended(error: unknown, { outage }: TrialWatch): SolverResult {
  if (!(error instanceof Interruption)) throw error;
  return { result: null, error: outage, thrown: null };
}

function waitedInVain(awaited: WaitSubject | undefined, limit: LimitName): TrialError | null {
  if (awaited === undefined) return null;
  const message = `the limit of ${limit} was met while the trial waited for ${awaited.name}`;
  return { category: awaited.category, message };
}

const isOwnLimit = (limit: "cost_usd" | "tokens", limits: TrialLimits): boolean =>
  limit === "tokens" ? limits.tokens !== null : limits.costUsd !== null;

/** A loop that ended because nothing is left of the trial's money or tokens. */
function noteBudget(result: Value, modelBudget: ModelBudget, watch: TrialWatch): void {
  if (!(result instanceof Dict) || result.get("status") !== "budget_exhausted") return;
  const limit = limitOfError(result.get("error") ?? null);
  if (limit === "tokens" && modelBudget.limitTokens !== null) watch.limit ??= "tokens";
  else if (limit === "cost_usd" && modelBudget.limitUsd !== null) watch.limit ??= "cost_usd";
}

/** Runs after errors, too. */
export async function cleanUp(task: Task, request: SolveRequest): Promise<TrialError | null> {
  const { cleanup } = request.registered.code;
  if (cleanup === null) return null;
  try {
    await cleanup.call(task, [request.sample.body, trialDict(request, null)]);
    return null;
  } catch (error) {
    if (error instanceof ScriptError) return errorOfTrial(error);
    throw error;
  }
}

function trialDict(request: SolveRequest, user: Value): Dict {
  const { registered, variant, epoch, address, sandbox, limits } = request;
  return Dict.of({
    id: address,
    task: registered.spec.name,
    epoch,
    variant: variant.body,
    user,
    sandbox,
    limits: Dict.of({
      turns: limits.turns,
      tool_calls: limits.toolCalls,
      tokens: limits.tokens,
      cost_usd: limits.costUsd,
      time: limits.timeMs,
      wall: limits.wallMs,
    }),
  });
}

const solvers: Readonly<Record<Solver, typeof callSolver>> = {
  solver: (...inputs) => callSolver(...inputs),
  oracle: (...inputs) => callOracle(...inputs),
  nop: async () => "",
};

/** What the outcome's `data` is where a sample has neither an oracle nor a solution: nothing is checked there. */
export const noOracle = "no_oracle";

/** The task's oracle; without one the sample's `solution` is carried out. */
async function callOracle(task: Task, { code }: RegisteredTask, sample: Dict, trial: Dict): Promise<Value> {
  if (code.oracle !== null) return await code.oracle.call(task, [sample, trial]);
  const solution = sample.get("solution");
  if (typeof solution === "string" && isTaskFolder(sample)) {
    await runSolution(task, sample, solution);
    return "";
  }
  if (!(solution instanceof List)) return Dict.of({ text: "", [noOracle]: true });
  await carryOutActions(task, toolSetOfValue(code.tools, "oracle: "), solution.toArray(), sample);
  return "";
}

async function callSolver(
  task: Task,
  { spec, code }: RegisteredTask,
  sample: Dict,
  trial: Dict,
): Promise<Value> {
  const { solver } = code;
  if (solver instanceof Callable) return await solver.call(task, [sample, trial]);
  const input = askedOf(solver, sample);
  if (solver instanceof Dict) {
    const options = code.tools === null || solver.has("tools") ? solver : solver.with("tools", code.tools);
    return await callBuiltin(task, "agent_loop", [
      input,
      spec.solver.kind === "loop" ? spec.solver.system : "",
      options.without("system"),
    ]);
  }
  return await callBuiltin(task, "llm_call", [input, typeof solver === "string" ? solver : "", new Dict()]);
}

async function callBuiltin(task: Task, name: string, args: readonly Value[]): Promise<Value> {
  const spec = task.runtime.builtins.get(name);
  if (spec === undefined) throw thrown(`${name} is not there`);
  return await bindBuiltin(spec).call(task, args);
}
