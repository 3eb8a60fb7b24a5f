/**
 * The state of a log at any of its events, for somebody who drags a scrubber: kept every so many events on the way of the
 * first fold, so that a step back costs what stands between, not the log.
 */
import {
  branchOf,
  type DurableEnvelope,
  emptyView,
  foldEvents,
  type LogView,
} from "../../src/server/protocol/index.ts";

/** Events between two that are kept, of a log up to `maxKept` times as long; a longer one has them further apart. */
const spacing = 500;
const maxKept = 40;

export class Keyframes {
  private readonly events: readonly DurableEnvelope[];
  private readonly fold: typeof foldEvents;
  private readonly every: number;
  /** After `every` events, `2 * every` …; nobody folds into them. */
  private readonly kept: LogView[] = [];
  /** Where somebody looked last, and after how many events that is. */
  private latest: { count: number; view: LogView } = { count: 0, view: emptyView() };

  /** Of a log that is whole; events may be added to it behind. `fold`: for tests that count. */
  constructor(events: readonly DurableEnvelope[], fold: typeof foldEvents = foldEvents) {
    this.events = events;
    this.fold = fold;
    this.every = spacing * Math.max(1, Math.ceil(events.length / (spacing * maxKept)));
  }

  /** The state after the first `count` events, good until the next call. */
  after(count: number): LogView {
    const frame = Math.min(this.kept.length, Math.floor(count / this.every));
    const isNearer = this.latest.count <= count && this.latest.count >= frame * this.every;
    if (!isNearer) {
      const kept = this.kept[frame - 1];
      this.latest =
        kept === undefined
          ? { count: 0, view: emptyView() }
          : { count: frame * this.every, view: branchOf(kept) };
    }
    const { latest } = this;
    while (latest.count < count) {
      this.fold(latest.view, this.events[latest.count] as DurableEnvelope);
      latest.count += 1;
      if (latest.count === (this.kept.length + 1) * this.every) this.kept.push(branchOf(latest.view));
    }
    return latest.view;
  }
}
