/** What was said elsewhere before a conversation came here. */
import type { Conversations } from "../../threads/index.ts";

/** Puts texts of people and models that a client brings along into a conversation that is new here, at its beginning. */
export function addHistory(
  conversations: Conversations,
  id: string,
  messages: readonly { readonly role: string; readonly text: string }[],
  now: number,
): void {
  const entries = messages
    .filter(({ role, text }) => (role === "user" || role === "assistant") && text !== "")
    .map(({ role, text }, index) => ({ id: `msg_${index + 1}`, message: { role, content: text } }));
  if (entries.length > 0)
    conversations.said({ id, owner: null, after: 0, entries, kept: null, said: [], now });
}
