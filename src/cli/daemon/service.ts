/**
 * A background daemon at work: the process that owns its name, watches what may wake it, and has each turn done in a child.
 *
 *     lease ─▶ message? ─▶ turn in a child ─▶ done: snapshot promoted, message acknowledged ─▶ …
 *              │                       ├▶ waits for a person, or a provider fails: later again
 *              │                       └▶ the child dies, hangs, eats memory: twice more, then dead-lettered with the reason
 *              └ none ─▶ rest until a message, the timer, a watched file ─▶ a message ─▶ …
 *
 * Invariants:
 * - A message is acknowledged in the transaction that notes what its turn came to. The run of a turn is noted before it begins:
 *   whoever comes after a crash goes on with that run, and what it has done is not done again.
 * - The lease of the name is renewed by this process, which never computes; a turn writes only into its own run and its own
 *   files (`next-SEQ.json`), so a process that was frozen and taken over changes nothing.
 */

import { setTimeout as sleep } from "node:timers/promises";
import {
  type Dispatcher,
  type Lease,
  type MailboxMessage,
  NoLongerOwner,
  type Write,
} from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import { backoffMs } from "../../effects/index.ts";
import {
  type ChildPool,
  createNodeHost,
  type Host,
  killMarked,
  newRunId,
  poolMark,
} from "../../host/index.ts";
import { leaseMs, type Store } from "../../store/index.ts";
import { asJson, boxOf, type DaemonRecord, findDaemon, folderOf, space, type Wish } from "./record.ts";
import { runTurn, type TurnEnd } from "./turn.ts";
import { dropSnapshot, promoteSnapshot, readReport } from "./turn-program.ts";
import { wakes, watchedNow } from "./wakes.ts";

/** What a turn's loop ends with when all went well. */
const endedWell: ReadonlySet<string> = new Set(["done", "idle", "watchdog", "suspended"]);
/** How often a turn is tried whose child dies. */
const maxDeaths = 3;
/** How often one is tried whose provider fails, and how long it waits before, doubling. */
const maxFailures = 8;
const turnBackoff = { baseMs: 1000, maxMs: 5 * 60_000 };
/** Between two looks whether a person has answered, or a process has ended. */
const personMs = 1000;
const busyMs = 200;

export interface ServiceOptions {
  readonly store: Store;
  readonly dispatch: Dispatcher;
  readonly pool: Pick<ChildPool, "run">;
  readonly name: string;
  readonly program: string;
  readonly log: (line: string) => void;
}

/** Somebody else runs the daemon. */
export class DaemonTaken extends Error {}

export class DaemonService {
  private readonly options: ServiceOptions;
  private readonly host: Host;
  private readonly box: string;
  private readonly folder: string;
  private record: DaemonRecord;
  private lease: Lease | undefined;
  private readonly stopping = new AbortController();
  /** Aborted when the turn under way is to end, too. */
  private readonly ending = new AbortController();
  private lost = false;

  constructor(options: ServiceOptions, record: DaemonRecord) {
    this.options = options;
    this.host = createNodeHost({ cwd: record.cwd });
    this.box = boxOf(options.name);
    this.folder = folderOf(options.store, options.name);
    this.record = record;
  }

  /** Takes the name; throws `DaemonTaken` when a living process has it. */
  async begin(): Promise<void> {
    const { dispatch, name, store } = this.options;
    const lease = await dispatch.acquire(`daemon:${this.folder}`);
    if (lease === undefined) {
      const holder = await dispatch.ownerOf(`daemon:${this.folder}`);
      throw new DaemonTaken(`the daemon ${name} runs already (${holder?.who ?? "another process"})`);
    }
    this.lease = lease;
    const before = findDaemon(store, name);
    // A process that died may have left a child that still works.
    if (before?.mark != null) killMarked(before.mark, poolMark);
    this.record = { ...(before ?? this.record), ...startOf(this.record), mark: null };
    await this.note({ state: "idle", reason: null });
    if (this.record.turns === 0) await dispatch.enqueue(this.box, { kind: "start" }, { key: "start" });
  }

  /** Works until it is stopped, fails for good, or has lost its name. */
  async run(): Promise<void> {
    const renewal = setInterval(() => this.beside(this.renew()), leaseMs / 3);
    try {
      while (!this.stopping.signal.aborted && this.record.state !== "failed") {
        const message = await this.options.dispatch.claim(this.box);
        if (message === undefined) await this.rest();
        else await this.turn(message);
      }
    } catch (error) {
      if (!(error instanceof NoLongerOwner)) throw error;
      this.lose();
    } finally {
      clearInterval(renewal);
      await this.end();
    }
  }

  /** Lets the turn under way end; `now`: stops it where it is. */
  stop(now: boolean): void {
    this.stopping.abort();
    if (now) this.ending.abort();
  }

  private async end(): Promise<void> {
    const { lease } = this;
    if (lease === undefined || this.lost) return;
    if (this.record.state !== "failed") await this.note({ state: "stopped", mark: null });
    await this.options.dispatch.release(lease);
  }

  private async renew(): Promise<void> {
    if (this.lease === undefined || (await this.options.dispatch.renewLease(this.lease))) return;
    this.lose();
  }

  /** What goes on beside the work may find that the name is lost, or that the store can't be written. */
  private beside(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (error instanceof NoLongerOwner) this.lose();
      else this.options.log(`cannot write: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  private async note(changes: Partial<DaemonRecord>): Promise<void> {
    if (this.lost || this.lease === undefined) return;
    this.record = { ...this.record, ...changes };
    await this.options.dispatch.write(this.lease, [this.entry()]);
  }

  private entry(): Write {
    return { space, key: this.options.name, value: asJson(this.record) };
  }

  // ── between turns ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Until something has come; timer and files make messages of their own, so that nothing is lost from here on. */
  private async rest(): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.stopping.signal]);
    const arrived = this.options.dispatch.arrival(this.box, signal).then(() => undefined);
    const rests: Promise<Wish | undefined>[] = [arrived, ...wakes(this.record, this.host, signal)];
    try {
      const wish = await Promise.race(rests);
      if (wish !== undefined) await this.wake(wish);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      over.abort();
      for (const rest of rests) rest.catch(() => {});
    }
  }

  private async wake(wish: Wish): Promise<void> {
    await this.options.dispatch.enqueue(this.box, wish as unknown as Json, { key: wish.kind });
    if (wish.kind === "timer") await this.note({ wakeAt: null });
    // What has been told is not told again, should this process end before the turn does.
    if (wish.kind === "watch") await this.note({ watched: watchedNow(this.record, this.host) });
  }

  // ── turns ───────────────────────────────────────────────────────────────────────────────────────────────────────

  private async turn(message: MailboxMessage): Promise<void> {
    const { log } = this.options;
    const before = this.record.turn?.seq === message.seq ? this.record.turn : null;
    const turn = before ?? { seq: message.seq, attempt: 1, run: newRunId() };
    const wish = message.body as unknown as Wish;
    if (this.record.state !== "waiting") await this.note({ turn, state: "working", reason: null });
    const renewal = setInterval(() => this.beside(this.renewMessage(message)), leaseMs / 3);
    try {
      const end = await runTurn({
        ...this.options,
        record: this.record,
        order: { seq: message.seq, folder: this.folder, wish },
        run: turn.run,
        signal: this.ending.signal,
        onStart: (mark) => this.beside(this.note({ mark })),
      });
      // Looking again whether a person has answered is nothing to tell.
      const isNews = end.kind !== "busy" && (end.kind !== "waiting" || this.record.state !== "waiting");
      if (isNews) log(`turn ${message.seq} (${wish.kind}) ${turn.run}: ${this.outcomeOf(message, end)}`);
      await this.settle(message, wish, end);
    } finally {
      clearInterval(renewal);
    }
  }

  /** In words. A run that ended well may tell of a loop that did not. */
  private outcomeOf(message: MailboxMessage, end: TurnEnd): string {
    if ("reason" in end) return `${end.kind}: ${end.reason}`;
    if (end.kind !== "done") return end.kind;
    const report = readReport(this.folder, message.seq);
    if (report === undefined) return "failed: its run ended without a report";
    if (endedWell.has(report.status)) return report.status === "done" ? "done" : `done (${report.status})`;
    return `failed: ${report.status}${report.error === null ? "" : `: ${report.error}`}`;
  }

  private async renewMessage(message: MailboxMessage): Promise<void> {
    if (!(await this.options.dispatch.renew(message))) this.ending.abort();
  }

  private async settle(message: MailboxMessage, wish: Wish, end: TurnEnd): Promise<void> {
    const attempt = this.record.turn?.attempt ?? 1;
    switch (end.kind) {
      case "done":
        return await this.done(message, wish);
      case "stopped":
        await this.note({ mark: null });
        await this.options.dispatch.defer(message);
        return;
      case "waiting":
        if (this.record.state !== "waiting")
          await this.note({ mark: null, state: "waiting", reason: end.reason });
        return await this.later(message, personMs);
      case "busy":
        // The child of a process that died is about to end.
        return await this.later(message, busyMs);
      case "died":
        if (attempt >= maxDeaths) return await this.giveUp(message, wish, end.reason);
        // The same run goes on: what it has done is done.
        return await this.again(message, attempt, end.reason, this.record.turn?.run ?? newRunId());
      case "failed":
        return await this.giveUp(message, wish, end.reason);
    }
  }

  private async done(message: MailboxMessage, wish: Wish): Promise<void> {
    const report = readReport(this.folder, message.seq);
    if (report === undefined)
      return await this.giveUp(
        message,
        wish,
        "its run ended without a report: does the script exit by itself?",
      );
    const { turn } = this.record;
    if (report.status === "provider_error") {
      dropSnapshot(this.folder, message.seq);
      const reason = `the provider fails: ${report.error ?? "no reason given"}`;
      if ((turn?.attempt ?? 1) >= maxFailures) return await this.giveUp(message, wish, reason);
      return await this.again(message, turn?.attempt ?? 1, reason, newRunId());
    }
    // Before the message: whoever dies in between does it again, which changes nothing.
    if (this.lease !== undefined) await this.options.dispatch.write(this.lease, []);
    promoteSnapshot(this.folder, message.seq);
    const { status, text, idle } = report;
    const { wakeIntervalMs } = idle;
    this.record = { ...this.record, idle };
    this.record = {
      ...this.record,
      state: "idle",
      reason: null,
      mark: null,
      turn: null,
      turns: this.record.turns + 1,
      wakeAt: wakeIntervalMs === null ? null : Date.now() + wakeIntervalMs,
      watched: watchedNow(this.record, this.host),
      last: { at: Date.now(), kind: wish.kind, run: turn?.run ?? "", status, text },
    };
    if (!(await this.options.dispatch.ack(message, [this.entry()]))) this.lose();
  }

  private lose(): void {
    if (!this.lost) this.options.log("another process has taken this daemon over: this one ends");
    this.lost = true;
    this.stop(true);
  }

  private async again(message: MailboxMessage, attempt: number, reason: string, run: string): Promise<void> {
    const pause = backoffMs(turnBackoff, attempt);
    const turn = { seq: message.seq, attempt: attempt + 1, run };
    await this.note({ turn, mark: null, state: "idle", reason });
    await this.later(message, pause);
  }

  /** It stays in work while it pauses: events that came behind it must not overtake it. */
  private async later(message: MailboxMessage, ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => {});
    await this.options.dispatch.defer(message);
  }

  /** Others get their turn; `harn daemon trigger NAME --retry` lets it try once more. */
  private async giveUp(message: MailboxMessage, wish: Wish, reason: string): Promise<void> {
    const run = this.record.turn?.run ?? "";
    dropSnapshot(this.folder, message.seq);
    const last = { at: Date.now(), kind: wish.kind, run, status: "failed", text: reason };
    const state = wish.kind === "start" ? "failed" : "idle";
    await this.note({ turn: null, mark: null, state, reason, last });
    await this.options.dispatch.deadLetter(message, reason);
  }
}

/** What a daemon that is started again takes from how it is started now. */
const startOf = ({ script, args, cwd, flags, limits, started }: DaemonRecord): Partial<DaemonRecord> => ({
  script,
  args,
  cwd,
  flags,
  limits,
  started,
});
