/** A bound on the time of a block (language.md §13.6); `limits.ts` says when it passes. */
import { type ScriptError, thrown } from "../values/index.ts";

/** The task in which the block runs. */
interface DeadlineOwner {
  readonly path: string;
  readonly deadline: Deadline | undefined;
  interrupt(error: ScriptError): void;
}

/** Time of a block that does not count. */
export interface UncountedTime {
  /** Milliseconds since the block began. */
  readonly ms: number;
  /** Calls `then` whenever less of it does not count than seemed so; gives what ends that. */
  whenLess(then: () => void): () => void;
}

/** What whoever sets a limit says of it besides. */
export interface DeadlineNotes {
  readonly uncounted?: UncountedTime | undefined;
  /** Called the moment it passes, before anything unwinds; not in a replay that finds it recorded. */
  readonly passes?: () => void;
}

/** A `deadline` block that is being run. */
export class Deadline {
  readonly owner: DeadlineOwner;
  readonly outer: Deadline | undefined;
  /** Which of the owner's nested deadlines: 0 is the outermost. */
  readonly level: number;
  /**
   * On the host's monotonic clock; set when a run first looks at it, which a replay never does. A resumed run has no clock
   * while it replays its history, and then all of `ms`: only running time counts.
   */
  due: number | undefined;
  readonly ms: number;
  readonly notes: DeadlineNotes;
  fired = false;
  /** What is thrown where it passes. */
  readonly error: ScriptError = thrown("Deadline exceeded");

  constructor(owner: DeadlineOwner, ms: number, due: number | undefined, notes: DeadlineNotes = {}) {
    this.notes = notes;
    this.owner = owner;
    this.ms = ms;
    this.outer = owner.deadline;
    this.level = this.outer === undefined ? 0 : this.outer.level + 1;
    this.due = due;
  }

  /** Its time is over. */
  pass(): void {
    this.fired = true;
    this.notes.passes?.();
  }

  private lookedAt: number | undefined;
  private spent = 0;

  /** Milliseconds from the first look on; of a pause between two looks, in which the process may have stood still, a tenth of a second. */
  computed(now: number): number {
    this.spent += Math.min(now - (this.lookedAt ?? now), 100);
    this.lookedAt = now;
    return this.spent;
  }

  get name(): string {
    return `${this.owner.path}#${this.level}`;
  }
}
