/** Plan or execute: what an agent may call in a loop with `modes` (docs/research.md, "Plan first"). */
export type AgentMode = "plan" | "execute";

export const agentModes: readonly AgentMode[] = ["plan", "execute"];

export const isAgentMode = (value: unknown): value is AgentMode => value === "plan" || value === "execute";
