/**
 * What the model sees next: the system text from its parts, the messages as a projection of the conversation.
 *
 * Nothing of this changes the stored conversation. Without callbacks the projection is the list of shown messages, by
 * reference: the cost of a turn does not grow with the turns before it.
 */

import type { ModelMessage } from "../../model/index.ts";
import {
  isResultText,
  type LoggedMessage,
  messageFrom,
  messagesFrom,
  messageText,
  originOfMessage,
  type SystemPart,
} from "../../model/index.ts";
import { at, refusal } from "../../table/index.ts";
import { type Callable, Dict, List, thrown, typeOf, type Value } from "../../values/index.ts";
import { ledgerText } from "../session/ledger.ts";
import type { Loop } from "../state/loop-state.ts";
import { callBack, requestTime, type Turn } from "../state/requests.ts";
import { type MessageView, projectorInput, projectorOf, projectorOutput } from "./projection/index.ts";
import {
  deferredToolsText,
  loopContractText,
  modeContractText,
  preambleText,
  toolContractText,
} from "./prompts/contracts.ts";
import { guides } from "./providers/guidance.ts";
import { providedParts } from "./providers/in-loop.ts";
import { remindedMessages, reminderText } from "./reminders.ts";
import { scratchpadText } from "./scratchpad/in-loop.ts";

/** Fills `work.context`. */
export function* assembleContext(loop: Loop): Turn<void> {
  const parts = yield* systemParts(loop);
  let system = parts.length === 0 ? null : parts.map(({ text }) => text).join("\n\n");
  const assembled = system;
  const projected = yield* projectedMessages(loop);
  let { messages } = projected;
  if (loop.conversation.reminders.length > 0) messages = remindedMessages(loop.conversation, messages);
  if (loop.options.contextCallback !== null) {
    const changed = yield* callContext(loop, loop.options.contextCallback, { system, messages });
    system = changed.system;
    messages = changed.messages;
  }
  if (loop.options.timestampMessages) messages = yield* timestamped(messages);
  if (loop.options.messageDecorator !== null)
    messages = yield* decorated(loop, loop.options.messageDecorator, messages);
  const untouched = messages === projected.messages;
  loop.work.context = {
    system,
    // What a callback made of the text is one part: nobody knows what became of the others in it.
    parts: system === assembled ? parts : system === null ? [] : [{ id: "context_callback", text: system }],
    messages: untouched ? projected.sent : messages.map(({ message }) => message),
    sent: untouched && projected.sent === loop.conversation.view ? null : messages,
  };
}

/** The conversation, or what `transcript_projection` makes of it. */
function* projectedMessages(loop: Loop): Turn<MessageView> {
  const { conversation, options } = loop;
  const { transcriptProjection: projection } = options;
  if (projection === null) return { messages: conversation.shown, sent: conversation.view };
  if (projection.projector !== null && projection.policy === "custom") {
    const answered = yield* callBack(projection.projector, projectorInput(conversation, loop.work.iteration));
    const messages = projectorOutput(answered, "agent_loop");
    return { messages, sent: messages.map(({ message }) => message) };
  }
  if (loop.projector?.options !== projection) loop.projector = projectorOf(conversation, projection);
  return loop.projector.project();
}

/** The parts that say something, in the order of agents.md §10.2: what is stable comes first. */
function* systemParts(loop: Loop): Turn<SystemPart[]> {
  const { options, conversation, skills, visible } = loop;
  const { stable, changing } = options.providers.length === 0 ? nothingProvided : providedParts(loop);
  const parts: SystemPart[] = [];
  const add = (id: string, text: string): void => {
    if (text !== "") parts.push({ id, text });
  };
  if (loop.announces) add("preamble", yield* preambleText(loop));
  if (loop.system !== null) add("caller", loop.system);
  parts.push(...stable);
  if (loop.serverNotes !== "") add("servers", loop.serverNotes);
  if (conversation.reminders.length > 0) add("reminders", reminderText(conversation));
  if (skills !== null) {
    add("skills", skills.activeText(loop));
    add("catalog", skills.catalogText());
  }
  if (options.progressTool !== null) add("progress", options.progressTool.hint);
  if (loop.channel !== "none" && visible.entries.length > 0) add("tools", yield* toolContractText(loop));
  if (options.toolSearch?.includeStubListing === true) add("deferred", yield* deferredToolsText(loop));
  add("mode", yield* modeContractText(loop));
  // Where the guidance says it, it is not said a second time.
  if ((options.completion !== null || options.loopUntilDone) && !guides(loop))
    add("contract", yield* loopContractText(loop));
  parts.push(...changing);
  if (options.scratchpad !== null) add("scratchpad", scratchpadText(loop));
  if (options.workItems?.recite === "system") add("work_items", ledgerText(conversation.workItems));
  return parts;
}

const nothingProvided = { stable: [], changing: [] };

interface RequestContent {
  readonly system: string | null;
  readonly messages: readonly LoggedMessage[];
}

function* callContext(loop: Loop, callback: Callable, before: RequestContent): Turn<RequestContent> {
  const answer = yield* callBack(callback, contextValue(loop, before));
  if (answer === null) return before;
  if (answer instanceof List) return { system: before.system, messages: loggedMessages(answer) };
  if (!(answer instanceof Dict)) {
    throw thrown(
      `agent_loop: context_callback must return nil, a list of messages, or a dict; got ${typeOf(answer)}`,
    );
  }
  const systemText = answer.get("system") ?? null;
  if (systemText !== null && typeof systemText !== "string")
    throw refusal(at("agent_loop", "context_callback.system"), "string", systemText);
  const messages = answer.get("messages") ?? null;
  if (messages !== null && !(messages instanceof List))
    throw refusal(at("agent_loop", "context_callback.messages"), "list", messages);
  return {
    system: answer.has("system") ? systemText : before.system,
    messages: messages === null ? before.messages : loggedMessages(messages),
  };
}

/** How many messages the `recent_*` lists of a callback hold. */
const recent = 10;

function contextValue(loop: Loop, { system, messages: shown }: RequestContent): Dict {
  const { conversation, work } = loop;
  const values = (messages: readonly LoggedMessage[]): List =>
    new List(messages.map((logged) => conversation.value(logged)));
  const { log } = conversation;
  return Dict.of({
    iteration: work.iteration,
    system,
    messages: values(shown),
    visible_messages: values(shown),
    recorded_messages: values(log),
    recent_visible_messages: values(shown.slice(-recent)),
    recent_recorded_messages: values(log.slice(-recent)),
    latest_visible_user_message: latest(shown, isUser),
    latest_visible_assistant_message: latest(shown, isAssistant),
    latest_recorded_user_message: latest(log, isUser),
    latest_recorded_assistant_message: latest(log, isAssistant),
    latest_tool_result: latest(shown, isResultMessage),
    latest_recorded_tool_result: latest(log, isResultMessage),
  });
}

const isAssistant = (message: ModelMessage): boolean => message.role === "assistant";
const isResultMessage = (message: ModelMessage): boolean =>
  message.role === "tool" || message.role === "tool_result" || isResultText(messageText(message));
const isUser = (message: ModelMessage): boolean => message.role === "user" && !isResultMessage(message);

function latest(
  messages: readonly LoggedMessage[],
  wanted: (message: ModelMessage) => boolean,
): string | null {
  const found = messages.findLast((logged) => wanted(logged.message));
  return found === undefined ? null : messageText(found.message);
}

/** Messages that a callback gives: they are shown to the model this once. */
function loggedMessages(list: List): LoggedMessage[] {
  return messagesFrom(list, "agent_loop: context_callback: ").map((message, index) => ({
    id: `given_${index + 1}`,
    message,
    origin: originOfMessage(message),
  }));
}

function* timestamped(messages: readonly LoggedMessage[]): Turn<readonly LoggedMessage[]> {
  const stamp = new Date(yield* requestTime()).toISOString();
  return messages.map(({ message, ...logged }) => {
    const content =
      typeof message.content === "string"
        ? `[harn timestamp: ${stamp}]\n${message.content}`
        : message.content;
    return { ...logged, message: { ...message, content, timestamp: stamp } as ModelMessage };
  });
}

function* decorated(
  loop: Loop,
  decorator: Callable,
  messages: readonly LoggedMessage[],
): Turn<readonly LoggedMessage[]> {
  const timestamp = new Date(yield* requestTime()).toISOString();
  const result: LoggedMessage[] = [];
  for (const [index, logged] of messages.entries()) {
    const about = Dict.of({
      session_id: loop.state.sessionId,
      iteration: loop.work.iteration,
      index,
      timestamp,
    });
    const value: Value = loop.conversation.value(logged);
    const answer = yield* callBack(decorator, value, about);
    if (answer === null) result.push(logged);
    else if (typeof answer === "string")
      result.push({ ...logged, message: { ...logged.message, content: answer } });
    else if (answer instanceof Dict)
      result.push({ ...logged, message: messageFrom(answer, "agent_loop: message_decorator result") });
    else
      throw thrown(
        `agent_loop: message_decorator must return a dict, a string, or nil; got ${typeOf(answer)}`,
      );
  }
  return result;
}
