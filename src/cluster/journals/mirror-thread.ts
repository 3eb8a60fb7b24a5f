/**
 * The thread that writes the copy of a job's runs to the database, with a connection of its own: its run may stand still meanwhile.
 *
 *   messages ─▶ queue ─▶ one statement ─▶ settled          awaited, or 1 MB or half a second since the last that was
 *                                     └─▶ unsettled        the server has it, perhaps not on its disk
 *
 * A connection that breaks gives both lists back to the queue: nothing is lost with a server that crashes, and everything may be
 * written twice.
 */
import { setTimeout as pause } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import type { Client } from "pg";
import type { OutputPiece } from "../ports.ts";
import { WriteBatch } from "./batch.ts";
import { askPostgres, databaseConnection, dropped, errorWords, mayPass } from "./connection.ts";
import { ends, type FromThread, seen, type ThreadStart, type ToThread } from "./mirror-messages.ts";
import { statements } from "./statements.ts";

/** A statement takes messages up to so many bytes; a larger one goes alone. */
const statementBytes = 4 * 1024 * 1024;
/** What is given back to the queue at most, and how long it may be before it is settled; milliseconds. */
const unsettledBytes = 1024 * 1024;
const unsettledMs = 500;
/** How long a message that nobody waits for may stay; milliseconds. */
const lingerMs = 2;
/** Between two attempts to connect; milliseconds. */
const firstPauseMs = 20;
const longestPauseMs = 1000;

/** Why the job's runs can't go on here. */
class CopyEnd extends Error {
  readonly end: "taken" | "failed";
  constructor(end: "taken" | "failed", words: string) {
    super(words);
    this.end = end;
  }
}

/** A message whose printed pieces have their numbers. */
type Queued = ToThread & { numbered?: readonly OutputPiece[] };

const isPressing = ({ isAwaited, isLast }: ToThread): boolean => isAwaited || isLast === true;

class CopyWriter {
  private readonly start: ThreadStart;
  private readonly sql: ReturnType<typeof statements>;
  private queue: Queued[] = [];
  private unsettled: Queued[] = [];
  private unsettledSize = 0;
  private unsettledSince = 0;
  private client: Client | undefined;
  private lastPrinted: number | undefined;
  private isAtWork = false;
  private isConnected = false;
  private press: () => void = () => {};
  private timer: NodeJS.Timeout | undefined;
  private trouble = "";

  constructor(start: ThreadStart) {
    this.start = start;
    this.sql = statements(start.schema);
  }

  receive(message: ToThread): void {
    this.queue.push(message);
    if (isPressing(message)) this.press();
    void this.work();
  }

  async work(): Promise<void> {
    if (this.isAtWork) return;
    this.isAtWork = true;
    clearTimeout(this.timer);
    try {
      // Before there is something to write: the first who waits does not wait for this.
      if (!this.isConnected) await this.patiently(() => this.connect());
      while (this.queue.length > 0 || this.isDue()) {
        await this.linger();
        await this.patiently(() => this.step());
      }
      if (this.unsettled.length > 0) this.timer = setTimeout(() => void this.work(), unsettledMs);
    } catch (error) {
      const end = error instanceof CopyEnd ? error.end : "failed";
      this.report({ kind: "failure", words: errorWords(error, this.start.place) });
      this.change(seen.end, ends[end]);
      this.leave();
    } finally {
      this.isAtWork = false;
    }
  }

  /** For what nobody waits for, a moment: what somebody waits for usually follows, and would have to wait for both. */
  private async linger(): Promise<void> {
    if (this.queue.length === 0 || this.queue.some(isPressing)) return;
    await new Promise<void>((resolve) => {
      this.press = resolve;
      setTimeout(resolve, lingerMs);
    });
  }

  private isDue(): boolean {
    return this.unsettled.length > 0 && performance.now() - this.unsettledSince >= unsettledMs;
  }

  /** Goes on trying as long as it may help: whoever waits for it gives up by himself. */
  private async patiently(work: () => Promise<unknown>): Promise<void> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        await work();
        this.trouble = "";
        return;
      } catch (error) {
        if (!mayPass(error)) throw error;
        this.disconnect();
        const words = errorWords(error, this.start.place);
        if (words !== this.trouble) this.report({ kind: "trouble", words });
        this.trouble = words;
        await pause(pauseMs);
      }
    }
  }

  private disconnect(): void {
    if (this.client !== undefined) dropped(this.client);
    this.client = undefined;
    this.queue = [...this.unsettled, ...this.queue];
    this.unsettled = [];
    this.unsettledSize = 0;
  }

  private async connect(): Promise<Client> {
    const { place, job } = this.start;
    const client = await databaseConnection(place, `harn ${job}`);
    this.client = client;
    this.lastPrinted ??= Number((await askPostgres(client, this.sql.lastOutput, [job])).rows[0]?.last);
    this.isConnected = true;
    return client;
  }

  /** One statement, of as many messages as fit. */
  private async step(): Promise<void> {
    const client = this.client ?? (await this.connect());
    const batch = new WriteBatch();
    const messages: Queued[] = [];
    for (const message of this.queue) {
      messages.push(message);
      this.fill(batch, message);
      if (batch.bytes >= statementBytes || message.ask !== undefined) break;
    }
    const isAwaited = messages.some((message) => message.isAwaited);
    const settles = isAwaited || this.isDue() || this.unsettledSize + batch.bytes >= unsettledBytes;
    await this.append(client, batch, settles);
    const last = messages.at(-1);
    if (last?.ask !== undefined) await this.answer(client, last.ask);
    this.queue = this.queue.slice(messages.length);
    if (settles) this.settle(last ?? this.unsettled.at(-1));
    else this.keep(messages, batch.bytes);
    if (last?.isLast === true) this.leave();
  }

  private fill(batch: WriteBatch, message: Queued): void {
    for (const write of message.writes) batch.add(write);
    message.numbered ??= message.printed.map((piece) => {
      this.lastPrinted = (this.lastPrinted ?? 0) + 1;
      return { ...piece, at: this.lastPrinted };
    });
    for (const piece of message.numbered) batch.print(piece);
  }

  private async append(client: Client, batch: WriteBatch, isDurable: boolean): Promise<void> {
    const { job, fence } = this.start;
    const { statement, values } = batch.addedBy(this.sql, { job, fence, isDurable });
    const [row] = (await askPostgres(client, statement, values, batch.bytes)).rows;
    if (row?.held !== 1) throw await this.refusal(client, batch);
    if (row.records !== batch.records)
      throw new CopyEnd("failed", `the copy of the runs of ${job} has other records than this machine`);
  }

  private async refusal(client: Client, batch: WriteBatch): Promise<CopyEnd> {
    const { job, fence } = this.start;
    const [row] = (await askPostgres(client, this.sql.whyNot, batch.asked(job))).rows;
    if (row === undefined)
      return new CopyEnd("taken", `the job ${job} was removed while it was at work; this one stops`);
    if (row.fence !== fence || row.other === null)
      return new CopyEnd("taken", `the job ${job} was taken over by another worker; this one stops`);
    return new CopyEnd(
      "failed",
      `there is a run ${row.other} in the database already, and it is another one`,
    );
  }

  private async answer(client: Client, run: string): Promise<void> {
    const [row] = (await askPostgres(client, this.sql.recordsOf, [this.start.job, run])).rows;
    this.report({ kind: "records", run, records: row?.n });
  }

  private settle(last: Queued | undefined): void {
    this.unsettled = [];
    this.unsettledSize = 0;
    if (last !== undefined) this.change(seen.settled, last.number | 0);
  }

  private keep(messages: readonly Queued[], bytes: number): void {
    if (this.unsettled.length === 0) this.unsettledSince = performance.now();
    this.unsettled.push(...messages);
    this.unsettledSize += bytes;
  }

  private change(at: number, value: number): void {
    const { shared } = this.start;
    Atomics.store(shared, at, value);
    Atomics.add(shared, seen.change, 1);
    Atomics.notify(shared, seen.change);
  }

  private report(message: FromThread): void {
    this.start.port.postMessage(message);
  }

  private leave(): void {
    this.start.port.close();
    const { client } = this;
    this.client = undefined;
    client?.end().catch(() => {});
  }
}

const start = workerData as ThreadStart;
const writer = new CopyWriter(start);
start.port.on("message", (message: ToThread) => writer.receive(message));
void writer.work();
