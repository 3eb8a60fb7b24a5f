/**
 * `summary_prefix`: the task (the first user message), one that speaks for what came after it (the summary of the last
 * compaction, or the beginning of what is not shown), and the last messages. What it costs depends on `keep_last` alone.
 */
import {
  byCompaction,
  type Conversation,
  isSummaryText,
  type LoggedMessage,
  messageText,
} from "../../../model/index.ts";
import { List } from "../../../values/index.ts";
import type { MessageView } from "../../state/projector.ts";
import { libraryText } from "../compaction/library.ts";
import { strategyDict } from "../compaction/strategy.ts";
import { answeredCall } from "./tool-results.ts";

/** As many of the hidden messages are looked at. */
const quotedMessages = 15;

export class SummaryPrefix {
  private readonly conversation: Conversation;
  private readonly keepLast: number;
  /** The text before them, remembered for as long as it says the same. */
  private prefix: LoggedMessage | null = null;

  constructor(conversation: Conversation, keepLast: number) {
    this.conversation = conversation;
    this.keepLast = keepLast;
  }

  project(): MessageView {
    const { shown, view } = this.conversation;
    const from = this.firstKept(shown);
    if (from === 0) return { messages: shown, sent: view };
    const task = shown.findIndex(({ message }) => message.role === "user");
    const stays =
      task >= 0 && task < from && !isSummaryText(messageText((shown[task] as LoggedMessage).message));
    const prefix = this.prefixOf(shown, from);
    const messages = [...(stays ? [shown[task] as LoggedMessage] : []), prefix, ...shown.slice(from)];
    return { messages, sent: messages.map(({ message }) => message) };
  }

  /** No result stands first: its call comes along. */
  private firstKept(shown: readonly LoggedMessage[]): number {
    let from = Math.max(0, shown.length - this.keepLast);
    while (
      from > 0 &&
      from < shown.length &&
      answeredCall((shown[from] as LoggedMessage).message) !== undefined
    )
      from--;
    return from;
  }

  private quoted(shown: readonly LoggedMessage[], hidden: number): List {
    const first = shown.slice(0, Math.min(hidden, quotedMessages));
    return new List(first.map((logged, at) => strategyDict(logged, at, false)));
  }

  private prefixOf(shown: readonly LoggedMessage[], hidden: number): LoggedMessage {
    const { conversation } = this;
    const content =
      conversation.lastSummary !== ""
        ? conversation.lastSummary
        : libraryText("truncated_text", this.quoted(shown, hidden), hidden);
    if (this.prefix?.message.content !== content)
      this.prefix = { id: "summary_prefix", message: { role: "user", content }, origin: byCompaction };
    return this.prefix as LoggedMessage;
  }
}
