/** The children of this server that are at work, by conversation, and how they are stopped. */
import type { JobChild } from "../../host/index.ts";
import type { ToChild } from "./child-task.ts";

/** How long a run that is interrupted may unwind before it is killed with all that it started. */
export const unwindMs = 1200;

export type StopHow = "interrupt" | "rest" | "lost";

export class RunningChild {
  readonly conversation: string;
  readonly run: string;
  private readonly child: JobChild;
  /** What it was asked; the first wish stands, but an interrupt outranks a rest. */
  asked: StopHow | undefined;

  constructor(conversation: string, run: string, child: JobChild) {
    this.conversation = conversation;
    this.run = run;
    this.child = child;
  }

  send(message: ToChild): void {
    this.child.send(message);
  }

  /** Somebody stopped it: `finally` blocks run, then it is gone. */
  interrupt(): void {
    if (this.asked === "interrupt" || this.asked === "lost") return;
    this.asked = "interrupt";
    this.child.interrupt(unwindMs);
  }

  /** The server ends: it stops where it is and goes on another time. */
  rest(now: boolean): void {
    if (this.asked === undefined) {
      this.asked = "rest";
      this.send({ type: "rest" });
    }
    if (this.asked !== "rest") return;
    if (now) this.child.kill();
    else setTimeout(() => this.child.kill(), unwindMs).unref();
  }

  /** Another server has taken it over: it must not do anything more. */
  lose(): void {
    this.asked = "lost";
    this.child.kill();
  }
}
