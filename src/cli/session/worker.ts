/**
 * A process of `harn serve` that does one run of a session and ends. It is started before it is needed: what a run loads is
 * loaded by then, and the run begins a few milliseconds after it was asked for.
 */
import { runSessionCommand, type SessionRunFlags } from "./run.ts";

export interface SessionJob {
  readonly session: string;
  readonly flags: SessionRunFlags;
}

export async function sessionWorkerCommand(): Promise<number> {
  const job = await jobFromParent();
  // A parent that goes away while it works does not end it: its run has a lease of its own.
  return job === undefined ? 0 : await runSessionCommand(job.session, [], job.flags);
}

function jobFromParent(): Promise<SessionJob | undefined> {
  return new Promise((resolve) => {
    const leave = (): void => resolve(undefined);
    process.once("disconnect", leave);
    process.once("message", (job: SessionJob) => {
      process.off("disconnect", leave);
      // The channel would keep the process alive.
      process.channel?.unref();
      resolve(job);
    });
  });
}
