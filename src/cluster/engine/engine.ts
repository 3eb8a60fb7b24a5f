/** Temporal as the engine: jobs are handed out, asked after and cancelled, whatever carries them there (`executions.ts`). */
import { setTimeout as later } from "node:timers/promises";
import type { Client, Connection } from "@temporalio/client";
import { reportError, UsageError } from "../../host/command/index.ts";
import {
  AttemptOver,
  type ClusterSettings,
  type Engine,
  type Job,
  type JobEnd,
  type JobResult,
  type ServedJobs,
} from "../ports.ts";
import { connectionOptions, engineError, mayPassLater } from "./connection.ts";
import { activitiesAlone, type Executions, workflowsOfOne } from "./executions.ts";
import { type CarriedOrder, ownName } from "./order.ts";
import { loadClient } from "./packages.ts";
import { mustFitEngine, noSuchJob } from "./refusals.ts";
import { serveJobs } from "./serving.ts";

type Sdk = typeof import("@temporalio/client");

const patienceMs = 5000;
/** The engine's own limit of one value, unless somebody has set it up otherwise. */
const usualLimit = 2 << 20;
/** How long is waited before it is asked again, while it is away. */
const longestPauseMs = 5000;
export interface EngineOptions {
  /** Takes lines about the connection: what the engine's client would write to standard error. */
  readonly report?: (line: string) => void;
  /** Jobs are activities without workflows: a preview of the engine. */
  readonly isAlone?: boolean;
}

export async function connectEngine(settings: ClusterSettings, options: EngineOptions = {}): Promise<Engine> {
  const sdk = await loadClient();
  try {
    const place = connectionOptions(settings.engine);
    await mustAnswer(sdk, place);
    const connection = await sdk.Connection.connect({ ...place, connectTimeout: patienceMs });
    const report = options.report ?? ((line) => reportError(`harn: ${line}\n`));
    const client = new sdk.Client({ connection, namespace: settings.engine.namespace });
    const executions = (options.isAlone === true ? activitiesAlone : workflowsOfOne)(client, sdk);
    return new TemporalEngine({ sdk, connection, client, executions, settings, report });
  } catch (error) {
    throw engineError(error, settings.engine);
  }
}

/** Asked once, without trying again: what stands against it is known at once, and why. */
async function mustAnswer(sdk: Sdk, place: ReturnType<typeof connectionOptions>): Promise<void> {
  const connection = sdk.Connection.lazy({ ...place, interceptors: [] });
  try {
    await connection.withDeadline(Date.now() + patienceMs, () =>
      connection.workflowService.getSystemInfo({}),
    );
  } finally {
    await connection.close();
  }
}

interface EngineParts {
  readonly sdk: Sdk;
  readonly connection: Connection;
  readonly client: Client;
  readonly executions: Executions;
  readonly settings: ClusterSettings;
  readonly report: (line: string) => void;
}

class TemporalEngine implements Engine {
  private readonly sdk: Sdk;
  private readonly connection: Connection;
  private readonly client: Client;
  private readonly executions: Executions;
  private readonly settings: ClusterSettings;
  private readonly report: (line: string) => void;

  constructor(parts: EngineParts) {
    this.sdk = parts.sdk;
    this.connection = parts.connection;
    this.client = parts.client;
    this.executions = parts.executions;
    this.settings = parts.settings;
    this.report = parts.report;
  }

  async start(job: Job): Promise<void> {
    const { project, queue, leaseMs } = this.settings;
    const order: CarriedOrder = { job, leaseMs, project };
    await this.mustCarry(order);
    await this.asked(() => this.executions.start(this.idOf(job.name), ownName(project, queue), order));
  }

  async ended(name: string, signal?: AbortSignal): Promise<JobEnd> {
    for (let pauseMs = 100; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      signal?.throwIfAborted();
      try {
        const result = (): Promise<JobResult> => this.executions.result(this.idOf(name));
        return {
          kind: "done",
          result: await (signal === undefined ? result() : this.client.withAbortSignal(signal, result)),
        };
      } catch (error) {
        signal?.throwIfAborted();
        const failure = this.executions.failureIn(error);
        if (failure !== undefined) return this.endOf(failure.cause);
        if (this.executions.isUnknown(error)) throw noSuchJob(name);
        if (!mayPassLater(error)) throw engineError(error, this.settings.engine);
      }
      await later(pauseMs, undefined, { signal });
    }
  }

  /** One that no worker has in hand is over at once: there may be no worker to hear of it. */
  async cancel(name: string): Promise<void> {
    await this.asked(async () => {
      const { executions } = this;
      const id = this.idOf(name);
      const { isOpen, inHand } = await executions.state(id);
      if (!isOpen) return;
      const why = "cancelled before a worker had it in hand";
      await (inHand.length > 0 ? executions.cancel(id) : executions.terminate(id, why));
    }, name);
  }

  async isOpen(name: string): Promise<boolean> {
    try {
      return (await this.executions.state(this.idOf(name))).isOpen;
    } catch (error) {
      if (this.executions.isUnknown(error)) return false;
      throw engineError(error, this.settings.engine);
    }
  }

  serve(options: Parameters<Engine["serve"]>[0]): Promise<ServedJobs> {
    return serveJobs(this.settings, options, {
      report: this.report,
      isOpen: (name) => this.isOpen(name),
      isCurrent: (name, runId, attempt) => this.isCurrent(name, runId, attempt),
    });
  }

  check(): Promise<readonly string[]> {
    return this.asked(() => engineLines(this.connection.workflowService, this.settings));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private async isCurrent(name: string, runId: string, attempt: number): Promise<boolean> {
    try {
      return (await this.executions.state(this.idOf(name), runId)).inHand.includes(attempt);
    } catch (error) {
      throw new AttemptOver(`the engine can't be asked: ${(error as Error).message}`);
    }
  }

  private idOf(name: string): string {
    return ownName(this.settings.project, name);
  }

  private endOf(cause: Error | undefined): JobEnd {
    const { CancelledFailure, TerminatedFailure, ActivityFailure } = this.sdk;
    const inner = cause instanceof ActivityFailure ? cause.cause : cause;
    if (inner instanceof CancelledFailure || inner instanceof TerminatedFailure) return { kind: "cancelled" };
    return { kind: "failed", words: inner?.message ?? "it failed, and the engine does not say why" };
  }

  /** Told before anything is sent. Names and flags are below 100 kB, so the engine is rarely asked for its limit. */
  private async mustCarry(order: CarriedOrder): Promise<void> {
    const size = Buffer.byteLength(JSON.stringify(order));
    if (size < 100_000) return;
    const { namespace } = this.settings.engine;
    const { namespaceInfo } = await this.asked(() =>
      this.connection.workflowService.describeNamespace({ namespace }),
    );
    const limit = Number(namespaceInfo?.limits?.blobSizeLimitError ?? 0) || usualLimit;
    mustFitEngine(order.job.name, size, limit);
  }

  /** What the engine says against it, in words for people. */
  private async asked<T>(work: () => Promise<T>, name?: string): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (name !== undefined && this.executions.isUnknown(error)) throw noSuchJob(name);
      throw engineError(error, this.settings.engine);
    }
  }
}

type WorkflowService = Connection["workflowService"];

/** Priorities and shares of queues are there from this version on. */
const leastServer = [1, 29];
/** Kinds of queues of one name: of workflows, where a job waits that nobody has looked at, and of activities. */
const queueTypes = [1, 2] as const;

/** What `harn cluster check` says of the engine: its version, what it may do for us, who takes jobs. */
async function engineLines(service: WorkflowService, settings: ClusterSettings): Promise<readonly string[]> {
  const { engine, project, queue } = settings;
  const { serverVersion } = await service.getSystemInfo({});
  mustBeNew(serverVersion);
  const { config } = await service.describeNamespace({ namespace: engine.namespace });
  const days = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 86_400;
  const queueName = ownName(project, queue);
  const queues = await Promise.all(
    queueTypes.map((taskQueueType) =>
      service.describeTaskQueue({
        namespace: engine.namespace,
        taskQueue: { name: queueName },
        taskQueueType,
        reportStats: true,
      }),
    ),
  );
  const waiting = queues.reduce((sum, { stats }) => sum + Number(stats?.approximateBacklogCount ?? 0), 0);
  const workers = new Set(queues.at(-1)?.pollers?.map(({ identity }) => identity)).size;
  return [
    `engine    Temporal ${serverVersion} at ${engine.address}, namespace ${engine.namespace}${engine.tls ? ", over TLS" : ""}`,
    `          it remembers ended jobs for ${Number(days.toFixed(1))} d`,
    `queue     ${queueName}: ${waiting} waiting, ${workers === 0 ? "and no worker takes them; start one with `harn worker`" : `${workers} worker${workers === 1 ? "" : "s"}`}`,
  ];
}

function mustBeNew(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [needMajor = 0, needMinor = 0] = leastServer;
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return;
  throw new UsageError(
    `the engine is Temporal ${version}, and ${leastServer.join(".")} or newer is needed`,
    "HARN-CLU-013",
  );
}
