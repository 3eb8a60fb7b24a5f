/**
 * The worker's side. Jobs are taken by one worker of the SDK for each queue; another one carries their workflows, since those have a few
 * milliseconds of work left when the last job of a worker that drains has ended.
 */
import { setTimeout as later } from "node:timers/promises";
import type { NativeConnection, Worker } from "@temporalio/worker";
import { shippedFolder } from "../../host/command/index.ts";
import { AttemptOver, type ClusterSettings, type Engine, type ServedJobs } from "../ports.ts";
import { Attempts, type IsCurrent } from "./attempts.ts";
import { connectionOptions, engineError } from "./connection.ts";
import { ownName } from "./order.ts";
import { loadWorker } from "./packages.ts";
import { placesOfQueues } from "./refusals.ts";
import { installRuntime } from "./sdk-runtime.ts";

type WorkerSdk = typeof import("@temporalio/worker");

/** Made at build: `scripts/engine-workflow.ts`. */
export const workflowBundle = "engine/workflow.js";
/** How long ended jobs may take to be closed in the engine when a worker drains; after that the next worker does it. */
const closingMs = 5000;

/**
 * What the engine gives to a poll of a worker that is frozen, or whose machine is cut off, is lost for a lease: so one at a time waits
 * there. With ten, a job was away for 34 s instead of 12 (lease 5 s).
 */
const onePoll = { type: "simple-maximum", maximum: 1 } as const;

interface Around {
  readonly report: (line: string) => void;
  readonly isOpen: (name: string) => Promise<boolean>;
  readonly isCurrent: IsCurrent;
}

export async function serveJobs(
  settings: ClusterSettings,
  { jobs, queues, perform }: Parameters<Engine["serve"]>[0],
  { report, isOpen, isCurrent }: Around,
): Promise<ServedJobs> {
  const shares = placesOfQueues(jobs, queues.length);
  const { worker: sdk, activity } = await loadWorker();
  const beatMs = Math.min(settings.leaseMs / 3, 5000);
  const attempts = new Attempts({ sdk: activity, perform, beatMs, isCurrent });
  installRuntime(sdk.Runtime, report);
  const connection = await nativeConnection(sdk, settings);
  const created: Worker[] = [];
  const create = async (queue: string, options: object): Promise<Worker> => {
    const { namespace } = settings.engine;
    const taskQueue = ownName(settings.project, queue);
    const worker = await sdk.Worker.create({ connection, namespace, taskQueue, ...options });
    created.push(worker);
    return worker;
  };
  try {
    const code = shippedFolder("dist").text(workflowBundle);
    const takers: Worker[] = [];
    const carriers: Worker[] = [];
    for (const [at, queue] of queues.entries()) {
      const taking = {
        activities: { perform: attempts.perform },
        maxConcurrentActivityTaskExecutions: shares[at],
        activityTaskPollerBehavior: onePoll,
        maxHeartbeatThrottleInterval: beatMs,
        defaultHeartbeatThrottleInterval: beatMs,
        // Who drains waits for the jobs at work, however long; `drain(true)` does not.
        shutdownGraceTime: "365 days",
      };
      takers.push(await create(queue, taking));
      // Nothing of a workflow is kept between its two steps: replaying six events costs less than waiting for a dead worker that had it.
      carriers.push(
        await create(queue, {
          workflowBundle: { code },
          maxCachedWorkflows: 0,
          workflowTaskPollerBehavior: onePoll,
        }),
      );
    }
    return new Serving({ settings, takers, carriers, attempts, isOpen, close: () => connection.close() });
  } catch (error) {
    // The SDK lets go of what has run.
    for (const worker of created) {
      const run = worker.run();
      worker.shutdown();
      await run;
    }
    await connection.close();
    throw engineError(error, settings.engine);
  }
}

async function nativeConnection(sdk: WorkerSdk, { engine }: ClusterSettings): Promise<NativeConnection> {
  try {
    return await sdk.NativeConnection.connect(connectionOptions(engine));
  } catch (error) {
    throw engineError(error, engine);
  }
}

interface ServingParts {
  readonly settings: ClusterSettings;
  readonly takers: readonly Worker[];
  readonly carriers: readonly Worker[];
  readonly attempts: Attempts;
  readonly isOpen: Around["isOpen"];
  readonly close: () => Promise<void>;
}

class Serving implements ServedJobs {
  readonly ended: Promise<void>;
  private readonly parts: ServingParts;
  private readonly taking: Promise<unknown>;
  private readonly carrying: Promise<unknown>;
  private draining: Promise<void> | undefined;

  constructor(parts: ServingParts) {
    this.parts = parts;
    this.taking = Promise.all(parts.takers.map((worker) => worker.run()));
    this.carrying = Promise.all(parts.carriers.map((worker) => worker.run()));
    this.ended = this.wholeRun();
    // Whoever waits is told; who does not is not ended by it.
    this.ended.catch(() => {});
  }

  async drain(now = false): Promise<void> {
    if (now) this.parts.attempts.stop(new AttemptOver("the worker stops"));
    this.draining ??= this.stopTaking();
    await this.draining;
    await this.ended;
  }

  private async stopTaking(): Promise<void> {
    this.parts.attempts.noteEnds();
    for (const worker of this.parts.takers) endPolling(worker);
    await this.taking;
    await this.closed();
    for (const worker of this.parts.carriers) endPolling(worker);
  }

  private async wholeRun(): Promise<void> {
    try {
      await Promise.all([this.taking, this.carrying]);
    } catch (error) {
      // One that can't go on takes the others with it: what they have at work goes on elsewhere.
      this.parts.attempts.stop(new AttemptOver("the worker can't reach the engine"));
      for (const worker of [...this.parts.takers, ...this.parts.carriers]) endPolling(worker);
      await Promise.allSettled([this.taking, this.carrying]);
      throw engineError(error, this.parts.settings.engine);
    } finally {
      await this.parts.close();
    }
  }

  /** Waits until the engine has closed the jobs that ended since it drains. */
  private async closed(): Promise<void> {
    const { attempts, isOpen } = this.parts;
    const give = Date.now() + closingMs;
    for (const name of attempts.endedNames())
      while (Date.now() < give && (await isOpen(name).catch(() => false))) await later(50);
  }
}

function endPolling(worker: Worker): void {
  if (worker.getState() === "RUNNING") worker.shutdown();
}
