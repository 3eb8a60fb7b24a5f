/**
 * Tools of the program for a run: as operations of the host, `tool.NAME`, so that each call is one recorded effect, whoever makes it.
 *
 *     script   host_call("tool.lookup", {…}) ─┐
 *     model    the entry of `toolDefinitions` ─┴▶ host bridge ─▶ effect `tool.lookup` ─▶ `call` of the tool
 */
import { type HostFunction, offerHostOperations, taskOperations } from "../agent/index.ts";
import type { EffectCall } from "../effects/index.ts";
import { unlessAborted } from "../host/index.ts";
import type { Runtime, Task } from "../interp/index.ts";
import type { AnyTool, Json } from "./types.ts";

export interface OfferedTo {
  /** Name of the run. */
  readonly run: string;
}

/** The operation of a tool. */
const toolOperation = (name: string): string => `tool.${name}`;

/**
 * Which calls of a replay are made once more: of tools that read, or may be called twice. `missing` hears of tools that were called then
 * and are not there, each once.
 */
export function callsToTry(
  tools: readonly AnyTool[],
  missing: (name: string) => void,
): (call: Pick<EffectCall<unknown>, "kind">) => boolean {
  const byKind = new Map(tools.map((tool) => [toolOperation(tool.name), tool]));
  const missed = new Set<string>();
  return ({ kind }) => {
    const tool = byKind.get(kind);
    if (tool !== undefined) return tool.effect === "read" || tool.idempotent;
    if (kind.startsWith(toolOperation("")) && !missed.has(kind)) {
      missed.add(kind);
      missing(kind.slice(toolOperation("").length));
    }
    return false;
  };
}

/** Offers tools to a runtime, before its program begins. A later one replaces an earlier one of its name. */
export function offerProgramTools(runtime: Runtime, tools: readonly AnyTool[], to: OfferedTo): void {
  offerHostOperations(runtime, operationsOf(tools, to));
}

/** Offers tools to a task, and to those that it begins. */
export function offerToolsTo(task: Task, tools: readonly AnyTool[], to: OfferedTo): void {
  if (tools.length > 0) taskOperations.enter(task, operationsOf(tools, to));
}

const operationsOf = (tools: readonly AnyTool[], to: OfferedTo): ReadonlyMap<string, HostFunction> =>
  new Map(tools.map((tool) => [toolOperation(tool.name), hostFunction(tool, to)]));

function hostFunction(tool: AnyTool, { run }: OfferedTo): HostFunction {
  const { description, effect, idempotent, timeout, approval } = tool;
  return {
    doc: description,
    effect,
    inDoubt: idempotent ? "repeat" : "park",
    approval,
    tool: definition(tool),
    call: (input, { signal, place, attempt, id }) => {
      const context = { attempt, run, call: id, idempotencyKey: `${run}#${place}` };
      const work = (within: AbortSignal): Promise<unknown> =>
        tool.call(input, { ...context, signal: within });
      return timeout === undefined ? work(signal) : limited(tool.name, timeout, signal, work);
    },
  };
}

/** For `is_timeout`. */
class ToolTimeout extends Error {
  override name = "TimeoutError";
  readonly category = "timeout";
}

/**
 * Within its time, which is real whatever clock the run has: a tool works in the program. What does not end then goes on by itself, and
 * nobody hears of it.
 */
async function limited<T>(
  name: string,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const over = new ToolTimeout(`${toolOperation(name)} did not finish within ${ms} ms`);
  const timer = setTimeout(() => late.abort(over), ms);
  try {
    return await unlessAborted(work(AbortSignal.any([signal, late.signal])), late.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** What an `agent_loop` gets in `tools`: entries that the host runs, each name once. */
export const toolDefinitions = (tools: readonly AnyTool[]): readonly Json[] => tools.map(definition);

type Definition = { readonly [key: string]: Json };

function definition({ name, description, parameters, returns, effect, idempotent }: AnyTool): Definition {
  return {
    name,
    description,
    parameters: parameters as Json,
    ...(returns === undefined ? {} : { outputSchema: returns as Json }),
    executor: "host_bridge",
    host_capability: toolOperation(name),
    annotations: {
      ...(effect === "read" ? { readOnlyHint: true, side_effect_level: "read_only" } : {}),
      ...(idempotent ? { idempotentHint: true } : {}),
    },
  };
}
