/** Compaction of what scripts hold: transcripts and message lists (agents.md §3.3). */
import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import {
  Conversation,
  estimateMessages,
  llmCall,
  type ModelMessage,
  messageFrom,
  messageText,
  originOfValue,
} from "../../../model/index.ts";
import { at, refusal } from "../../../table/index.ts";
import {
  Dict,
  List,
  optionsDict,
  ScriptError,
  textField,
  thrown,
  type Value,
} from "../../../values/index.ts";
import { type CompactionOptions, handOptions } from "../../options/compaction-options.ts";
import { ladderKeys } from "../../options/ladder-options.ts";
import { sourceAsset } from "../../session/compaction-source.ts";
import { controlRecord } from "../../session/control-record.ts";
import { restoredLedger } from "../../session/ledger.ts";
import { pendingReminders, survivesCompaction } from "../../session/reminder-value.ts";
import { seedConversation } from "../../session/seed-transcript.ts";
import {
  auditEvent,
  isTranscript,
  messageLine,
  transcriptId,
  transcriptMessages,
  transcriptSummary,
  withAsset,
  withMessages,
} from "../../session/transcript-value.ts";
import { commitPass } from "../compaction/commit.ts";
import { askedInWords, passInWords, viewOf, type WordsInput, wordsInputOf } from "../compaction/words.ts";
import {
  asksForLadder,
  callOptionsIn,
  climbByHand,
  ladderByHand,
  performCompaction,
  placeByHand,
  wordsByHand,
} from "./by-hand.ts";
import type { CommittedPass } from "./record.ts";

/**
 * `transcript_compact`: the transcript with its older messages archived, or the same one when there is nothing to do. With the
 * ladder it is the view of a conversation that begins with the transcript: plan, entries and what left the view are kept in it
 * (`compaction_plan`), so that a later pass adds to them, and a loop that begins with it reads everything back.
 */
export async function transcriptCompact(task: Task, value: Value, input: Value): Promise<Value> {
  const caller = "transcript_compact";
  if (!isTranscript(value)) throw refusal(at(caller, "transcript"), "transcript", value);
  const dict = optionsDict(caller, input);
  if (asksForLadder(dict)) {
    const ladder = ladderByHand(task, dict, caller);
    const conversation = seededByTranscript(value, caller);
    const pass = climbByHand(task, placeByHand(task, conversation, "manual"), ladder);
    const made = await performCompaction(task, caller, pass);
    if (made === null) return value;
    const messages = conversation.shown.map((logged) => conversation.value(logged));
    const { compaction_plan = null, interventions = null } = controlRecord(conversation);
    const shorter = compactedTranscript(task, value, conversation, made, messages);
    return shorter.merge(Dict.of({ compaction_plan, interventions }));
  }
  const { options, own } = transcriptOptions(task, dict, caller);
  const messages = transcriptMessages(value);
  if (isBelowThreshold(messages, options)) return value;
  const conversation = conversationOfMessages(messages, value);
  const reason = options.threshold > 0 ? "threshold" : "manual";
  const place = placeByHand(task, conversation, "manual");
  const pass = wordsByHand(task, place, wordsOfMessages(conversation, messages, options), reason);
  const made = await performCompaction(task, caller, pass, own);
  if (made === null) return value;
  const shorter = compactedTranscript(task, value, conversation, made, shownOf(conversation, messages));
  return own === null ? shorter : shorter.with("summary", own);
}

/** The transcript after a pass over the conversation that was made of it. */
function compactedTranscript(
  task: Task,
  transcript: Dict,
  { audit, summary }: Conversation,
  { assetId, archived }: CommittedPass,
  messages: readonly Dict[],
): Dict {
  const added = audit.map((event) => auditEvent({ id: newId(task), ...event }));
  const shorter = withMessages(droppedReminders(transcript), messages, added);
  const whole = withAsset(shorter, sourceAsset(assetId, archived, transcript));
  return summary === "" ? whole : whole.with("summary", summary);
}

function seededByTranscript(transcript: Dict, caller: string): Conversation {
  const made = new Conversation(transcriptId(transcript));
  seedConversation(made, transcript, caller);
  made.workItems = restoredLedger(transcript.get("work_items") ?? null);
  return made;
}

/** A conversation of messages as scripts hold them, of whatever form. */
function conversationOfMessages(messages: readonly Dict[], transcript: Dict = new Dict()): Conversation {
  const made = new Conversation(transcriptId(transcript));
  for (const value of messages) {
    const message = lenientMessage(value);
    made.append(message, originOfValue(value, message));
  }
  made.summary = transcriptSummary(transcript);
  made.reminders = pendingReminders(transcript);
  return made;
}

const wordsOfMessages = (
  conversation: Conversation,
  messages: readonly Dict[],
  options: CompactionOptions,
): WordsInput => ({
  ...wordsInputOf(conversation, options),
  valueFor: (id) => messages[messageIndex(id)] as Dict,
});

function lenientMessage(value: Dict): ModelMessage {
  try {
    return messageFrom(value, "");
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { role: textField(value, "role"), content: messageLine(value) };
  }
}

const messageIndex = (id: string): number => Number(id.slice("msg_".length)) - 1;

const isBelowThreshold = (messages: readonly Dict[], { threshold }: CompactionOptions): boolean =>
  threshold > 0 && estimateMessages(messages) <= threshold;

/** What is shown of them, with the summary among them. */
const shownOf = ({ shown, log }: Conversation, messages: readonly Dict[]): Dict[] =>
  shown.map(({ id, message }) => {
    const value = messages[messageIndex(id)];
    if (value === undefined) return Dict.of({ role: "user", content: messageText(message) });
    return message === log[messageIndex(id)]?.message ? value : value.with("content", messageText(message));
  });

/** `own`: the summary that the caller brings. */
function transcriptOptions(
  task: Task,
  dict: Dict,
  caller: string,
): { readonly options: CompactionOptions; readonly own: string | null } {
  const strategy = dict.get("strategy") ?? dict.get("compact_strategy") ?? null;
  const compactor = dict.get("custom_compactor") ?? dict.get("compact_callback") ?? null;
  if (strategy === "custom" && compactor === null)
    throw thrown(`${caller}: custom_compactor is required with strategy 'custom'`);
  const foreign = ladderKeys.find((key) => (dict.get(key) ?? null) !== null);
  if (foreign !== undefined)
    throw thrown(`${caller}: \`${foreign}\` is the ladder's; use strategy: "ladder" or leave it out`);
  const { read, options } = handOptions(dict, caller);
  const { strategy: engine } = options;
  if (options.summarizePrompt !== null && engine !== "llm")
    throw thrown(`${caller}: summarize_prompt is only supported with strategy 'llm'`);
  const { targetTokens: target, summary: own } = read;
  return {
    own,
    options: {
      ...options,
      threshold: target ?? 0,
      hardLimit: target ?? options.hardLimit,
      // Its own: who asks for a cut pays no model, however small the target is.
      hardStrategy: engine,
      llm: callOptionsIn(task, dict),
    },
  };
}

/** Reminders that do not outlive a compaction are dropped. */
function droppedReminders(transcript: Dict): Dict {
  const events = transcript.get("events");
  if (!(events instanceof List)) return transcript;
  return transcript.with("events", new List(events.toArray().filter(survivesCompaction)));
}

/** `transcript_auto_compact`: the messages, shorter. */
export async function transcriptAutoCompact(task: Task, value: Value, input: Value): Promise<Value> {
  const caller = "transcript_auto_compact";
  if (!(value instanceof List)) throw refusal(at(caller, "messages"), "list", value);
  const messages = value.toArray().map((item, index) => {
    if (item instanceof Dict) return item;
    throw refusal(at(caller, `messages[${index}]`), "dict", item);
  });
  const dict = optionsDict(caller, input);
  if (asksForLadder(dict))
    throw thrown(
      `${caller}: the ladder keeps what leaves the view in a transcript, and a message list has no place for it; use transcript_compact(transcript_from_messages(messages), {strategy: "ladder"})`,
    );
  const { read, options: said } = handOptions(dict, caller);
  const options: CompactionOptions = {
    ...said,
    threshold: read.tokenThreshold ?? read.compactThreshold ?? 0,
    llm: callOptionsIn(task, dict),
  };
  if (isBelowThreshold(messages, options)) return value;
  const conversation = conversationOfMessages(messages);
  const words = wordsOfMessages(conversation, messages, options);
  const pass = await performCompaction(task, caller, passInWords(words));
  if (pass === null) return value;
  commitPass(conversation, words.view, pass, () => "", "");
  return new List(shownOf(conversation, messages));
}

// ── a model's summary of everything but the last messages (agents.md §3.2) ──

/** Messages that stay where nobody says how many. */
const usualKeepLast = 6;

/** The transcript with its last messages, the summary of the others, and how many those were. */
export async function transcriptSummarize(task: Task, value: Value, input: Value): Promise<Value> {
  const caller = "transcript_summarize";
  if (!isTranscript(value)) throw refusal(at(caller, "transcript"), "transcript", value);
  const options = optionsDict(caller, input);
  const keepLast = options.get("keep_last") ?? usualKeepLast;
  if (typeof keepLast !== "number" || keepLast < 0)
    throw refusal(at(caller, "keep_last"), "int >= 0", keepLast);
  const own = options.get("prompt") ?? null;
  if (own !== null && typeof own !== "string") throw refusal(at(caller, "prompt"), "string", own);
  const messages = transcriptMessages(value);
  const view = viewOf(conversationOfMessages(messages));
  const read = askedInWords("question_about", view, { keepFirst: 0, keepLast, unpinned: true }, own);
  const gone = (read.get("gone") as List).toArray();
  const prompt = textField(read, "prompt");
  const answer = await llmCall(task, caller, {
    prompt,
    system: null,
    options: callOptionsIn(task, options),
  });
  const leaving = new Set(gone);
  const stays = (_message: Dict, at: number): boolean => !leaving.has(`msg_${at + 1}`);
  const kept = gone.length === 0 ? value : withMessages(value, messages.filter(stays));
  return kept.merge(
    Dict.of({
      summary: answer.get("visible_text") ?? answer.get("text") ?? "",
      archived_messages: gone.length,
    }),
  );
}
