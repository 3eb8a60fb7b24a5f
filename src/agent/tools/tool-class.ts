/** What a tool is for narrowing (agents.md §11.7): the first rule that fits. */

import type { ToolEntry } from "../../model/index.ts";
import type { Dict } from "../../values/index.ts";
import { kindOfTool, levelRank, sideEffectOf } from "../policy/annotations.ts";

export type ToolClass =
  | "session_control"
  | "approval"
  | "progress"
  | "result_polling"
  | "mutating"
  | "read_only"
  | "unknown";

const controlNames: ReadonlySet<string> = new Set([
  "load_skill",
  "agent_await_resumption",
  "subagent_pause",
  "subagent_resume",
  "wait_for_user",
]);
const controlKinds: ReadonlySet<string> = new Set(["session_control", "lifecycle", "suspend", "resume"]);
const mutatingKinds: ReadonlySet<string> = new Set([
  "edit",
  "write",
  "execute",
  "run",
  "command",
  "scaffold",
  "delete",
  "mutation",
  "mutate",
  "network",
]);
const readingKinds: ReadonlySet<string> = new Set(["read", "search", "fetch", "think", "lookup", "inspect"]);

/** Entries are never changed, and every turn asks for the classes of all of them. */
const classes = new WeakMap<ToolEntry, ToolClass>();

export function toolClass(entry: ToolEntry): ToolClass {
  let known = classes.get(entry);
  if (known === undefined) {
    known = classOf(entry);
    classes.set(entry, known);
  }
  return known;
}

function classOf(entry: ToolEntry): ToolClass {
  const { name, annotations } = entry;
  const kind = kindOfTool(annotations) ?? "";
  const level = sideEffectOf(annotations);
  const says = (key: string): boolean => isTrueFlag(annotations, key);
  if (says("agent_lifecycle") || says("structural") || controlKinds.has(kind) || controlNames.has(name))
    return "session_control";
  if (says("approval") || says("requires_approval") || kind === "approval" || kind === "human_gate")
    return "approval";
  if (says("progress") || kind === "progress" || name === "agent_progress") return "progress";
  if (isPolling(entry)) return "result_polling";
  if (levelRank(level) > levelRank("read_only") || mutatingKinds.has(kind)) return "mutating";
  const hinted = says("readOnlyHint") && !says("destructiveHint");
  if (level === "none" || level === "read_only" || readingKinds.has(kind) || hinted) return "read_only";
  return "unknown";
}

/** It is called again to see what has become of something. */
export const isPolling = ({ name, annotations }: ToolEntry): boolean =>
  isTrueFlag(annotations, "result_polling") ||
  isTrueFlag(annotations, "polls") ||
  kindOfTool(annotations) === "result_polling" ||
  name.startsWith("read_command_output");

const isTrueFlag = (annotations: Dict | undefined, key: string): boolean => annotations?.get(key) === true;
