/**
 * On whose behalf a value is called or pulled: a task. Values hand it on and never look inside. What else a task is, `interp/task.ts`
 * adds, so that the table of builtins and the runtime speak of tasks without its module.
 */
export interface Caller {
  /** For display, not an identity. */
  readonly id: string;
  /** Nested script calls now. */
  depth: number;
}
