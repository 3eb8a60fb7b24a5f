/** HTTP servers: requests come one by one, each with the way to answer it. */
import type { ListenAddress } from "./socket-port.ts";

interface IncomingRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Empty when there was more than the limit. */
  readonly body: Uint8Array;
  /** How big the body is, as far as it is known, when it is over the limit. */
  readonly excess: number | undefined;
  readonly remoteAddress: string;
}

/** Several lines of one name stand one after the other. */
export type AnswerHeaders = readonly (readonly [string, string])[];

/** The way back to one client. */
export interface Reply {
  /** The whole answer; false when the client has gone. */
  send(status: number, headers: AnswerHeaders, body: Uint8Array): boolean;
  /** The head of an answer that comes piece by piece; false when the client has gone. */
  begin(status: number, headers: AnswerHeaders): boolean;
  write(piece: string): "sent" | "closed" | "full";
  /** Ends a streamed answer. */
  close(): void;
}

export interface HttpArrival {
  readonly request: IncomingRequest;
  readonly reply: Reply;
}

export interface HttpListener {
  /** `127.0.0.1:4321` */
  readonly address: string;
  ready(): Promise<void>;
  /** "empty" when there is none yet, `undefined` when it is closed. */
  take(): HttpArrival | "empty" | undefined;
  /** Takes no more clients; answers in progress may end. */
  close(): void;
}

export interface HttpServing {
  /** `limit` says how big the body of a request may be: asked before it is read. */
  listen(address: ListenAddress, limit: (method: string, path: string) => number): Promise<HttpListener>;
}
