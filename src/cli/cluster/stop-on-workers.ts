/** `harn runs stop` of a run that workers do. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  bringBack,
  type Cluster,
  clusterSettings,
  handOverNote,
  type JobEnd,
  openCluster,
  takeRunBack,
} from "../../cluster/index.ts";
import { asUsageError, ownStateFolder, print, reportError, UsageError } from "../../host/command/index.ts";
import { ownProcess } from "../../process/index.ts";
import { openStore, type Store, stateWords } from "../../store/index.ts";

/** What works unwinds and is killed within 2 s; the rest is for the ways there and back. */
const patienceMs = 15_000;

export async function stopRunOnWorkers(run: string): Promise<boolean> {
  try {
    const settings = await clusterSettings(join(ownProcess().cwd(), "harn.toml"));
    const cluster = await openCluster(settings, (line) => reportError(`harn: ${line}\n`));
    const store = openStore(ownStateFolder());
    try {
      return await stopHandedOver(cluster, store, run);
    } finally {
      store.close();
      await cluster.close();
    }
  } catch (error) {
    throw asUsageError(error);
  }
}

async function stopHandedOver(cluster: Cluster, store: Store, run: string): Promise<boolean> {
  await cluster.journals.stop(run, "harn runs stop");
  const isThere = handOverNote(store, run)?.isSent === true || (await cluster.engine.isOpen(run));
  const end = isThere ? await cancelledEnd(cluster, run) : "unknown";
  if (end === undefined) {
    reportError(
      `harn: ${run} was told to stop, and its worker has not said yet that it has; look again later\n`,
    );
    return false;
  }
  if (end === "unknown") takeRunBack(store, run);
  else await bringBack(cluster, store, run, end);
  const found = store.runs.find(run);
  print(`${run} is ${found === undefined ? "gone" : stateWords(found)}\n`);
  return true;
}

/** `unknown`: it was never handed out. */
async function cancelledEnd({ engine }: Cluster, run: string): Promise<JobEnd | "unknown" | undefined> {
  const late = new AbortController();
  try {
    // The bell in the database is heard at once; whoever does not hear it, or waits in the queue, is told by the engine.
    await engine.cancel(run);
    const ended = engine.ended(run, late.signal);
    return await Promise.race([ended, pause(patienceMs, undefined, { signal: late.signal })]);
  } catch (error) {
    if (error instanceof UsageError && error.code === "HARN-CLU-010") return "unknown";
    throw error;
  } finally {
    late.abort();
  }
}
