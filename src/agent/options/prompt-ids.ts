/** The ids of the runtime's prompts (agents.md §11.11), sorted. What each says: context/prompts/catalogue.ts. */
export const promptIds = [
  "agent.compaction_message",
  "agent.completion_judge_feedback",
  "agent.completion_judge_system",
  "agent.completion_judge_user",
  "agent.daemon_timer_feedback",
  "agent.daemon_watch_feedback",
  "agent.default_nudge",
  "agent.deferred_tool_listing",
  "agent.loop_contract",
  "agent.native_tool_contract_feedback",
  "agent.parse_guidance",
  "agent.step_judge_system",
  "agent.step_judge_system_adversarial",
  "agent.step_judge_user",
  "agent.summarizer",
  "agent.tool_contract_action_native",
  "agent.tool_contract_action_text",
  "agent.tool_contract_deferred_tools",
  "agent.tool_contract_json",
  "agent.tool_contract_native",
  "agent.tool_contract_task_ledger",
  "agent.tool_contract_text",
  "agent.tool_contract_text_response_protocol",
  "agent.turn_preamble",
  "agent.verification_gate_feedback",
] as const;

export type PromptId = (typeof promptIds)[number];

export const isPromptId = (id: string): id is PromptId => (promptIds as readonly string[]).includes(id);
