/** Chunks behind engine and database, as jobs: what is put where, what is heard, and every way in which one ends. */
import { beforeEach, describe, expect, it } from "vitest";
import type { ChunkProgress } from "../../../../src/cluster/chunks/chunk-runner.ts";
import { EngineChunks } from "../../../../src/cluster/chunks/engine-chunks.ts";
import { chunkProgressLine } from "../../../../src/cluster/chunks/progress-line.ts";
import { refusalBytes } from "../../../../src/cluster/chunks/refused-chunk.ts";
import { type DatabasePlace, databasePlace } from "../../../../src/cluster/journals/connection.ts";
import { DatabaseAway } from "../../../../src/cluster/journals/index.ts";
import type { Engine, Job, JobEnd, JobGoods, Journals, OutputPiece } from "../../../../src/cluster/ports.ts";
import { UsageError } from "../../../../src/host/command/index.ts";

const unknown = (): UsageError => new UsageError("the engine knows no such job", "HARN-CLU-010");

/** Engine and database in memory, as far as senders use them. */
class ClusterInMemory {
  readonly jobs = new Map<string, { readonly job: Job; readonly end: PromiseWithResolvers<JobEnd> }>();
  readonly goods = new Map<string, JobGoods & { result?: Uint8Array }>();
  readonly printed = new Map<string, OutputPiece[]>();
  readonly stopped: string[] = [];
  /** What was asked of the database about the end of a chunk, in its order. */
  readonly asked: string[] = [];
  /** What the first questions to the database come to. */
  failures: Error[] = [];

  readonly engine = {
    start: async (job: Job) => {
      if (!this.jobs.has(job.name)) this.jobs.set(job.name, { job, end: Promise.withResolvers<JobEnd>() });
    },
    ended: async (name: string, signal?: AbortSignal) => {
      const found = this.jobs.get(name);
      if (found === undefined) throw unknown();
      const left = new Promise<never>((_, reject) =>
        signal?.addEventListener("abort", () => reject(signal.reason as Error)),
      );
      return await Promise.race([found.end.promise, left]);
    },
    cancel: async (name: string) => {
      const found = this.jobs.get(name);
      if (found === undefined) throw unknown();
      found.end.resolve({ kind: "cancelled" });
    },
  } as unknown as Engine;

  readonly journals = {
    put: async (goods: JobGoods) => void this.goods.set(goods.name, goods),
    fetch: async (name: string) => {
      const failure = this.failures.shift();
      if (failure !== undefined) throw failure;
      this.asked.push(`fetch ${name}`);
      return this.goods.get(name);
    },
    output: async (name: string, after: number) =>
      (this.printed.get(name) ?? []).filter(({ at }) => at > after),
    stop: async (name: string) => void this.stopped.push(name),
    closeJob: async (name: string) => void this.asked.push(`close ${name}`),
  } as unknown as Journals;

  print(name: string, text: string): void {
    const before = this.printed.get(name) ?? [];
    this.printed.set(name, [...before, { at: before.length + 1, stream: "stderr", text }]);
  }

  over(name: string, end: JobEnd, result?: Uint8Array): void {
    const goods = this.goods.get(name);
    if (goods !== undefined && result !== undefined) this.goods.set(name, { ...goods, result });
    this.jobs.get(name)?.end.resolve(end);
  }
}

const done: JobEnd = { kind: "done", result: { exitCode: 0, records: 3 } };
const zip = new Uint8Array([0x50, 0x4b, 3, 4]);

let cluster: ClusterInMemory;
let away: unknown[];
let chunks: EngineChunks;
let heard: ChunkProgress[];
let left: AbortController;

beforeEach(() => {
  cluster = new ClusterInMemory();
  away = [];
  heard = [];
  left = new AbortController();
  chunks = chunksOf();
});

const chunksOf = (): EngineChunks =>
  new EngineChunks({
    ...cluster,
    flags: { model: "m" },
    away: (error: unknown) => away.push(error),
  } as never);

const ended = (name: string, of = chunks) =>
  of.ended(name, { signal: left.signal, onProgress: (progress) => heard.push(progress) });

describe("a chunk", () => {
  it("lies in the database before the engine knows of it, with the flags of its sender", async () => {
    await chunks.handOut("c", zip);
    expect(cluster.goods.get("c")).toMatchObject({ kind: "trials", file: zip, runs: [] });
    expect(cluster.jobs.get("c")?.job).toEqual({
      kind: "trials",
      name: "c",
      flags: { flags: { model: "m" }, ends: 0 },
    });
  });

  it("is heard of while it is at work, and gives its file", async () => {
    await chunks.handOut("c", zip);
    const end = ended("c");
    cluster.print("c", `${chunkProgressLine({ ended: 0, spentUsd: 0 })}something else\n{"chunk":"other"}\n`);
    await expect.poll(() => heard).toEqual([{ ended: 0, spentUsd: 0 }]);
    cluster.over("c", done, zip);
    expect(await end).toEqual({ kind: "done", result: zip, runs: [] });
  });

  it("that no worker may do says why", async () => {
    await chunks.handOut("c", zip);
    cluster.over("c", done, refusalBytes("not signed"));
    expect(await ended("c")).toEqual({ kind: "refused", words: "not signed", runs: [] });
  });

  it("that was stopped gives its file, or the journals that there are", async () => {
    await chunks.handOut("c", zip);
    await chunks.handOut("d", zip);
    await chunks.stop("c", "enough");
    expect(cluster.stopped).toEqual(["c"]);
    expect(await ended("c")).toEqual({ kind: "stopped", runs: [] });
    cluster.over("d", { kind: "cancelled" }, zip);
    expect(await ended("d")).toEqual({ kind: "done", result: zip, runs: [] });
    await chunks.stop("unknown", "enough");
  });

  it("that did not end by itself is closed before it is fetched: somebody may still be at work on it", async () => {
    for (const name of ["c", "d", "e"]) await chunks.handOut(name, zip);
    cluster.over("c", done, zip);
    cluster.over("d", { kind: "cancelled" });
    cluster.over("e", { kind: "failed", words: "3 attempts died" });
    for (const name of ["c", "d", "e"]) await ended(name);
    expect(cluster.asked).toEqual(["fetch c", "close d", "fetch d", "close e", "fetch e"]);
  });

  it("that killed whoever did it gives the last words", async () => {
    await chunks.handOut("c", zip);
    cluster.over("c", { kind: "failed", words: "3 attempts died" });
    expect(await ended("c")).toEqual({ kind: "failed", words: "3 attempts died", runs: [] });
  });
});

describe("whoever follows a chunk of a process that is gone", () => {
  it("is told that there is none", async () => {
    expect(await ended("c")).toBeUndefined();
  });

  it("hands it to the engine when that was not done", async () => {
    await chunks.handOut("c", zip);
    const flags = cluster.jobs.get("c")?.job.flags;
    cluster.goods.set("c", { ...(cluster.goods.get("c") as JobGoods), order: { flags } } as never);
    cluster.jobs.clear();
    const end = ended("c", chunksOf());
    await expect.poll(() => cluster.jobs.get("c")?.job).toMatchObject({ kind: "trials", flags });
    cluster.over("c", done, zip);
    expect(await end).toEqual({ kind: "done", result: zip, runs: [] });
  });

  it("gets the result of one that the engine has forgotten", async () => {
    await chunks.handOut("c", zip);
    cluster.over("c", done, zip);
    cluster.jobs.clear();
    expect(await ended("c", chunksOf())).toEqual({ kind: "done", result: zip, runs: [] });
    expect(cluster.jobs.size).toBe(0);
  });

  it("asks again while the database is away, and says so", async () => {
    await chunks.handOut("c", zip);
    cluster.over("c", done, zip);
    const place = databasePlace("postgres://u@h/d") as DatabasePlace;
    const gone = new DatabaseAway(place, new Error("no answer"));
    cluster.failures = [gone];
    expect(await ended("c", chunksOf())).toEqual({ kind: "done", result: zip, runs: [] });
    expect(away).toEqual([gone]);
  });

  it("is told at once what no waiting helps against", async () => {
    await chunks.handOut("c", zip);
    cluster.over("c", done, zip);
    cluster.failures = [new Error("the journal is damaged")];
    await expect(ended("c", chunksOf())).rejects.toThrow("the journal is damaged");
    expect(away).toEqual([]);
  });

  it("may leave", async () => {
    await chunks.handOut("c", zip);
    const end = ended("c");
    left.abort(new Error("left"));
    await expect(end).rejects.toThrow("left");
  });
});
