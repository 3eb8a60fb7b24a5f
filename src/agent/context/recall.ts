/**
 * Recall: reading what is out of view. The log is the store; there is no second. A reference is the id of a message or of a
 * call, `summary:ID` (an entry, whether it is still shown or not), `item:ID` (what is stored for a work item), or `find:WORDS`.
 */
import {
  type Conversation,
  isInView,
  type LoggedMessage,
  messageText,
  rankByWords,
} from "../../model/index.ts";
import { Dict, thrown } from "../../values/index.ts";
import { cut, grouped } from "./compaction/notes.ts";
import { wholeMessageText } from "./compaction/planner.ts";
import { summaryEntries } from "./compaction/summaries.ts";

export type Recall =
  | {
      readonly ok: true;
      readonly text: string;
      /** The message that has it; null for entries, items and searches. */
      readonly message: string | null;
      readonly offset: number;
      /** Characters of the whole. */
      readonly total: number;
      /** Where to read on; null at the end. */
      readonly next: number | null;
    }
  | { readonly ok: false; readonly problem: string };

/** Characters that are given where nobody says how many, and at most. */
export const usualRecall = 4000;
export const maxRecall = 8000;
const maxHits = 5;
const snippetChars = 300;

export const recallName = "context_recall";

/** Whether there is anything to recall. */
export const isOutOfView = ({ plan, ladder }: Conversation): boolean => ladder !== null || plan.version > 0;

export function recall(conversation: Conversation, ref: string, offset: number, limit: number): Recall {
  const colon = ref.indexOf(":");
  const kind = colon < 0 ? "" : ref.slice(0, colon);
  const rest = ref.slice(colon + 1).trim();
  if (kind === "find") return textPage(found(conversation, rest), null, offset, limit);
  if (kind === "summary") return ladderEntry(conversation, rest, offset, limit);
  if (kind === "item") return item(conversation, rest, offset, limit);
  const logged = messageOf(conversation, ref.trim());
  if (logged === undefined)
    return {
      ok: false,
      problem: `there is no message and no call ${JSON.stringify(cut(ref, 80))}; messages are msg_1 to msg_${conversation.log.length}, and find:WORDS searches them`,
    };
  return textPage(saidText(logged), logged.id, offset, limit);
}

/** By the id of the message, else the newest result of a call of that id. */
function messageOf({ log }: Conversation, ref: string): LoggedMessage | undefined {
  const at = /^msg_(\d+)$/.exec(ref)?.[1];
  const byPlace = at === undefined ? undefined : log[Number(at) - 1];
  if (byPlace?.id === ref) return byPlace;
  return (
    log.find(({ id }) => id === ref) ??
    log.findLast(({ message }) => message.tool_call_id === ref || message.tool_use_id === ref)
  );
}

/** A result without its frame, everything else with its calls. */
function saidText({ message }: LoggedMessage): string {
  if (message.role !== "tool" && message.role !== "tool_result") return wholeMessageText(message);
  const text = messageText(message);
  return (
    /^\[(?:result of|error from) [^\]\n]+\]\n([\s\S]*?)\n\[end of [^\]\n]+\]\s*$/.exec(text)?.[1] ?? text
  );
}

function textPage(whole: string, message: string | null, offset: number, limit: number): Recall {
  const from = Math.min(Math.max(0, offset), whole.length);
  const to = Math.min(whole.length, from + Math.min(maxRecall, Math.max(1, limit)));
  const next = to < whole.length ? to : null;
  return { ok: true, text: whole.slice(from, to), message, offset: from, total: whole.length, next };
}

function ladderEntry({ ladder }: Conversation, id: string, offset: number, limit: number): Recall {
  const texts = ladder === null ? new Map<string, string>() : summaryEntries(ladder.summary);
  const text = texts.get(id);
  if (text === undefined) {
    const ids = [...texts.keys()];
    const there = ids.length === 0 ? "nothing is summarized yet" : `there are ${cut(ids.join(", "), 200)}`;
    return { ok: false, problem: `there is no summary entry ${JSON.stringify(cut(id, 80))}; ${there}` };
  }
  const gone = ladder?.summary.superseded.find((other) => other.id === id);
  const by = gone?.by === null || gone === undefined ? "" : ` by ${gone.by}`;
  const why = gone === undefined || gone.reason === "" ? "" : `: ${gone.reason}`;
  return textPage(
    gone === undefined ? text : `${text}\n[no longer true, superseded${by}${why}]`,
    null,
    offset,
    limit,
  );
}

function item({ workItems }: Conversation, id: string, offset: number, limit: number): Recall {
  const found = workItems?.items.find((one) => one.id === id);
  if (found === undefined) {
    const ids = (workItems?.items ?? []).map((one) => one.id);
    const there = ids.length === 0 ? "there are none" : `there are ${cut(ids.join(", "), 200)}`;
    return { ok: false, problem: `there is no work item ${JSON.stringify(cut(id, 80))}; ${there}` };
  }
  if (found.artifact === null)
    return { ok: false, problem: `nothing is stored for the work item ${JSON.stringify(cut(id, 80))}` };
  return textPage(found.artifact, null, offset, limit);
}

/** The messages that fit the words best, each by its beginning; what is out of view says so. */
function found({ log, plan, ladder }: Conversation, words: string): string {
  const texts = log.filter((logged) => isSearched(logged));
  const entries = ladder === null ? [] : [...summaryEntries(ladder.summary)];
  const hits = rankByWords(words, [
    ...texts.map(({ message }) => wholeMessageText(message)),
    ...entries.map(([, text]) => text),
  ]);
  const lines = hits.slice(0, maxHits).map(({ index }) => {
    const logged = texts[index];
    if (logged === undefined) {
      const [id, text] = entries[index - texts.length] as [string, string];
      return `summary:${id} ${cut(text, snippetChars)}`;
    }
    const hidden = isInView(plan, logged.id) ? "" : ", out of view";
    return `${logged.id} (${logged.message.role}${hidden}) ${snippetAround(saidText(logged), words)}`;
  });
  return lines.length === 0 ? `nothing has the words ${JSON.stringify(cut(words, 80))}` : lines.join("\n");
}

/** What somebody said, and nothing that was found before. */
const isSearched = ({ origin, message }: LoggedMessage): boolean =>
  origin.by !== "compaction" &&
  origin.by !== "runtime" &&
  message.name !== recallName &&
  message.tool_calls?.every(({ name }) => name === recallName) !== true;

/** Around the first word that was asked for. */
function snippetAround(text: string, words: string): string {
  const lower = text.toLowerCase();
  const places = words
    .toLowerCase()
    .split(/\s+/)
    .map((word) => lower.indexOf(word))
    .filter((at) => at >= 0);
  const at = Math.max(0, (places.length === 0 ? 0 : Math.min(...places)) - 60);
  return cut(text.slice(at).replace(/\s+/g, " ").trim(), snippetChars);
}

/** What a model is given: where it stands, the text, and how to read on. */
export function recalledText(ref: string, recalled: Extract<Recall, { ok: true }>): string {
  const { text, offset, total, next } = recalled;
  if (offset === 0 && next === null) return text;
  const end = next === null ? "" : `; offset ${next} reads on`;
  return `[${ref}: characters ${grouped(offset)} to ${grouped(offset + text.length)} of ${grouped(total)}${end}]\n${text}`;
}

/** `agent_recall`: `{ref, message, text, offset, total, next}`; an unknown reference is an error that says which there are. */
export function recallValue(conversation: Conversation, ref: string, offset: number, limit: number): Dict {
  const found = recall(conversation, ref, offset, Math.min(maxRecall, limit));
  if (!found.ok) throw thrown(`agent_recall: ${found.problem}`);
  const { text, message, total, next } = found;
  return Dict.of({ ref, message, text, offset: found.offset, total, next });
}
