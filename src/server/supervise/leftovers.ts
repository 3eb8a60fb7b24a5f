/**
 * Which process tree works for a conversation, kept in the store: a server that goes on after another one was killed ends
 * whatever of its children is still there (frozen, or a program that got away) before it begins.
 */
import { EmbeddedOperations, type RecordWrite, records } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import { killAllMarked, poolMark } from "../../host/index.ts";
import type { Store } from "../../store/index.ts";

const space = "conversation.child";

export class Leftovers {
  private readonly operations: EmbeddedOperations;

  constructor(store: Store) {
    this.operations = new EmbeddedOperations(store);
  }

  /** Noted before the child begins. */
  note(conversation: string, mark: string): void {
    this.write({ space, key: conversation, value: { mark } });
  }

  forget(conversation: string): void {
    this.write({ space, key: conversation, value: null });
  }

  /** Ends what an earlier server left behind; only for whoever has the conversation's queued message. */
  async clear(conversation: string): Promise<void> {
    const mark = markIn(this.operations.readSync(records.get, { space, key: conversation }));
    if (mark === undefined) return;
    await killAllMarked(mark, poolMark);
    this.forget(conversation);
  }

  private write(one: RecordWrite): void {
    this.operations.operateSync(records.write, { writes: [one] });
  }
}

function markIn(value: Json): string | undefined {
  const mark = (value as { readonly mark?: Json } | null)?.mark;
  return typeof mark === "string" ? mark : undefined;
}
