/**
 * Turns: how a run moves on. One logical thread, many tasks: whatever wakes a task is queued here and handed over one
 * item at a time, each when everything that is runnable has come to rest (all microtasks have run). So tasks switch
 * only where they wait, and the order in which they go on depends on two queues only:
 *
 *   ready      wake-ups from inside the run (a channel, a lock, a joined task): a function of the program alone
 *   source     results from outside (effects): first come, first served when live; in the recorded order on replay
 *
 * Ready items go first, except that a request to stop goes before everything. Nothing is handed over while work of our own that is no effect (a lazy import) is held.
 */

/** Calls back once all microtasks have run, from an empty stack. Given by the host: it is the one part that differs. */
export type AtRest = (callback: () => void) => void;

export interface Runnable {
  run(): void;
}

export class Turns {
  private readonly atRest: AtRest;
  private scheduled = false;
  private stopped = false;
  private holds = 0;
  /** A queue as an array with a moving head: shifting an array of 100,000 would copy it each time. */
  private queue: Runnable[] = [];
  private head = 0;
  /** Turns taken so far: the same number on replay. */
  taken = 0;
  /** Something that must not wait until nothing is ready: a request to stop. */
  urgent: () => Runnable | undefined = () => undefined;
  /** The next result from outside that may be handed over now. */
  source: () => Runnable | undefined = () => undefined;
  /** Nothing is ready, nothing can be handed over: asked after each turn that leaves the run idle. */
  onRest: () => void = () => {};
  private readonly turn = (): void => this.next();

  constructor(atRest: AtRest) {
    this.atRest = atRest;
  }

  /** Queues a wake-up. */
  ready(item: Runnable): void {
    this.queue.push(item);
    this.check();
  }

  /** Makes sure that a turn is taken at the next rest. */
  check(): void {
    if (this.scheduled || this.stopped) return;
    this.scheduled = true;
    this.atRest(this.turn);
  }

  /** Keeps the run from being seen as idle while work of our own that is no effect goes on. */
  hold<T>(work: Promise<T>): Promise<T> {
    this.holds++;
    const release = (): void => {
      this.holds--;
      this.check();
    };
    work.then(release, release);
    return work;
  }

  /** A turn was broken off, and with it the next one that it had asked for. */
  reschedule(): void {
    this.scheduled = false;
    this.check();
  }

  /** No more turns: the program has ended. */
  stop(): void {
    this.stopped = true;
    this.queue = [];
    this.head = 0;
  }

  private next(): void {
    this.scheduled = false;
    if (this.stopped || this.holds > 0) return;
    const item = this.urgent() ?? this.take() ?? this.source();
    if (item === undefined) {
      this.onRest();
      return;
    }
    this.taken++;
    this.check();
    item.run();
  }

  private take(): Runnable | undefined {
    if (this.head === this.queue.length) return undefined;
    const item = this.queue[this.head] as Runnable;
    this.head++;
    if (this.head === this.queue.length) {
      this.queue = [];
      this.head = 0;
    } else if (this.head > 1024 && this.head * 2 > this.queue.length) {
      this.queue = this.queue.slice(this.head);
      this.head = 0;
    }
    return item;
  }
}
