/** "Did you mean": the visible name closest to one that means nothing. */

/** The edit distance allowed by language.md §7.1: 1 for names of up to 2 characters, 2 up to 5, else 3. */
function allowance(name: string): number {
  return name.length <= 2 ? 1 : name.length <= 5 ? 2 : 3;
}

/**
 * The candidate nearest to `name`, or `undefined` when none is near enough. `within` is the largest distance
 * (by default that of §7.1; unresolved calls use 2, §17.4). Equally near candidates: the alphabetically first,
 * so that messages do not depend on the order of declarations.
 */
export function nearest(
  name: string,
  candidates: Iterable<string>,
  within = allowance(name),
): string | undefined {
  let best: string | undefined;
  let bestDistance = within + 1;
  for (const candidate of candidates) {
    if (candidate === name) continue;
    const distance = editDistance(name, candidate, bestDistance);
    if (distance > within) continue;
    if (distance < bestDistance || (best !== undefined && distance === bestDistance && candidate < best)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance; gives `limit + 1` as soon as it is certain to exceed `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const change = previous[j - 1]! + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      const value = Math.min(change, previous[j]! + 1, row[j - 1]! + 1);
      row.push(value);
      if (value < least) least = value;
    }
    if (least > limit) return limit + 1;
    previous = row;
  }
  return previous[b.length]!;
}
