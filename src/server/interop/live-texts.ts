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
export class ToldTexts {
  private readonly told = new Map<string, string>();

  has(message: string): boolean {
    return this.told.has(message);
  }

  add(message: string, piece: string): void {
    this.told.set(message, `${this.told.get(message) ?? ""}${piece}`);
  }

  /** What of all that was said so far is still to be told. */
  news(message: string, said: string): string {
    const told = this.told.get(message) ?? "";
    return said.startsWith(told) ? said.slice(told.length) : "";
  }

  /** What is left of a finished text; a text that went another way than its pieces is left as it was told. */
  rest(message: string, whole: string): string {
    const rest = this.news(message, whole);
    this.told.delete(message);
    return rest;
  }

  open(): string[] {
    return [...this.told.keys()];
  }
}
