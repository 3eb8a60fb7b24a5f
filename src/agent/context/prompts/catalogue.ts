/**
 * The prompts of the agent runtime by id (agents.md §11.11): what each says when nobody overrides it, from the same bindings
 * that an override gets. A prompt that says nothing for its bindings is left out.
 */

import { jsonContract, nativeContract, textContract, textProtocol } from "../../../model/index.ts";
import { display, List, type Value } from "../../../values/index.ts";
import type { PromptId } from "../../options/prompt-ids.ts";
import type { ToolMode } from "../../state/loop-state.ts";
import { loopContract, turnPreamble, usualNudge } from "../texts.ts";
import { compactionPrompts, researchPrompts, watchingPrompts } from "./control-prompts.ts";

export type Bindings = Readonly<Record<string, Value>>;
type Usual = (bindings: Bindings) => string;

const text = (bindings: Bindings, key: string): string => {
  const value = bindings[key] ?? null;
  return value === null ? "" : typeof value === "string" ? value : display(value);
};
const promptLines = (bindings: Bindings, key: string): string[] => {
  const value = bindings[key] ?? null;
  return value instanceof List ? value.toArray().map(display) : value === null ? [] : [display(value)];
};
const sentinel = (bindings: Bindings): string | null => {
  const value = bindings.done_sentinel;
  return typeof value === "string" && value !== "" ? value : null;
};
const mode = (bindings: Bindings): ToolMode => {
  const value = bindings.tool_mode;
  return value === "native" || value === "text" || value === "json" ? value : "none";
};

const judgeForm =
  '{"verdict": "done" or "continue", "reasoning": why, "next_step": what the agent should do next when it must continue}';
const stepForm =
  'Answer with JSON only: {"verdict": "pass" or "revise", "reasoning": why, "critique": what to change, "confidence": 0 to 1}.';
const stepOpening = "You review one step of an agent before it is carried out";

const usual: Readonly<Record<PromptId, Usual>> = {
  ...compactionPrompts,
  ...watchingPrompts,
  ...researchPrompts,
  "agent.completion_judge_feedback": (b) => text(b, "feedback"),
  "agent.completion_judge_system": () =>
    "You judge whether an agent has completed its task. Compare what was asked with what was really done and said, " +
    `trust tool results over claims, and do not ask for more than the task did. Answer with JSON only: ${judgeForm}.`,
  "agent.completion_judge_user": (b) =>
    [
      `Task:\n${text(b, "task")}`,
      `Why the agent stops: ${text(b, "stop_reason")}`,
      `Tools that succeeded: ${text(b, "successful_tools")}\nTools that failed or were refused: ${text(b, "rejected_tools")}`,
      `Transcript (JSON):\n${text(b, "transcript")}`,
      `Latest answer:\n${text(b, "text")}`,
      "Is the task complete?",
    ].join("\n\n"),
  "agent.completion_refused": (b) =>
    `\`work_complete\` was not accepted (${text(b, "gate")}): ${text(b, "reason")}\n${text(b, "details") === "" ? "" : `${text(b, "details")}\n`}` +
    "Put this right and check it, then claim again. Claiming again without a change ends the loop as stalled.",
  "agent.continuation_prompt": (b) =>
    `${text(b, "why")}Your last message called no tool and did not close the task, so nothing happened. Without repeating what ` +
    "you said, do one of these now. The work is done: call `work_complete`. Something is left: make the next call. Something is " +
    "in the way: try another way, or claim completion and say what is blocked.",
  "agent.daemon_timer_feedback": () => "The timer went off: look whether there is something to do.",
  "agent.daemon_watch_feedback": (b) =>
    `These watched files have changed:\n${promptLines(b, "paths")
      .map((path) => `- ${path}`)
      .join("\n")}`,
  "agent.default_nudge": (b) =>
    usualNudge(mode(b), b.allow_done_sentinel === false ? null : sentinel(b), b.require_action === true),
  "agent.deferred_tool_listing": (b) => promptLines(b, "tools").join("\n"),
  "agent.gap_report": (b) =>
    [
      `${text(b, "met")} of ${text(b, "total")} requirements are met. Missing:`,
      text(b, "gaps"),
      text(b, "questions"),
      "Only what a check can see counts.",
    ]
      .filter((line) => line !== "")
      .join("\n"),
  "agent.loop_contract": (b) => loopContract(mode(b), sentinel(b)),
  "agent.native_tool_contract_feedback": () =>
    "The tool call in your last message was written as text and was not run. Call tools only through the native tool " +
    "channel of this conversation; write text for explanations and the final answer.",
  "agent.parse_guidance": (b) =>
    `These tool calls could not be read and were not run:\n${promptLines(b, "errors")
      .map((error) => `- ${error}`)
      .join("\n")}`,
  "agent.step_judge_system": (b) =>
    text(b, "rubric") === ""
      ? `${stepOpening}: is it a sensible next step for the task, safe, and consistent with what tools have said? ${stepForm}`
      : `${stepOpening}, by this rubric:\n${text(b, "rubric")}\n${stepForm}`,
  "agent.step_judge_system_adversarial": () =>
    `${stepOpening}. Look hard for what is wrong with it: wrong assumptions, needless risk, work that was done already, ` +
    `claims without evidence. Pass it only when you find nothing that matters. ${stepForm}`,
  "agent.step_judge_user": (b) =>
    `Task:\n${text(b, "task")}\n\nThe agent's text:\n${text(b, "text")}\n\nCalls it wants to make:\n${text(b, "calls") || "none"}\n\nIs this step to be carried out?`,
  "agent.tool_contract_action_native": (b) =>
    b.require_action === true ? "Every turn takes an action: call a tool, or give the final answer." : "",
  "agent.tool_contract_action_text": (b) =>
    b.require_action === true ? "Every turn takes an action: call a tool, or end the work." : "",
  "agent.tool_contract_deferred_tools": (b) =>
    text(b, "listing") === "" ? "" : `## Tools you can search for\n${text(b, "listing")}`,
  "agent.tool_contract_json": (b) => jsonContract(text(b, "tools")),
  "agent.tool_contract_native": () => nativeContract,
  "agent.tool_contract_task_ledger": (b) =>
    b.work_items === true
      ? "Break work of more than two steps into work items and update them as you go. Store finished texts with " +
        "`work_item_set_artifact`, the content alone. Flag what is not good enough."
      : "",
  "agent.tool_contract_text": (b) => textContract(text(b, "response_protocol"), text(b, "tools")),
  "agent.tool_contract_text_response_protocol": (b) => textProtocol(sentinel(b)),
  "agent.turn_preamble": () => turnPreamble,
  "agent.verification_gate_feedback": (b) => text(b, "feedback"),
  "agent.work_complete_missing": (b) =>
    `Only a call of \`work_complete\` closes the task (${text(b, "n")} of ${text(b, "max")}). Call it if the work is done, else go on.`,
  "agent.work_completion": (b) =>
    "Work until everything that was asked for is done and checked. Then call `work_complete` with a short summary" +
    `${b.cites === true ? " and what shows it: tools, paths or item ids" : ""}. ` +
    (b.plain === true
      ? "What asks for no work, such as a greeting or a question that you can answer, is answered in words, without a call: that " +
        "ends your turn. "
      : "A message without a tool call does not end the work. ") +
    "Do not ask whether to go on.",
};

/** What a prompt says when nobody overrides it. */
export const usualPrompt = (id: PromptId, bindings: Bindings): string => usual[id](bindings);

/** The name under which a catalogue lists what comes with the runtime. */
export const assetOf = (id: PromptId): string => `builtin:${id.replace(".", "/")}`;
