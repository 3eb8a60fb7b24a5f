/** The contract events of the loops of a session, one behind the other, numbered through. */
import type { LoopEvent } from "../../events/index.ts";

/** What a loop's own log is here. */
export interface LoopLog {
  readonly length: number;
  from(offset?: number): readonly LoopEvent[];
}

/** Logs of as many loops are kept: a session that lives for weeks forgets the events of its first ones. */
const keptLoops = 1000;

export class LoopLogs {
  private readonly logs: LoopLog[] = [];
  /** Events of logs that are gone. */
  private forgotten = 0;

  open(log: LoopLog): void {
    this.logs.push(log);
    if (this.logs.length > keptLoops) this.forgotten += this.logs.shift()?.length ?? 0;
  }

  /** Events from number `offset` on, counted from 0 over all loops. */
  from(offset: number): LoopEvent[] {
    const events: LoopEvent[] = [];
    let before = this.forgotten;
    for (const log of this.logs) {
      if (before + log.length > offset) events.push(...log.from(Math.max(0, offset - before)));
      before += log.length;
    }
    return events;
  }
}
