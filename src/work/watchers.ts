/** Tasks that wait for the next change of something. */
import type { Task, Wait } from "../interp/index.ts";

export class Watchers {
  private readonly waiting: Wait<void>[] = [];

  /** Waits in `waiter` for the next change; `what` says for what, to those who look why a task stands still. */
  next(waiter: Task, what: string): Promise<void> {
    return waiter.park<void>(what, (wait) => {
      this.waiting.push(wait);
      return () => {
        const at = this.waiting.indexOf(wait);
        if (at >= 0) this.waiting.splice(at, 1);
      };
    });
  }

  /** Whoever waits looks again. */
  changed(): void {
    for (const wait of this.waiting.splice(0)) wait.wake(undefined);
  }
}
