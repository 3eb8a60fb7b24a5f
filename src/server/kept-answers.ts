/** An answer as it is kept. */
export interface KeptAnswer {
  readonly digest: string;
  readonly status: number;
  /** JSON text of `{body, headers}`. */
  readonly body: string;
}

/** Where answers are kept (`durable/`). */
export interface KeptAnswers {
  find(principal: string, key: string): KeptAnswer | undefined;
  keep(principal: string, key: string, answer: KeptAnswer): void;
  /** Everything that `work` writes, or nothing. */
  together<T>(work: () => T): T;
}
