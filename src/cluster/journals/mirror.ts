/**
 * The copy of a job's runs in the database, from where the runs are: what they write is handed to a thread, and before an effect that
 * changes the outside they stand still until it is committed there. So nothing of the outside begins that the database does not know
 * of, and whoever has been taken over begins nothing any more. It works in a stretch of computation, too.
 *
 * An interrupt may break any of it off: a message has a new number before it is sent, and nobody goes on who did not see that number
 * settled.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { MirroredWrite, RunMirror } from "../../store/copies/index.ts";
import { StoreError, type StoreFault } from "../../store/index.ts";
import type { ClusterSettings, OutputPiece } from "../ports.ts";
import type { BatchWrite } from "./batch.ts";
import { placeWords } from "./connection.ts";
import { ends, type FromThread, seen, type ThreadStart, type ToThread } from "./mirror-messages.ts";
import { type ProjectPlace, projectPlace } from "./place.ts";

export interface OpenMirror extends RunMirror {
  /** What the job prints. Standard output becomes true together with the count of what was shown (`MirroredWrite.shown`). */
  output(stream: OutputPiece["stream"], text: string): void;
  /** Why it can't be written any more; `undefined` while it can. */
  readonly fault: StoreFault | undefined;
  /** Returns when all is committed, and ends the thread; throws what is in the way. Safe to call twice. */
  close(): void;
}

/** How long the database may be away while a run stands still; milliseconds. */
export const usualPatienceMs = 30_000;
/** Characters that may be on their way without anybody waiting for them. */
const maxInTransit = 64 * 1024 * 1024;

/** Where a bundle keeps the thread, from the file that asks; sources have it beside this one. */
declare const HARN_MIRROR_THREAD: string | undefined;
const threadFile = typeof HARN_MIRROR_THREAD === "undefined" ? "./mirror-thread.ts" : HARN_MIRROR_THREAD;

/** For the runs of a job that was taken: `fence` is that of `TakenJob`. `patienceMs`: how long the database may be away at a barrier. */
export const openMirror = (
  settings: Pick<ClusterSettings, "journals" | "project">,
  job: string,
  fence: number,
  { patienceMs = usualPatienceMs }: { readonly patienceMs?: number } = {},
): OpenMirror => new DatabaseMirror(projectPlace(settings), job, fence, patienceMs);

class DatabaseMirror implements OpenMirror {
  private readonly place: ProjectPlace["place"];
  private readonly patienceMs: number;
  private readonly shared = new Int32Array(new SharedArrayBuffer(4 * Object.keys(seen).length));
  private readonly port: MessagePort;
  private readonly thread: Worker;
  private sent = 0;
  private inTransit = 0;
  /** Pieces that were sent whole: from then on only their use is. */
  private readonly pieces = new Set<string>();
  /** A count of what was shown that waits for what it counts. */
  private held: BatchWrite | undefined;
  private broken: StoreError | undefined;
  private isClosed = false;

  constructor({ place, schema }: ProjectPlace, job: string, fence: number, patienceMs: number) {
    this.place = place;
    this.patienceMs = patienceMs;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const start: ThreadStart = { place, schema, job, fence, shared: this.shared, port: port2 };
    this.thread = new Worker(new URL(threadFile, import.meta.url), {
      name: "copy of runs",
      workerData: start,
      transferList: [port2],
    });
    // A run that is over does not stay for it; a defect of the thread is told to whoever needs it next.
    this.thread.unref();
    this.thread.on("error", (error) => {
      this.broken ??= this.away(error.message);
    });
  }

  get fault(): StoreFault | undefined {
    return this.broken?.fault;
  }

  recordsOf(run: string): number | undefined {
    this.send({ ask: run }, true);
    return this.answered?.run === run ? this.answered.records : undefined;
  }

  append({ pieces, shown, ...write }: MirroredWrite, durable: boolean): void {
    const bodies = pieces.map(([hash, body]) => [hash, this.pieces.has(hash) ? undefined : body] as const);
    const isMore = write.header !== undefined || write.records.length > 0 || pieces.length > 0;
    const writes = [...this.heldBack(), ...(isMore ? [{ ...write, pieces: bodies }] : [])];
    if (writes.length > 0 || durable) this.send({ writes }, durable);
    for (const [hash] of pieces) this.pieces.add(hash);
    this.held =
      shown === undefined ? undefined : { run: write.run, from: write.from, records: [], pieces: [], shown };
  }

  output(stream: OutputPiece["stream"], text: string): void {
    // What is said beside does not tell that what was counted has been printed.
    const writes = stream === "stdout" ? this.heldBack() : [];
    this.send({ writes, printed: [{ stream, text }] }, false);
    if (writes.length > 0) this.held = undefined;
  }

  settle(): void {
    const writes = this.heldBack();
    const isSettled = Atomics.load(this.shared, seen.settled) === (this.sent | 0);
    if (writes.length > 0 || !isSettled) this.send({ writes }, true);
    else this.mustWork();
    this.held = undefined;
  }

  private heldBack(): BatchWrite[] {
    return this.held === undefined ? [] : [this.held];
  }

  close(): void {
    if (this.isClosed) return;
    try {
      if (this.sent > 0 || this.held !== undefined)
        this.send({ writes: this.heldBack(), isLast: true }, true);
    } finally {
      this.isClosed = true;
      this.end();
    }
  }

  private send(message: Partial<ToThread>, isAwaited: boolean): void {
    this.mustWork();
    const { writes = [], printed = [] } = message;
    const size = messageSize(writes, printed);
    const isWaitedFor = isAwaited || this.inTransit + size > maxInTransit;
    const number = ++this.sent;
    this.port.postMessage({ ...message, number, isAwaited: isWaitedFor, writes, printed } satisfies ToThread);
    this.inTransit += size;
    if (isWaitedFor) this.wait(number);
  }

  /** Stands still until a message is settled. */
  private wait(number: number): void {
    let since = performance.now();
    let settled = Atomics.load(this.shared, seen.settled);
    for (;;) {
      const change = Atomics.load(this.shared, seen.change);
      const now = Atomics.load(this.shared, seen.settled);
      if (((now - number) | 0) >= 0) break;
      this.mustWork();
      if (now !== settled) since = performance.now();
      settled = now;
      const left = this.patienceMs - (performance.now() - since);
      if (left <= 0) this.giveUp();
      Atomics.wait(this.shared, seen.change, change, left);
    }
    this.inTransit = 0;
    this.listen();
  }

  private answered: Extract<FromThread, { kind: "records" }> | undefined;
  /** What the thread had to say of the database last. */
  private words = "it does not answer";

  private listen(): void {
    for (
      let got = receiveMessageOnPort(this.port);
      got !== undefined;
      got = receiveMessageOnPort(this.port)
    ) {
      const message = got.message as FromThread;
      if (message.kind === "records") this.answered = message;
      else this.words = message.words;
    }
  }

  private mustWork(): void {
    if (this.broken !== undefined) throw this.broken;
    if (this.isClosed) throw new StoreError("invalid", "the copy of the runs is closed");
    const end = Atomics.load(this.shared, seen.end);
    if (end === ends.none) return;
    this.listen();
    this.broken = end === ends.taken ? new StoreError("taken", this.words) : this.away(this.words);
    throw this.broken;
  }

  private giveUp(): never {
    this.listen();
    const seconds = Math.round(this.patienceMs / 1000);
    this.broken = this.away(`${this.words} (waited for ${seconds} s)`);
    // What has not been committed yet is not any more: whoever goes on elsewhere decides.
    this.end();
    throw this.broken;
  }

  private away(words: string): StoreError {
    return new StoreError(
      "away",
      `the copy of the run in the database at ${placeWords(this.place)}: ${words}`,
    );
  }

  private end(): void {
    this.port.close();
    void this.thread.terminate();
  }
}

function messageSize(writes: readonly BatchWrite[], printed: ToThread["printed"]): number {
  let size = 0;
  for (const { records, pieces, header = "" } of writes) {
    size += header.length;
    for (const record of records) size += record.length;
    for (const [hash, body = ""] of pieces) size += hash.length + body.length;
  }
  for (const { text } of printed) size += text.length;
  return size;
}
