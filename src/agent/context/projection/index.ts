/** Which projection an option asks for; `agent_session_project_turn` looks at one from outside a loop. */

import { callableOnChild, type Task } from "../../../interp/index.ts";
import {
  type Conversation,
  type LoggedMessage,
  messagesFrom,
  messageValue,
  originOfMessage,
} from "../../../model/index.ts";
import { at } from "../../../table/index.ts";
import { Dict, List, thrown, typeOf, type Value } from "../../../values/index.ts";
import { type ProjectionOptions, projectionRow } from "../../options/context-fields.ts";
import type { MessageView, Projector } from "../../state/projector.ts";
import { CleanRepair } from "./clean-repair.ts";
import { Reachability } from "./reachability.ts";
import { SquashFailed } from "./squash-failed.ts";
import { SummaryPrefix } from "./summary-prefix.ts";

export type { MessageView } from "../../state/projector.ts";

/** `custom` has none: its closure is asked anew every turn. */
export function projectorOf(conversation: Conversation, options: ProjectionOptions): Projector {
  const made = makeProjection(conversation, options);
  return { options, project: () => made.project() };
}

function makeProjection(
  conversation: Conversation,
  { policy, keepLast }: ProjectionOptions,
): { project(): MessageView } {
  switch (policy) {
    case "clean_tool_repair":
      return new CleanRepair(conversation);
    case "squash_failed_calls":
      return new SquashFailed(conversation);
    case "summary_prefix":
      return new SummaryPrefix(conversation, keepLast);
    case "reachability_gc":
      return new Reachability(conversation, keepLast);
    case "custom":
      return { project: () => ({ messages: conversation.shown, sent: conversation.view }) };
  }
}

/** What a `projector` closure is given. */
export const projectorInput = (conversation: Conversation, iteration: number): Dict =>
  Dict.of({
    messages: new List(conversation.shown.map((logged) => conversation.value(logged))),
    session_id: conversation.id,
    iteration,
    scratchpad: conversation.scratchpad,
  });

/** What a `projector` closure gave, as messages to be sent this once. */
export function projectorOutput(value: Value, caller: string): LoggedMessage[] {
  if (!(value instanceof List))
    throw thrown(
      `${caller}: transcript_projection projector must return a list of messages; got ${typeOf(value)}`,
    );
  return messagesFrom(value, `${caller}: projected `).map((message, index) => ({
    id: `given_${index + 1}`,
    message,
    origin: originOfMessage(message),
  }));
}

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
