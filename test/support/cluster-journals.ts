/** Projects on one server of PostgreSQL, and runs that are carried there. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openJournals } from "../../src/cluster/journals/index.ts";
import type { Journals } from "../../src/cluster/ports.ts";
import { fingerprintOf, type JournalRecord, type RunHeader } from "../../src/effects/index.ts";
import { nodeDigest } from "../../src/host/index.ts";
import { type CarriedRun, carriedRun, type RunMirror } from "../../src/store/copies/index.ts";
import { openStore, type RunWriter, type SnapshotRoots, type Store } from "../../src/store/index.ts";
import type { Json } from "../../src/values/index.ts";

export interface DatabaseSettings {
  readonly journals: string;
  readonly project: string;
}

/** Where the project of a machine lies. */
export const rootsAt = (folder: string): SnapshotRoots => ({ project: folder, std: `${folder}-std` });

/** A machine: its store, and its connection to the database. */
export interface Machine {
  readonly folder: string;
  readonly store: Store;
  readonly journals: Journals;
  close(): Promise<void>;
}

export async function machineAt(
  folder: string,
  settings: DatabaseSettings,
  { mirror, patienceMs }: { readonly mirror?: RunMirror; readonly patienceMs?: number } = {},
): Promise<Machine> {
  mkdirSync(folder, { recursive: true });
  const store = openStore(join(folder, ".harn"), mirror === undefined ? {} : { mirror });
  const journals = await openJournals(settings, {
    roots: rootsAt(folder),
    lookMs: 200,
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  return {
    folder,
    store,
    journals,
    close: async () => {
      store.close();
      await journals.close();
    },
  };
}

export const headerOf = (run: string, folder = "/work", more: Partial<RunHeader> = {}): RunHeader => ({
  t: "run",
  journal: "harn",
  format: 3,
  run,
  runtime: "0",
  platform: {},
  seed: "s",
  argv: [],
  entry: `${folder}/a.harn`,
  cwd: folder,
  options: null,
  ...more,
});

export const sourceText = 'println("hello")\n';

/** A run as its sender begins it: header and source. */
export function beginRun(store: Store, run: string, folder = "/work", header: Partial<RunHeader> = {}): void {
  const writer = store.runs.begin(run);
  writer.append(headerOf(run, folder, header));
  const hash = nodeDigest(sourceText);
  writer.blob(hash, JSON.stringify(sourceText));
  writer.append({ t: "source", name: `${folder}/a.harn`, hash });
  writer.flush(true);
  writer.close();
}

/** A piece of data in pieces of its own. */
export function pieceOf(value: Json): { readonly hash: string; readonly body: string } {
  const body = JSON.stringify(value);
  return { hash: nodeDigest(body).slice(0, 32), body };
}

export const intent = (n: number, a: Json = []): JournalRecord => ({
  t: "intent",
  p: "0",
  n,
  c: "write",
  k: "file.append",
  h: fingerprintOf("write", "file.append", a, nodeDigest),
  a,
});
export const result = (n: number, v: Json = null): JournalRecord => ({ t: "result", p: "0", n, v });
export const end: JournalRecord = { t: "end", reason: "done", code: 0, w: 0, output: "" };

/** What a run did: its records as data. */
export const recordsOf = (run: CarriedRun | undefined): readonly JournalRecord[] =>
  run?.journal.records ?? [];

export const carried = (store: Store, run: string): CarriedRun => carriedRun(store, run);

export function appended(writer: RunWriter, records: readonly JournalRecord[], durable = true): void {
  for (const record of records) writer.append(record);
  writer.flush(durable);
}
