/** An accepted pass as one change of the conversation's plan. The log stays; everything that leaves the view is archived. */
import {
  byCompaction,
  type ClearPlanEntry,
  type Conversation,
  dropping,
  type ExternalizationRecord,
  type LoggedMessage,
  messageText,
  type PlanAction,
  type PlanChange,
  type SummarizationRecord,
} from "../../../model/index.ts";
import type { EngineStrategy } from "../../options/context-fields.ts";
import { answeredCall } from "../projection/tool-results.ts";
import { type Compacted, include } from "./engine.ts";
import type { ViewMessage } from "./exchanges.ts";
import type { Pass } from "./pass.ts";
import { type LadderEdit, type LadderPlan, reasonsBesideCalls } from "./planner.ts";
import { joinedSummary } from "./record.ts";
import { entryOfMessage, type TranscriptEntry } from "./strategy.ts";

/** The view as the ladder looks at it. */
export function ladderView({ log, shown }: Conversation): ViewMessage[] {
  const said = new Map<string, LoggedMessage>();
  return shown.map(({ id, message, origin }) => {
    let logged = log[Number(id.slice("msg_".length)) - 1];
    if (logged?.id !== id) {
      if (said.size === 0) for (const one of log) said.set(one.id, one);
      logged = said.get(id);
    }
    return { id, message, original: logged?.message ?? message, origin };
  });
}

/** What people said, of what is in view, that no model or function which summarizes was shown yet. */
export function unheardWords({ log, plan }: Conversation, view: readonly ViewMessage[]): ViewMessage[] {
  const people = view.filter(({ origin }) => origin.by === "person");
  const record = plan.summarization_records.findLast(({ maker }) => maker !== "extractive");
  if (record === undefined || people.length === 0) return people;
  // Those that were said before the summary.
  const known = new Set<string>();
  for (const { id } of log) {
    if (id === record.summary_message_id) break;
    known.add(id);
  }
  return people.filter(({ id }) => !known.has(id));
}

/** The view that a pass would make, the compaction message at its place. For what comes after it in the same pass. */
export function viewAfter(view: readonly ViewMessage[], pass: Pass, earlier: string | null): ViewMessage[] {
  const { plan, text } = pass;
  const gone = goneBy(plan, text === null ? null : earlier);
  const edits = new Map(plan.edits.map((edit) => [edit.id, edit.message]));
  const place = text === null ? null : placeOf(view, gone);
  const after: ViewMessage[] = [];
  const summary = (): void => {
    if (text === null) return;
    const message = { role: "user", content: text };
    after.push({ id: coming, message, original: message, origin: byCompaction });
  };
  if (place === null) summary();
  for (const one of view) {
    if (!gone.has(one.id)) after.push({ ...one, message: edits.get(one.id) ?? one.message });
    if (one.id === place) summary();
  }
  return after;
}

/** The id of a compaction message that is not written yet. */
export const coming = "msg_coming";

const goneBy = ({ span, drop }: LadderPlan, earlier: string | null): Set<string> =>
  new Set([...(span?.ids ?? []), ...(drop?.ids ?? []), ...(earlier === null ? [] : [earlier])]);

/**
 * After which message of the view the compaction message stands: the last that left. Before everything (`null`) where
 * what is left would not begin with a message of the user's.
 */
function placeOf(view: readonly ViewMessage[], gone: ReadonlySet<string>): string | null {
  const last = view.findLastIndex(({ id }) => gone.has(id));
  const first = view.find(({ id }) => !gone.has(id));
  if (first?.message.role !== "user") return null;
  return view[last]?.id ?? null;
}

/** Changes the view once; `changed` look otherwise now, the compaction message among them. `view`: what the pass was made for. `reasoningStays`: the route wants calls back with their reasoning. */
export function commitPass(
  conversation: Conversation,
  view: readonly ViewMessage[],
  pass: Pass,
  digest: (text: string) => string,
  assetId: string,
  reasoningStays = false,
): { readonly changed: readonly string[]; readonly archived: number } {
  const { plan, text, memory, maker, retention } = pass;
  const earlier = conversation.ladder?.message ?? null;
  const gone = goneBy(plan, text === null ? null : earlier);
  const inView = new Set(view.map(({ id }) => id));
  const summary = text === null ? null : conversation.record({ role: "user", content: text }, byCompaction);
  const actions: Record<string, PlanAction> = {};
  const edits = plan.edits.filter(({ id }) => !gone.has(id));
  const clear_records: Omit<ClearPlanEntry, "version">[] = [];
  const externalization_records: Omit<ExternalizationRecord, "version">[] = [];
  const originals = new Map(view.map((one) => [one.id, one]));
  for (const edit of edits) {
    actions[edit.id] = edit.action;
    const { original } = originals.get(edit.id) as ViewMessage;
    if (edit.action === "externalize") externalization_records.push(outsideRecord(edit, original, digest));
    clear_records.push(...clearRecords(edit, originals.get(edit.id) as ViewMessage));
  }
  for (const id of plan.span?.ids ?? []) actions[id] = "summarize";
  const dropped = dropping(conversation.log, new Set(plan.drop?.ids ?? []), "pressure");
  Object.assign(actions, dropped.actions);
  if (text !== null && earlier !== null && inView.has(earlier)) actions[earlier] = "summarize";
  const reasoning =
    edits.length > 0 || gone.size > 0 ? messagesWithoutReasoning(view, gone, reasoningStays) : [];
  const change: PlanChange = {
    actions,
    clear_records,
    externalization_records,
    drop_records: dropped.drop_records,
    reasoning_records: reasoning.map((message_id) => ({ message_id, reason: "compaction", text: "" })),
    ...(summary === null
      ? {}
      : { placement_records: [{ message_id: summary.id, behind: placeOf(view, gone) }] }),
    ...(summary === null || plan.span === null || maker === null
      ? {}
      : {
          summarization_records: [
            {
              first: plan.span.first,
              last: plan.span.last,
              count: plan.span.ids.length,
              maker,
              summary_message_id: summary.id,
              retention: { ...retention, lost: [...retention.lost] },
            },
          ],
        }),
  };
  const archived = conversation.shown.filter(({ id }) => gone.has(id) && id !== earlier);
  if (archived.length > 0) conversation.archives.push({ assetId, messages: archived });
  conversation.commit(change);
  conversation.controlled = true;
  if (memory !== null) conversation.ladder = { ...memory, message: summary?.id ?? memory.message };
  if (text !== null) {
    conversation.summary = text;
    conversation.lastSummary = text;
  }
  const changed = [...edits.map(({ id }) => id), ...(summary === null ? [] : [summary.id])];
  return { changed, archived: archived.length };
}

function outsideRecord(
  { id, message }: LadderEdit,
  original: ViewMessage["original"],
  digest: (text: string) => string,
): Omit<ExternalizationRecord, "version"> {
  const body = messageText(original);
  return { message_id: id, ref: id, digest: digest(body), chars: body.length, text: messageText(message) };
}

/** One record for each body or call, all with what is shown of the whole message: the newest is in force. */
function clearRecords(edit: LadderEdit, { original }: ViewMessage): Omit<ClearPlanEntry, "version">[] {
  const { id, message, clears } = edit;
  const calls = message.tool_calls ?? [];
  if (calls.length === 0)
    return clears.map(({ call, tool, durability, reason, kept }) => ({
      message_id: id,
      call_id: answeredCall(message) === undefined ? null : call,
      tool,
      durability,
      reason,
      kept,
      text: messageText(message),
    }));
  const before = new Map((original.tool_calls ?? []).map((call) => [call.id, call]));
  return calls
    .filter((call) => before.get(call.id)?.arguments !== call.arguments)
    .map(({ id: call_id, name, arguments: args }) => ({
      message_id: id,
      call_id,
      tool: name,
      durability: "anchoring",
      reason: "arguments",
      kept: {},
      text: JSON.stringify(args),
    }));
}

/**
 * Signed reasoning fits its place only: after a change of the view it goes, but for the exchange that is open and for calls
 * that the route takes only with it.
 */
function messagesWithoutReasoning(
  view: readonly ViewMessage[],
  gone: ReadonlySet<string>,
  reasoningStays: boolean,
): string[] {
  const last = view.findLastIndex(({ message }) => message.role === "assistant");
  return view
    .filter(
      ({ id, message }, index) =>
        index !== last &&
        !gone.has(id) &&
        message.role === "assistant" &&
        (message.reasoning?.length ?? 0) > 0 &&
        !(reasoningStays && reasonsBesideCalls(message)),
    )
    .map(({ id }) => id);
}

// ── a summary in words ────────────────────────────────────────────────────────────────────────────────────────────────

/** What is shown, as the engine looks at it. The task of a running loop stays in view. */
export const entriesOf = (conversation: Conversation): TranscriptEntry[] =>
  conversation.shown.map((logged) =>
    entryOfMessage(
      logged.id,
      logged.message,
      () => conversation.value(logged),
      logged.id === conversation.task?.id,
      logged.origin,
    ),
  );

/** Changes the view. Nothing that was said is lost: the archive and the log have it. */
export function commitSummary(conversation: Conversation, compacted: Compacted, assetId: string): void {
  const before = [...conversation.shown];
  const { decisions } = compacted.plan;
  const gone = (kind: string | undefined): boolean => kind === "summarize" || kind === "drop";
  conversation.archives.push({
    assetId,
    messages: before.filter((_logged, index) => gone(decisions[index]?.kind)),
  });
  const summary = conversation.record({ role: "user", content: compacted.summary }, byCompaction);
  conversation.commit(planChange(conversation, before, summary, compacted));
  conversation.summary = joinedSummary(conversation.summary, compacted.summary);
  conversation.lastSummary = compacted.summary;
}

/** The engine's decisions, which are about positions in the view, as a change of the conversation's plan. */
function planChange(
  conversation: Conversation,
  view: readonly LoggedMessage[],
  summary: LoggedMessage,
  { plan: { decisions, summaryAt }, engineStrategy }: Compacted,
): PlanChange {
  const actions: Record<string, PlanAction> = {};
  const clear_records: Omit<ClearPlanEntry, "version">[] = [];
  const silent = new Set<string>();
  const archived: LoggedMessage[] = [];
  for (const [index, logged] of view.entries()) {
    const fate = decisions[index] ?? include;
    if (fate.kind === "drop") silent.add(logged.id);
    if (fate.kind === "drop" || fate.kind === "summarize") {
      actions[logged.id] = fate.kind;
      archived.push(logged);
    } else if (fate.kind === "clear") clear_records.push(clearRecord(logged, fate.text));
  }
  for (const { message_id } of clear_records) actions[message_id] = "clear";
  // An earlier summary stands before what was said before it.
  const said = archived.filter(({ origin }) => origin.by !== "compaction");
  const { drop_records } = dropping(conversation.log, silent, "pressure");
  return {
    actions,
    drop_records,
    clear_records,
    summarization_records: [
      {
        first: (said[0] ?? archived[0])?.id ?? summary.id,
        last: (said.at(-1) ?? archived.at(-1))?.id ?? summary.id,
        count: archived.length,
        maker: makers[engineStrategy],
        summary_message_id: summary.id,
        retention: null,
      },
    ],
    placement_records: [{ message_id: summary.id, behind: view[summaryAt - 1]?.id ?? null }],
  };
}

const makers = {
  llm: "model",
  custom: "callback",
  truncate: "extractive",
  observation_mask: "extractive",
} as const satisfies Record<EngineStrategy, SummarizationRecord["maker"]>;

const clearRecord = ({ id, message }: LoggedMessage, text: string): Omit<ClearPlanEntry, "version"> => ({
  message_id: id,
  call_id: answeredCall(message) ?? null,
  tool: message.name ?? "",
  durability: "non_replayable",
  reason: "too_long",
  kept: {},
  text,
});
