/** What the journal does with a builtin (docs/journal.md). */
export type EffectClass =
  /** Nothing: same arguments, same result. */
  | "pure"
  /** Nothing: changes state inside the Runtime only, and is done again on replay. */
  | "state"
  /** Result only: clock, environment, terminal width. */
  | "observe"
  /** Intent and result; may be done again: files, HTTP GET. */
  | "read"
  /** Intent before, result after: files, sub-processes, HTTP POST. */
  | "write"
  /** Intent with the reserved cost, result with usage. */
  | "model"
  /** Intent, answer. */
  | "human";
