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
} from "../../../model/index.ts";
import { answeredCall } from "../projection/tool-results.ts";
import type { ViewMessage } from "./exchanges.ts";
import { goneBy, type Pass, placeOfSummary } from "./pass.ts";
import { type LadderEdit, reasonsBesideCalls } from "./planner.ts";

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

/**
 * Changes the view once; `changed` look otherwise now, the compaction message among them. `view`: what the pass was made for.
 * `reasoningStays`: the route wants calls back with their reasoning.
 */
export function commitPass(
  conversation: Conversation,
  view: readonly ViewMessage[],
  pass: Pass,
  digest: (text: string) => string,
  assetId: string,
  reasoningStays = false,
): { readonly changed: readonly string[]; readonly archived: number } {
  const { plan, text, memory, words } = pass;
  // A summary in words leaves what the ladder has said where it stands.
  const earlier = words === null ? (conversation.ladder?.message ?? null) : null;
  const gone = goneBy(plan, text, earlier);
  const inView = new Map(view.map((one) => [one.id, one]));
  const summary = text === null ? null : conversation.record({ role: "user", content: text }, byCompaction);
  const edits = plan.edits.filter(({ id }) => !gone.has(id));
  const actions: Record<string, PlanAction> = {};
  for (const { id, action } of edits) actions[id] = action;
  for (const id of plan.span?.ids ?? []) actions[id] = "summarize";
  const dropped = dropping(conversation.log, new Set(plan.drop?.ids ?? []), "pressure");
  Object.assign(actions, dropped.actions);
  if (text !== null && earlier !== null && inView.has(earlier)) actions[earlier] = "summarize";
  const originalOf = (id: string): ViewMessage => inView.get(id) as ViewMessage;
  const change: PlanChange = {
    actions,
    clear_records: edits.flatMap((edit) => clearRecords(edit, originalOf(edit.id))),
    externalization_records: edits
      .filter(({ action }) => action === "externalize")
      .map((edit) => outsideRecord(edit, originalOf(edit.id).original, digest)),
    drop_records: dropped.drop_records,
    reasoning_records:
      words === null && (edits.length > 0 || gone.size > 0)
        ? messagesWithoutReasoning(view, gone, reasoningStays).map((message_id) => ({
            message_id,
            reason: "compaction",
            text: "",
          }))
        : [],
  };
  if (summary !== null) Object.assign(change, placementOf(view, pass, summary.id, gone));
  const archived = conversation.shown.filter(({ id }) => gone.has(id) && id !== earlier);
  if (archived.length > 0) conversation.archives.push({ assetId, messages: archived });
  conversation.commit(change);
  if (words === null) conversation.controlled = true;
  if (memory !== null) conversation.ladder = { ...memory, message: summary?.id ?? memory.message };
  if (text !== null) {
    const before = words === null ? "" : conversation.summary;
    conversation.summary = before === "" ? text : `${before}\n\n${text}`;
    conversation.lastSummary = text;
  }
  const changed = [...edits.map(({ id }) => id), ...(summary === null ? [] : [summary.id])];
  return { changed, archived: archived.length };
}

/** Where the compaction message stands, and what it stands for. */
function placementOf(
  view: readonly ViewMessage[],
  { plan, maker, retention, words }: Pass,
  summary: string,
  gone: ReadonlySet<string>,
): Partial<PlanChange> {
  const behind = words === null ? placeOfSummary(view, gone) : words.behind;
  const placement_records = [{ message_id: summary, behind }];
  const covered = words === null ? new Set(plan.span?.ids ?? []) : gone;
  if (covered.size === 0 || maker === null) return { placement_records };
  const stood = view.filter(({ id }) => covered.has(id));
  // An earlier summary stands before what was said before it.
  const said = stood.filter(({ origin }) => origin.by !== "compaction");
  const record = {
    first: (said[0] ?? stood[0])?.id ?? summary,
    last: (said.at(-1) ?? stood.at(-1))?.id ?? summary,
    count: covered.size,
    maker,
    summary_message_id: summary,
    retention: words === null ? { ...retention, lost: [...retention.lost] } : null,
  };
  return { placement_records, summarization_records: [record] };
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
