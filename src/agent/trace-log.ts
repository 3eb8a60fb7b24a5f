/** What `agent_trace()` lists: what happened in this run, in order (agents.md §1.10). */
import type { StateKey, Task } from "../interp/index.ts";
import { Dict, type Value } from "../values/index.ts";

/** The events of a run so far. */
export const traceLog: StateKey<Dict[]> = { name: "agent trace", create: () => [] };

export function addTrace(task: Task, fields: Readonly<Record<string, Value | undefined>>): void {
  task.runtime.state(traceLog).push(Dict.of(fields));
}
