/**
 * The types of events, each with what it says: the one list. Who folds, sends or draws events is exhaustive over it
 * (docs/checklists.md, "An event of a log").
 */
import type { DurableEventData, EphemeralEventData } from "./event-data.ts";

/** A log keeps them. */
export const durableEventTypes = {
  "conversation.created": "a conversation begins",
  "conversation.changed": "its title, mode or configuration changed",
  "conversation.state": "it is in another state",
  "message.queued": "somebody said something",
  "message.withdrawn": "a message was taken back",
  "message.taken": "a run has a message",
  "run.start": "a run begins",
  "run.resumed": "a run goes on",
  "run.end": "a run is over, or waits",
  "loop.start": "an agent's loop begins",
  "loop.end": "it is over",
  "turn.start": "a model is asked",
  "turn.end": "its answer is dealt with",
  "message.end": "a message is whole",
  "thought.end": "a thought is whole",
  "tool.start": "a call begins",
  "tool.end": "a call is over, or was refused",
  usage: "what an answer cost",
  "context.usage": "how full the window is",
  "context.compacted": "messages left the view",
  "mode.changed": "a loop works in another mode",
  "doom.detected": "calls repeat themselves",
  decision: "something was decided, and why",
  "question.asked": "a person is asked",
  "question.answered": "a person has answered",
  "question.expired": "nobody answered in time",
  "question.withdrawn": "the answer is not wanted any more",
  "file.changed": "a file was made, written or removed",
  "plan.changed": "a plan was made or changed",
  "paper.changed": "a paper has a new version",
  retry: "something is tried again",
  notice: "a person should see this",
  trace: "every other event of the runtime",
  "interrupt.requested": "somebody wants a run to stop",
  "run.interrupted": "it has stopped",
} as const satisfies Record<keyof DurableEventData, string>;

/** Sent when it happens, and kept nowhere. */
export const ephemeralEventTypes = {
  "message.delta": "a piece of an answer",
  "thought.delta": "a piece of a thought",
  "tool.output": "what a call prints",
  partial: "all that was said so far of an answer that is not finished",
  hello: "where a stream begins",
  ping: "the stream is alive",
  reset: "the log begins anew",
} as const satisfies Record<keyof EphemeralEventData, string>;

/** What is sent of a run at once, and how often: for who writes the events, serves them and shows them. */
const KiB = 1024;

export const eventLimits = {
  /** A text of an event beyond it stands as a reference. Bytes. */
  eventText: 16 * KiB,
  /** Ephemeral texts are joined for so long, or until there are so many bytes. */
  deltaDelay: 50,
  deltaBytes: 2 * KiB,
  /** Of what a call prints, so many characters are sent at once: the last ones. A page keeps as many. */
  output: 16 * KiB,
  /** Between two times at which an unfinished answer is kept. Milliseconds. */
  partialDelay: 200,
} as const;
