/** Limits that the operations of conversations hold, also for the page that names them. Imports nothing. */
export const messageLimits = {
  /** Characters of a message. */
  message: 262_144,
  /** Messages that may wait in one conversation. */
  queuedMessages: 20,
} as const;
