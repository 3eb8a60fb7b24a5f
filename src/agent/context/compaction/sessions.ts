/** `agent_session_compact`: a script compacts a conversation by hand (agents.md §4.1). */
import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import type { Conversation } from "../../../model/index.ts";
import { defaultThreshold, publishNamed, sessionTokens } from "../../../model/index.ts";
import { Dict, optionsDict, thrown, typeOf, type Value } from "../../../values/index.ts";
import { runSessionHooks } from "../../hooks/index.ts";
import { type CompactionOptions, defaultKeepLast, KnobReader } from "../../options/compaction-options.ts";
import { compactionFields, compactionPolicyFields } from "../../options/context-fields.ts";
import { sourceAssetId } from "../../session/compaction-source.ts";
import { emitDroppedReminders } from "../../session/reminders.ts";
import { applyCompaction, entriesOf } from "./conversations.ts";
import { compact } from "./engine.ts";
import { asksForLadder, climbSession, readLadderByHand } from "./ladder/session.ts";
import { callOptionsIn, performCompaction } from "./perform.ts";

const caller = "agent_session_compact";

/** What may be said: knobs of the engine, a host's request, and the fields of a policy. */
const sessionKeys = (): readonly string[] => [
  ...compactionFields.set("session"),
  "compaction_request",
  ...compactionPolicyFields.names(),
];

/** Gives how many messages are shown afterwards. A `PreCompact` hook that blocks leaves everything as it was. */
export async function sessionCompact(task: Task, conversation: Conversation, input: Value): Promise<number> {
  const asked = optionsDict(caller, input);
  if (asksForLadder(asked)) {
    const [ladder, callOptions] = readLadderByHand(task, asked, caller);
    await climbSession(task, conversation, ladder, { caller, mode: "session", callOptions });
    return conversation.shown.length;
  }
  const options = sessionOptions(task, asked);
  const { id } = conversation;
  const size = Dict.of({
    mode: "session",
    reason: "manual",
    strategy: options.label,
    message_count: conversation.shown.length,
    estimated_tokens: sessionTokens(conversation),
  });
  if (options.threshold > 0 && sessionTokens(conversation) <= options.threshold)
    return conversation.shown.length;
  const said = await runSessionHooks(task, "PreCompact", id, size, options.label);
  if (said.blocked !== null) return conversation.shown.length;
  const steps = compact(entriesOf(conversation), options, conversation.reminders);
  const compacted = await performCompaction(task, caller, steps);
  if (compacted === null) return conversation.shown.length;
  const { fields, droppedReminders } = applyCompaction(conversation, compacted, options, {
    mode: "session",
    reason: "manual",
    snapshotAssetId: sourceAssetId(newId(task)),
  });
  await publishNamed(task, id, "transcript_compacted", Dict.of(fields));
  await emitDroppedReminders(task, id, droppedReminders);
  await runSessionHooks(task, "PostCompact", id, Dict.of(fields), options.label);
  return conversation.shown.length;
}

/** `compaction_request` holds what a host asked for; the script's own options lie over it. */
function sessionOptions(task: Task, input: Dict): CompactionOptions {
  const request = input.get("compaction_request") ?? null;
  if (request !== null && !(request instanceof Dict))
    throw thrown(`${caller}: \`compaction_request\` must be a dict or nil; got ${typeOf(request)}`);
  const dict = (request ?? new Dict()).merge(input.without("compaction_request"));
  const keys = sessionKeys();
  for (const key of dict.keys()) {
    if (!keys.includes(key))
      throw thrown(`${caller}: unknown option key '${key}' (expected one of: ${keys.join(", ")})`);
  }
  const read = new KnobReader(dict, caller);
  const { asked, ...common } = read.common();
  const strategy = asked ?? "observation_mask";
  return {
    ...common,
    strategy,
    label: strategy,
    keepFirst: read.count(["keep_first"]) ?? 0,
    keepLast: read.count(["keep_last"]) ?? defaultKeepLast,
    threshold: read.count(["token_threshold"]) ?? defaultThreshold,
    llm: callOptionsIn(task, dict),
  };
}
