/** What a handler gives: a status with JSON, nothing (204), or a response of its own (streams, files). */
export interface HttpAnswerBody {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What an `Idempotency-Key` is given again instead of the body, where the body holds a secret. */
  readonly kept?: unknown;
}
