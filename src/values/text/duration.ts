/** Durations as people write them: the one reader for flags, directives of sessions and whatever else takes them as texts. */

const unitMs = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  min: 60_000,
  s: 1000,
  ms: 1,
} as const;

const parts =
  /^\s*(?:([\d.]{1,12})\s*w)?\s*(?:([\d.]{1,12})\s*d)?\s*(?:([\d.]{1,12})\s*h)?\s*(?:([\d.]{1,12})\s*m(?:in)?(?!s))?\s*(?:([\d.]{1,12})\s*s)?\s*(?:([\d.]{1,12})\s*ms)?\s*$/;

/**
 * Milliseconds of `90s`, `1h30m`, `0.5h`: units from large to small, each once. `bare` is the unit of a number alone; without it a
 * number needs one. Undefined for anything else.
 */
export function durationMs(text: string, bare?: keyof typeof unitMs): number | undefined {
  if (bare !== undefined && /^\d{1,12}(?:\.\d{1,12})?$/.test(text)) return Number(text) * unitMs[bare];
  const found = parts.exec(text);
  if (found === null || text.trim() === "") return undefined;
  let ms = 0;
  for (const [at, unit] of (["w", "d", "h", "m", "s", "ms"] as const).entries())
    ms += Number(found[at + 1] ?? 0) * unitMs[unit];
  return Number.isFinite(ms) ? Math.round(ms) : undefined;
}
