/** `agent_session_project_turn`: a projection looked at from outside a loop. */
import type { Task } from "../../../interp/index.ts";
import { callableOnChild } from "../../../interp/index.ts";
import { type Conversation, messageValue } from "../../../model/index.ts";
import { List, type Value } from "../../../values/index.ts";
import { projectorInput, projectorOf, projectorOutput, readProjection } from "./index.ts";

/** What a loop with this projection would send now. */
export async function projectSession(task: Task, conversation: Conversation, value: Value): Promise<List> {
  const caller = "agent_session_project_turn";
  const options = readProjection(value, caller);
  if (options === null) return new List(conversation.shown.map((logged) => conversation.value(logged)));
  if (options.policy === "custom" && options.projector !== null) {
    const answer = await callableOnChild(task, options.projector, [projectorInput(conversation, 0)]);
    return new List(projectorOutput(answer, caller).map(({ message }) => messageValue(message)));
  }
  const { messages } = projectorOf(conversation, options).project();
  return new List(messages.map((logged) => conversation.value(logged)));
}
