/** How much of a model's window the coming call takes, estimated (`context.usage`). */
import type { RunEventData } from "../../events/index.ts";
import { messageChars, modelTools, tokensOf } from "../../model/index.ts";
import type { Loop } from "../state/loop-state.ts";
import { thresholdOf } from "./compaction/in-loop.ts";

/** Tokens by part: a quarter of the characters that are sent. */
export function contextUsage(loop: Loop): RunEventData["context.usage"] {
  const { context } = loop.work;
  const messages = context?.messages ?? loop.conversation.view;
  const tools = loop.channel === "native" ? JSON.stringify(modelTools(loop.visible)).length : 0;
  const parts = {
    system: tokensOf((context?.system ?? loop.system ?? "").length),
    tools: tokensOf(tools),
    messages: tokensOf(messages.reduce((sum, message) => sum + messageChars(message), 0)),
  };
  const used = parts.system + parts.tools + parts.messages;
  const window = loop.contextWindow;
  const { compaction } = loop.options;
  return {
    used,
    window,
    ratio: window === null || window === 0 ? null : used / window,
    threshold: compaction === null ? null : thresholdOf(loop, compaction),
    source: "estimate",
    parts,
  };
}
