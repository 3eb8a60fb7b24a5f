/** Journals of jobs in this process, under the contract of `src/cluster/ports.ts`: for tests without PostgreSQL. */
import type { CarriedRun, JobGoods, Journals, OutputPiece } from "../../src/cluster/index.ts";
import { StoreError } from "../../src/store/index.ts";

interface KeptJob {
  goods: JobGoods & { result?: Uint8Array };
  fence: number;
  closedFence: number;
  ended: { readonly exitCode: number; readonly records: number } | undefined;
  isClosed: boolean;
  stop: string | undefined;
  deaths: number;
  deathRecords: number;
  output: OutputPiece[];
}

export class MemoryJournals implements Journals {
  readonly jobs = new Map<string, KeptJob>();
  /** While it is set, the database is away. */
  fault: Error | undefined;
  private readonly listeners = new Set<(name: string, reason: string) => void>();

  async put(goods: JobGoods): Promise<void> {
    this.mustBeThere();
    const known = this.jobs.get(goods.name);
    this.jobs.set(goods.name, {
      fence: (known?.fence ?? 0) + 1,
      closedFence: (known?.fence ?? 0) + 1,
      deaths: 0,
      deathRecords: 0,
      output: known?.output ?? [],
      ended: undefined,
      isClosed: false,
      stop: undefined,
      goods,
    });
  }

  async take(name: string): ReturnType<Journals["take"]> {
    const job = this.job(name);
    if (job.isClosed) throw new StoreError("missing", `the job ${name} is back with its sender`);
    const isAbandoned = job.fence > job.closedFence;
    job.fence++;
    return { ...job.goods, fence: job.fence, isAbandoned, stop: job.stop };
  }

  async fetch(name: string): ReturnType<Journals["fetch"]> {
    this.mustBeThere();
    return this.jobs.get(name)?.goods;
  }

  async output(name: string, after: number): Promise<readonly OutputPiece[]> {
    this.mustBeThere();
    return this.jobs.get(name)?.output.filter(({ at }) => at > after) ?? [];
  }

  async end(name: string, fence: number, end: Parameters<Journals["end"]>[2]): Promise<void> {
    const job = this.job(name);
    if (job.fence !== fence) throw new StoreError("taken", `the job ${name} was taken over`);
    job.ended = { exitCode: end.exitCode, records: end.records };
    job.closedFence = fence;
    if (end.result !== undefined) job.goods = { ...job.goods, result: end.result };
  }

  async closeJob(name: string): Promise<void> {
    this.mustBeThere();
    const job = this.jobs.get(name);
    if (job === undefined) return;
    job.closedFence = ++job.fence;
    job.isClosed = true;
  }

  async died(name: string, records: number): Promise<number> {
    const job = this.job(name);
    job.deaths = records > job.deathRecords ? 0 : job.deaths + 1;
    job.deathRecords = Math.max(job.deathRecords, records);
    job.closedFence = job.fence;
    return job.deaths;
  }

  async leave(name: string, fence: number): Promise<void> {
    const job = this.job(name);
    if (job.fence === fence) job.closedFence = fence;
  }

  async stop(name: string, reason: string): Promise<void> {
    this.mustBeThere();
    const job = this.jobs.get(name);
    if (job === undefined) return;
    job.stop = reason;
    for (const listener of this.listeners) listener(name, reason);
  }

  onStop(listener: (name: string, reason: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async unfinished(): ReturnType<Journals["unfinished"]> {
    return [...this.jobs].flatMap(([name, { goods, ended, isClosed }]) =>
      ended === undefined && !isClosed
        ? [{ name, kind: goods.kind, began: new Date(0), order: goods.order }]
        : [],
    );
  }

  async removeEnded(): Promise<number> {
    return 0;
  }

  async check(): Promise<readonly string[]> {
    return [];
  }

  async close(): Promise<void> {}

  // ── what a worker's child does ────────────────────────────────────────────────────────────────────────────────────

  print(name: string, stream: OutputPiece["stream"], text: string): void {
    const { output } = this.job(name);
    output.push({ at: output.length + 1, stream, text });
  }

  replaceRun(name: string, run: CarriedRun): void {
    const job = this.job(name);
    job.goods = { ...job.goods, runs: [run] };
  }

  private job(name: string): KeptJob {
    this.mustBeThere();
    const job = this.jobs.get(name);
    if (job === undefined) throw new StoreError("missing", `there is no job ${name}`);
    return job;
  }

  private mustBeThere(): void {
    if (this.fault !== undefined) throw this.fault;
  }
}
