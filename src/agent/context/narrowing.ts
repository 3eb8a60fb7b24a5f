/**
 * Tool-surface narrowing (agents.md §11.7): tools that a model has not used for a while are no longer shown to it, by
 * class, so that only what reads goes in the safe mode. What was taken away and is called all the same works, and is shown
 * again. A call that changed something gives everything back, for what was read is old then; a skill that becomes active does, too.
 */

import type { ToolEntry } from "../../model/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import type { NarrowingOptions } from "../options/context-fields.ts";
import { kindOfTool, sideEffectOf } from "../policy/annotations.ts";
import { isControlTool } from "../state/control-tools.ts";
import { intervene } from "../state/interventions.ts";
import type { Loop } from "../state/loop-state.ts";
import { emitNamed, type Turn } from "../state/requests.ts";
import { toolClass } from "../tools/tool-class.ts";
import { refreshVisible } from "./visible-tools.ts";

/** Never taken away. */
export const builtInKeep: readonly string[] = [
  "look",
  "search",
  "lookup",
  "replace_symbol",
  "done_sentinel",
  "load_skill",
  "agent_await_resumption",
];

/** After a turn: what was called enters the window; when it is full, what nobody called goes. */
export function* narrowSurface(loop: Loop): Turn<void> {
  const options = loop.options.toolSurfaceNarrowing;
  const { work } = loop;
  const { narrowing } = loop.state.slots;
  if (options === null || narrowing.off === true || !loop.usesTools || !work.answered) return;
  const outcomes = work.outcomes.filter((outcome) => outcome !== null);
  const called = outcomes.map(({ name }) => name);
  const isChanged = outcomes.some(({ changes }) => changes?.writes === true || changes?.runs === true);
  if (isChanged || called.includes("load_skill")) return resetNarrowing(loop);
  if (called.filter((name) => narrowing.removed.delete(name)).length > 0) refreshVisible(loop);
  narrowing.window.push(called);
  if (narrowing.window.length > options.windowTurns) narrowing.window.shift();
  if (narrowing.window.length < options.windowTurns) return;
  const used = new Set(narrowing.window.flat());
  const gone = loop.visible.entries.filter((entry) => whyKept(loop, options, entry, used) === null);
  if (gone.length === 0) return;
  for (const entry of gone) narrowing.removed.add(entry.name);
  const before = loop.visible.entries;
  refreshVisible(loop);
  const fields = report(loop, options, gone, before, used);
  loop.conversation.audit.push({
    kind: "skill_narrow",
    role: "system",
    visibility: "internal",
    text: `unused across last ${options.windowTurns} turns`,
    metadata: Dict.of(fields),
  });
  if (loop.listens()) yield* emitNamed("skill_narrow", fields);
  const names = gone.map(({ name }) => name);
  yield* intervene(loop, {
    kind: "narrowing",
    rule: options.mode,
    reason: `${names.join(", ")} not called in ${options.windowTurns} turns, and no longer offered`,
    facts: { tools: names, window_turns: options.windowTurns },
  });
}

/** Everything is shown again and the window begins anew. */
export function resetNarrowing(loop: Loop): void {
  const { narrowing } = loop.state.slots;
  narrowing.window.length = 0;
  if (narrowing.removed.size === 0) return;
  narrowing.removed.clear();
  refreshVisible(loop);
}

/** The reason for which a tool stays, or null. */
function whyKept(
  loop: Loop,
  options: NarrowingOptions,
  entry: ToolEntry,
  used: ReadonlySet<string>,
): "used_in_window" | "hard_keep" | "class_kept" | null {
  const { name } = entry;
  if (used.has(name)) return "used_in_window";
  if (
    isControlTool(entry) ||
    builtInKeep.includes(name) ||
    options.hardKeep.includes(name) ||
    wanted(loop, name)
  )
    return "hard_keep";
  return prunable(options, toolClass(entry)) ? null : "class_kept";
}

/** The loop itself waits for these to succeed. */
function wanted(loop: Loop, name: string): boolean {
  const { stopAfterSuccessfulTools, requireSuccessfulTools } = loop.options;
  return stopAfterSuccessfulTools.has(name) || requireSuccessfulTools.some((names) => names.includes(name));
}

function prunable(options: NarrowingOptions, kind: string): boolean {
  if (options.mode === "safe" && kind !== "unknown") return options.pruneClasses.includes(kind);
  if (kind === "unknown") return options.unknownToolPolicy === "prune";
  return !options.keepClasses.includes(kind);
}

function report(
  loop: Loop,
  options: NarrowingOptions,
  gone: readonly ToolEntry[],
  before: readonly ToolEntry[],
  used: ReadonlySet<string>,
): Record<string, Value> {
  const names = (entries: readonly ToolEntry[]): List => new List(entries.map(({ name }) => name));
  const detail = (entry: ToolEntry, reason: string): Dict =>
    Dict.of({
      name: entry.name,
      class: toolClass(entry),
      kind: kindOfTool(entry.annotations),
      side_effect_level: sideEffectOf(entry.annotations),
      reason,
    });
  const kept = before.filter((entry) => !gone.includes(entry));
  return {
    reason: `unused across last ${options.windowTurns} turns`,
    removed_tools: names(gone),
    remaining_tools: names(kept),
    window_turns: options.windowTurns,
    policy: Dict.of({
      mode: options.mode,
      prune_classes: new List([...options.pruneClasses]),
      keep_classes: new List([...options.keepClasses]),
      unknown_tool_policy: options.unknownToolPolicy,
      hard_keep: new List([...builtInKeep, ...options.hardKeep]),
    }),
    removed_tool_details: new List(gone.map((entry) => detail(entry, "unused_prunable_class"))),
    kept_tool_details: new List(
      kept.map((entry) => detail(entry, whyKept(loop, options, entry, used) ?? "class_kept")),
    ),
  };
}
