/** What was said in a conversation, by people and by the agent: read from its log, which has both in one order. */
import type { Conversations, StoredEnvelope } from "../threads/index.ts";
import { badCursor } from "./problems.ts";

interface MessagePageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
}

const kinds = ["message.queued", "message.end"];

/** The newest first; the cursor is the number of the event. */
export function messagePage(
  conversations: Conversations,
  id: string,
  { limit, after }: MessagePageRequest,
): { readonly items: readonly unknown[]; readonly next: string | null } {
  const before = after === undefined ? Number.POSITIVE_INFINITY : Number(after);
  if (!(before >= 1)) throw badCursor();
  // One more says whether there is another page.
  const said = conversations
    .eventsFrom(id, { before }, kinds)
    .filter(isSaid)
    .take(limit + 1)
    .toArray();
  const page = said.slice(0, limit);
  const next = said.length > limit ? String(page.at(-1)?.seq) : null;
  return { items: page.map((event) => messageJson(conversations, event)), next };
}

/** Answers of outermost loops; those of sub-agents are in the events. */
const isSaid = ({ type, parent, data }: StoredEnvelope): boolean =>
  type === "message.queued" || (parent === null && data.role === "assistant");

function messageJson(conversations: Conversations, event: StoredEnvelope): Record<string, unknown> {
  const { seq, at, run, data } = event;
  const { message, text } = data;
  if (event.type === "message.queued") {
    const { by, attachments, delivery } = data;
    const state = conversations.message({ message: String(message) })?.state ?? "said";
    return { id: message, role: "user", text, attachments, by, state, delivery, run, seq, at };
  }
  const id = message ?? `e_${seq}`;
  return {
    id,
    role: "assistant",
    text,
    attachments: [],
    by: null,
    state: "said",
    delivery: null,
    run,
    seq,
    at,
  };
}
