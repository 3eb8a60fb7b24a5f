/** Where an event happened, and the version of the form in which it travels. */

/** Raised when a type or field gets another meaning; what is added does not count. */
export const protocolVersion = 1;

export interface WirePlace {
  /** `lN`, numbered per run in the order of `loop.start`; null outside of loops. */
  readonly loop: string | null;
  /** The loop above and its call (`LOOP.TURN.INDEX`) that started this one; null for outermost loops. */
  readonly parent: { readonly loop: string; readonly call: string | null } | null;
  /** From 1; 0 before the first turn and outside of loops. */
  readonly turn: number;
  /** `LOOP.TURN.INDEX`: the tool call in which it happened, null outside. */
  readonly call: string | null;
}
