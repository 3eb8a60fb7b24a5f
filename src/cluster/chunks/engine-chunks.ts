/** Chunks behind engine and database: handed out as jobs of the kind `trials`, heard of by what they print. */
import { waitUnlessLeft } from "../hand-over.ts";
import { DatabaseAway } from "../journals/index.ts";
import { type Engine, isUnknownJob, type Job, type JobEnd, type Journals } from "../ports.ts";
import { orderJson, type TravellingFlags } from "../run-order.ts";
import { stopJob } from "../stop-jobs.ts";
import type { ChunkEnd, ChunkListener, ChunkRunner } from "./chunk-runner.ts";
import { chunkProgressIn } from "./progress-line.ts";
import { refusalIn } from "./refused-chunk.ts";
import { chunkSignature } from "./signed-chunks.ts";

export interface EngineChunksOptions {
  readonly engine: Engine;
  readonly journals: Journals;
  /** Of the command that runs the set. */
  readonly flags: TravellingFlags;
  /** File with the private key that signs chunks. */
  readonly sign?: string | undefined;
  /** The database does not answer; it is asked again. */
  readonly away: (error: unknown) => void;
}

const firstLookMs = 200;
const laterLookMs = 2000;
const awayMs = 1000;

export class EngineChunks implements ChunkRunner {
  private readonly options: EngineChunksOptions;
  /** What was handed out by this process. */
  private readonly given = new Map<string, Job["flags"]>();

  constructor(options: EngineChunksOptions) {
    this.options = options;
  }

  async handOut(name: string, file: Uint8Array): Promise<void> {
    const { journals, engine, flags, sign } = this.options;
    const signature = sign === undefined ? undefined : await chunkSignature(sign, { name, file, flags });
    const job: Job = { kind: "trials", name, flags: orderJson({ flags, ends: 0, signature }) };
    await journals.put({ name, kind: job.kind, file, runs: [], order: { flags: job.flags } });
    await engine.start(job);
    this.given.set(name, job.flags);
  }

  async ended(name: string, listener: ChunkListener): Promise<ChunkEnd | undefined> {
    const { signal } = listener;
    // What was handed out here is there.
    const flags = this.given.get(name) ?? (await this.found(name, signal));
    if (flags === undefined) return undefined;
    const over = new AbortController();
    const following = this.followProgress(name, listener, AbortSignal.any([signal, over.signal]));
    try {
      return await this.endOf(name, await this.jobEnd(name, flags, signal), signal);
    } finally {
      over.abort();
      await following;
      this.given.delete(name);
    }
  }

  private async found(name: string, signal: AbortSignal): Promise<Job["flags"] | undefined> {
    const found = await this.asked(signal, () => this.options.journals.fetch(name));
    return found === undefined ? undefined : (found.order?.flags ?? null);
  }

  /** Whoever handed it out may have died before the engine knew of it. */
  private async jobEnd(name: string, flags: Job["flags"], signal: AbortSignal): Promise<JobEnd> {
    const { engine, journals } = this.options;
    try {
      return await engine.ended(name, signal);
    } catch (error) {
      if (!isUnknownJob(error)) throw error;
    }
    // Or the engine has forgotten one that is over.
    const known = await this.asked(signal, () => journals.fetch(name));
    if (known?.result !== undefined) return { kind: "cancelled" };
    await engine.start({ kind: "trials", name, flags });
    return await engine.ended(name, signal);
  }

  private async endOf(name: string, end: JobEnd, signal: AbortSignal): Promise<ChunkEnd> {
    const { journals } = this.options;
    // Nobody has said there that it is over, and somebody may still be at work on it.
    if (end.kind !== "done") await this.asked(signal, () => journals.closeJob(name));
    const fetched = await this.asked(signal, () => journals.fetch(name));
    const runs = fetched?.runs ?? [];
    if (fetched?.result !== undefined) return { runs, ...endOfResult(fetched.result) };
    if (end.kind === "failed") return { kind: "failed", words: end.words, runs };
    return { kind: "stopped", runs };
  }

  /** Until it is over. */
  private async followProgress(
    name: string,
    { onProgress }: ChunkListener,
    signal: AbortSignal,
  ): Promise<void> {
    let seen = 0;
    let wait = firstLookMs;
    while (!signal.aborted) {
      const pieces = await this.options.journals.output(name, seen).catch(() => []);
      const progress = chunkProgressIn(pieces.map(({ text }) => text).join(""));
      seen = pieces.at(-1)?.at ?? seen;
      if (progress !== undefined) {
        onProgress(progress);
        wait = laterLookMs;
      }
      await waitUnlessLeft(wait, signal);
    }
  }

  /** While the database is away it is asked again. */
  private async asked<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof DatabaseAway)) throw error;
        this.options.away(error);
      }
      await waitUnlessLeft(awayMs, signal);
    }
  }

  async stop(name: string, reason: string): Promise<void> {
    await stopJob(this.options, name, reason);
  }
}

function endOfResult(
  result: Uint8Array,
):
  | { readonly kind: "done"; readonly result: Uint8Array }
  | { readonly kind: "refused"; readonly words: string } {
  const words = refusalIn(result);
  return words === undefined ? { kind: "done", result } : { kind: "refused", words };
}
