/** Which trigger a task works for. */
import { type Task, TaskLocal } from "../../../interp/index.ts";
import { Dict, runtimeError, type Value } from "../../../values/index.ts";
import { bindingKey, type TriggerBinding } from "./binding.ts";

export interface HandlerContext {
  readonly binding: TriggerBinding;
  readonly event: Dict;
  readonly replayOf: string | null;
  /** 1 for a handler that no other one started. */
  readonly depth: number;
}

const contexts = new TaskLocal<HandlerContext>("trigger handlers");

/** The innermost handler around a task. */
export const handlerContextOf = (task: Task): HandlerContext | undefined => contexts.current(task);

/** Handlers that fire triggers whose handlers fire triggers …: a cycle would go on until the memory is full. */
const maxDepth = 32;

export function refuseDeepNesting(task: Task): void {
  const depth = handlerContextOf(task)?.depth ?? 0;
  if (depth < maxDepth) return;
  throw runtimeError(`trigger_fire: handlers fire each other more than ${maxDepth} levels deep`);
}

/** Enters a handler; the function that it gives leaves it. */
export const enterHandler = (task: Task, context: Omit<HandlerContext, "depth">): (() => void) =>
  contexts.enter(task, { ...context, depth: (handlerContextOf(task)?.depth ?? 0) + 1 });

/** What `handler_context()` gives. */
export function contextDict(task: Task): Value {
  const context = handlerContextOf(task);
  if (context === undefined) return null;
  const { binding, event, replayOf } = context;
  return Dict.of({
    agent: binding.id,
    action: `${String(event.get("provider"))}.${String(event.get("kind"))}`,
    trace_id: event.get("trace_id") ?? null,
    replay_of_event_id: replayOf,
    autonomy_tier: binding.autonomyTier,
    trigger_event: event,
  });
}

/** The fields of `runtime_context()` that a handler fills. */
export function contextFields(task: Task): Readonly<Record<string, Value>> {
  const context = handlerContextOf(task);
  if (context === undefined) return {};
  return {
    trigger_id: context.binding.id,
    trigger_event_id: context.event.get("id") ?? null,
    binding_key: bindingKey(context.binding),
    provider: context.event.get("provider") ?? null,
    trace_id: context.event.get("trace_id") ?? null,
    tenant_id: context.binding.tenantId ?? null,
  };
}
