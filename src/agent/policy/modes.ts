/**
 * Modes: which tools may be called while an agent plans, and which while it carries its plan out. A mode belongs to a
 * loop's session or to a stretch of a program (`in_mode`); what runs inside is under all modes around it, so that a child may
 * be narrower than its parent and never wider.
 */
import { placeOf, runEvents } from "../../events/index.ts";
import { type Task, TaskLocal } from "../../interp/index.ts";
import type { AgentMode, ToolEntry, ToolGate } from "../../model/index.ts";
import { Dict, List } from "../../values/index.ts";
import { annotationsOf, kindOfTool, sideEffectOf } from "./annotations.ts";

/** A mode as it is now. */
export interface ModeScope {
  mode(): AgentMode;
}

export const modeScopes = new TaskLocal<ModeScope>("mode scopes", { binds: true });

/** The narrowest of several modes; null where nobody has one. */
export const narrowest = (scopes: readonly ModeScope[]): AgentMode | null =>
  scopes.length === 0 ? null : scopes.some((scope) => scope.mode() === "plan") ? "plan" : "execute";

/** The mode that holds for a task now; null outside of all. */
export const modeAround = (task: Task): AgentMode | null => narrowest(modeScopes.around(task));

/** What reads from elsewhere, among the tools that reach the network. */
const lookingKinds: ReadonlySet<string> = new Set(["search", "fetch"]);

/**
 * Whether a tool may be called in a mode: its list `modes` decides. Without one everything may be called in `execute`, and in
 * `plan` what its annotations call harmless; of a tool without annotations nothing is known, so it may not.
 */
export function isInMode(entry: ToolEntry, mode: AgentMode, overrides: Dict | null = null): boolean {
  if (entry.origin === "runtime") return true;
  const listed = entry.raw.get("modes") ?? null;
  if (listed !== null) return listed instanceof List && [...listed].includes(mode);
  if (mode === "execute") return true;
  const annotations = annotationsOf(entry, overrides);
  const level = sideEffectOf(annotations);
  if (level === "none" || level === "read_only") return true;
  return level === "network" && lookingKinds.has(kindOfTool(annotations) ?? "");
}

/** The first gate of a call, and the last: the mode may change while a person is asked. */
export const modeGate = (
  mode: () => AgentMode | null,
  about: { readonly overrides?: Dict | null; readonly proposes?: boolean } = {},
): ToolGate => ({
  name: "mode",
  decide: (task, { call, entry }) => {
    const now = mode();
    if (now === null || entry === undefined || isInMode(entry, now, about.overrides ?? null))
      return { kind: "allow" };
    const reason = `'${call.name}' is not available in ${now} mode`;
    emitModeRefusal(task, now, reason);
    return {
      kind: "deny",
      denial: {
        gate: "mode",
        reason,
        retryable: false,
        next_step: nextStep(now, about.proposes === true),
      },
    };
  },
});

/** Who watches the run sees that the mode refused a call. */
function emitModeRefusal(task: Task, mode: AgentMode, reason: string): void {
  const events = task.runtime.state(runEvents);
  if (!events.listens) return;
  events.emit(placeOf(task), "decision", {
    name: "mode_decision",
    fields: new Dict(),
    live: false,
    listed: null,
    about: "mode",
    verdict: "deny",
    why: reason,
    by: "mode",
    considered: [{ layer: "mode", said: mode }],
  });
}

function nextStep(mode: AgentMode, proposes: boolean): string {
  if (mode === "execute")
    return "This tool is for planning: carry the plan out with the tools that you are told of.";
  return proposes
    ? "Go on with what only reads, and propose a plan with `propose_plan`: once a person approves it, this tool can be called."
    : "Go on with what only reads; a person switches the mode, and says so.";
}
