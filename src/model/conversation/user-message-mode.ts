/** How what a person says while a loop works reaches the model (agents.md §20). */
export const userMessageModes = ["interrupt_immediate", "finish_step", "wait_for_completion"] as const;

export type UserMessageMode = (typeof userMessageModes)[number];
