/**
 * Projections: what of a conversation is sent, while all of it is kept. A projection follows its conversation: it looks at
 * each message once, when it comes, and begins anew only when something went out of view (`revision`).
 *
 * The list that is sent only grows while nothing in its middle changes, so that what counts it goes on from where it was;
 * a change in the middle makes a new list.
 */

import type { Conversation, LoggedMessage, ModelMessage } from "../../../model/index.ts";
import type { MessageView } from "../../state/projector.ts";

export abstract class Projection {
  protected readonly conversation: Conversation;
  protected entries: LoggedMessage[] = [];
  private sent: ModelMessage[] = [];
  private revision = -1;
  private seen = 0;

  constructor(conversation: Conversation) {
    this.conversation = conversation;
  }

  /** What is to be sent now. */
  project(): MessageView {
    const { shown, revision } = this.conversation;
    if (revision !== this.revision || shown.length < this.seen) this.restart(revision);
    for (; this.seen < shown.length; this.seen++) this.take(shown[this.seen] as LoggedMessage);
    this.settle();
    return { messages: this.entries, sent: this.sent };
  }

  /** Looks at the next message; `push` shows it. */
  protected abstract take(logged: LoggedMessage): void;

  /** Everything that is there has been looked at. */
  protected settle(): void {}

  /** Forgets what was looked at. */
  protected forget(): void {}

  protected push(logged: LoggedMessage): void {
    this.entries.push(logged);
    this.sent.push(logged.message);
  }

  protected indexOf(id: string): number {
    return this.entries.findLastIndex((entry) => entry.id === id);
  }

  /** Puts other messages in the place of `count` at `index`. */
  protected replace(index: number, count: number, ...others: LoggedMessage[]): void {
    this.entries.splice(index, count, ...others);
    // A list of its own: whoever counted the last one must not find it changed.
    this.sent = this.sent.slice();
    this.sent.splice(index, count, ...others.map(({ message }) => message));
  }

  private restart(revision: number): void {
    this.revision = revision;
    this.seen = 0;
    this.entries = [];
    this.sent = [];
    this.forget();
  }
}
