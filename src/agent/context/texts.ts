/**
 * The words that the loop adds to a conversation: contract, nudges, feedback (agents.md §4.3, §10.6).
 *
 * Which sentinel is named where is not a matter of taste. The mock finishes a loop whose system text contains `<done>`,
 * so only tagged-text contracts may contain it; no-tool loops name the bare sentinel, native ones none.
 */
import type { ToolMode } from "../state/loop-state.ts";

/** The system text of `loop_until_done`. */
export function loopContract(mode: ToolMode, sentinel: string | null): string {
  const lines = ["IMPORTANT: You MUST keep working until the task is complete."];
  lines.push("Do not stop to ask whether to go on, and do not describe work that you could do now: do it.");
  if (sentinel === null) {
    lines.push(
      mode === "none"
        ? "When the task is complete, give the final answer."
        : "When the task is complete, give the final answer as text, without calling a tool.",
    );
  } else if (mode === "text") {
    lines.push(`When, and only when, the task is complete, end your answer with <done>${sentinel}</done>.`);
  } else {
    lines.push(
      `When, and only when, the task is complete, end your answer with ${sentinel} on a line of its own.`,
    );
  }
  return lines.join("\n");
}

/** What a turn without tool calls is answered with while the loop goes on. `done`: the sentinel that may be named. */
export function usualNudge(mode: ToolMode, done: string | null, actionOnly: boolean): string {
  const finish =
    done === null
      ? ""
      : ` If everything is really done, say ${mode === "text" ? `<done>${done}</done>` : done}.`;
  switch (mode) {
    case "text":
    case "json":
      return `The task is not marked as complete. Take the next concrete step now by calling a tool.${finish}`;
    case "native":
      return actionOnly
        ? "Take the next concrete step now by calling a tool."
        : `Take the next concrete step now by calling a tool, or give the final answer as text if the task is complete.${finish}`;
    case "none":
      return `The task is not marked as complete. Go on with the next concrete part of the work.${finish}`;
  }
}

/** Whatever the runtime says to the model in the middle of a loop. */
export function feedbackText(kind: string, text: string): string {
  return `<runtime_feedback kind="${kind}">\n${text}\n</runtime_feedback>`;
}

/** Before the system text of `agent_turn`. */
export const turnPreamble =
  "Before each group of tool calls, say in one short sentence that the user can see what you are about to do and why.";

/** Said before the nudge when an answer held nothing. */
export const emptyAnswer = "Your last answer was empty. Answer the task, or call a tool.";

/** What a text is answered with that the token limit cut. */
export const continueCut =
  "Your last answer was cut off at the token limit. Go on exactly where it stopped; do not repeat what you have said.";

export const genericVeto = "The work is not accepted as complete yet. Look at what is missing and go on.";
