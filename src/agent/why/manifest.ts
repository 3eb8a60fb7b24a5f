/**
 * The manifest of a model call: every part of its request in order, with its source and why it is there. Made when somebody
 * asks, from the log, the plan of that time and the interventions.
 */
import type { Conversation, Intervention, LoggedMessage, SeenCall } from "../../model/index.ts";
import { messageChars } from "../../model/index.ts";
import { aboutMessage, firstCallOf, logged, messagesOf, sourceOf, standingInCall } from "./seen-views.ts";

export interface ManifestPart {
  /** `system:NAME`, `message:ID`, `tool:NAME`. */
  readonly part: string;
  /** Id of a context provider, `person`, `model`, `tool:NAME`, `runtime:KIND`, `compaction:VERSION`. */
  readonly source: string;
  readonly why: string;
  /** The turn since which it is part of the requests. */
  readonly sinceTurn: number;
  readonly chars: number;
  /** Number of the intervention because of which it is there, or looks as it does; null without one. */
  readonly intervention: number | null;
}

export function manifestOf(conversation: Conversation, call: SeenCall): ManifestPart[] {
  const before = conversation.interventions.list().filter(({ n }) => n <= call.interventions);
  return [
    ...systemManifest(conversation, call),
    ...messagesOf(conversation, call).map((one) => messagePart(conversation, call, one, before)),
    ...call.tools.map(
      (name): ManifestPart => ({
        part: `tool:${name}`,
        source: "tools",
        why: "the model is told of it",
        sinceTurn: sinceOf(conversation, call, ({ tools }) => tools.includes(name)),
        chars: name.length,
        intervention: null,
      }),
    ),
  ];
}

/** The first call of the same loop from which on something held without a break. */
function sinceOf(conversation: Conversation, call: SeenCall, holds: (one: SeenCall) => boolean): number {
  const calls = conversation.seen.calls.filter(({ loop }) => loop === call.loop);
  let since = call.turn;
  for (let at = calls.indexOf(call) - 1; at >= 0 && holds(calls[at] as SeenCall); at--)
    since = (calls[at] as SeenCall).turn;
  return since;
}

const systemManifest = (conversation: Conversation, call: SeenCall): ManifestPart[] =>
  call.system.map((part) => ({
    part: `system:${part.id}`,
    source: part.id,
    why: systemReasons[part.id] ?? "a context provider of the loop",
    sinceTurn: sinceOf(conversation, call, ({ system }) => system.includes(part)),
    chars: part.chars,
    intervention: null,
  }));

const systemReasons: Readonly<Record<string, string>> = {
  preamble: "agent_turn says what it is about to do",
  caller: "the system text that the loop was given",
  servers: "what MCP servers want the model to know",
  reminders: "reminders that wait",
  skills: "skills in force",
  catalog: "skills that may be loaded",
  progress: "the option progress_tool",
  tools: "how tools are called in this format",
  deferred: "tools that a search finds",
  contract: "the loop goes on until it is done",
  scratchpad: "the session's working memory",
  environment: "where the agent works",
  guidance: "how it is to work",
  context_callback: "context_callback gave another system text",
};

function messagePart(
  conversation: Conversation,
  call: SeenCall,
  sent: LoggedMessage,
  before: readonly Intervention[],
): ManifestPart {
  const own = logged(conversation, sent.id);
  const standing = own === undefined ? "whole" : standingInCall(conversation, call, sent.id);
  const about = aboutMessage(conversation, own ?? sent);
  return {
    part: `message:${sent.id}`,
    source: sourceOf(conversation, own ?? sent),
    why: standing === "whole" ? about : `${about}; ${standing}`,
    sinceTurn: own === undefined ? call.turn : (firstCallOf(conversation, sent.id)?.turn ?? call.turn),
    chars: messageChars(sent.message),
    intervention: before.findLast(({ messages }) => messages.includes(sent.id))?.n ?? null,
  };
}
