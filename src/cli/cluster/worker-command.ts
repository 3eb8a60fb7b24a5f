/** `harn worker`: does what others hand over, until it is stopped. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { clusterSettings, openCluster, queueName } from "../../cluster/index.ts";
import { signersIn } from "../../cluster/signed-runs.ts";
import { startClusterWorker } from "../../cluster/worker.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  asUsageError,
  exitCode,
  ownStateFolder,
  print,
  reportError,
  stopOnSignals,
} from "../../host/command/index.ts";
import { stopRequests } from "../../host/index.ts";
import { ownProcess } from "../../process/index.ts";
import type { workerFlags } from "../flags/cluster.ts";

export type WorkerFlags = FlagsOf<typeof workerFlags>;

const reportFromWorker = (line: string): void => reportError(`harn worker: ${line}\n`);

/** One is left for the worker itself, its engine and what children start. */
const usualWorkerJobs = (): number => Math.max(1, availableParallelism() - 1);

export async function workerCommand(flags: WorkerFlags): Promise<number> {
  const { jobs = usualWorkerJobs(), queue, signedBy, memory, quiet = false, allow, deny, ...models } = flags;
  const queues = queue?.map((name) => queueName(name, "--queue"));
  try {
    const settings = await clusterSettings(join(ownProcess().cwd(), "harn.toml"));
    const signers = signedBy === undefined ? undefined : await signersIn(signedBy);
    const cluster = await openCluster(settings, reportFromWorker);
    let code: number = exitCode.ok;
    try {
      const taken = queues ?? [settings.queue];
      const worker = await startClusterWorker({
        cluster,
        stateFolder: ownStateFolder(),
        jobs,
        queues: taken,
        models,
        permissions: { allow, deny },
        signers,
        memory,
        noteJob: (line) => (quiet ? undefined : print(`${line}\n`)),
        report: reportFromWorker,
      });
      const unlisten = stopOnSignals((now, signal) => {
        if (now && signal !== undefined) code = stopRequests[signal as "SIGINT"]?.exitCode ?? code;
        if (!now)
          reportFromWorker("takes no more jobs; once more stops those at work, others go on with them");
        worker.stop(now);
      }, null);
      reportFromWorker(
        `takes jobs of ${taken.join(", ")} at ${settings.engine.address}, ${jobs} at a time; Ctrl-C stops`,
      );
      try {
        await worker.ended;
      } finally {
        unlisten();
      }
      return code;
    } finally {
      await cluster.close();
    }
  } catch (error) {
    throw asUsageError(error);
  }
}
