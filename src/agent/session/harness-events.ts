/**
 * What happened in a session, as one list in the words of the control plane (docs/control-plane.md, "Ready agents"): the contract
 * events of its loops, what its models answered, and what the runtime did by itself, in the order in which it happened.
 */
import type { LoopEvent } from "../../events/index.ts";
import {
  type Conversation,
  type Intervention,
  type InterventionKind,
  type LoggedLoop,
  type LoggedMessage,
  messageText,
} from "../../model/index.ts";
import { Dict, fromJson, List, type Value } from "../../values/index.ts";
import { interventionFields } from "./interventions.ts";

/** Under which name an intervention stands in the list; the others stand under their kind. */
const kinds: Partial<Record<InterventionKind, string>> = {
  pressure: "context_pressure",
  compaction: "compaction",
  continuation: "continuation_prompt",
  instruction: "jit_instruction",
  stall_warning: "stall_detected",
  stall_stop: "stall_detected",
  refusal: "stop_decision",
  stop: "stop_decision",
};

interface LiveEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, Value>>;
}

/** `[{event_type, data, event_id, timestamp}]`; `timestamp` is RFC 3339 by the run's clock, nil before the first loop. */
export function harnessEvents(conversation: Conversation): List {
  const { id, interventions, loopLogs } = conversation;
  const rows: Dict[] = [];
  let at: string | null = null;
  const emit = ({ type, data }: LiveEvent): void => {
    const event_id = `${id}:${rows.length + 1}`;
    rows.push(Dict.of({ event_type: type, data: Dict.of(data), event_id, timestamp: at }));
  };
  const own = interventions.list();
  let next = 0;
  let number = loopLogs.first;
  const intervened = (before: number): void => {
    for (let made = own[next]; made !== undefined && made.event <= before; made = own[++next])
      emit(interventionEvent(made));
  };
  for (const loop of loopLogs.list()) {
    const answers = answersOf(conversation, loop);
    for (const event of loop.log.from()) {
      intervened(number++);
      if (event.at !== null) at = new Date(loop.startedAt + event.at).toISOString();
      for (const live of liveEventsOf(event)) emit(live);
      const answer = event.type === "step.start" ? answers.get(event.data.turn) : undefined;
      if (answer !== undefined && event.type === "step.start") emit(answerEvent(answer, event.data.turn));
    }
  }
  intervened(Number.POSITIVE_INFINITY);
  return new List(rows);
}

const interventionEvent = (made: Intervention): LiveEvent => ({
  type: kinds[made.kind] ?? made.kind,
  data: interventionFields(made),
});

/** Drafts and commits of plans are the machine's: they say no more than the turns that follow. */
function liveEventsOf(event: LoopEvent): LiveEvent[] {
  const { data } = event;
  const live = (type: string, more: Readonly<Record<string, Value>> = {}): LiveEvent[] => [
    { type, data: { ...harnessFields(data), ...more } },
  ];
  switch (event.type) {
    case "session.start":
      return live("harness_start");
    case "session.complete":
      return live("harness_complete");
    case "step.start":
      return [{ type: "turn_start", data: { turn: event.data.turn } }];
    case "step.end":
      return [
        { type: "turn_end", data: { turn: event.data.turn, next: event.data.next, error: event.data.error } },
      ];
    case "tool.call":
      return live("tool_call");
    case "tool.result":
      return live("tool_result", { ok: true });
    case "tool.error":
      return live("tool_result", { ok: false });
    case "budget.warn":
      return live("budget_warning");
    case "session.pause":
      return [{ type: "harness_paused", data: { turns: event.data.turns, reason: event.data.reason } }];
    default:
      return [];
  }
}

const harnessFields = (data: object): Record<string, Value> =>
  Object.fromEntries((fromJson(JSON.parse(JSON.stringify(data))) as Dict).entries());

const answerEvent = ({ id, message }: LoggedMessage, turn: number): LiveEvent => ({
  type: "agent_response",
  data: {
    turn,
    message: id,
    text: messageText(message),
  },
});

/** The message that each turn's model call was answered with, by turn. */
function answersOf({ log, seen }: Conversation, { loop }: LoggedLoop): Map<number, LoggedMessage> {
  const answers = new Map<number, LoggedMessage>();
  for (const [at, call] of seen.calls.entries()) {
    if (call.loop !== loop) continue;
    const end = seen.calls[at + 1]?.log ?? log.length;
    const answer = log.slice(call.log, end).find(({ message }) => message.role === "assistant");
    if (answer !== undefined) answers.set(call.turn, answer);
  }
  return answers;
}
