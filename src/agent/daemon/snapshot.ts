/**
 * The snapshot of a loop (agents.md §18): JSON that says what was said and done, and from which another loop goes on.
 *
 *     recorded_messages   everything that was ever said        visible_messages   what the model sees of it
 *
 * Totals run through all loops that went on from one another.
 */

import {
  type Conversation,
  type LoggedMessage,
  messageFrom,
  originOfValue,
  userMessageKind,
} from "../../model/index.ts";
import { Dict, fromJson, jsonStringify, List, textField, thrown, type Value } from "../../values/index.ts";
import { controlRecord } from "../session/control-record.ts";
import { restoredInterventions } from "../session/interventions.ts";
import { restorePlanRecord } from "../session/plan-record.ts";
import { auditEvent } from "../session/transcript-value.ts";
import type { Loop } from "../state/loop-state.ts";

/** The snapshot in its present state, without the time at which it is saved. */
export function snapshotOf(loop: Loop, daemonState: string): Dict {
  const { conversation, state } = loop;
  const { earlier, idleBackoffMs, watchState, exitCode } = state.slots.daemon;
  const events = conversation.audit.map((event, index) =>
    auditEvent({ id: `${conversation.id}:event_${index + 1}`, ...event }),
  );
  const marks = loop.mailbox?.marks(daemonState) ?? new Dict();
  return marks.merge(
    Dict.of({
      _type: "daemon_snapshot",
      daemon_state: daemonState,
      session_id: state.sessionId,
      visible_messages: messages(conversation, conversation.shown),
      recorded_messages: messages(conversation, conversation.log),
      transcript_summary: conversation.summary === "" ? null : conversation.summary,
      transcript_events: new List([...earlier.events, ...events]),
      total_text: earlier.text + state.texts.join(""),
      last_iteration_text: state.lastText,
      all_tools_used: names(earlier.tools, state.tools.attempted),
      rejected_tools: names(earlier.rejected, state.tools.rejected),
      deferred_user_messages: new List(conversation.feedback.map(({ text }) => text)),
      total_iterations: earlier.iterations + state.iterations,
      idle_backoff_ms: idleBackoffMs,
      last_run_exit_code: exitCode,
      watch_state: Dict.from(watchState ?? []),
      ...controlRecord(conversation),
    }),
  );
}

const messages = (conversation: Conversation, logged: readonly LoggedMessage[]): List =>
  new List(logged.map((one) => conversation.value(one)));

const names = (before: readonly string[], now: ReadonlySet<string>): List =>
  new List([...new Set([...before, ...now])]);

/** Puts a loop where the snapshot left off. Throws what is wrong with the snapshot. */
export function restoreLoop(loop: Loop, snapshot: Dict, path: string): void {
  const { conversation, state } = loop;
  const { daemon } = state.slots;
  restoreSnapshotMessages(conversation, snapshot, path);
  const made = restoredInterventions(snapshot.get("interventions") ?? null);
  if (made.length > 0) conversation.interventions.restore(made);
  conversation.summary = textField(snapshot, "transcript_summary");
  for (const item of itemsAt(snapshot, "deferred_user_messages"))
    if (typeof item === "string")
      conversation.feedback.push({ kind: userMessageKind, text: item, mode: "wait_for_completion" });
  state.lastText = textField(snapshot, "last_iteration_text");
  daemon.earlier = {
    text: textField(snapshot, "total_text"),
    tools: textsAt(snapshot, "all_tools_used"),
    rejected: textsAt(snapshot, "rejected_tools"),
    iterations: countInSnapshot(snapshot, "total_iterations") ?? 0,
    events: itemsAt(snapshot, "transcript_events").filter((item) => item instanceof Dict),
  };
  daemon.exitCode = countInSnapshot(snapshot, "last_run_exit_code");
  const watched = snapshot.get("watch_state");
  daemon.watchState = new Map(
    watched instanceof Dict
      ? [...watched.entries()].flatMap(([file, time]) =>
          typeof time === "number" ? [[file, time] as const] : [],
        )
      : [],
  );
}

/** Everything into the log; in view comes what was in view, the very messages of the log where they are the same. */
function restoreSnapshotMessages(conversation: Conversation, snapshot: Dict, path: string): void {
  const where = `agent_loop: daemon snapshot ${path}`;
  const visible = itemsAt(snapshot, "visible_messages").filter((item) => item instanceof Dict);
  if (restorePlanRecord(conversation, snapshot.get("compaction_plan") ?? null, visible)) return;
  const logged = new Map<string, LoggedMessage[]>();
  for (const [index, item] of itemsAt(snapshot, "recorded_messages").entries()) {
    const message = messageFrom(item, `${where}: recorded message ${index + 1}`);
    const one = conversation.record(message, originOfValue(item as Dict, message));
    const same = logged.get(jsonStringify(item));
    if (same === undefined) logged.set(jsonStringify(item), [one]);
    else same.push(one);
  }
  conversation.show(
    itemsAt(snapshot, "visible_messages").map(
      (item, index) =>
        logged.get(jsonStringify(item))?.shift() ??
        conversation.record(messageFrom(item, `${where}: visible message ${index + 1}`)),
    ),
    "snapshot",
  );
}

/** The text of a snapshot's file, checked. */
export function parseSnapshot(text: string, path: string): Dict {
  const bad = (why: string): never => {
    throw thrown(`daemon snapshot read error: ${path} ${why}`);
  };
  let value: Value;
  try {
    value = fromJson(JSON.parse(text) as Parameters<typeof fromJson>[0]);
  } catch {
    return bad("is not JSON: it is damaged or was cut off");
  }
  if (!(value instanceof Dict) || value.get("_type") !== "daemon_snapshot")
    return bad("is no daemon snapshot (its `_type` is not `daemon_snapshot`)");
  for (const name of ["visible_messages", "recorded_messages"])
    if (!(value.get(name) instanceof List)) return bad(`has no list \`${name}\``);
  return value;
}

const itemsAt = (snapshot: Dict, key: string): Value[] => {
  const value = snapshot.get(key);
  return value instanceof List ? value.toArray() : [];
};
const textsAt = (snapshot: Dict, key: string): string[] =>
  itemsAt(snapshot, key).filter((item) => typeof item === "string");
const countInSnapshot = (snapshot: Dict, key: string): number | null => {
  const value = snapshot.get(key);
  return typeof value === "number" ? value : null;
};
