/**
 * A chunk in a child of its worker: its trials run in this process as `harn eval resume` runs them, and what they came to is written as a
 * set file. What decides about the whole set (races, how many errors there may be, gates) is left to whoever has it.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalProblem, StopRequest } from "../../effects/index.ts";
import {
  plannedTrials,
  type RunSetRequest,
  runSet,
  type SetEnd,
  type SetSpec,
} from "../../eval/engine/index.ts";
import { atOf, evalStoreOf, NodeTrialRuns, planAtHand, type SetStop } from "../../eval/local/index.ts";
import { setPartFile } from "../../eval/local/transfer/index.ts";
import type { Host } from "../../host/index.ts";
import type { RunFlags } from "../../run/setup/index.ts";
import type { RunMirror } from "../../store/copies/index.ts";
import { replaceContent } from "../../store/files/whole-files.ts";
import { openStore, type SnapshotRoots, type Store } from "../../store/index.ts";
import { AttemptOver } from "../ports.ts";
import type { ChunkOutcome } from "./chunk-order.ts";
import type { ChunkProgress } from "./chunk-runner.ts";
import { chunkAtHand, resultFile, spentOn } from "./place-chunk.ts";

export interface PerformedChunk {
  /** `placeChunk` has filled it. */
  readonly folder: string;
  readonly mirror?: RunMirror | undefined;
  readonly flags: RunFlags;
  /** The machine as the worker lends it. */
  readonly lent?: (machine: Host) => Host;
  /** Signals that end it; without one the process has others to listen to them. */
  readonly stop?: SetStop | undefined;
  /** Ends it, what was done so far is its result: aborted with a `StopRequest`. */
  readonly signal?: AbortSignal | undefined;
  /** Another attempt goes on with it: aborted with anything. */
  readonly rest?: AbortSignal | undefined;
  /** Where folders lie on this machine. */
  readonly roots: SnapshotRoots;
  readonly onProgress?: (progress: ChunkProgress) => void;
}

const resting: StopRequest = { reason: "terminate", exitCode: 143, atOnce: true };

/** Gives the exit code of its trials. Throws an `AttemptOver` where somebody else has to go on. */
export async function performChunk(chunk: PerformedChunk): Promise<number> {
  const { folder, mirror, stop, rest, roots } = chunk;
  const files = openStore(folder, { mirror });
  try {
    const ran = new ChunkRun(files, chunk);
    const end = await ran.run();
    if (ran.unwritable !== undefined)
      throw new AttemptOver(ran.unwritable.message, { cause: ran.unwritable });
    if (rest?.aborted === true) throw new AttemptOver("the worker rests");
    mirror?.settle();
    ran.write(end, roots);
    return end.exitCode;
  } finally {
    stop?.close();
    files.close();
  }
}

class ChunkRun {
  /** Why nothing can be written any more. */
  unwritable: JournalProblem | undefined;
  private readonly files: Store;
  private readonly chunk: PerformedChunk;
  private readonly store: ReturnType<typeof evalStoreOf>;
  private readonly broken = new AbortController();
  private readonly warnings = new Set<string>();

  constructor(files: Store, chunk: PerformedChunk) {
    this.files = files;
    this.chunk = chunk;
    this.store = evalStoreOf(files);
  }

  async run(): Promise<SetEnd> {
    const { files, store } = this;
    const { flags, lent, stop } = this.chunk;
    const order = chunkAtHand(files);
    const set = this.set();
    const spec = JSON.parse(set.spec) as SetSpec;
    const at = await planAtHand(files, spec.plan, {
      ...atOf(spec),
      flags,
      ...(lent === undefined ? {} : { lent }),
      travelled: new Map(order.sources),
      onUnwritable: (problem) => {
        this.unwritable ??= problem;
        this.broken.abort(resting);
      },
    });
    await stop?.watch();
    const beside = {
      trials: plannedTrials(store, set, "oracle"),
      costUsd: order.costUsd,
    };
    return await runSet({
      runs: new NodeTrialRuns(files, store, at, stop),
      set,
      as: order.as,
      part: { name: order.name },
      follow: new Set(order.follow),
      random: Math.random,
      signal: this.signal(),
      onProgress: this.progress(order.before.costUsd),
      onWarning: (text) => void this.warnings.add(text),
      ...(order.isBeside ? { beside } : {}),
    });
  }

  private set() {
    const [set] = this.store.sets();
    if (set === undefined) throw new Error(`${this.files.folder} holds no set`);
    return set;
  }

  private signal(): AbortSignal {
    const { stop, signal, rest } = this.chunk;
    const rests = new AbortController();
    const onRest = (): void => rests.abort(resting);
    if (rest?.aborted === true) onRest();
    rest?.addEventListener("abort", onRest, { once: true });
    const signals = [stop?.signal, signal, rests.signal, this.broken.signal];
    return AbortSignal.any(signals.filter((one) => one !== undefined));
  }

  private progress(beforeUsd: number): NonNullable<RunSetRequest["onProgress"]> {
    const { onProgress } = this.chunk;
    let ended = 0;
    return ({ spentUsd }, trial) => {
      if (trial !== null) ended++;
      onProgress?.({ ended, spentUsd: Math.max(0, spentUsd - beforeUsd) });
    };
  }

  /** The file is there as a whole or not at all. */
  write(end: SetEnd, roots: SnapshotRoots): void {
    const { files, store } = this;
    const { folder } = this.chunk;
    const order = chunkAtHand(files);
    const set = this.set();
    const spent = spentOn(store, order);
    const outcome: ChunkOutcome = {
      chunk: "outcome",
      format: 1,
      state: end.state,
      why: end.why,
      spentUsd: Math.max(0, spent.costUsd - order.before.costUsd),
      tokens: Math.max(0, spent.tokens - order.before.tokens),
      warnings: [...this.warnings],
      roots: { ...roots },
    };
    const file = setPartFile(files, store, set, {
      trials: store.trials(set.id).map(({ id }) => id),
      isResult: true,
      names: new Map(order.names),
      draws: store.draws(),
      sources: [],
      chunk: outcome,
    });
    replaceContent(join(folder, resultFile), file, 0o600);
  }
}

/** What `performChunk` has written; `undefined`: it did not come to its end. */
export function chunkResult(folder: string): Uint8Array | undefined {
  const path = join(folder, resultFile);
  return existsSync(path) ? new Uint8Array(readFileSync(path)) : undefined;
}

/** How many intents and results the journals of its trials have: what tells whether an attempt got on. */
export function chunkRecords(folder: string): number {
  const files = openStore(folder);
  try {
    const { runs } = files;
    return runs.list({ trials: true }).reduce((sum, { name }) => sum + runs.progressOf(name), 0);
  } finally {
    files.close();
  }
}
