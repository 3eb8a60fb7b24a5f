/** What `programs/killed-flow.ts` does outside. */
export interface Entry {
  readonly run: string;
  readonly n: number;
  /** It may be done again with the same key. */
  readonly again: boolean;
  readonly key: string;
  readonly attempt: number;
}
