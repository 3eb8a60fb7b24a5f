/**
 * Jobs that are to stop. The bell in the database is heard at once by whoever works on one; who does not hear it, or waits in the queue,
 * is told by the engine.
 */
import { setTimeout as pause } from "node:timers/promises";
import { UsageError } from "../host/command/index.ts";
import type { Store } from "../store/index.ts";
import { handOverNote, takeRunBack } from "./hand-over.ts";
import { type Cluster, openCluster } from "./open.ts";
import { type ClusterSettings, type Engine, isUnknownJob } from "./ports.ts";

/** What works unwinds and is killed within 2 s; the rest is for the ways there and back. */
const patienceMs = 15_000;

/** Gives whether the engine knows it. What fails of both keeps nobody from being told by the other. */
export async function stopJob(
  { engine, journals }: Pick<Cluster, "engine" | "journals">,
  name: string,
  reason: string,
): Promise<boolean> {
  const [rung, cancelled] = await Promise.allSettled([
    journals.stop(name, reason),
    cancelKnown(engine, name),
  ]);
  if (rung.status === "rejected") throw rung.reason;
  if (cancelled.status === "rejected") throw cancelled.reason;
  return cancelled.value;
}

async function cancelKnown(engine: Engine, name: string): Promise<boolean> {
  try {
    await engine.cancel(name);
    return true;
  } catch (error) {
    if (!isUnknownJob(error)) throw error;
    return false;
  }
}

/** Stops a run that was handed over, and takes it back; gives whether it is here: its worker may not have said yet that it has stopped. */
export async function stopHandedOver(
  cluster: Pick<Cluster, "engine" | "journals">,
  store: Store,
  run: string,
): Promise<boolean> {
  const note = handOverNote(store, run);
  const isKnown = await stopJob(cluster, run, "harn runs stop");
  if (isKnown && !(await isOverSoon(cluster.engine, run))) return false;
  await takeRunBack(cluster, store, run, { note });
  return true;
}

async function isOverSoon(engine: Engine, run: string): Promise<boolean> {
  const late = new AbortController();
  try {
    const ended = engine.ended(run, late.signal).then(() => true);
    return await Promise.race([ended, pause(patienceMs, false, { signal: late.signal })]);
  } catch (error) {
    if (isUnknownJob(error)) return true;
    throw error;
  } finally {
    late.abort();
  }
}

interface ToStop {
  readonly names: readonly string[];
  readonly reason: string;
}

/** Like `openCluster`. Where one of both can't be had, the jobs are told over the other before that is thrown. */
export async function openToStop(
  settings: ClusterSettings,
  report: (line: string) => void,
  jobs: ToStop,
): Promise<Cluster> {
  try {
    return await openCluster(settings, report);
  } catch (error) {
    const over = error instanceof UsageError && jobs.names.length > 0 && (await stopOverOne(settings, jobs));
    if (!over) throw error;
    throw new UsageError(
      `${error.text}\n  asked to stop over the ${over} alone: ${jobs.names.join(", ")}; the same command takes in what was done when both answer`,
      error.code,
    );
  }
}

/** Gives over which of both; over neither is false. */
async function stopOverOne(
  settings: ClusterSettings,
  { names, reason }: ToStop,
): Promise<"database" | "engine" | false> {
  try {
    const { openJournals } = await import("./journals/index.ts");
    const journals = await openJournals(settings);
    try {
      await Promise.all(names.map((name) => journals.stop(name, reason)));
    } finally {
      await journals.close();
    }
    return "database";
  } catch {
    // Then the engine.
  }
  try {
    const { connectEngine } = await import("./engine/index.ts");
    const engine = await connectEngine(settings, { report: () => {} });
    try {
      await Promise.all(names.map((name) => cancelKnown(engine, name)));
    } finally {
      await engine.close();
    }
    return "engine";
  } catch {
    return false;
  }
}
