/**
 * Orchestration: what runs now, what is due, who may do it. One port with two engines: tables of the embedded store
 * (`embedded.ts`) now, a broker later when one machine is not enough. Nothing here says what a letter means.
 *
 *     send ─▶ mailbox ─▶ take ─▶ (renew …) ─▶ complete │ postpone │ bury
 *                                                          own ─▶ (keep …) ─▶ write ─▶ disown
 *
 * Invariants that every engine keeps:
 * - A mailbox hands out one letter at a time, the oldest due one. Nothing is lost when whoever took it dies: it is handed
 *   out again, with a higher `claims`.
 * - A letter counts as done exactly when `complete` gave true. The writes that went with it are there then, and only then.
 * - Whoever was taken over (a frozen process that comes back) can't complete, postpone, bury or write any more.
 */
import type { Json } from "../../effects/index.ts";

/** A letter in a mailbox; what was taken, and what is given back. */
export interface Letter {
  readonly seq: number;
  /** The name of its mailbox: `daemon:reviewer`, `session:42`. */
  readonly box: string;
  readonly body: Json;
  readonly key: string | undefined;
  /** Milliseconds since the epoch. */
  readonly sent: number;
  readonly due: number;
  /** How often it was taken: the fencing number of the taking. */
  readonly claims: number;
  readonly inWork: boolean;
  /** Why it was buried. */
  readonly dead: string | undefined;
}

export interface SendOptions {
  /** While a letter of this mailbox with the same key waits or is in work, another one is not added: wake-ups and timers. */
  readonly key?: string;
  /** Milliseconds since the epoch; not handed out before. */
  readonly due?: number;
  /** Most letters that may wait and be in work; one more is refused with `MailboxFull`. */
  readonly capacity?: number;
}

/** A value in the store, written together with something else. `undefined` removes it. */
export interface Write {
  readonly space: string;
  readonly key: string;
  readonly value: Json | undefined;
}

/** Something that one process at a time may be: the daemon `reviewer`. */
export interface Holding {
  readonly name: string;
  readonly fence: number;
}

/** Who holds a name now, in words: `process 4711`. */
export interface Holder {
  readonly who: string;
  /** On this machine; `undefined` elsewhere. */
  readonly pid: number | undefined;
}

export interface Dispatcher {
  /** Durable when it resolves: the letter's number, or `undefined` when one with its key is there already. */
  send(box: string, body: Json, options?: SendOptions): Promise<number | undefined>;
  /** The oldest due letter of a mailbox that has none in work; of all whose names begin alike when `boxes` ends with `*`. */
  take(boxes: string): Promise<Letter | undefined>;
  /** Every third of a lease, from a process that stays responsive. False: lost, stop working on it. */
  renew(letter: Letter): Promise<boolean>;
  /** Done, with what was to be written about it. False, and nothing is written: it was lost. */
  complete(letter: Letter, writes?: readonly Write[]): Promise<boolean>;
  /** Not done: it keeps its place and is handed out again from `due` on (default: now). */
  postpone(letter: Letter, due?: number): Promise<boolean>;
  /** Given up: kept apart with the reason, until somebody revives it. */
  bury(letter: Letter, reason: string): Promise<boolean>;
  /** A buried letter waits again, at its old place. */
  revive(seq: number): Promise<boolean>;
  /** What waits, is in work, or was buried; oldest first. */
  letters(box: string): Promise<readonly Letter[]>;
  /** Removes everything; gives how many letters that were. */
  empty(box: string): Promise<number>;
  /**
   * Rests until `take(boxes)` may have something: a letter came, a due time arrived, an owner may have gone. May resolve too
   * early, never much too late; rejects with the signal's reason.
   */
  arrival(boxes: string, signal?: AbortSignal): Promise<void>;

  /** Takes a name that is free, or whose owner is gone; `undefined` while somebody else holds it. */
  own(name: string): Promise<Holding | undefined>;
  /** As `renew`. */
  keep(holding: Holding): Promise<boolean>;
  /** Writes as the holder; throws `NoLongerOwner`, and nothing is written, when that is somebody else by now. */
  write(holding: Holding, writes: readonly Write[]): Promise<void>;
  disown(holding: Holding): Promise<void>;
  ownerOf(name: string): Promise<Holder | undefined>;
}

/** The mailbox takes no more: whoever sends has to wait. */
export class MailboxFull extends Error {
  override readonly name = "MailboxFull";
}

/** Somebody else holds the name by now. */
export class NoLongerOwner extends Error {
  override readonly name = "NoLongerOwner";
}
