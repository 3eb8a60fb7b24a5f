/**
 * The trials of a set on workers, in chunks: put together, handed out, taken in. It stands where a process that runs a set itself has
 * its trials, so order, races, errors, time and the end of the set are decided as ever (`eval/engine/running/run-set.ts`).
 *
 *     trial ─▶ queue ─▶ chunk: noted ─▶ handed out ─▶ over: taken into the set, note gone ─▶ what each trial came to
 *                ▲                                       │ a trial has no money left, or no machine: again
 *                └───────────────────────────────────────┘ a chunk that kills whoever does it: again, in halves
 *
 * What is noted and not over survives the process: whoever resumes the set follows it.
 */
import type { EvalSetRow } from "../../durable/index.ts";
import type {
  EvalStore,
  ExecutedSet,
  PlannedTrial,
  RunSetRequest,
  TrialExecutor,
} from "../../eval/engine/index.ts";
import { evalMessage } from "../../eval/index.ts";
import { type ChunkNote, chunksElsewhere, noteChunk } from "../../eval/local/index.ts";
import type { SnapshotRoots, Store } from "../../store/index.ts";
import type { ChunkEnd, ChunkRunner } from "./chunk-runner.ts";
import { ChunkPace, chunksAhead, connectionShare, moneyShare } from "./chunk-shares.ts";
import { nothingSpent, resultOfRow, type TakenChunk, takeChunk } from "./take-chunk.ts";
import { chunkFile } from "./write-chunk.ts";

export interface ChunkDispatchOptions {
  readonly files: Store;
  readonly store: EvalStore;
  readonly request: RunSetRequest;
  readonly runner: ChunkRunner;
  /** Texts that nobody else makes, here or on another machine: what names of chunks end with. */
  readonly newId: () => string;
  /** Where folders lie on this machine. */
  readonly roots: SnapshotRoots;
}

type Performed = Awaited<ReturnType<TrialExecutor["perform"]>>;

/** A trial that somebody waits for. */
interface AskedTrial {
  readonly trial: PlannedTrial;
  readonly done: (result: Performed) => void;
  /** How often it may still be handed out because it had no environment. */
  retries: number;
  /** Trials of a chunk that it may be in: those of one that failed are parted. */
  atMost: number;
  /** What was too little for its chunk. */
  tooLittle: { readonly costUsd: number; readonly tokens: number };
}

interface ChunkAtWork {
  readonly note: ChunkNote;
  readonly asked: Map<number, AskedTrial>;
  readonly over: AbortController;
  /** When somebody began with it; milliseconds. */
  since: number | undefined;
  isStopping: boolean;
}

export class ChunkDispatch implements TrialExecutor {
  private readonly options: ChunkDispatchOptions;
  private readonly pace = new ChunkPace();
  private readonly chunks = new Map<string, ChunkAtWork>();
  private queue: AskedTrial[] = [];
  private set: ExecutedSet | undefined;
  /** Trials that were not asked for yet. */
  private open = 0;
  private isDispatching = false;
  private isStopping = false;
  /** Engine or database can't be reached. */
  private isAway = false;
  private readonly following = new Set<Promise<void>>();
  private readonly warned = new Set<string>();

  constructor(options: ChunkDispatchOptions) {
    this.options = options;
  }

  begin(set: ExecutedSet): readonly PlannedTrial[] {
    this.set = set;
    this.open = set.open;
    // It stops already, and what is on workers stays there.
    if (this.isStopping) return [];
    const byId = new Map(set.trials.map((trial) => [trial.id, trial]));
    const { files, request } = this.options;
    const notes = chunksElsewhere(files, request.set.id);
    for (const note of notes) {
      set.money.setAside(note.name, note);
      this.follow(note);
    }
    return notes.flatMap(({ trials }) => trials.flatMap((id) => byId.get(id) ?? []));
  }

  hasRoomFor(): boolean {
    return this.queue.length < this.chunkSize();
  }

  perform(trial: PlannedTrial): Promise<Performed> {
    this.open = Math.max(0, this.open - 1);
    return new Promise((done) => {
      const { retries } = this.executed.options();
      const { on, max } = trial.spec.retries;
      const again = on.includes("environment") && (retries ?? max) > 0 ? 1 : 0;
      const asked: AskedTrial = { trial, done, retries: again, atMost: Infinity, tooLittle: nothingSpent };
      const chunk = [...this.chunks.values()].find(({ note }) => note.trials.includes(trial.id));
      if (chunk !== undefined) {
        chunk.asked.set(trial.id, asked);
        return;
      }
      this.queue.push(asked);
      this.dispatchSoon();
    });
  }

  async over(): Promise<void> {
    while (this.following.size > 0) await Promise.all([...this.following]);
  }

  private get executed(): ExecutedSet {
    if (this.set === undefined) throw new Error("the set has not begun");
    return this.set;
  }

  // ── handing out ───────────────────────────────────────────────────────────────────────────────────────────────────

  private chunkSize(): number {
    const { trials } = this.executed.options();
    return this.pace.trialsFor({
      open: this.open + this.queue.length,
      chunks: this.chunks.size,
      atOnce: trials,
    });
  }

  /** Once whoever asks has asked for all that it wants now. */
  private dispatchSoon(): void {
    if (this.isDispatching) return;
    this.isDispatching = true;
    queueMicrotask(() => {
      this.isDispatching = false;
      try {
        while (this.dispatch());
      } catch (error) {
        this.fail(error);
      }
    });
  }

  /** Hands one chunk out, where there is room for it. */
  private dispatch(): boolean {
    if (this.isStopping || this.queue.length === 0) return false;
    const atWork = [...this.chunks.values()].filter(({ since }) => since !== undefined).length;
    if (this.chunks.size - atWork >= chunksAhead(atWork)) return false;
    const { atMost } = this.queue[0] as AskedTrial;
    const size = Math.min(this.chunkSize(), atMost);
    const chosen = this.queue.filter((asked) => asked.atMost === atMost).slice(0, size);
    const shares = this.sharesFor(chosen);
    if (shares === undefined) return false;
    const note: ChunkNote = {
      name: `${this.options.request.set.name}.${this.options.newId()}`,
      set: this.options.request.set.id,
      trials: chosen.map(({ trial }) => trial.id),
      as: this.options.request.as ?? "solver",
      ...shares,
    };
    this.handOut(note, chosen);
    this.queue = this.queue.filter((asked) => !chosen.includes(asked));
    this.executed.wake();
    return true;
  }

  /** Undefined: others have to come back first, or there is nothing left. */
  private sharesFor(
    chosen: readonly AskedTrial[],
  ): Pick<ChunkNote, "costUsd" | "tokens" | "connections"> | undefined {
    const { money } = this.executed;
    const { trials: atOnce, connections: rules } = this.executed.options();
    const { unspent } = money;
    if (this.chunks.size === 0 && (unspent.costUsd === 0 || unspent.tokens === 0)) {
      this.pause(unspent.costUsd === 0 ? "budget" : "budget of tokens");
      return undefined;
    }
    const given = [...this.chunks.values()].map(({ note }) => note.connections);
    const connections = connectionShare({ rules, given, atOnce: Math.min(atOnce, chosen.length) });
    const most = (of: (asked: AskedTrial) => number): number => Math.max(0, ...chosen.map(of));
    const share = moneyShare({
      unspent,
      expectedUsd: chosen.reduce((sum, { trial }) => sum + money.expected(trial), 0),
      tooLittle: {
        costUsd: most(({ tooLittle }) => tooLittle.costUsd),
        tokens: most(({ tooLittle }) => tooLittle.tokens),
      },
      chunks: this.chunks.size,
    });
    return connections === undefined || share === undefined ? undefined : { connections, ...share };
  }

  private handOut(note: ChunkNote, chosen: readonly AskedTrial[]): void {
    const { files, store, request, runner, roots } = this.options;
    const { beside, follow = new Set<number>() } = request;
    const file = chunkFile(files, store, {
      set: this.setRow(),
      note,
      trials: chosen.map(({ trial }) => trial),
      isBeside: beside !== undefined,
      follow,
      roots,
      onWarning: (text) => this.warn(text),
    });
    noteChunk(files, note, request.set.name);
    this.executed.money.setAside(note.name, note);
    const chunk = this.follow(note, async () => {
      await runner.handOut(note.name, file);
      noteChunk(files, { ...note, isSent: true }, request.set.name);
    });
    for (const asked of chosen) chunk.asked.set(asked.trial.id, asked);
  }

  private warn(text: string): void {
    if (this.warned.has(text)) return;
    this.warned.add(text);
    this.options.request.onWarning?.(text);
  }

  /** With what `harn eval tune` has changed of it. */
  private setRow(): EvalSetRow {
    const { store, request } = this.options;
    return store.set(request.set.name) ?? request.set;
  }

  // ── taking in ─────────────────────────────────────────────────────────────────────────────────────────────────────

  private follow(note: ChunkNote, handOut?: () => Promise<void>): ChunkAtWork {
    const chunk: ChunkAtWork = {
      note,
      asked: new Map(),
      over: new AbortController(),
      since: undefined,
      isStopping: false,
    };
    this.chunks.set(note.name, chunk);
    const followed = this.followed(chunk, handOut).catch((error: unknown) => this.lost(chunk, error));
    this.following.add(followed);
    void followed.finally(() => this.following.delete(followed));
    return chunk;
  }

  private async followed(chunk: ChunkAtWork, handOut?: () => Promise<void>): Promise<void> {
    const { runner, request } = this.options;
    const { note, over } = chunk;
    await handOut?.();
    over.signal.throwIfAborted();
    const end = await runner.ended(note.name, {
      signal: over.signal,
      onProgress: () => {
        if (chunk.since !== undefined) return;
        chunk.since = request.runs.monotonic();
        this.dispatchSoon();
        this.executed.wake();
      },
    });
    over.signal.throwIfAborted();
    try {
      // Somebody may have begun with it, and spent: it is not done again by itself.
      if (end === undefined && (handOut !== undefined || note.isSent === true))
        throw new Error(evalMessage("HARN-EVL-024", { name: request.set.name, chunk: note.name }));
      this.take(chunk, end);
    } catch (error) {
      // Its note is still there: what was done is not lost.
      this.chunks.delete(note.name);
      this.fail(error);
      for (const { done } of chunk.asked.values()) done({ kind: "stopped" });
    }
  }

  private take(chunk: ChunkAtWork, end: ChunkEnd | undefined): void {
    const { files, store, request, roots } = this.options;
    const { note } = chunk;
    this.chunks.delete(note.name);
    const taken = takeChunk(files, store, { set: this.setRow(), note, end, roots });
    if (chunk.since !== undefined && taken.kind === "done")
      this.pace.measured(note.trials.length, request.runs.monotonic() - chunk.since);
    this.executed.money.settle(note.name, taken.spent);
    if (taken.kind === "done") for (const text of taken.warnings) this.warn(text);
    if (taken.kind === "failed") this.executed.stop({ state: "failed", why: taken.why, exitCode: 2 });
    const isAlone = note.trials.length === 1;
    for (const asked of chunk.asked.values()) this.settle(asked, taken, note, isAlone);
    this.afterwards(chunk, taken);
    this.dispatchSoon();
  }

  /** What a trial came to, or that it is handed out again. */
  private settle(asked: AskedTrial, taken: TakenChunk, note: ChunkNote, isAlone: boolean): void {
    const { store } = this.options;
    const { trial } = asked;
    trial.row = store.trial(trial.id) ?? trial.row;
    const result = resultOfRow(store, trial);
    const isOpen = result.kind === "stopped";
    const isWithoutPlace = result.kind === "errored" && result.error.category === "environment";
    if (isWithoutPlace && asked.retries > 0 && !this.isStopping) {
      asked.retries--;
      this.queue.push(asked);
    } else if (!isOpen || this.isStopping) asked.done(result);
    else if (taken.kind === "never") this.queue.push(asked);
    else if (taken.kind === "died" && isAlone) asked.done({ kind: "lost", message: taken.why });
    else if (taken.kind === "died") this.again(asked, { atMost: Math.ceil(note.trials.length / 2) });
    else if (taken.kind === "done" && taken.isOfMoney && trial.state !== "waiting")
      this.again(asked, { tooLittle: { costUsd: note.costUsd ?? 0, tokens: note.tokens ?? 0 } });
    else asked.done(result);
  }

  private again(asked: AskedTrial, change: Partial<Pick<AskedTrial, "atMost" | "tooLittle">>): void {
    Object.assign(asked, change);
    this.queue.push(asked);
  }

  /** What the end of a chunk means for the set. */
  private afterwards(chunk: ChunkAtWork, taken: TakenChunk): void {
    const { note } = chunk;
    if (taken.kind === "done" && taken.state === "failed")
      this.executed.stop({ state: "failed", why: taken.why, exitCode: 2 });
    if (taken.kind === "done" && taken.state === "paused") {
      if (!taken.isOfMoney) this.executed.stop({ state: "paused", why: taken.why, exitCode: 5 });
      // It had all there was, and came to nothing.
      else if (this.chunks.size === 0 && taken.isIdle && this.hadAll(note)) this.pause(taken.why ?? "budget");
    }
    const isAsked = chunk.isStopping || this.isStopping;
    if (!isAsked && (taken.kind === "stopped" || (taken.kind === "done" && taken.state === "stopped")))
      this.executed.stop({ state: "stopped", why: `somebody stopped ${note.name}`, exitCode: 5 });
  }

  /** Whether its share was all that the set has left. */
  private hadAll(note: ChunkNote): boolean {
    const { costUsd, tokens } = this.executed.money.unspent;
    return (
      (costUsd !== null && note.costUsd !== null && costUsd <= note.costUsd) ||
      (tokens !== null && note.tokens !== null && tokens <= note.tokens)
    );
  }

  // ── the end ───────────────────────────────────────────────────────────────────────────────────────────────────────

  private pause(why: string): void {
    this.executed.stop({ state: "paused", why, exitCode: 5 });
    this.release();
  }

  /** Nothing of what waits is handed out any more. */
  private release(): void {
    for (const { done } of this.queue.splice(0)) done({ kind: "stopped" });
  }

  /** Engine or database do not answer: the chunk goes on, and whoever resumes the set follows it. */
  private lost(chunk: ChunkAtWork, error: unknown): void {
    this.chunks.delete(chunk.note.name);
    if (!chunk.over.signal.aborted) this.away(error);
    for (const { done } of chunk.asked.values()) done({ kind: "stopped" });
  }

  private away(error: unknown): void {
    this.isAway = true;
    this.pause(`the workers can't be reached: ${unreachableText(error)}`);
  }

  private fail(error: unknown): void {
    this.executed.stop({ state: "failed", why: unreachableText(error), exitCode: 2 });
    this.release();
  }

  /** What is on workers is asked for what it has. Whoever is interrupted leaves it there. */
  stop(): void {
    this.isStopping = true;
    this.release();
    const isLeaving = this.isAway || this.options.request.signal?.aborted === true;
    for (const chunk of this.chunks.values()) {
      if (isLeaving) chunk.over.abort();
      else void this.stopChunk(chunk);
    }
  }

  private async stopChunk(chunk: ChunkAtWork): Promise<void> {
    if (chunk.isStopping) return;
    chunk.isStopping = true;
    try {
      await this.options.runner.stop(chunk.note.name, "the set stops");
    } catch {
      // It goes on, and is followed another time.
      chunk.over.abort();
    }
  }
}

const unreachableText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
