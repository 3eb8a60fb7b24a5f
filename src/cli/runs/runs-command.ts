/** `harn runs`: what was recorded in this project. */

import { join } from "node:path";
import { showOneLine } from "../../diagnostics/index.ts";
import {
  History,
  type HistoryStep,
  type Journal,
  JournalProblem,
  type Json,
  resumePoint,
  Secrets,
  shownPieces,
  stepsOf,
} from "../../effects/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  explained,
  inStore,
  inStoreOr,
  ownStateFolder,
  print,
  reportAsJson,
  reportError,
  reportFailure,
  runNamed,
  UsageError,
} from "../../host/command/index.ts";
import { exportRun, importFile, modelCalls, modelCallText, trialOfRun } from "../../run/index.ts";
import { repairStore, type Store, type StoredRunSummary, stateWords, storeFile } from "../../store/index.ts";
import type { fileFlags, pruneFlags, runsFlags, showFlags } from "../flags/runs.ts";

export type RunsFlags = FlagsOf<typeof runsFlags>;

export type ShowFlags = FlagsOf<typeof showFlags>;
const printJson = (value: unknown): void => reportAsJson(value);

/** Newest first. A project without a store has no runs. */
export function listRuns(flags: RunsFlags): number {
  const limit = flags.limit ?? Number.POSITIVE_INFINITY;
  const runs = inStoreOr(
    (): readonly StoredRunSummary[] => [],
    (store) => store.runs.list({ trials: flags.trials === true }).slice(0, limit),
  );
  if (flags.json === true) for (const run of runs) printJson(runSummaryJson(run));
  else if (runs.length === 0) print(`no runs in ${ownStateFolder()}\n`);
  else for (const run of runs) print(`${summaryLine(run)}\n`);
  return exitCode.ok;
}

function summaryLine(run: StoredRunSummary): string {
  const when = new Date(run.began).toISOString().slice(0, 19).replace("T", " ");
  const code = run.exitCode === undefined || run.isOnWorkers ? "" : ` (${run.exitCode})`;
  const parent = run.parent === undefined ? "" : `  from ${run.parent}`;
  const { outcome } = run;
  const bad = outcome === undefined ? [] : [`its agent ${outcome.status}: ${outcome.why}`];
  const notes = [...bad, ...run.notes].map((note) => `\n    ! ${note}`).join("");
  return `${run.name}  ${when}  ${`${stateWords(run)}${code}`.padEnd(14)}  ${run.entry}${parent}${notes}`;
}

function runSummaryJson(run: StoredRunSummary): object {
  const time = (ms: number | undefined): string | null =>
    ms === undefined ? null : new Date(ms).toISOString();
  return {
    run: run.name,
    state: run.state,
    ...(run.isOnWorkers ? { on_workers: true } : {}),
    script: run.entry,
    args: run.argv,
    began: time(run.began),
    ended: time(run.ended),
    exit_code: run.exitCode ?? null,
    parent: run.parent ?? null,
    records: run.records,
    ...(run.notes.length === 0 ? {} : { notes: run.notes }),
    ...(run.outcome === undefined ? {} : { outcome: run.outcome }),
  };
}

/** What a run did, step by step: the numbers are those of `harn fork --at`. */
export async function showRun(which: string, flags: ShowFlags): Promise<number> {
  if (which.includes(":")) {
    const { runOfTrial } = await import("../../eval/local/index.ts");
    return showOwnRun(runOfTrial(which), flags);
  }
  return showOwnRun(which, flags);
}

function showOwnRun(which: string, flags: ShowFlags): number {
  return inStore((store) => {
    const name = runNamed(store, which);
    const run = store.runs.find(name) as StoredRunSummary;
    const { journal, damage } = store.runs.readable(name);
    const history = new ReadableHistory(journal);
    const trial = trialOfRun(journal.header);
    const steps = stepsOf(history.history);
    if (flags.call !== undefined) {
      showCall(name, flags.call, steps, history, flags.json === true);
      return printLines(damage === undefined ? history.damaged : [damage.message, ...damage.details]);
    }
    if (flags.json === true) {
      printJson({
        ...runSummaryJson(run),
        ...(trial === undefined ? {} : { trial }),
        printed: shownPieces(journal),
        steps: steps.map((step) => stepJson(step, history)),
        ...(damage === undefined ? {} : { damaged: damage.message }),
      });
    } else printRunText(run, journal, history, flags.all === true ? steps : steps.filter(isStepShown));
    const cut = store.runs.cut(name);
    if (cut !== undefined && flags.json !== true)
      reportError(`harn: a repair has cut what came after its first ${cut.records} records\n`);
    return printLines(damage === undefined ? history.damaged : [damage.message, ...damage.details]);
  });
}

/** What an effect gave, or how it failed. */
const resultOf = (result: NonNullable<HistoryStep["result"]>, history: ReadableHistory): Json =>
  history.whole((result.v ?? result.e ?? null) as Json);

/** One model call, nothing shortened. */
function showCall(
  run: string,
  number: number,
  steps: readonly HistoryStep[],
  history: ReadableHistory,
  json: boolean,
): void {
  const calls = modelCalls(
    steps
      .filter(({ kind }) => kind === "llm.call")
      .map((step) => ({
        number: step.number,
        place: step.place,
        kind: step.kind,
        args: history.whole((step.args ?? null) as Json),
        result: step.result === undefined ? undefined : resultOf(step.result, history),
      })),
  );
  const call = calls[number - 1];
  if (call === undefined)
    throw new UsageError(
      calls.length === 0
        ? `${run} has no model calls: answers of llm_mock are the program's own and not recorded`
        : `${run} has no model call ${number}; they are numbered from 1 to ${calls.length}`,
      "HARN-CLI-008",
    );
  if (json) printJson(call);
  else print(Secrets.readable(modelCallText(call, calls.length)));
}

/** Names what is damaged. */
function printLines(lines: readonly string[]): number {
  return lines.length === 0 ? exitCode.ok : reportFailure(new UsageError(lines.join("\n  "), "HARN-CLI-020"));
}

/** A recorded run of which parts may be damaged: they are named, the rest is shown. */
class ReadableHistory {
  readonly history: History;
  readonly damaged: string[] = [];

  constructor(journal: Journal) {
    this.history = this.read(
      () => resumePoint(journal).history,
      () => new History(journal),
    );
  }

  /** Data as it was; what can't be read is said in its place. */
  whole(packed: Json): Json {
    return this.read(
      () => this.history.whole(packed),
      (why) => `(${why})`,
    );
  }

  private read<T>(read: () => T, instead: (why: string) => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof JournalProblem)) throw error;
      if (!this.damaged.includes(error.message)) this.damaged.push(error.message);
      return instead(error.message);
    }
  }
}

/** A program reads the clock all the time: the list is about what it did. The steps keep their numbers. */
const isStepShown = ({ kind }: HistoryStep): boolean => !kind.startsWith("clock.");

function printRunText(
  run: StoredRunSummary,
  journal: Journal,
  history: ReadableHistory,
  steps: readonly HistoryStep[],
): void {
  const { header } = journal;
  print(`${summaryLine(run)}\n`);
  if (header.argv.length > 0) print(`arguments: ${Secrets.readable(header.argv.join(" "))}\n`);
  const trial = trialOfRun(header);
  // A trial's journal repeats nothing of its plan, which says where and by what it was recorded.
  if (trial === undefined)
    print(`recorded by harn ${header.runtime}, Node ${header.platform.node ?? "?"}, in ${header.cwd}\n`);
  else
    print(
      `trial of an evaluation: \`harn eval show ${showOneLine(trial)}\` has its scores and its conversation\n`,
    );
  for (const step of steps) {
    const { result } = step;
    const came =
      result === undefined
        ? "(no result)"
        : result.e !== undefined
          ? `failed: ${shortJson(history.whole(result.e))}`
          : shortJson(history.whole(result.v ?? null));
    print(`${String(step.number).padStart(4)}  ${step.kind} ${shortJson(argsOf(step, history))} → ${came}\n`);
  }
}

const argsOf = (step: HistoryStep, history: ReadableHistory): unknown =>
  history.whole((step.args ?? null) as never);

const maxLength = 80;

function shortJson(value: unknown): string {
  const text = Secrets.readable(JSON.stringify(value) ?? "null");
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

function stepJson(step: HistoryStep, history: ReadableHistory): object {
  const { number, place, effect, kind, result } = step;
  const came =
    result === undefined
      ? {}
      : result.e !== undefined
        ? { error: history.whole(result.e) }
        : { result: history.whole(result.v ?? null) };
  return { step: number, place, effect, kind, args: argsOf(step, history), ...came };
}

export function deleteRuns(names: readonly string[]): number {
  return inStore((store) => {
    for (const which of names) {
      const name = runNamed(store, which);
      store.runs.delete(name);
      print(`deleted ${name}\n`);
    }
    return exitCode.ok;
  });
}

export type PruneFlags = FlagsOf<typeof pruneFlags>;

/** Removes runs that have ended; those at work, interrupted or waiting stay. */
export function pruneRuns(flags: PruneFlags): number {
  if (flags.keep === undefined && flags.olderThan === undefined) {
    throw new UsageError(
      "say what to remove: --keep N keeps the newest N, --older-than DAYS removes older ones",
    );
  }
  const { keep, olderThan: days } = flags;
  const day = 24 * 60 * 60 * 1000;
  const removed = inStore((store) =>
    store.runs.prune({
      ...(keep === undefined ? {} : { keep }),
      ...(days === undefined ? {} : { before: Date.now() - days * day }),
    }),
  );
  if (flags.json === true) printJson({ removed });
  else print(`removed ${removed.length} ${removed.length === 1 ? "run" : "runs"}\n`);
  return exitCode.ok;
}

export type FileFlags = FlagsOf<typeof fileFlags>;

export function exportCommand(which: string, file: string | undefined, flags: FileFlags): number {
  return inStore((store: Store) => {
    const { path, missing } = exportRun(store, runNamed(store, which), file, flags.root);
    print(`${path}\n`);
    return printLines(missing.length === 0 ? [] : ["what is damaged was left out", ...missing]);
  });
}

export function importCommand(file: string, flags: FileFlags): number {
  const name = explained(() => importFile(file, flags.root));
  print(`${name}\n`);
  return exitCode.ok;
}

export function repairRuns(flags: RunsFlags): number {
  const { damaged, runs, dropped } = explained(() =>
    repairStore(join(ownStateFolder(), storeFile), Date.now()),
  );
  if (flags.json === true) printJson({ damaged, runs, dropped });
  else {
    print(
      `took over ${runs.length} ${runs.length === 1 ? "run" : "runs"}; the damaged store is now ${damaged}\n`,
    );
    for (const { name, records, cut, lost } of runs) {
      if (!cut) continue;
      const more = lost > 0 ? `, ${lost} more are lost` : "";
      print(`${name} was cut: its first ${records} records are as they were written${more}\n`);
    }
    if (dropped > 0)
      print(
        `of ${dropped} more ${dropped === 1 ? "run" : "runs"} the beginning is lost: nothing of it was kept\n`,
      );
  }
  return exitCode.ok;
}
