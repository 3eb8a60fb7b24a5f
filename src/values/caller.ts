/**
 * On whose behalf a value is called or pulled: a task (`interp/task.ts`). Values hand it on and never look inside.
 */
export interface Caller {
  /** For display, not an identity. */
  readonly id: string;
  /** Nested script calls now. */
  depth: number;
}
