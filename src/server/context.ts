/** What a handler sees of one request and of the server around it. */
import type { Store } from "../store/index.ts";
import type { Conversations } from "../threads/index.ts";
import type { HttpAnswerBody } from "./answer.ts";
import type { Access, Principal } from "./auth/access.ts";
import type { FailureLimit, RequestRate } from "./auth/failures.ts";
import type { ServerClock } from "./clock.ts";
import type { IdempotencyState } from "./idempotency.ts";
import type { RecordedLogs } from "./recorded-logs.ts";
import type { ServerLimits } from "./server-limits.ts";
import type { Hub } from "./stream/hub.ts";
import type { OpenStreams } from "./stream/open-streams.ts";
import type { Supervisor } from "./supervise/index.ts";

/** What all requests share. Made once (`index.ts`). */
export interface Services extends IdempotencyState {
  readonly clock: ServerClock;
  readonly store: Store;
  readonly conversations: Conversations;
  readonly supervisor: Supervisor;
  readonly hub: Hub;
  readonly streams: OpenStreams;
  readonly recorded: RecordedLogs;
  /** The folder with a folder for each conversation; absolute. */
  readonly workspaces: string;
  readonly limits: ServerLimits;
  readonly access: Access;
  readonly failures: FailureLimit;
  readonly rate: RequestRate;
  /** Of harn. */
  readonly version: string;
  /** No model is asked: answers come from a file. People are told, who would take them for a model's. */
  readonly writtenAnswers: boolean;
  /** No new work is taken. */
  readonly isStopping: () => boolean;
  /** Each port has its own: browsers do not tell ports apart. */
  readonly cookieName: () => string;
  readonly isTls: boolean;
  /** The API in OpenAPI 3.1. */
  readonly description: () => Readonly<Record<string, unknown>>;
}

export interface RequestContext {
  readonly services: Services;
  readonly request: Request;
  readonly url: URL;
  /** Who asks; only routes of role `none` may have nobody. */
  readonly principal: Principal;
  /** Whether the token or login of the request is still known: what is told for long asks again. */
  readonly isAllowed: () => boolean;
  /** Address of the other side, for limits of failures. */
  readonly remote: string;
  /** Ends with the connection. */
  readonly signal: AbortSignal;
  /**
   * What a POST changes: done in one transaction with the answer that its `Idempotency-Key` is given again. Nothing in it may
   * wait; wake others after it.
   */
  commit(work: () => HttpAnswerBody): HttpAnswerBody;
}
