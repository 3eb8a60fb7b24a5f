/**
 * Follows a history: comparing what a program asks with what was recorded, and handing results over in the recorded order.
 * Shared by replay, which does nothing else, and resume, which goes on where the history ends.
 */

import type { Json } from "../values/index.ts";
import { type Digest, pack } from "./blobs.ts";
import type { AnyPending, Pending } from "./core.ts";
import { decodeError } from "./error-codec.ts";
import type { History, HistoryEffect } from "./history.ts";
import type { JournalProblem, ResultRecord } from "./journal.ts";
import { type EffectRequest, type RecordedPlace, readAt, unfit } from "./mismatch.ts";
import type { Decision, EffectCall } from "./port.ts";
import { fingerprintOf } from "./recorder.ts";
import type { Secrets } from "./secrets/secrets.ts";
import type { Runnable } from "./turns.ts";

export interface ReplayerOptions {
  readonly digest: Digest;
  readonly secrets: Secrets;
  /** Makes the host's own kind of error, for results that were one. */
  readonly hostError: (code: string, message: string) => unknown;
}

export class Replayer {
  readonly history: History;
  /** Results handed over so far. */
  order = 0;
  private readonly options: ReplayerOptions;
  private readonly asked = new Map<string, AnyPending>();
  private lastRead: RecordedPlace | undefined;

  constructor(history: History, options: ReplayerOptions) {
    this.history = history;
    this.options = options;
  }

  /** The packed arguments of a call, as they are compared. */
  packed<T>(call: EffectCall<T>): Json {
    this.options.secrets.noteAsked(call.variable);
    const sink = { put: (hash: string, text: string) => this.history.add(hash, text) };
    const named = this.options.secrets.namedIn(call.args());
    return pack(named, this.options.digest, sink, this.history.format, "sorted");
  }

  /** Whether this was asked then. */
  matches<T>(recorded: HistoryEffect, call: EffectCall<T>, packed: Json): boolean {
    const asked = fingerprintOf(call.effect, call.kind, packed, this.options.digest);
    return recorded.print?.h === asked || recorded.print?.was === asked;
  }

  describe<T>(path: string, number: number, call: EffectCall<T>): EffectRequest {
    const args = this.options.secrets.namedIn(call.args());
    return { path, number, effect: call.effect, kind: call.kind, args };
  }

  /** What it gave then; throws what it threw then. */
  give<T>(call: EffectCall<T>, result: ResultRecord): T {
    const place = { path: result.p, number: result.n, kind: call.kind };
    this.lastRead = place;
    const { hostError, secrets } = this.options;
    const reveal = (json: Json): Json => secrets.revealIn(json);
    const { e } = result;
    if (e !== undefined) throw readAt(place, () => decodeError(reveal(this.history.whole(e)), hostError));
    const stored = reveal(this.history.whole(result.v ?? null));
    return readAt(place, () => call.result.decode(stored));
  }

  /** Why it can't be followed any further, though every piece of it can be read. */
  broke(cause: unknown): JournalProblem {
    return unfit(this.lastRead, cause);
  }

  /** Its result will be handed over in turn, or never. */
  wait<T>(pending: Pending<T>): void {
    this.asked.set(`${pending.scope.path}#${pending.number}`, pending);
  }

  /** What was handed over next. */
  get nextResult(): ResultRecord | undefined {
    return this.history.handed[this.order];
  }

  /** Results at paths of which nobody asks anything are handed to nobody. */
  passOver(isUnasked: (path: string) => boolean): void {
    for (let next = this.nextResult; next !== undefined && isUnasked(next.p); next = this.nextResult)
      this.order++;
  }

  /** The task that waits for it, if it does already. */
  next(): Runnable | undefined {
    const record = this.nextResult;
    if (record === undefined) return undefined;
    const key = `${record.p}#${record.n}`;
    const pending = this.asked.get(key);
    if (pending?.state !== "in flight") return undefined;
    this.asked.delete(key);
    return pending;
  }

  /** Gives a waiting task its recorded outcome. */
  hand<T>(pending: Pending<T>): void {
    this.order++;
    const result = this.history.at(pending.scope.path, pending.number)?.result;
    if (result === undefined) return;
    try {
      pending.outcome = { value: this.give(pending.call, result) };
    } catch (error) {
      pending.outcome = { error };
    }
  }

  nextDecision(path: string): Decision | undefined {
    return this.history.decisions.get(path)?.[0];
  }

  takeDecision(path: string): Decision | undefined {
    return this.history.decisions.get(path)?.shift();
  }
}
