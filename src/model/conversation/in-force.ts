/** What is in force in a conversation: its mode, its skills, and how what a person says meanwhile reaches the model. */

/** Plan or execute: what an agent may call in a loop with `modes` (docs/research.md, "Plan first"). */
export type AgentMode = "plan" | "execute";

export const agentModes: readonly AgentMode[] = ["plan", "execute"];

export const isAgentMode = (value: unknown): value is AgentMode => value === "plan" || value === "execute";

/** How what a person says while a loop works reaches the model (agents.md §20). */
export const userMessageModes = ["interrupt_immediate", "finish_step", "wait_for_completion"] as const;

export type UserMessageMode = (typeof userMessageModes)[number];

/** A skill that is in force. */
export interface ActiveSkill {
  readonly name: string;
  readonly score: number;
  readonly trigger: string;
  /** What stands in the system text; `null` when the model has loaded it: then it stands in the conversation. */
  readonly body: string | null;
  /** Servers of the project that it holds. */
  readonly servers?: readonly string[];
}
