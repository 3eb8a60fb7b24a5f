/**
 * The time limit of one test. It has to end a test that waits as well as one that computes for ever: the first is asked
 * to stop by a timer, the second finds out at its next checkpoint, where an `Interruption` is raised that no script can
 * catch. Both unwind through `finally` and `defer`, where a computation is interrupted again.
 */
import type { StopRequest } from "../../effects/index.ts";
import type { Clock } from "../../host/index.ts";
import { Interruption, type InterruptListener, type Interrupts } from "../../interp/index.ts";

const request: StopRequest = { reason: "cancel", exitCode: 124 };

export class TimeLimit implements Interrupts {
  passed = false;
  private readonly clock: Clock;
  private readonly limitMs: number;
  private readonly due: number;

  constructor(clock: Clock, limitMs: number) {
    this.clock = clock;
    this.limitMs = limitMs;
    this.due = clock.monotonic() + limitMs;
  }

  listen(listener: InterruptListener): () => void {
    const over = new AbortController();
    this.clock.sleep(this.limitMs, over.signal).then(
      () => {
        this.passed = true;
        listener.stop(request);
      },
      () => {},
    );
    return () => over.abort(new Error("the test has ended"));
  }

  stretch(work: () => void): void {
    work();
  }

  busy(): void {
    if (this.clock.monotonic() < this.due) return;
    this.passed = true;
    throw new Interruption("stopped", request);
  }
}
