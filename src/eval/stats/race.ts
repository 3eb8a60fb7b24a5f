/** Ending a comparison as soon as its answer is known: looking after every observation stays valid. */
import { ConfidenceSequence, eValue } from "./sequential.ts";

export interface RaceRules {
  /** The chance of a false alarm. */
  readonly alpha: number;
  /** Differences within it count as equal; undefined: they never do. */
  readonly margin?: number | undefined;
  /** Observations before the first decision. */
  readonly min: number;
  /** Every difference is -1, 0 or 1: pairs of successes and failures. */
  readonly isBinary: boolean;
}

export interface RaceState {
  readonly observations: number;
  /** Mean of the differences. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Valid at every look. */
  readonly p: number;
  readonly verdict: "open" | "B better" | "A better" | "equivalent";
}

/** Differences B less A, each within -1 and 1, one after the other. Nothing changes after the decision. */
export class Race {
  verdict: RaceState["verdict"] = "open";
  private readonly rules: RaceRules;
  private readonly sequence: ConfidenceSequence;
  private readonly differences: number[] = [];
  /** Differences that the sequence has seen: pairs of 0 and 1 need it only to show an interval, or for a margin. */
  private seen = 0;
  private interval = { low: -1, high: 1, evidence: 1 };
  private sum = 0;
  private onlyA = 0;
  private onlyB = 0;
  private p = 1;

  constructor(rules: RaceRules) {
    this.rules = rules;
    this.sequence = new ConfidenceSequence(rules.alpha);
  }

  add(difference: number): void {
    if (this.verdict !== "open") return;
    const { isBinary, margin } = this.rules;
    this.differences.push(difference);
    this.sum += difference;
    if (difference < 0) this.onlyA++;
    else if (difference > 0) this.onlyB++;
    if (!isBinary || margin !== undefined) this.look();
    const found = isBinary ? 1 / eValue(this.onlyA, this.onlyB) : 2 / this.interval.evidence;
    this.p = Math.min(this.p, found);
    this.verdict = this.judged();
  }

  get state(): RaceState {
    this.look();
    const { low, high } = this.interval;
    const observations = this.differences.length;
    const value = observations === 0 ? 0 : this.sum / observations;
    return { observations, value, low, high, p: this.p, verdict: this.verdict };
  }

  private look(): void {
    for (; this.seen < this.differences.length; this.seen++)
      this.interval = this.sequence.add(this.differences[this.seen] as number);
  }

  private judged(): RaceState["verdict"] {
    const { alpha, margin, min } = this.rules;
    if (this.differences.length < min) return "open";
    if (this.p <= alpha && this.sum !== 0) return this.sum > 0 ? "B better" : "A better";
    const { low, high } = this.interval;
    return margin !== undefined && low >= -margin && high <= margin ? "equivalent" : "open";
  }
}
