/**
 * Stopping runs that work for no conversation: those of terminals, daemons, sessions on this machine. Their processes are
 * interrupted as a terminal would do it, and killed when they do not unwind.
 */
import type { NewInterrupt } from "../../durable/index.ts";
import { processOf, StoreError, signalProcess } from "../../store/index.ts";
import type { Conversations } from "../../threads/index.ts";
import { unwindMs } from "./running.ts";
import type { InterruptAnswer } from "./supervisor.ts";

const lookEveryMs = 50;

export class RunStops {
  private readonly conversations: Conversations;
  private readonly now: () => number;
  /** Interrupts in progress here. */
  private readonly inFlight = new Set<string>();

  constructor(conversations: Conversations, now: () => number) {
    this.conversations = conversations;
    this.now = now;
  }

  ask(run: string, asked: NewInterrupt): InterruptAnswer {
    const { runs } = this.conversations.store;
    const found = runs.find(run);
    if (found === undefined) throw new StoreError("missing", `there is no run ${run}`);
    if (found.state !== "running") return { interrupt: undefined, state: found.state };
    const row = this.conversations.interruptRun({ run, ...asked, now: this.now() });
    this.carryOut(run, row.id);
    return { interrupt: row.id, state: found.state };
  }

  /** Nothing happens when the run's process is on another machine: a server there acts. */
  carryOut(run: string, interrupt: string): void {
    if (this.inFlight.has(interrupt)) return;
    const owner = this.ownerOf(run);
    if (owner === undefined) {
      this.conversations.interruptedRun({ interrupt, how: "idle", now: this.now() });
      return;
    }
    const pid = processOf(owner);
    if (pid === undefined) return;
    this.inFlight.add(interrupt);
    signalProcess(pid, "SIGINT");
    const began = this.now();
    const look = setInterval(() => {
      const isLate = this.now() - began > unwindMs;
      if (this.ownerOf(run) === owner && !isLate) return;
      clearInterval(look);
      if (this.ownerOf(run) === owner) signalProcess(pid, "SIGKILL");
      this.inFlight.delete(interrupt);
      this.conversations.interruptedRun({ interrupt, how: isLate ? "killed" : "unwound", now: this.now() });
    }, lookEveryMs);
  }

  private ownerOf(run: string): string | undefined {
    const { runs } = this.conversations.store;
    return runs.find(run) === undefined ? undefined : runs.ownerOf(run);
  }
}
