/** What repeated trials of one sample say: at least one passes, all pass. Both without bias. */

/** The share of the choices of `k` out of `n` that lie within `part` of them: C(part, k) / C(n, k). */
function shareWithin(part: number, n: number, k: number): number {
  let share = 1;
  for (let taken = 0; taken < k; taken++) share = (share * Math.max(0, part - taken)) / (n - taken);
  return share;
}

/** The chance that at least one of `k` trials passes, when `c` of `n` did. */
export function passAtK(n: number, c: number, k: number): number {
  return 1 - shareWithin(n - c, n, k);
}

/** The chance that all of `k` trials pass, when `c` of `n` did. */
export function passCaretK(n: number, c: number, k: number): number {
  return shareWithin(c, n, k);
}
