/**
 * What of a trial's time is no work of its agent: it waits for a permit, for money, or for a provider that failed or asked for a
 * pause. Waits beside each other count once.
 *
 * A request that nothing has come back of is a wait that may turn out to be none: when its answer begins, all of it was the
 * model's work; when it fails, none was. So a limit of work is met by a slow model, and never by one that is out of reach.
 */
import type { UncountedTime } from "../../interp/index.ts";

/** A request on its way. */
export interface SentRequest {
  /** Its answer has begun. */
  answers(): void;
  /** It is over; of what failed nothing was work. */
  over(how: "answered" | "failed" | "cut off"): void;
}

/** What calls say of their waits. */
export interface CallWaits {
  /** Something waits that has not to do with work; gives what ends that. */
  begin(what: WaitSubject): () => void;
  send(provider: string): SentRequest;
}

export interface WaitSubject {
  /** For people. */
  readonly name: string;
  /** Whose matter it is when nothing comes of it. */
  readonly category: "provider" | "environment";
  /** Others wait for the same, so nothing is won by beginning more trials. */
  readonly isShared?: true;
}

interface WaitSpan {
  readonly from: number;
  readonly what: WaitSubject;
  /** Of a request: whether its answer has begun. */
  answer?: "silent" | "begun";
}

type TimeStretch = readonly [from: number, to: number];

export class TrialWaits implements CallWaits {
  private readonly now: () => number;
  private readonly idles: () => void;
  private readonly open = new Set<WaitSpan>();
  /** What is over, as long as something that may have begun before it is open. */
  private past: TimeStretch[] = [];
  private before = 0;
  /** Providers whose last answer to the trial was a failure. */
  private readonly failing = new Set<string>();
  private readonly onLess = new Set<() => void>();

  /** `now`: milliseconds of a clock that only goes forward. `idles` is called when something begins to wait. */
  constructor(now: () => number, idles: () => void = () => {}) {
    this.now = now;
    this.idles = idles;
  }

  /** Milliseconds so far. */
  get ms(): number {
    const now = this.now();
    const open = [...this.open]
      .filter((span) => this.counts(span))
      .map(({ from }): TimeStretch => [from, now]);
    return this.before + totalLength([...this.past, ...open]);
  }

  /** For some milliseconds it has done nothing but wait, and others could go on meanwhile. */
  get isIdle(): boolean {
    const open = [...this.open];
    const before = this.now() - idleAfterMs;
    return (
      open.length > 0 &&
      open.every(({ answer, what, from }) => answer === undefined && what.isShared !== true && from <= before)
    );
  }

  /** What it waits for in vain when a limit is met: a provider that failed before; of all its time, anything. */
  awaited(limit: "time" | "wall"): WaitSubject | undefined {
    const open = [...this.open];
    const failing = open.find(({ answer, what }) => answer === "silent" && this.failing.has(what.name));
    const waiting = limit === "wall" ? open.find(({ answer }) => answer === undefined) : undefined;
    return (failing ?? waiting)?.what;
  }

  /** The same from now on. */
  since(): UncountedTime {
    const before = this.ms;
    const ms = (): number => this.ms - before;
    return {
      get ms() {
        return ms();
      },
      whenLess: (then) => {
        this.onLess.add(then);
        return () => void this.onLess.delete(then);
      },
    };
  }

  begin(what: WaitSubject): () => void {
    const span = this.opened({ what });
    return () => this.close(span, true);
  }

  send(provider: string): SentRequest {
    const span = this.opened({ what: { name: provider, category: "provider" }, answer: "silent" });
    return {
      answers: () => {
        if (span.answer === "begun") return;
        span.answer = "begun";
        this.isLess();
      },
      over: (how) => {
        if (how === "failed") this.failing.add(provider);
        if (how === "answered") this.failing.delete(provider);
        this.close(span, how === "failed");
      },
    };
  }

  private opened(span: Omit<WaitSpan, "from">): WaitSpan {
    const opened = { ...span, from: this.now() };
    this.open.add(opened);
    if (opened.answer === undefined) this.idles();
    return opened;
  }

  /** `counts`: it was a wait. */
  private close(span: WaitSpan, counts: boolean): void {
    this.open.delete(span);
    if (counts) this.past.push([span.from, this.now()]);
    if (this.open.size === 0) {
      this.before += totalLength(this.past);
      this.past = [];
    }
    this.isLess();
  }

  private isLess(): void {
    for (const then of [...this.onLess]) then();
  }

  /** Nothing is hoped for of a provider that has failed already: the limit is met, and the trial has errored. */
  private counts({ answer, what }: WaitSpan): boolean {
    return answer === undefined || (answer === "silent" && !this.failing.has(what.name));
  }
}

/** What is over at once is no wait. */
export const idleAfterMs = 20;

/** The length of stretches that may overlap. */
function totalLength(stretches: TimeStretch[]): number {
  let length = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const [from, to] of stretches.sort(([a], [b]) => a - b)) {
    if (to <= end) continue;
    length += to - Math.max(from, end);
    end = to;
  }
  return length;
}
