/** `harn cluster check`: whether engine and database can be used, and jobs that the engine has lost. */
import { UsageError } from "../host/command/index.ts";
import {
  type ClusterSettings,
  type Engine,
  isUnknownJob,
  type Journals,
  type UnfinishedJob,
} from "./ports.ts";

interface Check {
  /** Hands out again what the engine does not know. */
  readonly requeue: boolean;
  /** Takes a line about what is well. */
  readonly say: (line: string) => void;
  /** Takes what can't be used; whoever asks sees that of both. */
  readonly fail: (error: unknown) => void;
}

export async function checkCluster(settings: ClusterSettings, check: Check): Promise<void> {
  const report = (line: string): void => check.say(`          ${line}`);
  const engine = await checkedPlace(check, async () => {
    const { connectEngine } = await import("./engine/index.ts");
    return await connectEngine(settings, { report });
  });
  const journals = await checkedPlace(check, async () => {
    const { openJournals } = await import("./journals/index.ts");
    return await openJournals(settings);
  });
  try {
    if (engine === undefined || journals === undefined) return;
    await lostJobs(engine, journals, check);
  } finally {
    await Promise.allSettled([engine?.close(), journals?.close()]);
  }
}

interface Checked {
  check(): Promise<readonly string[]>;
  close(): Promise<void>;
}

async function checkedPlace<T extends Checked>(
  { say, fail }: Check,
  open: () => Promise<T>,
): Promise<T | undefined> {
  let part: T | undefined;
  try {
    part = await open();
    for (const line of await part.check()) say(line);
    return part;
  } catch (error) {
    fail(error);
    await part?.close();
    return undefined;
  }
}

/** Those that the database has and the engine does not: its own database was lost, or it has forgotten how they ended. */
async function lostJobs(engine: Engine, journals: Journals, { requeue, say, fail }: Check): Promise<void> {
  const lost: UnfinishedJob[] = [];
  for (const job of await journals.unfinished()) if (await isLost(engine, job.name)) lost.push(job);
  if (lost.length === 0) return say("jobs      the engine knows all that are not over");
  if (!requeue)
    return say(
      `jobs      ${lost.length} not over and unknown to the engine: ${firstNames(lost)}; \`harn cluster check --requeue\` hands them out again`,
    );
  for (const { name, kind, order, began } of lost) {
    const job = `${name}, begun ${began.toISOString()}`;
    if (order === undefined)
      fail(
        new UsageError(
          `${job}: nobody knows its flags any more\n  hand it over again where it was begun: \`harn run --resume ${name} --workers\``,
          "HARN-CLU-010",
        ),
      );
    else {
      await engine.start({ ...order, name, kind });
      say(`jobs      ${job}: handed out again`);
    }
  }
}

export async function isLost(
  engine: Pick<Engine, "isOpen" | "ended">,
  name: string,
  patienceMs = 1000,
): Promise<boolean> {
  if (await engine.isOpen(name)) return false;
  const late = AbortSignal.timeout(patienceMs);
  try {
    // One that has ended there is not lost: whoever waits for it fetches what it came to.
    await engine.ended(name, late);
    return false;
  } catch (error) {
    if (isUnknownJob(error)) return true;
    if (!late.aborted) throw error;
  }
  // It is slow, or somebody has handed the job out again meanwhile.
  return await isLost(engine, name, 2 * patienceMs);
}

function firstNames(jobs: readonly UnfinishedJob[]): string {
  const names = jobs.slice(0, 3).map(({ name }) => name);
  return `${names.join(", ")}${jobs.length > names.length ? " …" : ""}`;
}
