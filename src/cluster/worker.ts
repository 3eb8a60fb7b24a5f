/** A worker: it takes jobs of the engine, each in a child of its own, with a store of its own in its state folder. */
import { join } from "node:path";
import { createNodeHost } from "../host/index.ts";
import { ownProcess } from "../process/index.ts";
import type { ModelFlags } from "../run/setup/index.ts";
import { commandPool } from "../server/local/pool/index.ts";
import { openStore, thisProcess } from "../store/index.ts";
import { attemptJob, type JobAtWork, type JobWork } from "./attempt.ts";
import { TrialsWork } from "./chunks/trials-work.ts";
import { type DatabasePlace, databasePlace, placeWords } from "./journals/connection.ts";
import type { Cluster } from "./open.ts";
import { absolutePermissions, type PermissionFlags } from "./permissions.ts";
import {
  type Attempt,
  AttemptOver,
  type ClusterSettings,
  type Job,
  JobFailed,
  type JobResult,
  NewerWork,
  type TakenJob,
} from "./ports.ts";
import { RunWork } from "./run-work.ts";
import type { Signers } from "./signed-runs.ts";
import { DiskRoom, removeLeftWork } from "./worker-disk.ts";

export interface WorkerOptions {
  readonly cluster: Cluster;
  /** Of the project. */
  readonly stateFolder: string;
  /** Children at once. */
  readonly jobs: number;
  /** Queues that it takes jobs of, the first ones first. */
  readonly queues: readonly string[];
  readonly models: ModelFlags;
  readonly permissions: PermissionFlags;
  /** Whose runs it takes; all of them without. */
  readonly signers?: Signers | undefined;
  /** Of each child, in megabytes. */
  readonly memory?: number | undefined;
  /** A line for each job that begins and ends. */
  readonly noteJob: (line: string) => void;
  /** What whoever operates the worker must know. */
  readonly report: (line: string) => void;
  /** The launcher of `harn`, where this process was started with something else. */
  readonly launcher?: string | undefined;
}

export interface RunningWorker {
  /** When it ended: drained, or with an error when it could not go on. */
  readonly ended: Promise<void>;
  /** It takes no more. `now`: what is at work goes on elsewhere. */
  stop(now: boolean): void;
}

export async function startClusterWorker(options: WorkerOptions): Promise<RunningWorker> {
  const worker = new Worker(options);
  await worker.start();
  return worker;
}

const dayMs = 86_400_000;

class Worker implements RunningWorker {
  ended: Promise<void> = Promise.resolve();
  private readonly options: WorkerOptions;
  private readonly store: ReturnType<typeof openStore>;
  private readonly permissions: PermissionFlags;
  private readonly atWork = new Map<string, JobAtWork>();
  private readonly room: DiskRoom;
  /** What was told of jobs that need a newer harn. */
  private readonly needed = new Set<string>();
  private drain: (now: boolean) => void = () => {};

  constructor(options: WorkerOptions) {
    this.options = options;
    this.permissions = absolutePermissions(options.permissions, createNodeHost());
    this.store = openStore(join(options.stateFolder, "cluster"));
    this.room = new DiskRoom(this.store.folder, options.report);
  }

  async start(): Promise<void> {
    const { cluster, jobs, queues, memory, launcher, report } = this.options;
    const { engine, journals, settings } = cluster;
    const pool = await commandPool({
      spares: 1,
      maxChildren: jobs,
      withheld: secretVariables(settings),
      launcher,
      limits: {
        // A run that computes for long is stopped by people; one that is frozen, by `JobAttempt`.
        stuckMs: Number.POSITIVE_INFINITY,
        totalMs: Number.POSITIVE_INFINITY,
        ...(memory === undefined ? {} : { memoryMb: memory }),
      },
    });
    const unlisten = journals.onStop((name, reason) => this.atWork.get(name)?.stop(reason));
    const clean = (): void => {
      removeLeftWork(this.store, this.atWork, report).catch((error: Error) =>
        report(`what jobs have left here can't be looked through: ${error.message}`),
      );
    };
    clean();
    const cleaning = setInterval(clean, dayMs);
    const ports = {
      settings,
      journals,
      pool,
      worker: thisProcess(),
      atWork: this.atWork,
      report,
      work: (job: Job, taken: TakenJob) => this.workOf(job, taken),
    };
    const close = (): void => {
      unlisten();
      clearInterval(cleaning);
      this.room.giveUp();
      pool.close();
      this.store.close();
    };
    try {
      const served = await engine.serve({
        jobs,
        queues,
        perform: (job, attempt) =>
          this.reported(job, attempt, () =>
            this.room.of(attempt.signal, () => attemptJob(job, attempt, ports)),
          ),
      });
      // Its end is that of `ended`.
      this.drain = (now) => void served.drain(now).catch(() => {});
      this.ended = served.ended.finally(close);
    } catch (error) {
      close();
      throw error;
    }
  }

  stop(now: boolean): void {
    this.drain(now);
  }

  private workOf(job: Job, taken: TakenJob): JobWork {
    const { models, signers, report, cluster } = this.options;
    const { journals, project } = cluster.settings;
    const { store, permissions } = this;
    const copy = { journals, project, job: job.name, fence: taken.fence };
    const lent = { cwd: ownProcess().cwd(), models, permissions, signers, copy };
    switch (job.kind) {
      case "run":
        return new RunWork(job, taken, { ...lent, store, report });
      case "trials":
        return new TrialsWork(job, taken, { ...lent, stateFolder: store.folder });
    }
  }

  private async reported(job: Job, attempt: Attempt, perform: () => Promise<JobResult>): Promise<JobResult> {
    const { noteJob, report } = this.options;
    noteJob(`${job.name} begins${attempt.number > 1 ? ` (attempt ${attempt.number})` : ""}`);
    try {
      const result = await perform();
      noteJob(`${job.name} has ended: exit code ${result.exitCode}, ${result.records} records`);
      return result;
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (error instanceof NewerWork && !this.needed.has(words)) {
        this.needed.add(words);
        report(words);
      }
      const what =
        error instanceof JobFailed
          ? "has failed"
          : error instanceof AttemptOver
            ? "goes on elsewhere"
            : "died";
      noteJob(`${job.name} ${what}: ${words}`);
      throw error;
    }
  }
}

/** What the connections are made with is no business of what runs here: neither by its usual name nor by another one. */
function secretVariables({ journals, engine: { apiKey } }: ClusterSettings): string[] {
  const own = databasePlace(journals) as DatabasePlace;
  const isSecret = (text: string): boolean => {
    const place = databasePlace(text);
    if (typeof place === "string") return text === apiKey || text === own.password;
    return placeWords(place) === placeWords(own) && place.user === own.user;
  };
  // Where the address brings no password, the driver needs the file of them, in the children as well.
  const usual = ["HARN_JOURNALS", "TEMPORAL_API_KEY", "PGPASSWORD"];
  const files = own.password === undefined ? [] : ["PGPASSFILE", "PGSERVICEFILE"];
  return Object.entries(ownProcess().env).flatMap(([name, value = ""]) =>
    [...usual, ...files].includes(name) || isSecret(value.trim()) ? [name] : [],
  );
}
