/** `harn run --resume`: an interrupted run goes on from where it was. */

import { statSync } from "node:fs";
import { type LostPart, type ResumePoint, resumePoint } from "../effects/index.ts";
import {
  asUsageError,
  exitCode,
  ownStateFolder,
  reportError,
  runNamed,
  UsageError,
} from "../host/command/index.ts";
import { ownPath, ownProcess } from "../process/index.ts";
import { existingStore, type RunWriter, type Store, StoreError } from "../store/index.ts";
import { onDoubtOf } from "./doubts.ts";
import { resumeRun } from "./resume-run.ts";
import { resumeWorker, workerFile } from "./resume-worker.ts";
import { doubtDecisions, humanAnswersOf } from "./setup/human-answers.ts";
import type { RunFlags } from "./setup/run-flags.ts";
import type { Surroundings } from "./setup/surroundings.ts";
import { importFile } from "./snapshots.ts";
import { takeOver } from "./take-over.ts";
import { setOfTrial } from "./trial-set.ts";

/** `which` is a run or a file; `file` another version of its script. */
export async function resumeCommand(
  which: string,
  file: string | undefined,
  args: readonly string[],
  flags: RunFlags,
  surroundings?: Surroundings,
): Promise<number> {
  refuseFlags(flags, args);
  try {
    const worker = workerFile(which);
    if (worker !== undefined)
      return await resumeWorker(worker, file, flags, (run, script, more) =>
        resumeCommand(run, script, [], more),
      );
    if (flags.input !== undefined) throw new UsageError("--input goes with --resume of a worker");
    const fromFile = isSnapshotFile(which) ? importFile(which) : undefined;
    const store = existingStore(ownStateFolder());
    if (store === undefined) {
      throw new StoreError("missing", `there is no store in ${ownStateFolder()}: no run was recorded here`);
    }
    const name = fromFile ?? runNamed(store, which);
    return await resume(store, name, file, flags, surroundings);
  } catch (error) {
    throw asUsageError(error);
  }
}

async function resume(
  store: Store,
  name: string,
  file: string | undefined,
  flags: RunFlags,
  surroundings: Surroundings | undefined,
): Promise<number> {
  const owned = takeOver(store, name);
  if (owned === undefined) return exitCode.parked;
  try {
    return await resumeRunAs(owned, store, name, file, flags, surroundings);
  } finally {
    owned.close();
  }
}

function refuseTrial(name: string, set: string | undefined): void {
  if (set !== undefined)
    throw new UsageError(
      `${name} is a trial of the set ${set}: \`harn eval resume ${set}\` goes on with it`,
      "HARN-CLI-008",
    );
}

async function resumeRunAs(
  owned: RunWriter,
  store: Store,
  name: string,
  file: string | undefined,
  flags: RunFlags,
  surroundings: Surroundings | undefined,
): Promise<number> {
  const journal = store.runs.read(name);
  refuseTrial(name, setOfTrial(journal.header));
  const point = resumePoint(journal);
  const answers = humanAnswersOf(store, name);
  refuseEnded(name, point, store);
  const hasDecisions = answers.size > 0 || doubtDecisions(store, name).size > 0;
  const decides = (await onDoubtOf(flags, journal.header.cwd)) !== "ask";
  if (
    point.because === "parked" &&
    surroundings === undefined &&
    !(hasDecisions || decides || ownProcess().stdin.isTTY)
  ) {
    reportError(`harn: ${name} still waits for a person; \`harn hitl list\` shows the question\n`);
    return exitCode.parked;
  }
  const { history, failed } = point;
  const lost = store.runs.lostPart(name, journal, point);
  sayWhatWasLost(name, lost);
  const shown = Math.max(point.shown, lost.shown);
  return await resumeRun({
    store,
    name,
    owned,
    journal,
    history,
    failed,
    shown,
    lost,
    answers,
    flags,
    script: file,
    ...(surroundings === undefined ? {} : { surroundings }),
  });
}

function sayWhatWasLost(name: string, { records }: LostPart): void {
  if (records > 0)
    reportError(`harn: the last ${records} records of ${name} were lost with a damaged store\n`);
}

function refuseEnded(name: string, point: ResumePoint, store: Store): void {
  if (point.because !== "ended") return;
  const code = store.runs.find(name)?.exitCode ?? 0;
  throw new UsageError(
    `${name} has ended (exit code ${code}): there is nothing to go on with\n  \`harn replay ${name}\` shows it again, \`harn fork ${name} --at N\` begins anew at a step`,
    "HARN-CLI-008",
  );
}

/** What belongs to the beginning of a run. */
function refuseFlags(flags: RunFlags, args: readonly string[]): void {
  for (const [name, value] of [
    ["-e", flags.eval],
    ["--record", flags.record],
    ["--seed", flags.seed],
  ]) {
    if (value !== undefined) throw new UsageError(`${String(name)} does not go with --resume`);
  }
  if (args.length > 0) throw new UsageError("a resumed run keeps its arguments; give none after `--`");
}

function isSnapshotFile(which: string): boolean {
  try {
    return statSync(ownPath(which)).isFile();
  } catch {
    return false;
  }
}
