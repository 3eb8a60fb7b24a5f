/** A model request as parts that can be taken out of it one by one: messages, tools, paragraphs of the system text. */
import type { ModelMessage, ModelRequest, ModelTool } from "../../../model/index.ts";

export interface RequestParts {
  /** A message, or one with calls and the results of those. */
  readonly messages: readonly (readonly ModelMessage[])[];
  readonly tools: readonly ModelTool[];
  readonly paragraphs: readonly string[];
}

export type PartKind = keyof RequestParts;

/** In the order in which they are shortened: messages are most of a request. */
export const partKinds: readonly PartKind[] = ["messages", "tools", "paragraphs"];

export const partsOf = ({ messages, tools, system }: ModelRequest): RequestParts => ({
  messages: messageGroups(messages),
  tools: tools ?? [],
  paragraphs: (system ?? "").split(/\n[ \t]*\n\s*/u).filter((text) => text.trim() !== ""),
});

/** Vendors refuse a call without its result, and a result without its call: they stay together, with what lies between them. */
function messageGroups(messages: readonly ModelMessage[]): ModelMessage[][] {
  const groups: ModelMessage[][] = [];
  for (const message of messages) {
    const answers = message.tool_call_id ?? message.tool_use_id;
    const of =
      answers === undefined ? -1 : groups.findLastIndex((group) => group.some((one) => calls(one, answers)));
    if (of < 0) groups.push([message]);
    else groups.push([...groups.splice(of).flat(), message]);
  }
  return groups;
}

const calls = ({ tool_calls: made }: ModelMessage, id: string): boolean =>
  (made ?? []).some((call) => call.id === id);

/** The request with these parts alone; undefined: nobody would answer it. */
export function requestOf(request: ModelRequest, parts: RequestParts): ModelRequest | undefined {
  const messages = parts.messages.flat();
  const isAsked = ({ role }: ModelMessage): boolean => role === "user";
  if (messages.length === 0 || (request.messages.some(isAsked) && !messages.some(isAsked))) return undefined;
  const { tool_choice: choice } = request;
  const hasTools = parts.tools.length > 0;
  if (typeof choice === "object" && choice !== null && !parts.tools.some(({ name }) => name === choice.name))
    return undefined;
  const whole = partsOf(request);
  const made: ModelRequest = { ...request, messages };
  if (parts.tools.length < whole.tools.length) {
    made.tools = hasTools ? [...parts.tools] : null;
    if (!hasTools) made.tool_choice = null;
  }
  if (parts.paragraphs.length < whole.paragraphs.length)
    made.system = parts.paragraphs.length === 0 ? null : parts.paragraphs.join("\n\n");
  return made;
}
