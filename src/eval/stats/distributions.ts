/**
 * Distribution functions: normal, Student's t, binomial; they agree with scipy to 1e-9 (`distributions.test.ts`). And what repeated
 * trials of one sample say: at least one passes, all pass, both without bias.
 */

const halfLogTwoPi = 0.9189385332046727;
/** Stirling's series is exact to a double from here on. */
const stirlingFrom = 16;

/** ln Γ(x) for x > 0: the recurrence up to where Stirling's series holds. */
export function logGamma(x: number): number {
  let shift = 0;
  let at = x;
  while (at < stirlingFrom) {
    shift += Math.log(at);
    at += 1;
  }
  const inverse = 1 / at;
  const square = inverse * inverse;
  const series =
    inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))));
  return (at - 0.5) * Math.log(at) - at + halfLogTwoPi + series - shift;
}

export function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** ln of n over k. */
export function logChoose(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}

/** The regularized incomplete beta function I_x(a, b), by its continued fraction on the side where it converges fast. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b));
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

const tiny = 1e-300;
const awayFromZero = (value: number): number => (Math.abs(value) < tiny ? tiny : value);

/** The continued fraction of I_x(a, b), evaluated forwards (the method of Lentz). */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    const change = d * c;
    result *= change;
    if (Math.abs(change - 1) < 1e-16) break;
  }
  return result;
}

/** P(Z ≤ z) of the standard normal distribution. */
export function normalCdf(z: number): number {
  return z < 0 ? upperTail(-z) : 1 - upperTail(z);
}

/** P(Z > z) for z ≥ 0: the series of the density's integral near 0, the continued fraction in the tail. */
function upperTail(z: number): number {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < 3) {
    let term = z;
    let sum = z;
    for (let k = 1; Math.abs(term) > sum * 1e-17; k++) {
      term *= (z * z) / (2 * k + 1);
      sum += term;
    }
    return 0.5 - density * sum;
  }
  let fraction = 0;
  for (let k = 200; k > 0; k--) fraction = k / (z + fraction);
  return density / (z + fraction);
}

/** The z with `normalCdf(z)` = p, for 0 < p < 1. */
export function normalQuantile(p: number): number {
  return p < 0.5 ? -upperQuantile(p) : upperQuantile(1 - p);
}

/** The z ≥ 0 with P(Z > z) = tail. */
function upperQuantile(tail: number): number {
  return invert((z) => upperTail(z), tail, 40);
}

/** P(T ≤ t) with `df` degrees of freedom. */
export function studentCdf(t: number, df: number): number {
  const tail = studentTail(Math.abs(t), df);
  return t < 0 ? tail : 1 - tail;
}

/** P(T > t) for t ≥ 0. */
export function studentTail(t: number, df: number): number {
  return incompleteBeta(df / (df + t * t), df / 2, 0.5) / 2;
}

/** The t with `studentCdf(t, df)` = p, for 0 < p < 1. */
export function studentQuantile(p: number, df: number): number {
  const tail = p < 0.5 ? p : 1 - p;
  const t = invert((at) => studentTail(at, df), tail, 1e12);
  return p < 0.5 ? -t : t;
}

/** The x in [0, `most`] at which a falling function takes a value; bisection to the last bit. */
function invert(tail: (x: number) => number, value: number, max: number): number {
  let low = 0;
  let high = 1;
  while (high < max && tail(high) > value) {
    low = high;
    high *= 2;
  }
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (tail(middle) > value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(X = k) of k successes in n tries that each succeed with p. */
export function binomialPmf(k: number, n: number, p: number): number {
  if (p <= 0 || p >= 1) return Number(k === (p <= 0 ? 0 : n));
  return Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
}

/** P(X ≤ k). */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  return k >= n ? 1 : incompleteBeta(1 - p, n - k, k + 1);
}

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
