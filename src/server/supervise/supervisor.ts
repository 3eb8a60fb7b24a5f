/** What the rest of a server sees of the children that do the work of conversations. */
import type { Json } from "../../effects/index.ts";
import type { EphemeralEnvelope as AnyEphemeral } from "../protocol/index.ts";

/** A script that is offered to people. */
export interface ServedAgent {
  /** In addresses and records; `[a-z0-9_-]+`. */
  readonly name: string;
  readonly title: string;
  /** Absolute path. */
  readonly script: string;
  /** Of new conversations; `null`: the script's own. */
  readonly mode: string | null;
  /** Of new conversations, below what they say themselves. */
  readonly config: { readonly [key: string]: Json };
  /** Tasks that it does well, for a page that offers them; default none. */
  readonly examples?: readonly string[];
}

/** What is to be stopped: a conversation with whatever runs for it, or one run. */
type InterruptTarget = { readonly conversation: string } | { readonly run: string };

export interface InterruptWish {
  readonly target: InterruptTarget;
  /** Who asks, for the record: a principal's name. */
  readonly by: string;
  readonly reason?: string | undefined;
}

/** What became of the wish, durable when it is told. */
export interface InterruptAnswer {
  /** The row that says so; `undefined`: nothing ran. A second wish while the first works names the first. */
  readonly interrupt: string | undefined;
  /** Of the conversation, or of the run, at this moment: `processing` until it is over. */
  readonly state: string;
}

/** Sent while it happens and in no log. `partial`: of runs of other servers, all that was said of an answer so far. */
export type PassingEnvelope = AnyEphemeral<"message.delta" | "thought.delta" | "tool.output" | "partial">;

/** What a listener hears of a stream: a piece of what is in progress, or that its log has grown up to this number. */
export type PublishedEvent = PassingEnvelope | { readonly more: number };

/** `stream` is the id of a conversation, or `run:NAME` of a run outside of any. Must not throw. */
export type Listener = (stream: string, event: PublishedEvent) => void;

export interface Supervisor {
  readonly agents: readonly ServedAgent[];
  /** Why what it serves stands still at the moment; it goes on by itself. */
  readonly trouble: "disk-full" | undefined;
  /** Resumes what was in progress when the last server ended, then takes what waits, until `stop`. */
  start(): Promise<void>;
  /** Something of this conversation was written by this process: a message, an answer, a mode. Never needed, only faster. */
  wake(conversation: string): void;
  /**
   * Writes the wish durably and returns; this server acts at once when it owns the run, another one within 50 ms. An owner
   * that is gone is stood in for. Rejects with a `StoreError` "missing" when there is no such conversation or run.
   */
  interrupt(wish: InterruptWish): Promise<InterruptAnswer>;
  /**
   * `drain`: takes nothing more, gives what is in progress 10 s to come to a rest, then stops it where it is; it goes on by
   * itself at the next start. `now`, also while it drains: at once. Resolves when no child is left.
   */
  stop(how: "drain" | "now"): Promise<void>;
  /**
   * Streams of this server's own children at once; all others as soon as the store shows that they have grown (50 ms), and
   * of what is in progress there the texts of answers (`partial`).
   */
  listen(listener: Listener): () => void;
}
