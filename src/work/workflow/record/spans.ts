/** The trace spans that fall into a run: those that the program's own tracing recorded meanwhile, if it is on. */
import { bindBuiltin, type Task } from "../../../interp/index.ts";
import { Dict, List } from "../../../values/index.ts";

export function spansNow(task: Task): readonly Dict[] {
  const spec = task.runtime.builtins.get("trace_spans");
  const spans = spec === undefined ? null : bindBuiltin(spec).call(task, []);
  return spans instanceof List ? spans.toArray().filter((span) => span instanceof Dict) : [];
}
