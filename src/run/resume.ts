/** `harn run --resume`: an interrupted run goes on from where it was. */

import { statSync } from "node:fs";
import { dirname, relative } from "node:path";
import {
  type Journal,
  type LostPart,
  type ResumePoint,
  type RunHeader,
  resumePoint,
} from "../effects/index.ts";
import {
  asUsageError,
  commandLineMark,
  exitCode,
  missingRun,
  ownStateFolder,
  reportError,
  runNamed,
  runWholeNamed,
  typedCommand,
  typedCommandName,
  UsageError,
} from "../host/command/index.ts";
import { ownPath, ownProcess } from "../process/index.ts";
import { ownProgram, programIn } from "../program/index.ts";
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
    // Elsewhere than on a command line a run has its whole name.
    if (surroundings !== undefined)
      return await resumeStored(which, runWholeNamed, file, flags, surroundings);
    const worker = workerFile(which);
    if (worker !== undefined)
      return await resumeWorker(worker, file, flags, (run, script, more) =>
        resumeCommand(run, script, [], more),
      );
    if (flags.input !== undefined) throw new UsageError("--input goes with --resume of a worker");
    const fromFile = isSnapshotFile(which) ? importFile(which) : undefined;
    return await resumeStored(fromFile ?? which, runNamed, file, flags);
  } catch (error) {
    throw asUsageError(error);
  }
}

async function resumeStored(
  which: string,
  named: (store: Store, which: string) => string,
  file: string | undefined,
  flags: RunFlags,
  surroundings?: Surroundings,
): Promise<number> {
  const store = existingStore(ownStateFolder());
  if (store === undefined)
    throw surroundings === undefined
      ? new StoreError("missing", `there is no store in ${ownStateFolder()}: no run was recorded here`)
      : missingRun(which);
  try {
    return await resumeInStore(store, named(store, which), file, flags, surroundings);
  } finally {
    // As in `begin-run.ts`.
    if (surroundings !== undefined) store.close();
  }
}

/** A run of an open store. */
export async function resumeInStore(
  store: Store,
  name: string,
  file: string | undefined,
  flags: RunFlags,
  surroundings: Surroundings | undefined,
): Promise<number> {
  const owned = takeOver(store, name);
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
  refuseOthers(name, journal.header, file);
  const isAttended = surroundings !== undefined || ownProcess().stdin.isTTY;
  const point = await pointToGoOn(store, name, journal, flags, isAttended);
  if (point === undefined) return exitCode.parked;
  const answers = humanAnswersOf(store, name);
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

/**
 * Where a run goes on; refused when it has ended. `undefined`: it still waits for a person, which has been said. `isAttended`:
 * whoever goes on with it can ask.
 */
export async function pointToGoOn(
  store: Store,
  name: string,
  journal: Journal,
  flags: RunFlags,
  isAttended: boolean,
): Promise<ResumePoint | undefined> {
  refuseTrial(name, setOfTrial(journal.header));
  const point = resumePoint(journal);
  refuseEnded(name, point, store);
  if (point.because !== "parked" || isAttended) return point;
  const hasDecisions = humanAnswersOf(store, name).size > 0 || doubtDecisions(store, name).size > 0;
  if (hasDecisions || (await onDoubtOf(flags, journal.header.cwd)) !== "ask") return point;
  reportError(
    `harn: ${name} still waits for a person; \`${typedCommand("hitl list")}\` shows the question\n`,
  );
  return undefined;
}

/** An executable goes on with runs of its own program. */
function refuseOthers(name: string, { cwd, entry }: RunHeader, file: string | undefined): void {
  const own = file === undefined ? ownProgram() : undefined;
  if (own === undefined || programIn(dirname(entry), own).path === entry) return;
  throw new UsageError(
    `${name} is a run of ${relative(cwd, entry)}, and in this executable lies ${own.entry}\n  \`${typedCommandName()} ${commandLineMark} run --resume ${name} FILE\` goes on with the program in FILE`,
    "HARN-CLI-008",
  );
}

function sayWhatWasLost(name: string, { records }: LostPart): void {
  if (records > 0)
    reportError(`harn: the last ${records} records of ${name} were lost with a damaged store\n`);
}

function refuseEnded(name: string, point: ResumePoint, store: Store): void {
  if (point.because !== "ended") return;
  const code = store.runs.find(name)?.exitCode ?? 0;
  throw new UsageError(
    `${name} has ended (exit code ${code}): there is nothing to go on with\n  \`${typedCommand(`replay ${name}`)}\` shows it again, \`${typedCommand(`fork ${name} --at N`)}\` begins anew at a step`,
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
