/** Times as text: `2026-01-02T03:04:05.678Z`. A mocked clock may stand anywhere, so times beyond all calendars are clamped. */

const furthest = 8.64e15;

export const isoTime = (ms: number): string =>
  new Date(Math.min(furthest, Math.max(-furthest, ms))).toISOString();

/** The same without a fraction of zero, as senders of events write it: `2026-01-02T03:04:05Z`. */
export const shortIsoTime = (ms: number): string => isoTime(ms).replace(".000Z", "Z");
