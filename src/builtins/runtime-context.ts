/** Who runs: `runtime_context()` and the values that tasks hand down to their children (builtins.md §2.16). */
import { locks, type Task } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import { Dict, List, type Value } from "../values/index.ts";
import type { Argument } from "./arguments.ts";
import { supervisorStates } from "./concurrency/supervisors.ts";
import { contextFields } from "./events/triggers/index.ts";
import { openSpan } from "./observe/span-state.ts";

/** `task_root:parallel_each:1:0` is named after its form and belongs to the group `task_root:parallel_each:1`. */
function nameAndGroup(task: Task): { name: string; group: Value } {
  if (task.parent === undefined) return { name: "root", group: null };
  const parts = task.id.slice(task.parent.id.length + 1).split(":");
  const label = parts[0] ?? "task";
  const name = label === "parallel_each_stream" ? "parallel each as stream" : label.replaceAll("_", " ");
  const inGroup = task.joined && parts.length > 2;
  return { name, group: inGroup ? task.id.slice(0, task.id.lastIndexOf(":")) : null };
}

function values(task: Task): Dict {
  return new Dict(new Map(task.context as Map<string, Value> | undefined));
}

/** What of a run has no such thing is nil, so that scripts may read every field. */
const absent = [
  "scope_id",
  "workflow_id",
  "run_id",
  "stage_id",
  "worker_id",
  "agent_session_id",
  "parent_agent_session_id",
  "root_agent_session_id",
  "agent_name",
  "trigger_id",
  "trigger_event_id",
  "binding_key",
  "tenant_id",
  "provider",
  "trace_id",
  "span_id",
  "scheduler_key",
  "runner",
  "capacity_class",
];

/** For people who look for what holds a program up. */
function debug(task: Task): Dict {
  const { runtime } = task;
  const held = [...runtime.state(locks).values()].flatMap((lock) => {
    const permits = lock.permitsOf(task);
    return permits === 0 ? [] : [Dict.of({ kind: lock.kind, key: lock.key, permits })];
  });
  return Dict.of({
    cancelled: task.cancelled,
    waiting_reason: task.waitingFor?.what ?? null,
    active_task_ids: new List([...runtime.tasks.live].map(({ id }) => id)),
    held_synchronization: new List(held),
    supervisors: new List(supervisorStates(runtime)),
  });
}

function context(task: Task): Dict {
  const { name, group } = nameAndGroup(task);
  const fields: Record<string, Value> = Object.fromEntries(absent.map((field) => [field, null]));
  return Dict.of({
    ...fields,
    trace_id: openSpan(task)?.traceId ?? null,
    span_id: openSpan(task)?.spanId ?? null,
    ...contextFields(task),
    task_id: task.id,
    parent_task_id: task.parent?.id ?? null,
    root_task_id: task.root.id,
    task_name: name,
    task_group_id: group,
    context_values: values(task),
    cancelled: task.cancelled,
    debug: debug(task),
  });
}

/** Changes the task's own values; gives the previous one. */
function change(task: Task, key: string, value: Value | undefined): Value {
  task.context ??= new Map();
  const previous = (task.context.get(key) as Value | undefined) ?? null;
  if (value === undefined) task.context.delete(key);
  else task.context.set(key, value);
  return previous;
}

const describe = {
  doc: "What the calling task is: ids, name, group, values handed down, whether it was asked to stop.",
  sig: "() -> dict",
  effect: "state" as const,
  run: (task: Task) => context(task),
};

export const runtimeContext = defineBuiltins("concurrency", {
  runtime_context: { ...describe, example: "runtime_context().task_id  // task_root" },
  task_current: { ...describe, example: "task_current().task_name  // root" },
  runtime_context_get: {
    doc: "A value of the task's context, else the default.",
    sig: "(key!: string, default: any = nil) -> any",
    effect: "state",
    example: 'runtime_context_get("user", "nobody")  // nobody',
    run: (task, key: string, fallback: Argument) =>
      (task.context?.get(key) as Value | undefined) ?? fallback ?? null,
  },
  runtime_context_set: {
    doc: "Sets a value of the task's context and gives the previous one. Tasks begun from now on start with a copy.",
    sig: "(key!: string, value: any) -> any",
    effect: "state",
    example: 'runtime_context_set("user", "ada")  // nil',
    run: (task, key: string, value: Argument) => change(task, key, value ?? null),
  },
  runtime_context_clear: {
    doc: "Removes a value of the task's context and gives it.",
    sig: "(key!: string) -> any",
    effect: "state",
    example: 'runtime_context_clear("user")  // nil',
    run: (task, key: string) => change(task, key, undefined),
  },
  runtime_context_values: {
    doc: "All values of the task's context.",
    sig: "() -> dict",
    effect: "state",
    example: "runtime_context_values()  // {}",
    run: (task) => values(task),
  },
});
