/** What a server and its child say to each other. */
import type { PassingEnvelope } from "./supervisor.ts";

/** One run of one message, for a child. */
export interface ConversationJob {
  readonly conversation: string;
  readonly run: string;
  /** Absolute path. */
  readonly script: string;
  /** Where the store is. */
  readonly stateFolder: string;
  /** How long it lives with nothing but questions left, in milliseconds. */
  readonly patienceMs: number;
}

/** From the server to its child. */
export type ToChild =
  /** Something that concerns the conversation was written: a message, an answer, a mode. */
  | { readonly type: "look" }
  /** End where you are, without unwinding: the run goes on another time. */
  | { readonly type: "rest" };

/** From a child to its server. */
export type FromChild =
  /** The conversation's log has grown. */
  { readonly type: "more" } | { readonly type: "told"; readonly event: PassingEnvelope };
