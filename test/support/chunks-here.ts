/** Sets whose chunks are done in the test's own process, each in a folder of its own as on a worker; and sets that are run as ever. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type {
  ChunkEnd,
  ChunkListener,
  ChunkProgress,
  ChunkRunner,
} from "../../src/cluster/chunks/chunk-runner.ts";
import { type ChunkPorts, runInChunks } from "../../src/cluster/chunks/index.ts";
import { chunkResult, performChunk } from "../../src/cluster/chunks/perform-chunk.ts";
import { placeChunk } from "../../src/cluster/chunks/place-chunk.ts";
import type { StopRequest } from "../../src/effects/index.ts";
import {
  type ChunkNote,
  type EvaluateRequest,
  type EvaluationEnd,
  evalStoreOf,
  evaluate,
  noteChunk,
  resumeEvaluation,
  setLease,
} from "../../src/eval/local/index.ts";
import { reportOf, setAsJson, storedSetOf } from "../../src/eval/report/index.ts";
import { inProcess } from "../../src/process/index.ts";
import { madeProcess } from "../../src/process/made-process.ts";
import { existingStore, type Store } from "../../src/store/index.ts";
import type { Json } from "../../src/values/index.ts";
import { cleanEnvironment } from "./command-environment.ts";

interface ChunkHere {
  readonly file: Uint8Array;
  readonly stop: AbortController;
  readonly end: Promise<ChunkEnd>;
  readonly listeners: Set<ChunkListener>;
  /** What was told last. */
  readonly told: ChunkProgress[];
}

export interface ChunksHereOptions {
  /** Where the folders of chunks lie. */
  readonly folder: string;
  /** Chunks at once; 2 unless given. */
  readonly workers?: number;
  /** Looks at a chunk before it begins, or does it. */
  readonly begin?: (name: string, file: Uint8Array) => Promise<ChunkEnd | undefined> | ChunkEnd | undefined;
  /** What a chunk came to, changed. */
  readonly end?: (name: string, end: ChunkEnd) => ChunkEnd;
}

const stopped: StopRequest = { reason: "cancel", exitCode: 5, atOnce: true };

export class ChunksHere implements ChunkRunner {
  /** Names in the order in which they were handed out. */
  readonly names: string[] = [];
  readonly files = new Map<string, Uint8Array>();
  readonly ends = new Map<string, ChunkEnd>();
  private readonly options: ChunksHereOptions;
  private readonly chunks = new Map<string, ChunkHere>();
  private readonly waiting: (() => void)[] = [];
  private free: number;

  constructor(options: ChunksHereOptions) {
    this.options = options;
    this.free = options.workers ?? 2;
  }

  async handOut(name: string, file: Uint8Array): Promise<void> {
    if (this.chunks.has(name)) return;
    this.names.push(name);
    this.files.set(name, file);
    const stop = new AbortController();
    const listeners = new Set<ChunkListener>();
    const told: ChunkProgress[] = [];
    const end = this.done(name, file, stop.signal, (progress) => {
      told.push(progress);
      for (const { onProgress } of listeners) onProgress(progress);
    });
    end.catch(() => {});
    this.chunks.set(name, { file, stop, end, listeners, told });
  }

  private async done(
    name: string,
    file: Uint8Array,
    signal: AbortSignal,
    report: (progress: ChunkProgress) => void,
  ): Promise<ChunkEnd> {
    await this.take();
    try {
      report({ ended: 0, spentUsd: 0 });
      const other = await this.options.begin?.(name, file);
      const end = other ?? (await chunkDone(this.options.folder, name, file, signal, report));
      const changed = this.options.end?.(name, end) ?? end;
      this.ends.set(name, changed);
      return changed;
    } finally {
      this.free++;
      this.waiting.shift()?.();
    }
  }

  private async take(): Promise<void> {
    while (this.free === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.free--;
  }

  async ended(name: string, listener: ChunkListener): Promise<ChunkEnd | undefined> {
    const chunk = this.chunks.get(name);
    if (chunk === undefined) return undefined;
    chunk.listeners.add(listener);
    const last = chunk.told.at(-1);
    if (last !== undefined) listener.onProgress(last);
    listener.signal.throwIfAborted();
    const left = new Promise<never>((_, reject) =>
      listener.signal.addEventListener("abort", () => reject(listener.signal.reason as Error)),
    );
    return await Promise.race([chunk.end, left]);
  }

  async stop(name: string): Promise<void> {
    this.chunks.get(name)?.stop.abort(stopped);
  }
}

/** What a worker and its child do with a chunk. */
export async function chunkDone(
  folder: string,
  name: string,
  file: Uint8Array,
  signal?: AbortSignal,
  report: (progress: ChunkProgress) => void = () => {},
): Promise<ChunkEnd> {
  const own = join(folder, name);
  mkdirSync(own, { recursive: true });
  const roots = { project: folder };
  placeChunk({ name, file, runs: [], mayReveal: true }, own, roots);
  await performChunk({
    folder: own,
    flags: {},
    signal,
    roots,
    onProgress: report,
  });
  const result = chunkResult(own);
  if (result === undefined) throw new Error(`${name} left no result`);
  return { kind: "done", result, runs: [] };
}

/** Notes a chunk as whoever works on the set does. */
export function noteAsOwner(files: Store, set: string, note: ChunkNote): void {
  const lease = files.leases.take(setLease(set));
  if (lease === undefined) throw new Error(`somebody works on ${set}`);
  noteChunk(files, note, set);
  files.leases.release(lease);
}

/** What names of chunks end with, one after the other. */
export const chunkIds = (prefix: string): (() => string) => {
  let number = 0;
  return () => `${prefix}-${String(++number).padStart(3, "0")}`;
};

const emptyRequest = { args: [], flags: {}, params: {}, choice: {} };

/** A project folder, to the functions that commands call. */
export class ProjectHere {
  readonly folder: string;
  private readonly env: Readonly<Record<string, string>>;

  constructor(folder: string, env: Readonly<Record<string, string>> = {}) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.env = env;
  }

  here<T>(work: () => T): T {
    const own = madeProcess({
      cwd: this.folder,
      env: cleanEnvironment({ HARN_STATE_DIR: join(this.folder, ".harn"), ...this.env }),
      stdout: () => {},
      stderr: () => {},
      exit: (code) => new Error(`the process ends (${code})`),
    });
    return inProcess(own, work);
  }

  async evaluate(request: Partial<EvaluateRequest> & { readonly file: string }): Promise<EvaluationEnd> {
    return await this.here(() => evaluate({ ...emptyRequest, ...request }));
  }

  async resume(request: Partial<Parameters<typeof resumeEvaluation>[0]>): Promise<EvaluationEnd> {
    return await this.here(() => resumeEvaluation({ set: "last", flags: {}, ...request }));
  }

  /** `run` of a request: in chunks. */
  inChunks(ports: Pick<ChunkPorts, "runner" | "newId">): NonNullable<EvaluateRequest["run"]> {
    return (request) => runInChunks(request, { ...ports, roots: { project: this.folder } });
  }

  open(): Store {
    const store = existingStore(join(this.folder, ".harn"));
    if (store === undefined) throw new Error("the project has no store");
    return store;
  }

  /** What a set says but for times and names, as JSON. */
  reportOf(name: string): Json {
    const files = this.open();
    try {
      const store = evalStoreOf(files);
      const row = store.set(name);
      if (row === undefined) throw new Error(`there is no set ${name}`);
      return withoutTimes(setAsJson(reportOf(storedSetOf(store, row)), false) as unknown as Json);
    } finally {
      files.close();
    }
  }
}

const times: ReadonlySet<string> = new Set([
  "began",
  "ended",
  "working_ms",
  "wall_ms",
  "set",
  "name",
  "time",
  "ms",
]);

function withoutTimes(json: Json): Json {
  if (Array.isArray(json)) return (json as readonly Json[]).map(withoutTimes);
  if (json === null || typeof json !== "object") return json;
  return Object.fromEntries(
    Object.entries(json).flatMap(([key, value]) => (times.has(key) ? [] : [[key, withoutTimes(value)]])),
  );
}
