/** What repeated trials of one sample say: at least one passes, all pass. Both without bias. */

/** From so many on the shorter of two equal products is taken. Below it figures stay what they are to the last bit. */
const manyFactors = 100_000;
/** The smallest number with all its digits: what is less counts as none. */
const smallest = 2 ** -1022;

/** The share of the choices of `k` out of `n` that lie within `part` of them: C(part, k) / C(n, k). */
function shareWithin(part: number, n: number, k: number, step?: () => void): number {
  // C(part, k) / C(n, k) = C(n - k, n - part) / C(n, n - part).
  if (k > manyFactors && n - part < k && part >= k) return shareWithin(n - k, n, n - part, step);
  let share = 1;
  for (let taken = 0; taken < k && share >= smallest; taken++) {
    share = (share * Math.max(0, part - taken)) / (n - taken);
    step?.();
  }
  return share >= smallest ? share : 0;
}

/** The chance that at least one of `k` trials passes, when `c` of `n` did. `step` is called for each factor. */
export function passAtK(n: number, c: number, k: number, step?: () => void): number {
  return 1 - shareWithin(n - c, n, k, step);
}

/** The chance that all of `k` trials pass, when `c` of `n` did. */
export function passCaretK(n: number, c: number, k: number, step?: () => void): number {
  return shareWithin(c, n, k, step);
}
