/**
 * Modes in a loop: which tools it is told of, and what it is told of them. The mode is its session's; one around the loop may
 * be narrower. People and programs change it (`setMode`), the model can't.
 */
import type { Task } from "../../interp/index.ts";
import { type AgentMode, type Conversation, conversations, publishNamed } from "../../model/index.ts";
import { Dict } from "../../values/index.ts";
import type { ModeOptions } from "../options/loop-options.ts";
import type { Loop } from "../state/loop-state.ts";
import type { Subsystem } from "../state/subsystem.ts";
import { refreshVisible } from "./visible-tools.ts";

/** The tool by which a model asks to leave the mode `plan` (std/agent/modes). */
export const proposeName = "propose_plan";

export const proposesPlans = ({ tools }: Loop): boolean => tools.byName.has(proposeName);

/**
 * The mode that a session's loop begins in. One that goes on keeps what the session has come to. Gives the mode of the session
 * before when it was another one.
 */
export function openMode(
  conversation: Conversation,
  options: ModeOptions | null,
  isResumed: boolean,
): AgentMode | null {
  if (options === null) return null;
  const before = conversation.mode;
  conversation.mode = (isResumed ? before : null) ?? options.mode ?? before ?? "plan";
  return conversation.mode === before ? null : before;
}

export const modes: Subsystem = {
  name: "modes",
  // biome-ignore lint/correctness/useYield: it asks nobody.
  *prepare(loop) {
    const mode = loop.agentMode();
    const slot = loop.state.slots.mode;
    if (mode === slot.shown) return;
    if (slot.shown !== null) slot.changes++;
    slot.shown = mode;
    refreshVisible(loop);
  },
};

/** Switches the mode of a session; who looks at the run is told. Gives the mode before, null where it had none. */
export async function setMode(
  task: Task,
  session: string,
  to: AgentMode,
  by: string,
): Promise<AgentMode | null> {
  const conversation = task.runtime.state(conversations).open(session);
  const from = conversation.mode;
  conversation.mode = to;
  if (from !== to) await emitMode(task, session, from, to, by);
  return from;
}

/** Tells who looks at the run. */
export const emitMode = (
  task: Task,
  session: string,
  from: AgentMode | null,
  to: AgentMode,
  by: string,
): Promise<void> => publishNamed(task, session, "mode_changed", Dict.of({ from, to, by }));
