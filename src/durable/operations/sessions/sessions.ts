/**
 * The sessions of a project inside one transaction: record, events, wakes and the message that tells orchestration when a session
 * is due (never more than one waits).
 *
 *     create ─▶ send │ result │ wake ─▶ (begin-run.ts ─▶ end-run.ts: commit │ fail) ─▶ … ─▶ close
 *
 * Every method is told the time by its caller, whose clock is recorded or mocked.
 */
import type { Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import type { Tx } from "../../tx.ts";
import { type DurableRow, DurableWork, inEntries } from "../durable-work.ts";
import { dueOf } from "./due.ts";
import {
  checkSize,
  type InputEvent,
  type OutputEvent,
  type SessionEvent,
  SessionEventLog,
} from "./events.ts";
import { checkDurableName } from "./names.ts";
import { type NewSession, newRecord, type SessionRecord, sessionRecordOf, sessionStatus } from "./record.ts";
import { type StoredWake, WakeTable } from "./wake-table.ts";

const entries = inEntries("session", sessionRecordOf);

const sessionRow: DurableRow<SessionRecord> = {
  kind: "session",
  ...entries,
  status: sessionStatus,
  missing: (name) => missingSession(name),
};

export class Sessions extends DurableWork<SessionRecord> {
  readonly events: SessionEventLog;
  readonly wakes: WakeTable;

  constructor(tx: Tx) {
    super(tx, sessionRow);
    this.events = new SessionEventLog(tx);
    this.wakes = new WakeTable(tx);
  }

  create(name: string, value: NewSession, now: number): SessionRecord {
    checkDurableName("session", name);
    checkDurableName("agent", value.agent);
    if (this.find(name) !== undefined) {
      throw new StoreError("exists", `there is a session ${name} already`, [
        `\`harn session show ${name}\` shows it`,
      ]);
    }
    return this.put(newRecord(name, value, now), now);
  }

  /** All names, sorted. A damaged session is in the list, too. */
  names(): string[] {
    return entries.names(this.tx);
  }

  /** What a person or a program says. Gives the event's number. */
  send(name: string, text: string, now: number): number {
    if (text.trim() === "") throw new StoreError("invalid", "a message must say something");
    checkSize("a message", text);
    return this.receive(name, { type: "user.message", text }, now);
  }

  /** The result of a custom tool that the session waits for. */
  result(
    name: string,
    use: string,
    value: { readonly content: Json; readonly isError: boolean },
    now: number,
  ): number {
    checkSize("a result", JSON.stringify(value.content));
    const record = this.mustBeOpen(name);
    const found = record.awaiting.find(({ id }) => id === use);
    if (found === undefined) throw unknownUse(record, use);
    if (found.answered !== null)
      throw new StoreError(
        "exists",
        `${use} of the session ${name} has its result already (event ${found.answered})`,
      );
    const n = record.events + 1;
    const awaiting = record.awaiting.map((one) => (one === found ? { ...one, answered: n } : one));
    const { content, isError } = value;
    this.append(
      { ...record, awaiting },
      { type: "user.custom_tool_result", tool_use_id: use, content, is_error: isError },
      now,
    );
    return n;
  }

  /** Queues a wake; one of the same key is replaced. */
  wake(name: string, wake: StoredWake, now: number): void {
    const record = this.mustBeOpen(name);
    this.wakes.put(name, wake);
    this.put(record, now);
  }

  /** Takes a waiting wake back. */
  cancelWake(name: string, key: string, now: number): void {
    const record = this.mustFind(name);
    if (!this.wakes.cancel(name, key)) {
      const waiting = this.wakes.list(name).map((wake) => wake.key);
      throw new StoreError("missing", `the session ${name} has no wake ${JSON.stringify(key)}`, [
        waiting.length === 0 ? "none is waiting" : `waiting: ${waiting.join(", ")}`,
      ]);
    }
    this.put(record, now);
  }

  /** Nothing runs it any more; what was said stays readable. */
  close(name: string, now: number): SessionRecord {
    const record = this.mustFind(name);
    if (record.status === "closed") return record;
    for (const { key } of this.wakes.list(name)) this.wakes.cancel(name, key);
    const closed = { ...record, status: "closed", inFlight: null, retryAt: null } as const;
    const said = { type: "session.status", status: "closed", run: record.runs } as const;
    return this.put(this.note(closed, [said], now), now);
  }

  /** Due wakes become events; gives the record as it is then. */
  fireWakes(name: string, now: number): SessionRecord {
    let record = this.mustFind(name);
    for (const { key, reason, due } of this.wakes.takeDue(name, now))
      record = this.append({ ...record, woken: true }, { type: "session.wake", key, reason, due }, now);
    return record;
  }

  /** Events from outside that no run has handled. */
  *pending(record: SessionRecord): Generator<SessionEvent> {
    yield* this.events.walk(record.name, record.cursor);
  }

  // ── for runs and work.ts ───────────────────────────────────────────────────────────────────────────────

  /** Changes a record with nobody in between. */
  change(name: string, now: number, change: (record: SessionRecord) => SessionRecord): SessionRecord {
    return this.put(change(this.mustFind(name)), now);
  }

  /** Appends events that are not pending; gives the record after them. Inside a transaction that writes it. */
  note(record: SessionRecord, bodies: readonly OutputEvent[], now: number): SessionRecord {
    let n = record.events;
    for (const body of bodies) this.events.append(record.name, ++n, now, body);
    return { ...record, events: n };
  }

  /** Tells orchestration once more when it is due. */
  remind(name: string, now: number): SessionRecord {
    return this.change(name, now, (record) => record);
  }

  /** Adds an event from outside. Gives the record after it. */
  private append(record: SessionRecord, body: InputEvent, now: number): SessionRecord {
    const n = record.events + 1;
    this.events.append(record.name, n, now, body);
    // Something new: whatever kept it from trying again is over.
    const fresh = { failures: 0, retryAt: null, problem: null, continues: 0 };
    const status = record.status === "failed" ? "idle" : record.status;
    return this.put({ ...record, ...fresh, status, events: n, pending: record.pending + 1 }, now);
  }

  /** Writes the record, and when it is due. Inside a transaction. */
  private put(record: SessionRecord, now: number): SessionRecord {
    const { name } = record;
    this.keep(this.way(this.find(name), record));
    this.clearMailbox(name);
    // One that waits for a person is looked after by orchestration: answers come by another way.
    const due = record.work?.parked === true ? 0 : dueOf(record, this.wakes.nextDue(name));
    if (due !== undefined) this.notify(name, { session: name }, { due: due === 0 ? now : due });
    return record;
  }

  private receive(name: string, body: InputEvent, now: number): number {
    return this.append(this.mustBeOpen(name), body, now).events;
  }

  private mustBeOpen(name: string): SessionRecord {
    const record = this.mustFind(name);
    if (record.status !== "closed") return record;
    throw new StoreError("invalid", `the session ${name} is closed`);
  }
}

function unknownUse({ name, awaiting }: SessionRecord, use: string): StoreError {
  const open = awaiting.filter(({ answered }) => answered === null).map((one) => `${one.id} (${one.name})`);
  return new StoreError("missing", `the session ${name} waits for no result of ${JSON.stringify(use)}`, [
    open.length === 0 ? "it waits for none" : `it waits for ${open.join(", ")}`,
  ]);
}

/** Somebody asks for a session that was never made. */
export const missingSession = (name: string): StoreError =>
  new StoreError("missing", `there is no session ${JSON.stringify(name)}`, [
    "`harn session list` shows those there are, `harn session new NAME SCRIPT` makes one",
  ]);
