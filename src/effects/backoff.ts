/** How long to wait before something that failed is tried again: one formula for models, tools, HTTP, sessions and workers. */

export interface Backoff {
  /** The first pause, in milliseconds. */
  readonly baseMs: number;
  /** By how much each pause is longer than the one before; default 2. */
  readonly factor?: number;
  /** The longest pause; default: none is too long. */
  readonly maxMs?: number;
}

/** The pause in milliseconds after `failures` failures in a row (1 after the first). */
export function backoffMs(
  { baseMs, factor = 2, maxMs = Number.MAX_SAFE_INTEGER }: Backoff,
  failures: number,
): number {
  return baseMs === 0 ? 0 : Math.min(maxMs, baseMs * factor ** (failures - 1));
}
