/**
 * Delta debugging: leaves out ever smaller runs of parts for as long as what is looked for still shows. At its end no single part
 * can be left out any more.
 */
export async function shorten<T>(
  parts: readonly T[],
  stillShows: (kept: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = parts;
  let size = Math.ceil(kept.length / 2);
  while (kept.length > 0) {
    const before = kept.length;
    for (let at = 0; at < kept.length; ) {
      const rest = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await stillShows(rest)) kept = rest;
      else at += size;
    }
    if (size === 1 && kept.length === before) break;
    size = Math.max(1, Math.ceil(Math.min(size, kept.length) / 2));
  }
  return kept;
}
