/** `agent_recall`: what is out of a session's view, as a script asks for it. */
import type { Conversation } from "../../../model/index.ts";
import { Dict, thrown } from "../../../values/index.ts";
import { maxRecall, recall } from "../recall.ts";

/** `{ref, message, text, offset, total, next}`; an unknown reference is an error that says which there are. */
export function recallValue(conversation: Conversation, ref: string, offset: number, limit: number): Dict {
  const found = recall(conversation, ref, offset, Math.min(maxRecall, limit));
  if (!found.ok) throw thrown(`agent_recall: ${found.problem}`);
  const { text, message, total, next } = found;
  return Dict.of({ ref, message, text, offset: found.offset, total, next });
}
