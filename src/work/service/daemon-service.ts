/**
 * A background daemon as work of a service (server/service/work-service.ts): the name that the process owns, what may wake it besides
 * its mailbox, and its turns, each done in a child.
 *
 *     lease ─▶ message? ─▶ turn in a child ─▶ done: snapshot promoted, message acknowledged ─▶ …
 *              │                       ├▶ waits for a person, or a provider fails: later again
 *              │                       └▶ the child dies, hangs, eats memory: twice more, then dead-lettered with the reason
 *              └ none ─▶ rest until a message, the timer, a watched file ─▶ a message ─▶ …
 *
 * Invariants:
 * - A message is acknowledged in the transaction that notes what its turn came to. The run of a turn is noted before it begins:
 *   whoever comes after a crash resumes that run, and what it has done is not done again.
 * - The lease of the name is renewed by this process, which never computes; a turn writes only into its own run and its own
 *   files (`next-SEQ.json`), so a process that was frozen and taken over changes nothing.
 */
import {
  type Dispatcher,
  type Lease,
  type MailboxMessage,
  NoLongerOwner,
  type Write,
} from "../../durable/index.ts";
import { backoffMs, type Json } from "../../effects/index.ts";
import {
  type ChildPool,
  createNodeHost,
  type Host,
  killMarked,
  newRunId,
  poolMark,
} from "../../host/index.ts";
import type { Settled, WorkKindService } from "../../server/service/index.ts";
import type { Store } from "../../store/index.ts";
import { moved } from "../index.ts";
import {
  type DaemonRecord,
  daemonBox,
  daemonJson,
  daemonStatus,
  findDaemon,
  folderOf,
  space,
  type Wish,
} from "./daemon-record.ts";
import { runTurn, type TurnEnd } from "./daemon-turn.ts";
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

export interface DaemonServiceOptions {
  readonly store: Store;
  readonly dispatch: Dispatcher;
  readonly pool: Pick<ChildPool, "run">;
  readonly name: string;
  readonly program: string;
  readonly log: (line: string) => void;
}

/** Somebody else runs the daemon. */
export class DaemonTaken extends Error {}

/** One daemon as a kind of work: its messages are what its turns are about. */
export class DaemonWork implements WorkKindService {
  readonly mailboxes: string;
  readonly jobs = 1;
  readonly once = false;
  readonly isExclusive = true;
  private readonly options: DaemonServiceOptions;
  private readonly host: Host;
  private readonly folder: string;
  private record: DaemonRecord;
  private lease: Lease | undefined;

  constructor(options: DaemonServiceOptions, record: DaemonRecord) {
    this.options = options;
    this.host = createNodeHost({ cwd: record.cwd });
    this.mailboxes = daemonBox(options.name);
    this.folder = folderOf(options.store, options.name);
    this.record = record;
  }

  get isOver(): boolean {
    return this.record.state === "failed";
  }

  /** Takes the name; throws `DaemonTaken` when a living process has it. */
  async begin(): Promise<void> {
    const { dispatch, name, store } = this.options;
    const lease = await dispatch.acquire(`daemon:${this.folder}`);
    if (lease === undefined) {
      const owner = await dispatch.ownerOf(`daemon:${this.folder}`);
      throw new DaemonTaken(`the daemon ${name} runs already (${owner?.who ?? "another process"})`);
    }
    this.lease = lease;
    const before = findDaemon(store, name);
    // A process that died may have left a child that still works.
    if (before?.mark != null) killMarked(before.mark, poolMark);
    this.record = { ...(before ?? this.record), ...startedAs(this.record), mark: null };
    await this.note({ state: "idle", reason: null });
    if (this.record.turns === 0) await dispatch.enqueue(this.mailboxes, { kind: "start" }, { key: "start" });
  }

  async end(): Promise<void> {
    const { lease } = this;
    if (lease === undefined) return;
    if (this.record.state !== "failed") await this.note({ state: "stopped", mark: null });
    await this.options.dispatch.release(lease);
  }

  async renew(): Promise<boolean> {
    return this.lease === undefined || (await this.options.dispatch.renewLease(this.lease));
  }

  lose(): void {
    this.options.log("another process has taken this daemon over: this one ends");
    this.lease = undefined;
  }

  report(text: string): void {
    this.options.log(text);
  }

  /** A note beside the turn, whose own end finds what is wrong with the store. */
  private noteBeside(changes: Partial<DaemonRecord>): void {
    this.note(changes).catch((error: unknown) => {
      if (!(error instanceof NoLongerOwner)) this.report(`cannot write: ${String(error)}`);
    });
  }

  private async note(changes: Partial<DaemonRecord>): Promise<void> {
    if (this.lease === undefined) return;
    this.change(changes);
    await this.options.dispatch.write(this.lease, [this.entry()]);
  }

  private change(changes: Partial<DaemonRecord>): void {
    const next = { ...this.record, ...changes };
    moved(daemonStatus(this.record), daemonStatus(next));
    this.record = next;
  }

  private entry(): Write {
    return { space, key: this.options.name, value: daemonJson(this.record) };
  }

  // ── between turns ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Its timer and its files. */
  wakes(signal: AbortSignal): readonly Promise<void>[] {
    return wakes(this.record, this.host, signal).map((wish) => wish.then((found) => this.wake(found)));
  }

  private async wake(wish: Wish): Promise<void> {
    await this.options.dispatch.enqueue(this.mailboxes, wish as unknown as Json, { key: wish.kind });
    if (wish.kind === "timer") await this.note({ wakeAt: null });
    // What has been told is not told again, should this process end before the turn does.
    if (wish.kind === "watch") await this.note({ watched: watchedNow(this.record, this.host) });
  }

  // ── turns ───────────────────────────────────────────────────────────────────────────────────────────────────────

  async handle(message: MailboxMessage, signal: AbortSignal): Promise<Settled> {
    const { log } = this.options;
    const before = this.record.turn?.seq === message.seq ? this.record.turn : null;
    const turn = before ?? { seq: message.seq, attempt: 1, run: newRunId() };
    const wish = message.body as unknown as Wish;
    if (this.record.state !== "waiting") await this.note({ turn, state: "working", reason: null });
    const end = await runTurn({
      ...this.options,
      record: this.record,
      order: { seq: message.seq, folder: this.folder, wish },
      run: turn.run,
      signal,
      onStart: (mark) => this.noteBeside({ mark }),
    });
    // Looking again whether a person has answered is nothing to tell.
    const isNews = end.kind !== "busy" && (end.kind !== "waiting" || this.record.state !== "waiting");
    if (isNews) log(`turn ${message.seq} (${wish.kind}) ${turn.run}: ${this.outcomeOf(message, end)}`);
    return await this.settled(message, wish, end);
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

  private async settled(message: MailboxMessage, wish: Wish, end: TurnEnd): Promise<Settled> {
    const attempt = this.record.turn?.attempt ?? 1;
    switch (end.kind) {
      case "done":
        return await this.done(message, wish);
      case "stopped":
        await this.note({ mark: null });
        return { kind: "defer" };
      case "waiting":
        if (this.record.state !== "waiting")
          await this.note({ mark: null, state: "waiting", reason: end.reason });
        return deferFor(personMs);
      case "busy":
        // The child of a process that died is about to end.
        return deferFor(busyMs);
      case "died":
        if (attempt >= maxDeaths) return await this.giveUp(message, wish, end.reason);
        // The same run goes on: what it has done is done.
        return await this.again(message, attempt, end.reason, this.record.turn?.run ?? newRunId());
      case "failed":
        return await this.giveUp(message, wish, end.reason);
    }
  }

  private async done(message: MailboxMessage, wish: Wish): Promise<Settled> {
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
    this.change({ idle });
    this.change({
      state: "idle",
      reason: null,
      mark: null,
      turn: null,
      turns: this.record.turns + 1,
      wakeAt: wakeIntervalMs === null ? null : Date.now() + wakeIntervalMs,
      watched: watchedNow(this.record, this.host),
      last: { at: Date.now(), kind: wish.kind, run: turn?.run ?? "", status, text },
    });
    return { kind: "ack", writes: [this.entry()] };
  }

  private async again(
    message: MailboxMessage,
    attempt: number,
    reason: string,
    run: string,
  ): Promise<Settled> {
    const pause = backoffMs(turnBackoff, attempt);
    const turn = { seq: message.seq, attempt: attempt + 1, run };
    await this.note({ turn, mark: null, state: "idle", reason });
    return deferFor(pause);
  }

  /** Others get their turn; `harn daemon trigger NAME --retry` lets it try once more. */
  private async giveUp(message: MailboxMessage, wish: Wish, reason: string): Promise<Settled> {
    const run = this.record.turn?.run ?? "";
    dropSnapshot(this.folder, message.seq);
    const last = { at: Date.now(), kind: wish.kind, run, status: "failed", text: reason };
    const state = wish.kind === "start" ? "failed" : "idle";
    await this.note({ turn: null, mark: null, state, reason, last });
    return { kind: "deadLetter", reason };
  }
}

/** It stays claimed while it pauses: events that came after it must not overtake it. */
const deferFor = (ms: number): Settled => ({ kind: "defer", heldMs: ms });

/** What a daemon that is started again takes from how it is started now. */
const startedAs = ({ script, args, cwd, flags, limits, started }: DaemonRecord): Partial<DaemonRecord> => ({
  script,
  args,
  cwd,
  flags,
  limits,
  started,
});
