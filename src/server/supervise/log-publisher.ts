/** Who listens to streams, and what they get: pieces of what is in progress, and that a log has grown. */
import type { Conversations, UnfinishedText } from "../../threads/index.ts";
import { protocolVersion } from "../protocol/index.ts";
import type { Listener, PassingEnvelope } from "./supervisor.ts";

/** Runs of other servers whose texts are sent; on one machine there are no more at work at once. */
const maxRuns = 1000;

export class LogPublisher {
  private readonly conversations: Conversations;
  private readonly listeners = new Set<Listener>();
  /** Over all streams, up to here everybody knows. */
  private known = 0;

  constructor(conversations: Conversations) {
    this.conversations = conversations;
  }

  listen(listener: Listener): () => void {
    // Whoever comes first has read, or reads next, what there was before.
    if (this.listeners.size === 0) this.known = this.conversations.store.streams.lastId();
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Sends what the store has and nobody got yet; costs one look at an index. */
  look(): void {
    if (this.listeners.size === 0) return;
    const last = this.conversations.store.streams.lastId();
    if (last === this.known) return;
    const grown = this.conversations.store.streams.grown(this.known);
    this.known = last;
    for (const [stream, head] of grown)
      for (const listener of [...this.listeners]) listener(stream, { more: head });
  }

  /** What is being said in runs of other servers, as their children keep it: those of ours tell it themselves. */
  lookAtTexts(isOurs: (conversation: string) => boolean): void {
    if (this.listeners.size === 0) return;
    for (const { id } of this.conversations.list({ state: "processing", limit: maxRuns }).items) {
      if (isOurs(id)) continue;
      for (const said of this.conversations.unfinished(id)) this.pass(id, this.partial(id, said));
    }
  }

  private partial(conversation: string, { text, message, ...place }: UnfinishedText): PassingEnvelope {
    const at = this.conversations.store.now();
    const data = { message, text };
    return { v: protocolVersion, seq: null, at, type: "partial", conversation, call: null, ...place, data };
  }

  pass(stream: string, event: PassingEnvelope): void {
    for (const listener of [...this.listeners]) listener(stream, event);
  }
}
