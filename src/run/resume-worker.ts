/**
 * `harn run --resume` of a worker's file (agents.md §17.5, docs/resume.md): the run that it belongs to is followed up to the place where the
 * loop stood still, and lives from there as if the loop had never stopped. Without that run the loop goes on alone.
 */

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  History,
  type HistoryStep,
  historyBefore,
  type Json,
  Secrets,
  shownUpTo,
  standInMark,
  stepsOf,
} from "../effects/index.ts";
import { ownStateFolder, reportError, UsageError } from "../host/command/index.ts";
import { nodeCrypto, nodeDigest } from "../host/index.ts";
import { LlmUsageError, loadFixtures } from "../model/index.ts";
import { ownPath, ownProcess, ownVariables } from "../process/index.ts";
import { readProgram } from "../program/index.ts";
import { existingStore, type RunState, type RunWriter, type Store } from "../store/index.ts";
import { Dict, ScriptError, type Value } from "../values/index.ts";
import { loadWorkers, suspensionMarker } from "../work/index.ts";
import { beginRecordedRun } from "./begin-run.ts";
import { resumeRun } from "./resume-run.ts";
import { humanAnswersOf } from "./setup/human-answers.ts";
import type { RunFlags } from "./setup/run-flags.ts";
import { takeOver } from "./take-over.ts";

/** The file of the worker that is meant; `undefined` when it is a run. */
export function workerFile(which: string): string | undefined {
  if (/^worker_[\w-]+$/.test(which)) {
    const file = join(workerFolder(), `${which}.json`);
    if (existsSync(file)) return file;
    throw new UsageError(`there is no worker ${which}: nothing lies at ${file}`, "HARN-CLI-005");
  }
  return existsSync(ownPath(which)) && speaksOfWorker(which) ? which : undefined;
}

const workerFolder = (): string =>
  ownPath(ownProcess().env.HARN_WORKER_STATE_DIR || join(ownStateFolder(), "workers"));

/** By its name, or by what it begins with: files of runs are lines of JSON. */
function speaksOfWorker(file: string): boolean {
  if (/^worker_[\w-]+\.json$/.test(basename(file))) return true;
  try {
    return /^\s*\{\s*"_type":\s*"worker_snapshot"/.test(readFileSync(ownPath(file), "utf8").slice(0, 200));
  } catch {
    return false;
  }
}

/** What of a snapshot the command line looks at. */
interface Snapshot {
  readonly file: string;
  readonly worker: string;
  readonly status: string;
  readonly run: string | undefined;
  readonly place: string | undefined;
}

/** `harn run --resume RUN SCRIPT` */
export type ResumeByName = (run: string, script: string | undefined, flags: RunFlags) => Promise<number>;

/** `script` is another version of the run's script. */
export async function resumeWorker(
  file: string,
  script: string | undefined,
  flags: RunFlags,
  resume: ResumeByName,
): Promise<number> {
  const snapshot = await snapshotIn(file);
  const { worker, status } = snapshot;
  if (!["suspended", "interrupted", "running", "awaiting"].includes(status))
    throw new UsageError(`worker ${worker} is ${status}: there is nothing to go on with`, "HARN-CLI-008");
  const store = existingStore(ownStateFolder());
  const run = snapshot.run === undefined ? undefined : store?.runs.find(snapshot.run);
  if (store !== undefined && run !== undefined) {
    if (status === "suspended") return await takenOver(store, run.name, snapshot, script, flags);
    if (run.state === "running" || resumableStates.includes(run.state))
      return await resumeWithRun(run.name, script, flags, resume);
  }
  if (script !== undefined)
    throw new UsageError(`the loop of ${worker} goes on alone, without a script: leave ${script} out`);
  return await resumeAlone(snapshot, run !== undefined, flags);
}

const resumableStates: readonly RunState[] = ["interrupted", "stopped", "waiting", "failed"];

async function snapshotIn(file: string): Promise<Snapshot> {
  const { checkedSnapshot, parsedSnapshot } = await loadWorkers();
  let read: Dict;
  try {
    read = checkedSnapshot(nodeCrypto, file, parsedSnapshot(file, readFileSync(ownPath(file), "utf8")));
  } catch (error) {
    if (error instanceof ScriptError) throw new UsageError(String(error.value), "HARN-CLI-008");
    if (error instanceof Error && "syscall" in error)
      throw new UsageError(`${file} can't be read: ${error.message}`, "HARN-CLI-006");
    throw error;
  }
  const cold = read.get("cold_start");
  const field = (name: string): string | undefined => {
    const value: Value | undefined = cold instanceof Dict ? cold.get(name) : undefined;
    return typeof value === "string" ? value : undefined;
  };
  const text = (name: string): string => String(read.get(name));
  return { file, worker: text("id"), status: text("status"), run: field("run"), place: field("place") };
}

// ── in its run ────────────────────────────────────────────────────────────────────────────────────────────────────

async function takenOver(
  ...[store, run, ...more]: readonly [Store, string, Snapshot, string | undefined, RunFlags]
): Promise<number> {
  const owned = takeOver(store, run);
  try {
    return await resumeFromThere(owned, store, run, ...more);
  } finally {
    owned.close();
  }
}

async function resumeFromThere(
  owned: RunWriter,
  store: Store,
  run: string,
  snapshot: Snapshot,
  script: string | undefined,
  flags: RunFlags,
): Promise<number> {
  const journal = store.runs.read(run);
  const history = new History(journal);
  const marker = markerOf(history, run, snapshot);
  const kept = historyBefore(journal, history, marker, true);
  listWhatIsDropped(history, marker, run);
  const answers = humanAnswersOf(store, run);
  for (const [place, result] of finishedSince(history, kept)) answers.set(place, result);
  const { input, resume: _resume, ...others } = flags;
  answers.set(marker.place, {
    status: "resumed",
    input: input ?? null,
    continue_transcript: true,
    // Recorded with the answer: a replay takes them from there.
    ...(flags.llmMock === undefined ? {} : { fixtures: fixturesOf(flags.llmMock) }),
  });
  return await resumeRun({
    store,
    name: run,
    journal,
    history: kept,
    shown: shownUpTo(journal, history.records[marker.at]),
    answers,
    owned,
    flags: others,
    script,
  });
}

function fixturesOf(file: string): Json {
  try {
    return loadFixtures(file, reportError) as unknown as Json;
  } catch (error) {
    if (error instanceof LlmUsageError) throw new UsageError(error.message, "HARN-CLI-010");
    throw error;
  }
}

/** The place in the run's journal where the worker's loop stood still. */
function markerOf(history: History, run: string, { file, worker, place }: Snapshot): HistoryStep {
  const step = stepsOf(history).find((one) => one.kind === suspensionMarker && one.place === place);
  if (step === undefined || field(history, step.args as Json, "worker") !== worker)
    throw new UsageError(
      `${file} does not fit the recorded run ${run}: ${worker} was not suspended at ${place ?? "any place"} of it\n  it may be the file of another run, or the run has gone another way since; \`harn runs show ${run}\` shows it`,
      "HARN-SUS-011",
    );
  if (field(history, step.result?.v, "status") === "resumed")
    throw new UsageError(
      `${worker} has gone on from this suspension already; its newest state is in ${join(workerFolder(), `${worker}.json`)}\n  \`harn fork ${run} --at ${step.number}\` begins another run from there`,
      "HARN-SUS-012",
    );
  return step;
}

function field(history: History, packed: Json | undefined, name: string): Json | undefined {
  const whole = packed === undefined ? null : history.whole(packed);
  if (typeof whole !== "object" || whole === null || Array.isArray(whole)) return undefined;
  return (whole as { readonly [key: string]: Json })[name];
}

/** Effects that were in progress when the loop stood still and have ended since: their results are taken, not made again. */
function finishedSince(history: History, kept: History): Map<string, Json> {
  const secrets = Secrets.ofEnvironment(ownVariables());
  secrets.follow({ format: history.format, mark: standInMark(history.seed, nodeDigest) });
  const found = new Map<string, Json>();
  for (const record of kept.records) {
    if (record.t !== "intent" || kept.at(record.p, record.n)?.result !== undefined) continue;
    const value = history.at(record.p, record.n)?.result?.v;
    if (value !== undefined) found.set(`${record.p}#${record.n}`, secrets.revealIn(history.whole(value)));
  }
  return found;
}

const changing: readonly string[] = ["write", "model", "human"];
const listed = 20;
const maxLength = 80;

/**
 * What the script has done since it was told `suspended`: it stays done, and the script may do it again. Other workers that
 * went on after this place stand still once more.
 */
function listWhatIsDropped(history: History, marker: HistoryStep, run: string): void {
  const after = stepsOf(history).filter(({ at }) => at > marker.at);
  const lines = after.flatMap((step) => droppedLine(history, step));
  if (lines.length === 0) return;
  const shown = lines.slice(0, listed);
  if (lines.length > listed) shown.push(`  … and ${lines.length - listed} more`);
  reportError(
    `harn: since the suspension ${run} has done this, and it stays done; what it does from here on comes in addition:\n${shown.join("\n")}\n`,
  );
}

function droppedLine(history: History, { number, effect, kind, args, result }: HistoryStep): string[] {
  if (field(history, result?.v, "status") === "resumed" && kind === suspensionMarker)
    return [
      `  ${number}  ${String(field(history, args as Json, "worker"))} went on; it will stand still there again`,
    ];
  if (!changing.includes(effect) || kind === "worker.snapshot") return [];
  const text = JSON.stringify(history.whole(args as Json));
  return [
    `  ${number}  ${effect}  ${kind} ${text.length > maxLength ? `${text.slice(0, maxLength)}…` : text}`,
  ];
}

/** The worker was at work when its run ended too early: the run goes on, and the worker with it. */
async function resumeWithRun(
  run: string,
  script: string | undefined,
  { resume: _resume, input, ...flags }: RunFlags,
  resume: ResumeByName,
): Promise<number> {
  if (input !== undefined)
    throw new UsageError(
      "--input goes with a worker that is suspended; this one was interrupted in its work",
    );
  reportError(`harn: this worker was at work when ${run} ended too early; the run goes on\n`);
  return await resume(run, script, flags);
}

// ── alone ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Path and input are arguments: inside the text they would need quoting. */
const program = `let worker = wait_agent(resume_agent(argv[0], len(argv) > 1 ? argv[1] : nil))
if worker.status == "failed" {
  throw worker.error
}
`;

async function resumeAlone({ file, run }: Snapshot, isRecorded: boolean, flags: RunFlags): Promise<number> {
  const why =
    run === undefined
      ? "its run was not recorded"
      : `its run ${run} ${isRecorded ? "has ended" : "is not recorded here"}`;
  reportError(`harn: ${why}: the loop goes on alone\n`);
  const { input, resume: _resume, ...others } = flags;
  const args = [ownPath(file), ...(input === undefined ? [] : [input])];
  return await beginRecordedRun(readProgram(undefined, program), args, others);
}
