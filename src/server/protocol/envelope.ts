/**
 * What goes over the wire: the envelope in which every event travels (docs/events.md), event streams as they come piece by piece, and
 * errors of the HTTP interface (RFC 9457).
 */
import type {
  DurableEventData,
  EphemeralEventData,
  protocolVersion,
  WirePlace,
} from "../../events/wire/index.ts";

interface Stamp extends WirePlace {
  readonly v: typeof protocolVersion;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** null in the log of a run outside of conversations. */
  readonly conversation: string | null;
  /** null for what no run did. */
  readonly run: string | null;
}

export type DurableType = keyof DurableEventData;
export type EphemeralType = keyof EphemeralEventData;

/** An event of a log; `seq` counts from 1 per conversation (per run outside of conversations), without gaps. */
export type DurableEnvelope<T extends DurableType = DurableType> = {
  readonly [K in T]: Stamp & { readonly seq: number; readonly type: K; readonly data: DurableEventData[K] };
}[T];

export type EphemeralEnvelope<T extends EphemeralType = EphemeralType> = {
  readonly [K in T]: Stamp & { readonly seq: null; readonly type: K; readonly data: EphemeralEventData[K] };
}[T];

export type EventEnvelope = DurableEnvelope | EphemeralEnvelope;

export interface SseMessage {
  readonly type: string;
  readonly data: string;
}

/** Takes pieces of text that may be cut anywhere, gives the messages that they complete. */
export class SseParser {
  /** Of the last message that had one, also of one without data; "" before. */
  lastId = "";
  private rest = "";
  private type = "";
  private data: string[] = [];

  feed(piece: string): SseMessage[] {
    const found: SseMessage[] = [];
    this.rest += piece;
    let from = 0;
    for (;;) {
      const end = this.rest.indexOf("\n", from);
      if (end < 0) break;
      const line = this.rest.slice(from, this.rest[end - 1] === "\r" ? end - 1 : end);
      from = end + 1;
      const message = this.line(line);
      if (message !== null) found.push(message);
    }
    this.rest = this.rest.slice(from);
    return found;
  }

  private line(line: string): SseMessage | null {
    if (line === "") return this.dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.type = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id") this.lastId = value;
    return null;
  }

  private dispatch(): SseMessage | null {
    const message =
      this.data.length === 0 ? null : { type: this.type || "message", data: this.data.join("\n") };
    this.type = "";
    this.data = [];
    return message;
  }
}

/** Slug ▸ status. The texts and codes are the server's. */
export const problemStatus = {
  "bad-json": 400,
  "bad-cursor": 400,
  "bad-path": 400,
  "login-needed": 401,
  forbidden: 403,
  "bad-host": 403,
  "bad-origin": 403,
  csrf: 403,
  "not-found": 404,
  "method-not-allowed": 405,
  "not-acceptable": 406,
  busy: 409,
  "already-answered": 409,
  "in-progress": 409,
  "not-queued": 409,
  expired: 410,
  changed: 412,
  "too-large": 413,
  "not-json": 415,
  invalid: 422,
  "invalid-answer": 422,
  "key-reused": 422,
  "no-such-step": 422,
  "slow-down": 429,
  internal: 500,
  stopping: 503,
  store: 503,
  "disk-full": 507,
} as const;

export type ProblemSlug = keyof typeof problemStatus;

export interface Problem {
  /** `urn:harn:problem:SLUG`. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** What happened and what to do. */
  readonly detail: string;
  /** `HARN-SRV-NNN`. */
  readonly code: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** The slug of a problem that came over the wire; null for none of ours. */
export function slugOf(problem: Pick<Problem, "type">): ProblemSlug | null {
  const slug = problem.type.replace(/^urn:harn:problem:/, "");
  return Object.hasOwn(problemStatus, slug) ? (slug as ProblemSlug) : null;
}
