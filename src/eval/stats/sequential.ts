/** Looking at a comparison before its end, as often as one likes, without more false alarms. */
import { logBeta } from "./distributions.ts";

/** Evidence against "both as good" after `b` and `c` discordant pairs. 1/e is a p value that holds at every look. */
export function eValue(b: number, c: number): number {
  return Math.exp((b + c) * Math.LN2 + logBeta(b + 0.5, c + 0.5) - logBeta(0.5, 0.5));
}

const gridSteps = 1000;

export interface Look {
  readonly low: number;
  readonly high: number;
  /** Evidence at m = ½ (no difference): the larger of both sides. */
  readonly evidence: number;
}

/** After each difference (within −1 and 1) the interval of their mean that is valid at every look. */
export class ConfidenceSequence {
  readonly #threshold: number;
  readonly #alpha: number;
  /** ln K⁺ and ln K⁻ of each mean on the grid; what was rejected once stays so. */
  readonly #up = new Float64Array(gridSteps + 1);
  readonly #down = new Float64Array(gridSteps + 1);
  #low = 0;
  #high = gridSteps;
  readonly #rejected = new Uint8Array(gridSteps + 1);
  #count = 0;
  #sum = 0;
  #squares = 0;
  #variance = 1 / 4;

  constructor(alpha = 0.05) {
    this.#alpha = alpha;
    this.#threshold = Math.log(2 / alpha);
  }

  add(difference: number): Look {
    const x = (difference + 1) / 2;
    this.#count += 1;
    const i = this.#count;
    const lambda = Math.sqrt((2 * Math.log(2 / this.#alpha)) / (this.#variance * i * Math.log1p(i)));
    for (let at = 0; at <= gridSteps; at++) this.#bet(at, x, lambda);
    this.#sum += x;
    const centre = (0.5 + this.#sum) / (i + 1);
    this.#squares += (x - centre) ** 2;
    this.#variance = (1 / 4 + this.#squares) / (i + 1);
    while (this.#low < gridSteps && this.#rejected[this.#low] === 1) this.#low++;
    while (this.#high > this.#low && this.#rejected[this.#high] === 1) this.#high--;
    const middle = gridSteps / 2;
    return {
      low: (2 * this.#low) / gridSteps - 1,
      high: (2 * this.#high) / gridSteps - 1,
      evidence: Math.exp(Math.max(this.#up[middle] as number, this.#down[middle] as number)),
    };
  }

  #bet(at: number, x: number, lambda: number): void {
    const m = at / gridSteps;
    const up = Math.min(lambda, m === 0 ? lambda : 0.5 / m);
    const down = Math.min(lambda, m === 1 ? lambda : 0.5 / (1 - m));
    this.#up[at] = (this.#up[at] as number) + Math.log1p(up * (x - m));
    this.#down[at] = (this.#down[at] as number) + Math.log1p(-down * (x - m));
    if (Math.max(this.#up[at], this.#down[at] as number) >= this.#threshold) this.#rejected[at] = 1;
  }
}

/** The interval after each of the differences, in planned order. */
export function confidenceSequence(values: readonly number[], alpha = 0.05): Look[] {
  const sequence = new ConfidenceSequence(alpha);
  return values.map((value) => sequence.add(value));
}
