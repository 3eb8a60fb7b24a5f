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

import { isAbsolute, join } from "node:path";
import {
  type DaemonRecord,
  type DaemonStart,
  type Dispatcher,
  durableKinds,
  type Lease,
  type MailboxMessage,
  retryBackoff,
  type Wish,
} from "../../durable/index.ts";
import { backoffMs, type Json } from "../../effects/index.ts";
import {
  type ChildPool,
  changedPaths,
  createNodeHost,
  type Host,
  killMarked,
  lookAt,
  newRunId,
  poolMark,
  untilChanged,
  type WatchState,
} from "../../host/index.ts";
import { type MessageSettlement, WorkKindService } from "../../server/service/index.ts";
import type { Store } from "../../store/index.ts";
import { daemonLease } from "../daemons/daemon-owners.ts";
import { DaemonStore, folderOf } from "./daemon-record.ts";
import { runTurn, type TurnEnd } from "./daemon-turn.ts";
import { dropSnapshot, promoteSnapshot, turnReport } from "./turn-program.ts";

/** Each resolves with what it wants when its moment has come; all reject with the signal. */
export function wakes(record: DaemonRecord, host: Host, signal: AbortSignal): Promise<Wish>[] {
  const { idle, wakeAt } = record;
  const found: Promise<Wish>[] = [];
  if (wakeAt !== null && idle?.wakeIntervalMs != null) {
    // A clock that was set back must not put the timer off by more than its interval.
    const ms = Math.min(Math.max(0, wakeAt - host.clock.now()), idle.wakeIntervalMs);
    found.push(host.clock.sleep(ms, signal).then(() => ({ kind: "timer" })));
  }
  if (idle !== null && idle.watchPaths.length > 0) found.push(waitForFileChange(record, host, signal));
  return found;
}

async function waitForFileChange(record: DaemonRecord, host: Host, signal: AbortSignal): Promise<Wish> {
  const seen: WatchState = new Map(Object.entries(record.watched ?? {}));
  const now = await untilChanged(host, watchPaths(record), seen, signal);
  return { kind: "watch", paths: changedPaths(seen, now) };
}

/** How its files are; `null` when it watches none. */
function watchedNow(record: DaemonRecord, host: Host): { readonly [path: string]: number } | null {
  const paths = watchPaths(record);
  return paths.length === 0 ? null : Object.fromEntries(lookAt(host.files, paths));
}

/** As its script means them: relative ones lie under its working folder. */
const watchPaths = ({ cwd, idle }: DaemonRecord): string[] =>
  (idle?.watchPaths ?? []).map((path) => (isAbsolute(path) ? path : join(cwd, path)));

/** What a turn's loop ends with when all went well. */
const endedWell: ReadonlySet<string> = new Set(["done", "idle", "watchdog", "suspended"]);
/** Between two looks whether a person has answered, or a process has ended. */
const personMs = 1000;
const busyMs = 200;

export interface DaemonServiceOptions {
  readonly store: Store;
  readonly dispatch: Dispatcher;
  readonly pool: Pick<ChildPool, "run">;
  readonly name: string;
  readonly start: DaemonStart;
  readonly program: string;
  readonly log: (line: string) => void;
}

/** Somebody else runs the daemon. */
export class DaemonTaken extends Error {}

/** One daemon as a kind of work: its messages are what its turns are about. */
export class DaemonWork extends WorkKindService {
  private readonly options: DaemonServiceOptions;
  private readonly daemons: DaemonStore;
  private readonly host: Host;
  private readonly folder: string;
  private lease: Lease | undefined;
  /** As it was written last. */
  private record!: DaemonRecord;

  constructor(options: DaemonServiceOptions) {
    const { store, name, start, log } = options;
    super("daemon", name, { ...options, jobs: 1, report: log });
    this.options = options;
    this.daemons = new DaemonStore(store);
    this.host = createNodeHost({ cwd: start.cwd });
    this.folder = folderOf(store, name);
  }

  override get isOver(): boolean {
    return this.record.state === "failed";
  }

  /** Takes the name; throws `DaemonTaken` when a living process has it. */
  override async begin(): Promise<void> {
    const { dispatch, name, start } = this.options;
    const lease = await dispatch.acquire(daemonLease(this.folder));
    if (lease === undefined) {
      const owner = await dispatch.ownerOf(daemonLease(this.folder));
      throw new DaemonTaken(`the daemon ${name} runs already (${owner?.who ?? "another process"})`);
    }
    this.lease = lease;
    // A process that died may have left a child that still works; an earlier harn has noted it in the record.
    const { mark } = (this.daemons.find({ name }) ?? {}) as { readonly mark?: string | null };
    if (mark != null) killMarked(mark, poolMark);
    await this.clear(name);
    this.record = this.daemons.begin({ name, start }, { lease });
  }

  override async end(): Promise<void> {
    const { lease } = this;
    if (lease === undefined) return;
    if (this.record.state !== "failed") this.note({ state: "stopped" });
    await this.options.dispatch.release(lease);
  }

  override async renew(): Promise<boolean> {
    return this.lease === undefined || (await this.options.dispatch.renewLease(this.lease));
  }

  override lose(): void {
    this.report("another process has taken this daemon over: this one ends");
    this.lease = undefined;
  }

  /** With `message` it is acknowledged, too. */
  private note(changes: Partial<DaemonRecord>, message?: MailboxMessage): void {
    const { lease } = this;
    if (lease === undefined) return;
    const { name } = this.options;
    this.record = this.daemons.change({ name, changes }, { lease, ...(message && { message }) });
  }

  // ── between turns ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Its timer and its files. */
  override wakes(signal: AbortSignal): readonly Promise<void>[] {
    return wakes(this.record, this.host, signal).map((wish) => wish.then((found) => this.wake(found)));
  }

  private async wake(wish: Wish): Promise<void> {
    await this.options.dispatch.enqueue(this.mailboxes, wish as unknown as Json, { key: wish.kind });
    if (wish.kind === "timer") this.note({ wakeAt: null });
    // What has been told is not told again, should this process end before the turn does.
    if (wish.kind === "watch") this.note({ watched: watchedNow(this.record, this.host) });
  }

  // ── turns ───────────────────────────────────────────────────────────────────────────────────────────────────────

  async handle(message: MailboxMessage, signal: AbortSignal): Promise<MessageSettlement> {
    const { log } = this.options;
    const before = this.record.turn?.seq === message.seq ? this.record.turn : null;
    const turn = before ?? { seq: message.seq, attempt: 1, run: newRunId() };
    const wish = message.body as unknown as Wish;
    if (this.record.state !== "waiting") this.note({ turn, state: "working", reason: null });
    const end = await runTurn({
      ...this.options,
      child: (job, options) => this.inChild(this.options.name, job, options),
      record: this.record,
      order: { seq: message.seq, folder: this.folder, wish },
      run: turn.run,
      signal,
    });
    // Looking again whether a person has answered is nothing to tell.
    const isNews = end.kind !== "busy" && (end.kind !== "waiting" || this.record.state !== "waiting");
    if (isNews) log(`turn ${message.seq} (${wish.kind}) ${turn.run}: ${this.outcomeOf(message, end)}`);
    return this.settled(message, wish, end);
  }

  /** In words. A run that ended well may tell of a loop that did not. */
  private outcomeOf(message: MailboxMessage, end: TurnEnd): string {
    if ("reason" in end) return `${end.kind}: ${end.reason}`;
    if (end.kind !== "done") return end.kind;
    const report = turnReport(this.folder, message.seq);
    if (report === undefined) return "failed: its run ended without a report";
    if (endedWell.has(report.status)) return report.status === "done" ? "done" : `done (${report.status})`;
    return `failed: ${report.status}${report.error === null ? "" : `: ${report.error}`}`;
  }

  private settled(message: MailboxMessage, wish: Wish, end: TurnEnd): MessageSettlement {
    const attempt = this.record.turn?.attempt ?? 1;
    switch (end.kind) {
      case "done":
        return this.done(message, wish);
      case "stopped":
        return { kind: "defer" };
      case "waiting":
        if (this.record.state !== "waiting") this.note({ state: "waiting", reason: end.reason });
        return deferFor(personMs);
      case "busy":
        // The child of a process that died is about to end.
        return deferFor(busyMs);
      case "died":
        if (attempt >= durableKinds.daemon.deaths) return this.giveUp(message, wish, end.reason);
        // The same run goes on: what it has done is done.
        return this.again(message, attempt, end.reason, this.record.turn?.run ?? newRunId());
      case "failed":
        return this.giveUp(message, wish, end.reason);
    }
  }

  private done(message: MailboxMessage, wish: Wish): MessageSettlement {
    const report = turnReport(this.folder, message.seq);
    if (report === undefined)
      return this.giveUp(message, wish, "its run ended without a report: does the script exit by itself?");
    const { turn } = this.record;
    if (report.status === "provider_error") {
      dropSnapshot(this.folder, message.seq);
      const reason = `the provider fails: ${report.error ?? "no reason given"}`;
      if ((turn?.attempt ?? 1) >= durableKinds.daemon.failures) return this.giveUp(message, wish, reason);
      return this.again(message, turn?.attempt ?? 1, reason, newRunId());
    }
    // Before the message: whoever dies in between does it again, which changes nothing.
    this.note({});
    promoteSnapshot(this.folder, message.seq);
    const { status, text, idle } = report;
    const { wakeIntervalMs } = idle;
    this.note(
      {
        state: "idle",
        reason: null,
        turn: null,
        idle,
        turns: this.record.turns + 1,
        wakeAt: wakeIntervalMs === null ? null : Date.now() + wakeIntervalMs,
        watched: watchedNow({ ...this.record, idle }, this.host),
        last: { at: Date.now(), kind: wish.kind, run: turn?.run ?? "", status, text },
      },
      message,
    );
    return { kind: "settled" };
  }

  private again(message: MailboxMessage, attempt: number, reason: string, run: string): MessageSettlement {
    const pause = backoffMs(retryBackoff, attempt);
    const turn = { seq: message.seq, attempt: attempt + 1, run };
    this.note({ turn, state: "idle", reason });
    return deferFor(pause);
  }

  /** Others get their turn; `harn daemon trigger NAME --retry` lets it try once more. */
  private giveUp(message: MailboxMessage, wish: Wish, reason: string): MessageSettlement {
    const run = this.record.turn?.run ?? "";
    dropSnapshot(this.folder, message.seq);
    const last = { at: Date.now(), kind: wish.kind, run, status: "failed", text: reason };
    const state = wish.kind === "start" ? "failed" : "idle";
    this.note({ turn: null, state, reason, last });
    return { kind: "deadLetter", reason };
  }
}

/** It stays claimed while it pauses: events that came after it must not overtake it. */
const deferFor = (ms: number): MessageSettlement => ({ kind: "defer", heldMs: ms });
