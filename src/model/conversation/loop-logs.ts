/** The contract events of the loops of a session, one after the other, numbered through. */
import type { LoopEvent } from "../../events/index.ts";

/** What a loop's own log is here. */
export interface LoopLog {
  readonly length: number;
  from(offset?: number): readonly LoopEvent[];
}

/** A loop that worked on the session. */
export interface LoggedLoop {
  /** `lN` of the run. */
  readonly loop: string;
  readonly log: LoopLog;
  /** Milliseconds since the epoch, by the run's clock: what `at` of its events is counted from. */
  readonly startedAt: number;
}

/** Logs of as many loops are kept: a session that lives for weeks forgets the events of its first ones. */
const keptLoops = 1000;

export class LoopLogs {
  private readonly loops: LoggedLoop[] = [];
  /** Events of logs that are gone. */
  private forgotten = 0;
  /** Events of all loops but the last: they have ended. */
  private before = 0;

  open(loop: LoggedLoop): void {
    this.before += this.loops.at(-1)?.log.length ?? 0;
    this.loops.push(loop);
    if (this.loops.length > keptLoops) this.forgotten += this.loops.shift()?.log.length ?? 0;
  }

  /** Events of all loops so far, those that are gone too. */
  get length(): number {
    return this.before + (this.loops.at(-1)?.log.length ?? 0);
  }

  /** Number of the first event that is kept. */
  get first(): number {
    return this.forgotten;
  }

  /** The loops whose events are kept, in the order in which they began. */
  list(): readonly LoggedLoop[] {
    return this.loops;
  }

  /** Events from number `offset` on, counted from 0 over all loops. */
  from(offset: number): LoopEvent[] {
    const events: LoopEvent[] = [];
    let before = this.forgotten;
    for (const { log } of this.loops) {
      if (before + log.length > offset) events.push(...log.from(Math.max(0, offset - before)));
      before += log.length;
    }
    return events;
  }
}
