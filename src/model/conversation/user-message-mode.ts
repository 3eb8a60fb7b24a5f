export const userMessageModes = ["interrupt_immediate", "finish_step", "wait_for_completion"] as const;

export type UserMessageMode = (typeof userMessageModes)[number];
