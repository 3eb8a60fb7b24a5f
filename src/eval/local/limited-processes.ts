/** Commands of the trials of a set: so many at once, the others wait their turn. */
import { availableParallelism } from "node:os";
import type { Host } from "../../host/index.ts";
import type { CallWaits } from "../engine/index.ts";

type HostProcesses = Host["processes"];

export class ProcessPermits {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  /** Null: as many as there are processors. */
  constructor(max: number | null) {
    this.free = max ?? availableParallelism();
  }

  /** The processes of a trial. Programs that run on beside it are not counted: others would wait for them until it ends. */
  of(processes: HostProcesses, waits: CallWaits | undefined): HostProcesses {
    return {
      open: (...asked) => processes.open(...asked),
      killAll: () => processes.killAll(),
      run: async (program, args, options) => {
        const over = waits?.begin({ name: "its turn to run a command", category: "environment" });
        try {
          await this.take(options?.signal);
        } finally {
          over?.();
        }
        try {
          return await processes.run(program, args, options);
        } finally {
          this.give();
        }
      },
    };
  }

  private async take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.free > 0) {
      this.free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener("abort", gone);
        resolve();
      };
      const gone = (): void => {
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        reject(signal?.reason);
      };
      this.waiting.push(begin);
      signal?.addEventListener("abort", gone, { once: true });
    });
  }

  private give(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free++;
    else next();
  }
}
