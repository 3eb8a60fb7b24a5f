/**
 * Runs of flows: functions of a program in TypeScript, called by a script of one line. The journal knows the name of the flow; whoever
 * goes on with the run, or plays it again, has to have the function.
 */
import { type Json, shape } from "../../effects/index.ts";
import { UsageError } from "../../host/command/index.ts";
import { bindBuiltin, type Task } from "../../interp/index.ts";
import { type MaybePromise, runtimeError, type Value } from "../../values/index.ts";

/**
 * The function of a flow as a callable; undefined, or a refusal of its own, where there is none of that name. `run`: the name by which it
 * knows its run, which is the origin's in a fork: what it makes of it up to the step that is other has to be the same.
 */
export type FlowFunctions = (name: string, run: string) => Value | undefined;

/** The effect with which an agent of a flow begins, the first on its path. */
export const flowAgentKind = "flow.agent";

/**
 * That an agent begins, and as what: another prompt or option than recorded is told, and it can be found again. `args`: prompt and
 * options, as they are stored.
 */
export const noteAgent = (task: Task, args: readonly Json[]): MaybePromise<null> =>
  task.perform<null>({
    effect: "observe",
    kind: flowAgentKind,
    args: () => [...args],
    // In the order of all results, so that agents begin in the order in which they did.
    run: async () => null,
    result: shape.nothing,
  });

/** A builtin of scripts for a flow: its effects are on the path of the task that calls it. */
export function callBuiltinInFlow(task: Task, name: string, args: readonly Value[]): MaybePromise<Value> {
  const spec = task.runtime.builtins.get(name);
  if (spec === undefined) throw runtimeError(`${name} is not allowed in this run`);
  return bindBuiltin(spec).call(task, args);
}

/** The parameter of the script that is the function. No journal can hold it. */
export const flowParameter = "body";

/** Its script is the library's, whatever file is named. */
export function refuseOtherScript(flow: string | undefined, script: string | undefined): void {
  if (flow !== undefined && script !== undefined)
    throw new UsageError(
      `a run of the flow \`${flow}\` has no other script than its own, ${script} is none for it`,
      "HARN-LIB-020",
    );
}

export function flowParams(
  name: string,
  run: string,
  functions: FlowFunctions | undefined,
): ReadonlyMap<string, Value> {
  const body = functions?.(name, run);
  if (body !== undefined) return new Map([[flowParameter, body]]);
  throw new UsageError(
    `this is a run of the flow \`${name}\`, a function of a program in TypeScript that is not here\n  ` +
      "in that program `h.resume`, `h.replay` and `h.fork` take it; `harn runs show` shows what it did",
    "HARN-LIB-020",
  );
}
