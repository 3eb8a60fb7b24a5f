/** What an engine refuses, whichever it is. */
import { UsageError } from "../../host/command/index.ts";

export const noSuchJob = (name: string): UsageError =>
  new UsageError(`the engine knows no job ${name}`, "HARN-CLU-010");

export function mustFitEngine(name: string, size: number, limit: number): void {
  if (size > limit)
    throw new UsageError(
      `${name}: the job is ${size} bytes, and the engine carries at most ${limit}`,
      "HARN-CLU-009",
    );
}

/** A place that polls a queue is taken while it waits, so each queue has places of its own. */
export function placesOfQueues(jobs: number, queues: number): readonly number[] {
  if (jobs < queues)
    throw new UsageError(
      `${queues} queues need a job each, and at most ${jobs} at once were asked for`,
      "HARN-CLI-004",
    );
  return Array.from({ length: queues }, (_, at) => Math.floor(jobs / queues) + (at < jobs % queues ? 1 : 0));
}
