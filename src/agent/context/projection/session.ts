/** `agent_session_project_turn`: a projection looked at from outside a loop. */
import type { Task } from "../../../interp/index.ts";
import { callableOnChild } from "../../../interp/index.ts";
import { type Conversation, messageValue } from "../../../model/index.ts";
import { at } from "../../../table/index.ts";
import { List, type Value } from "../../../values/index.ts";
import { projectionRow } from "../../options/context-fields.ts";
import { projectorInput, projectorOf, projectorOutput } from "./index.ts";

/** What a loop with this projection would send now. */
export async function projectSession(task: Task, conversation: Conversation, value: Value): Promise<List> {
  const caller = "agent_session_project_turn";
  const options = value === null ? null : projectionRow("").read(value, at(caller, "transcript_projection"));
  if (options === null) return new List(conversation.shown.map((logged) => conversation.value(logged)));
  if (options.policy === "custom" && options.projector !== null) {
    const answer = await callableOnChild(task, options.projector, [projectorInput(conversation, 0)]);
    return new List(projectorOutput(answer, caller).map(({ message }) => messageValue(message)));
  }
  const { messages } = projectorOf(conversation, options).project();
  return new List(messages.map((logged) => conversation.value(logged)));
}
