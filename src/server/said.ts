/** What was said in a conversation, by people and by the agent: read from its log, which has both in one order. */
import type { Conversations, StoredEnvelope } from "../threads/index.ts";
import { Problem } from "./problems.ts";

interface PageAsked {
  readonly limit: number;
  readonly after?: string | undefined;
}

const kinds = ["message.queued", "message.end"];

/** The newest first; the cursor is the number of the event. */
export function messagesOf(
  conversations: Conversations,
  id: string,
  { limit, after }: PageAsked,
): { readonly items: readonly unknown[]; readonly next: string | null } {
  const before = after === undefined ? Number.POSITIVE_INFINITY : Number(after);
  if (!(before >= 1)) throw new Problem("bad-cursor", "`after` must be the `next` of a page");
  const said = conversations
    .events(id, { types: kinds, limit: Number.POSITIVE_INFINITY })
    .items.filter((event) => event.seq < before && isSaid(event));
  const page = said.slice(-limit).reverse();
  const states = statesById(conversations, id);
  const next = said.length > page.length ? String(page.at(-1)?.seq) : null;
  return { items: page.map((event) => messageJson(event, states)), next };
}

/** Answers of outermost loops; those of sub-agents are in the events. */
const isSaid = ({ type, parent, data }: StoredEnvelope): boolean =>
  type === "message.queued" || (parent === null && data.role === "assistant");

function statesById(conversations: Conversations, id: string): ReadonlyMap<string, string> {
  const maxMessages = 10_000;
  return new Map(
    conversations
      .messages({ id, after: 0, limit: maxMessages })
      .map((message) => [message.id, message.state]),
  );
}

function messageJson(event: StoredEnvelope, states: ReadonlyMap<string, string>): Record<string, unknown> {
  const { seq, at, run, data } = event;
  const { message, text } = data;
  if (event.type === "message.queued") {
    const { by, attachments, delivery } = data;
    const state = states.get(String(message)) ?? "said";
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
