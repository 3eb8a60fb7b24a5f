/**
 * Operations that the program around the runtime offers: an editor's files and terminals, whatever a TypeScript host
 * brings along. Scripts reach them by `host_call("capability.operation", params)` and by tools with
 * `executor: "host_bridge"`. Each call is one recorded effect, so a replay needs no host.
 */
import { type Json, shape } from "../../effects/index.ts";
import { gateOf, type HostAccess, resolvedPath } from "../../host/index.ts";
import type { Runtime, StateKey, Task } from "../../interp/index.ts";
import { isAbsolutePath } from "../../model/index.ts";
import {
  type Dict,
  fromJson,
  type MaybePromise,
  proceed,
  thrown,
  toJson,
  type Value,
} from "../../values/index.ts";

export interface HostOperation {
  readonly doc: string;
  /** What it does to the outside world; a ceiling of a policy holds it accordingly. */
  readonly effect: "read" | "write";
  /**
   * What of the machine it touches, for the rules of the run: an editor's file is a file, its terminal a program. Paths may be
   * relative to the working directory, links need not be followed.
   */
  touches?(params: { readonly [name: string]: Json }): HostAccess | undefined;
  /** Rejecting tells the script the error's message. */
  run(params: { readonly [name: string]: Json }, signal: AbortSignal): Promise<unknown>;
}

interface Bridge {
  readonly operations: Map<string, HostOperation>;
  /** Mocks of the run answer first. */
  mock: ((task: Task, name: string, params: Dict) => Value | undefined) | undefined;
}

/** `task.runtime.state(hostBridge)`: operations by `capability.operation`. */
export const hostBridge: StateKey<Bridge> = {
  name: "agent.host bridge",
  create: () => ({ operations: new Map(), mock: undefined }),
};

/** Adds operations to a runtime before its program begins. */
export function offerHostOperations(runtime: Runtime, operations: ReadonlyMap<string, HostOperation>): void {
  const bridge = runtime.state(hostBridge);
  for (const [name, operation] of operations) bridge.operations.set(name, operation);
}

/** Calls an operation; undefined when nobody offers it. */
export function callHost(task: Task, name: string, params: Dict): MaybePromise<Value> | undefined {
  const { operations, mock } = task.runtime.state(hostBridge);
  const mocked = mock?.(task, name, params);
  if (mocked !== undefined) return mocked;
  const operation = operations.get(name);
  if (operation === undefined) return undefined;
  const json = toJson(params) as { [key: string]: Json };
  const answer = task.perform<Json>({
    effect: operation.effect,
    kind: `host.${name}`,
    args: () => json,
    run: async (signal) => {
      judgeTouch(task, operation.touches?.(json));
      try {
        return ((await operation.run(json, signal)) ?? null) as Json;
      } catch (error) {
        if (signal.aborted || !(error instanceof Error)) throw error;
        throw thrown(`host_call ${name}: ${error.message}`);
      }
    },
    result: shape.json,
  });
  return proceed(answer, fromJson);
}

/** The rules of the run hold for what an operation does by other means than the ports of the machine. */
function judgeTouch(task: Task, access: HostAccess | undefined): void {
  const { host } = task.runtime;
  const gate = access === undefined ? undefined : gateOf(host);
  if (access === undefined || gate === undefined) return;
  if (access.kind !== "file") {
    gate.check(access);
    return;
  }
  const { files } = host.own ?? host;
  const { path, dangling } = resolvedPath(
    files,
    isAbsolutePath(access.path) ? access.path : `${host.cwd}/${access.path}`,
    true,
  );
  gate.check({ ...access, path, dangling });
}
