/**
 * When something happened in a run that is played again. A journal keeps no times, but durations: of answers, of calls, of
 * loops. Each loop has a clock of its own that goes by them; loops beside each other overlap as they did.
 */
import type { RunEvent } from "../../events/index.ts";

export class RecordedClock {
  private readonly began: number;
  /** Loop ▸ its time; call ▸ when it began. */
  private readonly loops = new Map<string, number>();
  private readonly starts = new Map<string, number>();
  private last: number;

  constructor(began: number) {
    this.began = began;
    this.last = began;
  }

  /** The latest time that was told. */
  get now(): number {
    return this.last;
  }

  /** Milliseconds since the epoch; within a loop they never go back. */
  at(event: RunEvent): number {
    const { loop } = event;
    if (loop === null) return this.last;
    const time = this.loops.get(loop) ?? this.beginOf(event);
    const at = Math.max(time, this.timeOf(event, time));
    // Calls of a batch run side by side: the next call begins when this one did, the next turn when all have ended.
    this.loops.set(loop, event.type === "tool.start" ? time : at);
    this.last = Math.max(this.last, at);
    return at;
  }

  private beginOf({ parent }: RunEvent): number {
    if (parent === null) return this.last;
    return this.starts.get(parent.call ?? "") ?? this.loops.get(parent.loop) ?? this.began;
  }

  private timeOf(event: RunEvent, time: number): number {
    switch (event.type) {
      case "loop.start":
        this.starts.set(`loop ${event.loop}`, time);
        return time;
      case "loop.end":
        return (this.starts.get(`loop ${event.loop}`) ?? time) + event.data.duration_ms;
      case "usage":
        return time + event.data.duration_ms;
      case "tool.start":
        this.starts.set(event.call ?? "", time);
        return time;
      case "tool.end":
        return (this.starts.get(event.call ?? "") ?? time) + event.data.duration_ms;
      default:
        return time;
    }
  }
}
