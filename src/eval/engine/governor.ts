/**
 * How many requests may be in flight to one provider at once (docs/evals.md): grows while answers come, is cut by 429 and 529.
 * A pure machine over events and a clock in milliseconds; one for each provider and base URL of a process.
 */
export interface GovernorRules {
  readonly min: number;
  readonly start: number;
  readonly max: number;
}

export const usualRules: GovernorRules = { min: 2, start: 10, max: 200 };

/** A request that was let through. */
export interface CallPermit {
  readonly began: number;
  /** Cuts there had been when it began. */
  readonly cuts: number;
  metLimit: boolean;
}

export interface LimitStep {
  readonly at: number;
  readonly old: number;
  readonly new: number;
  readonly reason: string;
}

const firstPauseMs = 1000;
const maxPauseMs = 60_000;
const cut = 0.7;

export class Governor {
  /** Requests that may be in flight. */
  limit: number;
  inFlight = 0;
  /** No request begins before this moment. */
  pausedUntil = 0;
  /** When something last succeeded, or it was made. */
  answeredAt: number;
  /** Called for each change of the limit. */
  onChange: (step: LimitStep) => void = () => {};
  private rules: GovernorRules;
  private readonly random: () => number;
  private isSlowStart = true;
  private credit = 0;
  private cuts = 0;
  private pauseMs = firstPauseMs;
  /** Nothing was answered since the last limit was met. */
  private isRefused = false;
  private readonly pace: Pace;

  /** `random` gives numbers from 0 to 1 for the jitter of pauses. */
  constructor(rules: GovernorRules, now: number, random: () => number = () => 0.5) {
    this.rules = rules;
    this.limit = rules.start;
    this.answeredAt = now;
    this.random = random;
    this.pace = new Pace(now);
  }

  /** No request begins before this moment, whatever the limit. */
  get opensAt(): number {
    return Math.max(this.pausedUntil, this.pace.nextAt);
  }

  /** Lets a request begin; `undefined` while it has to wait. */
  begin(now: number): CallPermit | undefined {
    if (this.inFlight >= this.limit || now < this.opensAt) return undefined;
    this.pace.begun(now, this.busyUntil(now));
    this.inFlight++;
    return { began: now, cuts: this.cuts, metLimit: false };
  }

  /** It was answered. */
  succeeded(permit: CallPermit, now: number): void {
    const full = this.inFlight >= this.limit - 1;
    this.pace.answered(now, this.busyUntil(now));
    this.inFlight--;
    this.answeredAt = now;
    this.pauseMs = firstPauseMs;
    this.isRefused = false;
    if (permit.metLimit || permit.cuts !== this.cuts || !full) return;
    if (this.isSlowStart) this.change(this.limit + 1, now, "success");
    else {
      this.credit++;
      if (this.credit < this.limit) return;
      this.credit = 0;
      this.change(this.limit + 1, now, "success");
    }
  }

  /** 429 or 529, with what its answer asks to wait. The request is to be sent again under a new permit. */
  limited(permit: CallPermit, now: number, retryAfterMs: number | undefined): void {
    const busyUntil = this.busyUntil(now);
    this.inFlight--;
    permit.metLimit = true;
    const isNew = permit.cuts === this.cuts;
    let pause = retryAfterMs ?? 0;
    if (isNew) {
      this.cuts++;
      this.pace.limited(now, busyUntil);
      this.isSlowStart = false;
      this.credit = 0;
      this.change(Math.max(this.rules.min, Math.floor(this.limit * cut)), now, "429");
      // Who asks for a second and then refuses again does not know it either.
      if (retryAfterMs === undefined || this.isRefused) pause = Math.max(pause, this.nextPause());
      this.isRefused = true;
    }
    this.pausedUntil = Math.max(this.pausedUntil, now + pause);
  }

  /** 5xx, network, timeout, or given up: neither growth nor cut. */
  failed(_permit: CallPermit): void {
    this.inFlight--;
  }

  /** Other rules from now on; the limit stays where they allow it. */
  retune(rules: GovernorRules, now: number): void {
    this.rules = rules;
    this.change(this.limit, now, "tune");
  }

  /** Up to when something was in flight or held back. */
  private readonly busyUntil = (now: number): number =>
    this.inFlight > 0 ? now : Math.min(now, this.opensAt);

  /** Half of it, and up to as much again. */
  private nextPause(): number {
    const pause = this.pauseMs;
    this.pauseMs = Math.min(maxPauseMs, pause * 2);
    return pause / 2 + (this.random() * pause) / 2;
  }

  private change(to: number, at: number, reason: string): void {
    const next = Math.min(this.rules.max, Math.max(this.rules.min, to));
    if (next === this.limit) return;
    const step = { at, old: this.limit, new: next, reason };
    this.limit = next;
    this.onChange(step);
  }
}

/**
 * How fast requests may begin once a limit was met: a provider that counts requests refuses what is too fast, however few are in
 * flight. What was answered between two refusals, and in which time, says how much it takes; from a little below that it grows,
 * slowly at first, so that few are refused to find out whether it takes more.
 */
class Pace {
  /** No request begins before. */
  nextAt = 0;
  /** Milliseconds between beginnings; 0: no limit was met. */
  private spacing = 0;
  private count = 0;
  private busyMs = 0;
  private seenAt: number;

  constructor(now: number) {
    this.seenAt = now;
  }

  begun(now: number, busyUntil: number): void {
    this.see(now, busyUntil);
    if (this.spacing > 0) this.nextAt = Math.max(this.nextAt, now - latenessMs) + this.spacing;
  }

  answered(now: number, busyUntil: number): void {
    this.see(now, busyUntil);
    this.count++;
    this.spacing /= 1 + growth * this.count;
  }

  limited(now: number, busyUntil: number): void {
    this.see(now, busyUntil);
    if (this.count === 0) return;
    this.spacing = Math.min(maxPauseMs, this.busyMs / this.count / below);
    this.count = 0;
    this.busyMs = 0;
  }

  private see(now: number, busyUntil: number): void {
    this.busyMs += Math.max(0, busyUntil - this.seenAt);
    this.seenAt = now;
  }
}

/** A timer that rings late costs no speed. */
const latenessMs = 20;
const below = 0.95;
/** 5 % after 70 answers, twice as fast after 260. */
const growth = 2e-5;

/** `5` fixes it, `2-10-50` gives least, first and most. */
export function rulesOf(connections: Readonly<Record<string, string>>): ReadonlyMap<string, GovernorRules> {
  return new Map(
    Object.entries(connections).map(([provider, text]) => {
      const [min = 2, start = min, max = start] = text.split("-").map(Number);
      return [provider, text.includes("-") ? { min, start, max } : { min, start: min, max: min }];
    }),
  );
}
