/**
 * A conversation that outlives its run: its messages one by one as JSON, and what else it knows (what of them is in view,
 * summaries, reminders, scratchpad, ledger, contract) as one piece of JSON, from which the next run makes it again.
 */
import type { Json } from "../../effects/index.ts";
import {
  type CompactionPlan,
  type Conversation,
  isAgentMode,
  type LadderMemory,
  type LoggedMessage,
  messageFrom,
  originOfValue,
  type ResultNote,
} from "../../model/index.ts";
import { Dict, fromJson, type JsonObject, List, toJson, toJsonOrNull } from "../../values/index.ts";
import { workRecord } from "./control-record.ts";

/** A message of the log with its origin. */
export const storedMessage = (conversation: Conversation, logged: LoggedMessage): JsonObject =>
  toJson(conversation.value(logged)) as JsonObject;

/** Begins an empty conversation with messages of an earlier run: they get the ids that they had. */
export function restoreMessages(conversation: Conversation, messages: readonly Json[]): void {
  for (const [index, message] of messages.entries()) {
    const value = fromJson(message);
    if (!(value instanceof Dict)) continue;
    const said = messageFrom(value, `stored message ${index + 1}`);
    conversation.append(said, originOfValue(value, said));
  }
}

/** What changes when there is something new to keep besides messages: compared one by one, by identity. */
export const keptParts = (conversation: Conversation): readonly unknown[] => [
  conversation.plan,
  conversation.summary,
  conversation.ladder,
  conversation.resultNotes.size,
  conversation.scratchpad,
  conversation.workItems,
  conversation.contract,
  conversation.contract?.version,
  conversation.contract?.checks,
  conversation.contract?.answers.size,
  conversation.contract?.skipped.size,
  conversation.reminders,
  conversation.toolFormat,
  conversation.mode,
  conversation.activeSkills,
];

/** Everything but the messages. Reminders and skills that can't be JSON are left out. */
export function keptConversation(conversation: Conversation): JsonObject {
  const { plan, summary, lastSummary, ladder, resultNotes, scratchpad } = conversation;
  return {
    plan: plan.version === 0 ? null : asData(plan),
    summary,
    last_summary: lastSummary,
    ladder: asData(ladder),
    result_notes: asData(Object.fromEntries(resultNotes)),
    scratchpad: scratchpad === null ? null : toJsonOrNull(scratchpad),
    scratchpad_version: conversation.scratchpadVersion,
    control: Object.fromEntries(
      Object.entries(workRecord(conversation)).map(([key, value]) => [key, toJsonOrNull(value ?? null)]),
    ),
    reminders: toJsonOrNull(new List([...conversation.reminders])),
    tool_format: conversation.toolFormat,
    mode: conversation.mode,
    skills: asData(conversation.activeSkills),
  };
}

/**
 * Puts it back, after the messages, but for ledger, contract and coverage: `keptControl` gives those for `restoreTaskState`.
 * What another version of harn kept and this one does not know is left out.
 */
export function restoreKept(conversation: Conversation, kept: Json): void {
  if (typeof kept !== "object" || kept === null || Array.isArray(kept)) return;
  const known = kept as { readonly [key: string]: Json };
  const text = (key: string): string => (typeof known[key] === "string" ? known[key] : "");
  conversation.summary = text("summary");
  conversation.lastSummary = text("last_summary");
  conversation.ladder = (known.ladder ?? null) as unknown as LadderMemory | null;
  for (const [key, note] of Object.entries((known.result_notes ?? {}) as object))
    conversation.resultNotes.set(key, note as ResultNote);
  const pad = fromJson(known.scratchpad ?? null);
  conversation.scratchpad = pad instanceof Dict ? pad : null;
  conversation.scratchpadVersion = Number(known.scratchpad_version ?? 0);
  const reminders = fromJson(known.reminders ?? null);
  if (reminders instanceof List)
    conversation.reminders = [...reminders].filter((one): one is Dict => one instanceof Dict);
  conversation.toolFormat = typeof known.tool_format === "string" ? known.tool_format : null;
  conversation.mode = isAgentMode(known.mode) ? known.mode : null;
  conversation.activeSkills = (known.skills ?? []) as unknown as Conversation["activeSkills"];
  if ((known.plan ?? null) !== null) conversation.restorePlan(known.plan as unknown as CompactionPlan);
}

/** Ledger, contract and coverage of what was kept. */
export function keptControl(kept: Json): Dict {
  const known = typeof kept === "object" && kept !== null && "control" in kept ? kept.control : null;
  const control = fromJson((known ?? null) as Json);
  return control instanceof Dict ? control : new Dict();
}

/** Plain data, as data. */
const asData = (data: unknown): Json =>
  data === undefined ? null : (JSON.parse(JSON.stringify(data)) as Json);
