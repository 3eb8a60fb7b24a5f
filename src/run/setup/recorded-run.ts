/** The journal of a run: begun in the store with its first effect, or in a file from the start (`harn run --record`). */

import {
  type CoreOptions,
  JournalProblem,
  type JournalWriter,
  type Json,
  type OutputHash,
  Recorder,
  type RunInfo,
  Secrets,
} from "../../effects/index.ts";
import { reportError, version } from "../../host/command/index.ts";
import { type Host, newRunId, nodeDigest, nodeOutputHash, nodePlatform } from "../../host/index.ts";
import type { ExecutableProgram } from "../../lower/index.ts";
import type { FoundModule } from "../../program/index.ts";
import {
  createJournalFile,
  openStore,
  type RunWriter,
  type Store,
  StoreError,
  statePlacesOf,
} from "../../store/index.ts";
import type { OwnedJournal, Surroundings } from "./surroundings.ts";

/** What the journal says about a run. */
export interface RunToRecord {
  /** The name that the run is to have in the store; without one it gets a new one. */
  readonly name?: string | undefined;
  readonly program: ExecutableProgram;
  readonly modules: readonly FoundModule[];
  readonly path: string;
  readonly args: readonly string[];
  readonly host: Host;
  /** `Surroundings.reader` */
  readonly reader?: Surroundings["reader"] | undefined;
  /** `Surroundings.writer` */
  readonly writer?: ((writer: RunWriter) => RunWriter) | undefined;
  /** Options that change what the program does, as a resume needs them. */
  readonly options: { readonly [name: string]: Json };
  /** Written to the store in the transaction in which the run begins; without its record such a run is nothing. */
  readonly beginning?: ((store: Store, run: string) => void) | undefined;
}

/** What is printed before the first effect, hashed once there is much of it. */
export class EarlyOutput {
  readonly secrets: Secrets;
  readonly hash: OutputHash = nodeOutputHash();
  constructor(host: Host) {
    // Of the whole environment, whatever of it the run may read.
    this.secrets = Secrets.ofEnvironment((host.own ?? host).env);
  }
  take(texts: readonly string[]): void {
    for (const text of texts) this.hash.update(this.secrets.named(text));
  }
}

/** The journal that a run writes, once it is begun. */
export interface RunJournal {
  readonly recorder: Recorder;
  /** The name under which it can be resumed; `undefined` when it is not in the store. */
  readonly run: string | undefined;
  /** In the store, as this process owns it. */
  readonly owned: OwnedJournal | undefined;
  question(place: string, question: Json): void;
  /** When the run has ended. */
  close(): void;
}

/** Begins a journal file. Throws a `JournalProblem` when it cannot be written. */
export function journalInFile(file: string, run: RunToRecord, seed: string): RunJournal {
  // The writer last: what comes before takes its time, and a run that is killed meanwhile should leave no empty journal.
  const info = infoOf(run, newRunId());
  const recorder = begin(createJournalFile(file), run, info, seed, new EarlyOutput(run.host));
  // A run that is killed before it ever waits leaves a journal that says so.
  recorder.writer.flush();
  return { recorder, run: undefined, owned: undefined, question: () => {}, close: () => {} };
}

/**
 * Begins a run in the store. A state folder that nobody asked for and that can't be written costs the record, not the run:
 * one line says so.
 */
export function journalInStore(run: RunToRecord, seed: string, early: EarlyOutput | undefined): RunJournal {
  const output = early ?? new EarlyOutput(run.host);
  const info = infoOf(run, run.name ?? newRunId());
  const owned = journalOwned(run, info.run);
  const recorder = begin(owned?.writer ?? nowhere, run, info, seed, output);
  return {
    recorder,
    run: owned === undefined ? undefined : info.run,
    owned,
    question: (place, question) => owned?.writer.question(place, JSON.stringify(question)),
    close: () => {
      try {
        // Closed already where the run came to an end of its own.
        owned?.writer.close();
      } finally {
        owned?.store.close();
      }
    },
  };
}

function journalOwned(
  { host, reader, writer: writerOf = (writer) => writer, beginning }: RunToRecord,
  name: string,
): OwnedJournal | undefined {
  const places = statePlacesOf(host.cwd, host.env);
  let store: Store | undefined;
  try {
    const opened = openStore(places.state);
    store = opened;
    opened.mustBeWritable();
    const also = beginning === undefined ? undefined : (): void => beginning(opened, name);
    return { store: opened, writer: writerOf(opened.runs.begin(name, { also })) };
  } catch (error) {
    store?.close();
    if (!(error instanceof StoreError)) throw error;
    const isNoPlace = error.fault === "readonly" || error.fault === "unreadable";
    // A program that reads no lines would never hear of it, and wait for answers that nobody can keep.
    if (reader === "program" && isNoPlace)
      throw new StoreError(error.fault, `the run can't be recorded: ${error.message}`, [
        "`store` of `harn()` names another folder; with `store: false` nothing is recorded",
      ]);
    // As everybody else of a program says it, who only reads the store.
    if (reader === "program" && error.fault === "newer") throw error;
    if (places.isStateNamed || !isNoPlace || beginning !== undefined) {
      throw new JournalProblem("unwritable", error.message, error.advice);
    }
    reportError(`harn: this run is not recorded: ${error.message} (--no-record says nothing)\n`);
    return undefined;
  }
}

const nowhere: JournalWriter = {
  append: () => {},
  blob: () => {},
  flush: () => {},
  shown: () => {},
  close: () => {},
};

function begin(
  writer: JournalWriter,
  run: RunToRecord,
  info: RunInfo,
  seed: CoreOptions["seed"],
  early: EarlyOutput,
): Recorder {
  const recorder = new Recorder({
    writer,
    digest: nodeDigest,
    secrets: early.secrets,
    outputHash: early.hash,
  });
  recorder.begin(info, seed);
  noteSources(recorder, run.program, run.modules);
  return recorder;
}

/** The texts that run, and what imports meant. */
export function noteSources(
  recorder: Recorder,
  program: ExecutableProgram,
  modules: readonly FoundModule[],
): void {
  for (const module of program.resolved.modules) recorder.source(module.path, module.source.text);
  for (const { from, specifier, path } of modules) recorder.module(from, specifier, path);
}

export function infoOf(run: RunToRecord, name: string): RunInfo {
  return {
    run: name,
    runtime: version,
    platform: nodePlatform(),
    argv: run.args,
    entry: run.path,
    cwd: run.host.cwd,
    options: run.options,
  };
}
