/**
 * Which process tree works for a conversation, kept in the store: a server that goes on after another one was killed ends
 * whatever of its children is still there (frozen, or a program that got away) before it begins.
 */
import { type ClientOf, clientOf, EmbeddedOperations, records } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import { killAllMarked, poolMark } from "../../host/index.ts";
import type { Store } from "../../store/index.ts";

const space = "conversation.child";

export class Leftovers {
  private readonly records: ClientOf<typeof records>;

  constructor(store: Store) {
    this.records = new (clientOf(records))(new EmbeddedOperations(store));
  }

  /** Noted before the child begins. */
  note(conversation: string, mark: string): void {
    const value = { mark };
    this.records.write({ writes: [{ space, key: conversation, value }] });
  }

  forget(conversation: string): void {
    this.records.write({ writes: [{ space, key: conversation, value: null }] });
  }

  /** Ends what an earlier server left behind; only for whoever has the conversation's queued message. */
  async clear(conversation: string): Promise<void> {
    const mark = markIn(this.records.get({ space, key: conversation }));
    if (mark === undefined) return;
    await killAllMarked(mark, poolMark);
    this.forget(conversation);
  }
}

function markIn(value: Json): string | undefined {
  const mark = (value as { readonly mark?: Json } | null)?.mark;
  return typeof mark === "string" ? mark : undefined;
}
