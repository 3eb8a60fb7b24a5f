/**
 * The states of a conversation, each with its meaning: the one list, which the page has too. Who moves, serves, draws or describes
 * them is exhaustive over it (docs/checklists.md, "A state of a conversation").
 */
export const conversationStates = {
  idle: "Nothing is said that was not answered.",
  queued: "A run is to begin, or to go on.",
  processing: "A run works.",
  waiting: "Its run stands still until a person answers.",
  interrupted: "Somebody stopped it: nothing begins until a message or a resume.",
  paused:
    "It was parked where it was, for the reason that `why` names: its run goes on with a resume or a message.",
  failed: "Its run can't go on.",
} as const;

export type ConversationState = keyof typeof conversationStates;

/** Their names, in the order of the list. */
export const conversationStateNames = Object.keys(conversationStates) as [ConversationState];
