/**
 * What a tool's call changes outside. It is seen where effects are performed, so it counts whatever the tool says of itself; what
 * other processes do for it (servers, the host) is known by what the tool says alone.
 *
 *     effects of a call, calls inside of it ─▶ wrote a file, ran a program that may have ─▶ `ToolOutcome.changes`
 */
import { addEffectCheck, type EffectCheck } from "../../host/index.ts";
import { type Runtime, type Task, TaskLocal } from "../../interp/index.ts";
import type { CallChanges, ToolEntry } from "../../model/index.ts";
import { kindOfTool, sideEffectOf } from "../policy/annotations.ts";
import { ceilingOf } from "../policy/builtin-guard.ts";
import { writes } from "./durability.ts";
import { toolClass } from "./tool-class.ts";

type ChangeFlags = { -readonly [key in keyof CallChanges]: CallChanges[key] };

const calls = new TaskLocal<ChangeFlags>("changes by tool calls");

/** From now on calls of tools note what they change. */
export const watchChanges = (runtime: Runtime): void => addEffectCheck(runtime, noteEffect);

const noteEffect: EffectCheck = (task, call) => {
  if (call.effect !== "write" || calls.current(task) === undefined) return;
  const change = changeKind(task, call);
  if (change !== null) for (const seen of calls.around(task)) seen[change] = true;
};

function changeKind(task: Task, call: Parameters<EffectCheck>[1]): "writes" | "runs" | null {
  const ceiling = ceilingOf(task, call);
  if (ceiling === "process.exec") return call.onlyReads?.() === true ? null : "runs";
  if (call.kind === "http.download") return "writes";
  if (ceiling !== "workspace write") return null;
  const groups = task.runtime.builtins.get(call.kind)?.capability?.split(" ") ?? [];
  // Other writing effects are book-keeping of the runtime and of the program.
  return call.kind.startsWith("host.") || groups.includes("fs.write") ? "writes" : null;
}

/** Begins to watch a call in its own task; the function that it gives ends that and says what was seen. */
export function openChanges(task: Task, entry: ToolEntry): (ok: boolean) => CallChanges {
  const outer = calls.around(task);
  const seen: ChangeFlags = { writes: false, runs: false, found: false };
  const leave = calls.enter(task, seen);
  return (ok) => {
    leave();
    if (ok) declare(seen, entry);
    for (const one of outer) {
      one.writes ||= seen.writes;
      one.runs ||= seen.runs;
      one.found ||= seen.found;
    }
    return seen;
  };
}

const programKinds: ReadonlySet<string> = new Set(["execute", "run", "command"]);

/** What a tool says that it does. Of notes and delegates only what was seen counts. */
function declare(seen: ChangeFlags, entry: ToolEntry): void {
  const level = sideEffectOf(entry.annotations);
  // What it runs changes nothing, its author says.
  if (level === "none" || level === "read_only") seen.runs = false;
  if (isModelWords(entry)) return;
  seen.found = true;
  seen.writes ||= writes(entry) || level === "workspace_write";
  seen.runs ||= programKinds.has(kindOfTool(entry.annotations) ?? "") || level === "process_exec";
}

/**
 * What such a tool gives is what a model wrote: notes, plans, progress, thoughts, the reports of delegates. It is read again,
 * and no evidence of anything.
 */
export function isModelWords(entry: ToolEntry | undefined): boolean {
  if (entry === undefined) return false;
  const { annotations, origin } = entry;
  const kind = kindOfTool(annotations) ?? "";
  const known = toolClass(entry);
  return (
    origin === "runtime" ||
    known === "session_control" ||
    known === "progress" ||
    kind === "think" ||
    kind === "note" ||
    annotations?.get("delegate") === true
  );
}
