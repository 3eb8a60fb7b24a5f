/** Texts that arrive in pieces: what of the whole is still to be told when it is finished. */
import type { Conversations } from "../../threads/index.ts";

/** A text of an event, whole. */
export function wholeText(conversations: Conversations, stream: string, text: unknown): string {
  if (typeof text === "string") return text;
  const { ref, head } = (text ?? {}) as { readonly ref?: unknown; readonly head?: unknown };
  if (typeof ref !== "string") return "";
  return conversations.text(stream, ref) ?? String(head ?? "");
}

/** By message: how much was told. */
export class PromptTexts {
  private readonly sent = new Map<string, string>();
  private readonly finished = new Set<string>();

  /**
   * It was sent to its end. Pieces come by another way than the log, so the last of them may arrive after the end that has them all:
   * they must not be sent again.
   */
  isFinished(message: string): boolean {
    return this.finished.has(message);
  }

  has(message: string): boolean {
    return this.sent.has(message);
  }

  add(message: string, piece: string): void {
    this.sent.set(message, `${this.sent.get(message) ?? ""}${piece}`);
  }

  /** What of all that was said so far is still to be told. */
  news(message: string, said: string): string {
    const sent = this.sent.get(message) ?? "";
    return said.startsWith(sent) ? said.slice(sent.length) : "";
  }

  /** What is left of a finished text; a text that went another way than its pieces is left as it was told. */
  rest(message: string, whole: string): string {
    const rest = this.news(message, whole);
    this.sent.delete(message);
    this.finished.add(message);
    return rest;
  }

  open(): string[] {
    return [...this.sent.keys()];
  }
}
