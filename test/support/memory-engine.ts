/** An engine in this process, under the contract of `src/cluster/ports.ts` and of `engine-contract.ts`: for tests without Temporal. */
import { setTimeout as later } from "node:timers/promises";
import { mustFitEngine, noSuchJob, placesOfQueues } from "../../src/cluster/engine/refusals.ts";
import {
  type Attempt,
  AttemptOver,
  type ClusterSettings,
  type Engine,
  type Job,
  JobCancelled,
  type JobEnd,
  JobFailed,
  type JobProgress,
  type ServedJobs,
} from "../../src/cluster/index.ts";

type Serve = Parameters<Engine["serve"]>[0];

interface Entry {
  readonly job: Job;
  readonly queue: string;
  readonly order: number;
  readonly ended: PromiseWithResolvers<JobEnd>;
  end?: JobEnd;
  attempts: number;
  before?: JobProgress;
  /** While a worker has it in hand. */
  controller?: AbortController;
  /** Not before its next attempt. */
  isResting?: boolean;
}

interface Taker {
  readonly queue: string;
  readonly perform: Serve["perform"];
  free: number;
  readonly running: Set<Promise<void>>;
  readonly entries: Set<Entry>;
}

const largest = 2 << 20;
const restMs = 10;

/** What all engines of a test are connected to. */
export class MemoryServer {
  private readonly entries = new Map<string, Entry>();
  private readonly takers = new Set<Taker>();
  private started = 0;

  connect(settings: Pick<ClusterSettings, "project" | "queue">): Engine {
    const { project, queue } = settings;
    const id = (name: string): string => `${project}/${name}`;
    const found = (name: string): Entry => {
      const entry = this.entries.get(id(name));
      if (entry === undefined) throw noSuchJob(name);
      return entry;
    };
    return {
      start: async (job) => {
        const text = JSON.stringify(job);
        mustFitEngine(job.name, Buffer.byteLength(text), largest);
        this.put(id(job.name), JSON.parse(text) as Job, `${project}/${queue}`);
      },
      ended: async (name, signal) => {
        signal?.throwIfAborted();
        const aborted = new Promise<never>((_, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
        );
        return await Promise.race([found(name).ended.promise, aborted]);
      },
      cancel: async (name) => {
        const entry = found(name);
        if (entry.controller === undefined) this.finish(entry, { kind: "cancelled" });
        else entry.controller.abort(new JobCancelled("the job was cancelled"));
      },
      isOpen: async (name) => {
        const entry = this.entries.get(id(name));
        return entry !== undefined && entry.end === undefined;
      },
      serve: async ({ jobs, queues, perform }) => {
        const shares = placesOfQueues(jobs, queues.length);
        return this.serve(
          queues.map((name, at) => ({
            queue: `${project}/${name}`,
            perform,
            free: shares[at] ?? 1,
            running: new Set(),
            entries: new Set(),
          })),
        );
      },
      check: async () => ["engine    in memory"],
      close: async () => {},
    };
  }

  private put(id: string, job: Job, queue: string): void {
    const open = this.entries.get(id);
    if (open !== undefined && open.end === undefined) return;
    const entry = { job, queue, order: this.started++, ended: Promise.withResolvers<JobEnd>(), attempts: 0 };
    this.entries.set(id, entry);
    this.handOut();
  }

  private serve(mine: readonly Taker[]): ServedJobs {
    const over = Promise.withResolvers<void>();
    for (const taker of mine) this.takers.add(taker);
    this.handOut();
    return {
      ended: over.promise,
      drain: async (now = false) => {
        for (const taker of mine) this.takers.delete(taker);
        if (now)
          for (const { entries } of mine)
            for (const { controller } of entries) controller?.abort(new AttemptOver("the worker stops"));
        await Promise.all(mine.flatMap(({ running }) => [...running]));
        over.resolve();
      },
    };
  }

  /** Those that wait to those that have room, as they came. */
  private handOut(): void {
    const waiting = [...this.entries.values()]
      .filter(
        ({ end, controller, isResting }) =>
          end === undefined && controller === undefined && isResting !== true,
      )
      .sort((a, b) => a.order - b.order);
    for (const entry of waiting) {
      const taker = [...this.takers].find(({ queue, free }) => queue === entry.queue && free > 0);
      if (taker === undefined) continue;
      taker.free--;
      taker.entries.add(entry);
      entry.controller = new AbortController();
      const run = this.attempt(entry, taker, entry.controller.signal).finally(() => {
        taker.free++;
        taker.running.delete(run);
        taker.entries.delete(entry);
        this.handOut();
      });
      taker.running.add(run);
    }
  }

  private async attempt(entry: Entry, taker: Taker, signal: AbortSignal): Promise<void> {
    entry.attempts++;
    const attempt: Attempt = {
      number: entry.attempts,
      signal,
      before: entry.before,
      progress: (progress) => {
        entry.before = { ...progress };
      },
    };
    try {
      const result = await taker.perform(entry.job, attempt);
      this.finish(entry, { kind: "done", result });
    } catch (error) {
      if (error instanceof JobFailed) this.finish(entry, { kind: "failed", words: error.message });
      else if (signal.reason instanceof JobCancelled) this.finish(entry, { kind: "cancelled" });
      else void this.rest(entry);
    } finally {
      delete entry.controller;
    }
  }

  private async rest(entry: Entry): Promise<void> {
    entry.isResting = true;
    await later(restMs);
    entry.isResting = false;
    this.handOut();
  }

  private finish(entry: Entry, end: JobEnd): void {
    if (entry.end !== undefined) return;
    entry.end = end;
    entry.ended.resolve(end);
  }
}
