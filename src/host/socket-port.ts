/** Web sockets, both sides. */
import type { HttpProxy, HttpTls } from "./http-port.ts";

export type SocketMessage =
  | { readonly type: "text"; readonly data: string }
  | { readonly type: "binary" | "ping" | "pong"; readonly data: Uint8Array }
  /** The last one. */
  | { readonly type: "close"; readonly code: number; readonly reason: string };

export interface SocketRequest {
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly protocols: readonly string[];
  /** Until the connection stands. */
  readonly timeoutMs?: number | undefined;
  readonly limits: SocketLimits;
  readonly proxy?: HttpProxy | undefined;
  readonly tls?: HttpTls | undefined;
}

export interface SocketLimits {
  /** A longer message ends the connection with an error of code `EFBIG`. */
  readonly maxMessageBytes: number;
  /** Messages on their way out; one more is refused. With 0 none may be sent. */
  readonly sendBuffer: number;
  /** So many messages may come in; then this side closes. `undefined`: any number. */
  readonly maxMessages?: number | undefined;
  /** Ends a connection on which nothing moves. */
  readonly idleTimeoutMs?: number | undefined;
}

/** One connection. Pings are answered by it; they are messages all the same. */
export interface SocketLink {
  /** Hands a message over; it does not wait until it has arrived. */
  send(message: SocketMessage): "sent" | "closed" | "full";
  /** Resolves when `take` has something to give. */
  ready(): Promise<void>;
  /** The next message; "empty" when there is none yet, `undefined` after the last one. */
  take(): SocketMessage | "empty" | undefined;
  close(code?: number, reason?: string): void;
}

/** Where a server listens; a port of 0 takes any that is free. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** A client that wants a connection. */
export interface SocketAsking {
  readonly path: string;
  readonly query: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly remoteAddress: string;
}

export interface AcceptedSocket extends SocketAsking {
  readonly link: SocketLink;
}

/** Limits for a client that may come in, else the status and text that it is sent away with. */
export type SocketAdmission = SocketLimits | { readonly status: number; readonly text: string };

export interface SocketServer {
  /** `127.0.0.1:4321` */
  readonly address: string;
  ready(): Promise<void>;
  take(): AcceptedSocket | "empty" | undefined;
  /** Ends its connections as well. */
  close(): void;
}

export interface Sockets {
  /** `resolved`: as that of `HttpHooks`. */
  connect(
    request: SocketRequest,
    signal?: AbortSignal,
    resolved?: (url: string, address: string) => void,
  ): Promise<SocketLink>;
  /** `admit` is asked for each client before the connection stands. */
  listen(address: ListenAddress, admit: (asking: SocketAsking) => SocketAdmission): Promise<SocketServer>;
}
