/**
 * A recorded run again, with nothing outside touched: every effect is answered from the journal, and results that were
 * waited for are handed over in the recorded order. Whatever the program asks for that was not recorded, or was
 * recorded differently, is a problem that ends the replay.
 */
import type { MaybePromise } from "../values/index.ts";
import { type Digest, MissingBlob, pack, unpack } from "./blobs.ts";
import { type CoreOptions, EffectsCore, Pending, StopItem } from "./core.ts";
import { decodeError } from "./error-codec.ts";
import type { Flight } from "./flight.ts";
import {
  type DecisionRecord,
  type EndRecord,
  type Fingerprint,
  type IntentRecord,
  type Journal,
  JournalProblem,
  type ResultRecord,
  type StopRecord,
} from "./journal.ts";
import { type Asked, differs, endedEarly, notAsked, printedOther, unrecorded } from "./mismatch.ts";
import type { Decision, EffectCall, EffectMode, EffectScope, Json, RunEnd, StopRequest } from "./port.ts";
import { fingerprintOf, type OutputHash } from "./recording.ts";
import type { Secrets } from "./secrets.ts";
import type { Runnable } from "./turns.ts";

/** Unwinds a program whose recorded run was broken off. */
export class BrokenOff {}

export interface ReplayOptions extends Pick<CoreOptions, "atRest"> {
  readonly journal: Journal;
  readonly digest: Digest;
  readonly secrets: Secrets;
  readonly outputHash: OutputHash;
  /** Makes the host's own kind of error, for results that were one. */
  readonly hostError: (code: string, message: string) => unknown;
  /** What runs now, to name it when a replay parts from its recording: `runtime`, and the platform's versions. */
  readonly versions?: { readonly [name: string]: string };
}

interface Recorded {
  print: Fingerprint | undefined;
  result: ResultRecord | undefined;
}

export class ReplayEffects extends EffectsCore {
  readonly mode: EffectMode = "replay";
  readonly journal: Journal;
  private readonly options: ReplayOptions;
  private readonly blobs = new Map<string, Json>();
  private readonly effects = new Map<string, Recorded[]>();
  private readonly decisions = new Map<string, Decision[]>();
  /** What was handed over, by order number. */
  private readonly handed: ResultRecord[] = [];
  private readonly stops: StopRecord[] = [];
  private order = 0;
  private readonly end: EndRecord | undefined;
  private readonly asked = new Map<string, Pending<unknown>>();
  /** The recorded run was broken off in a computation, and the replay has reached that step. */
  private broken = false;
  /** The turn in which the recorded run was broken off. */
  private brokenTurn: number | undefined = undefined;
  /** A stop was handed over. */
  private stop: StopRequest | undefined = undefined;

  constructor(options: ReplayOptions) {
    super({ atRest: options.atRest, seed: options.journal.header.seed });
    this.options = options;
    this.journal = options.journal;
    let end: EndRecord | undefined;
    for (const record of options.journal.records) {
      if (record.t === "intent" || record.t === "result") this.index(record);
      else if (record.t === "blob") this.blobs.set(record.hash, record.v);
      else if (record.t === "stop") this.stops.push(record);
      else if (record.t === "end") end = record;
      else if (record.t === "decision") this.indexDecision(record);
    }
    this.end = end;
    this.turns.urgent = () => this.recordedStop();
  }

  private index(record: IntentRecord | ResultRecord): void {
    const known = this.place(record.p, record.n);
    if (record.h !== undefined) known.print = record as Fingerprint;
    if (record.t !== "result") return;
    known.result = record;
    if (record.o !== undefined) this.handed[record.o] = record;
  }

  private place(path: string, number: number): Recorded {
    let numbers = this.effects.get(path);
    if (numbers === undefined) {
      numbers = [];
      this.effects.set(path, numbers);
    }
    let known = numbers[number];
    if (known === undefined) {
      known = { print: undefined, result: undefined };
      numbers[number] = known;
    }
    return known;
  }

  private indexDecision(record: DecisionRecord): void {
    const { p: path, s: steps, k: kind, of: subject, turn } = record;
    const decision: Decision = { path, steps, kind, subject, turn };
    if (kind === "interrupt") this.brokenTurn = turn;
    const list = this.decisions.get(record.p);
    if (list === undefined) this.decisions.set(record.p, [decision]);
    else list.push(decision);
  }

  perform<T>(scope: EffectScope, call: EffectCall<T>, flight?: Flight): MaybePromise<T> {
    if (this.problem !== undefined) throw this.problem;
    const number = scope.effects++;
    const recorded = this.effects.get(scope.path)?.[number];
    const print = this.check(scope.path, number, call, recorded);
    const result = recorded?.result;
    if (result !== undefined && result.o === undefined) return this.give(call, result);
    if (result === undefined && this.isLast(scope.path, number)) {
      throw this.fail(endedEarly(this.describe(scope.path, number, call, print)));
    }
    const pending = new Pending(scope, number, call, (given) => this.given(given));
    this.asked.set(`${scope.path}#${number}`, pending as Pending<unknown>);
    const promise = this.track(pending, flight);
    this.turns.check();
    return promise;
  }

  /** The intent was the last thing that a run wrote before it was cut off. */
  private isLast(path: string, number: number): boolean {
    if (this.end !== undefined) return false;
    const last = this.journal.records.at(-1);
    return last?.t === "intent" && last.p === path && last.n === number;
  }

  /** Compares what is asked with what was recorded; gives the packed arguments. */
  private check<T>(path: string, number: number, call: EffectCall<T>, recorded: Recorded | undefined): Json {
    const args = pack(this.options.secrets.hideIn(call.args()), this.options.digest, {
      put: (hash, text) => {
        if (!this.blobs.has(hash)) this.blobs.set(hash, JSON.parse(text) as Json);
      },
    });
    const print = recorded?.print;
    if (print === undefined) {
      if (this.breakOff()) throw new BrokenOff();
      const asked = this.describe(path, number, call, args);
      throw this.fail(this.end === undefined ? endedEarly(asked) : unrecorded(asked, this.ending(this.end)));
    }
    if (print.h !== fingerprintOf(call.effect, call.kind, args, this.options.digest)) {
      const asked = this.describe(path, number, call, args);
      throw this.fail(differs({ ...print, args: this.whole(print.a) }, asked));
    }
    return args;
  }

  private describe<T>(path: string, number: number, call: EffectCall<T>, packed: Json): Asked {
    return { path, number, effect: call.effect, kind: call.kind, args: this.whole(packed) };
  }

  private ending(end: EndRecord): string {
    return `${end.reason} (exit code ${end.code})`;
  }

  private whole(packed: Json): Json {
    try {
      return unpack(packed, (hash) => this.blobs.get(hash));
    } catch (error) {
      if (!(error instanceof MissingBlob)) throw error;
      throw this.fail(
        new JournalProblem(
          "unreadable",
          `the journal lacks a piece it refers to (${error.hash.slice(0, 12)}…)`,
          ["it was edited, or parts of it were lost"],
        ),
      );
    }
  }

  private give<T>(call: EffectCall<T>, result: ResultRecord): T {
    if (result.e !== undefined) throw decodeError(this.whole(result.e), this.options.hostError);
    return call.decode(this.whole(result.v ?? null));
  }

  private given<T>(pending: Pending<T>): void {
    this.untrack(pending);
    this.order++;
    const result = this.effects.get(pending.scope.path)?.[pending.number]?.result;
    if (result === undefined) return;
    try {
      pending.outcome = { value: this.give(pending.call, result) };
    } catch (error) {
      pending.outcome = { error };
    }
  }

  protected next(): Runnable | undefined {
    if (this.problem !== undefined) return undefined;
    const record = this.handed[this.order];
    if (record === undefined) return undefined;
    const key = `${record.p}#${record.n}`;
    const pending = this.asked.get(key);
    if (pending?.state !== "under way") return undefined;
    this.asked.delete(key);
    return pending;
  }

  /** The stop that took effect at this turn of the recorded run. */
  private recordedStop(): Runnable | undefined {
    // The turn in which the run was broken off is over, and the step was not met: this is where it ended.
    if (this.brokenTurn !== undefined && this.turns.taken >= this.brokenTurn && !this.broken) {
      return { run: () => void this.breakOff() };
    }
    const [record] = this.stops;
    if (record === undefined || record.turn > this.turns.taken + 1) return undefined;
    this.stops.shift();
    return new StopItem({ reason: record.reason, exitCode: record.code }, (request) => {
      this.stop = request;
      this.onStop(request);
    });
  }

  /**
   * Nothing can be handed over. While some task is busy with work of our own (a lazy import) that will end; when all
   * wait, the program and its journal have parted, unless it is a deadlock of the program itself.
   */
  protected override rest(): void {
    if (this.problem !== undefined || this.closed || !this.allWait()) return;
    if (this.waiting.size === 0 && this.handed[this.order] === undefined) this.onIdle();
    else this.stalled();
  }

  override lost(): void {
    if (this.problem === undefined && !this.closed) this.stalled();
  }

  private stalled(): void {
    // The recorded run was not waited for any longer here.
    if (this.stop !== undefined) {
      this.onStop(this.stop);
      return;
    }
    const waiting = [...this.waiting].map((one) => this.describePending(one));
    const [first] = waiting;
    const record = this.handed[this.order];
    if (record !== undefined) {
      const print = this.effects.get(record.p)?.[record.n]?.print;
      this.fail(notAsked({ path: record.p, number: record.n, kind: print?.k ?? "unknown" }, waiting));
    } else if (this.end === undefined || first === undefined) this.fail(endedEarly(first));
    else if (!this.breakOff()) this.fail(unrecorded(first, this.ending(this.end)));
  }

  private describePending(pending: Pending<unknown>): Asked {
    const { call } = pending;
    return {
      path: pending.scope.path,
      number: pending.number,
      effect: call.effect,
      kind: call.kind,
      args: this.options.secrets.hideIn(call.args()),
    };
  }

  /** The recorded run was broken off in the middle of a computation, and this is where: ends the replay like it. */
  private breakOff(): boolean {
    const { end } = this;
    if (end === undefined || !endedFromOutside(end)) return false;
    this.broken = true;
    const request: StopRequest = { reason: end.reason as StopRequest["reason"], exitCode: end.code };
    // Twice: nobody is waited for.
    this.onStop(request);
    this.onStop(request);
    return true;
  }

  /** Ends the replay; gives what is to be thrown. */
  private fail(problem: JournalProblem): JournalProblem {
    if (this.problem === undefined) {
      if (problem.kind === "mismatch") problem.add(this.otherVersions());
      this.problem = problem;
      this.onProblem(problem);
    }
    return problem;
  }

  /** Where this machine differs from the one that recorded, in words. */
  private otherVersions(): string[] {
    const { runtime, platform } = this.journal.header;
    const then = new Map(Object.entries({ runtime, ...platform }));
    const now = Object.entries(this.options.versions ?? {});
    const changed = now.filter(([name, version]) => then.has(name) && then.get(name) !== version);
    if (changed.length === 0) return [];
    const list = changed.map(([name, version]) => `${name} ${then.get(name)} (now ${version})`);
    return [`it was recorded with ${list.join(", ")}`];
  }

  /** A stop comes from the journal, or ends the replay itself: never recorded, never in order. */
  requestStop(request: StopRequest): void {
    this.onStop(request);
  }

  override nextDecision(path: string): Decision | undefined {
    const decision = this.decisions.get(path)?.[0];
    // The task that was looked at last need not be the one that was broken off: only that turn counts.
    if (decision?.kind !== "interrupt") return decision;
    const early = this.turns.taken < (decision.turn ?? 0) || this.printed < (this.end?.w ?? 0);
    return early ? undefined : decision;
  }

  override decisionTaken(path: string): void {
    const decision = this.decisions.get(path)?.shift();
    if (decision?.kind === "interrupt") this.breakOff();
  }

  override output(text: string): boolean {
    if (this.problem !== undefined || this.broken) return false;
    // A run that was broken off in the middle of a computation printed no more than this.
    if (this.end !== undefined && endedFromOutside(this.end) && this.printed >= this.end.w) return false;
    this.printed++;
    this.options.outputHash.update(this.options.secrets.hide(text));
    return true;
  }

  /** How the recorded run ended; `undefined` when it was cut off. */
  get recordedEnd(): EndRecord | undefined {
    return this.end;
  }

  override async close(end?: RunEnd): Promise<void> {
    if (this.closed) return;
    this.shut();
    if (end === undefined || this.problem !== undefined) return;
    if (this.end === undefined) this.fail(endedEarly(undefined));
    else if (this.end.output !== this.options.outputHash.digest() || this.end.w !== this.printed)
      this.fail(printedOther());
  }
}

function endedFromOutside(end: EndRecord): boolean {
  return ["interrupt", "terminate", "cancel", "output"].includes(end.reason);
}

/** The sources that a journal holds: by the name they ran under, and what each import meant. */
export function recordedSources(journal: Journal): {
  readonly texts: ReadonlyMap<string, string>;
  readonly imports: ReadonlyMap<string, string>;
} {
  const blobs = new Map<string, Json>();
  const texts = new Map<string, string>();
  const imports = new Map<string, string>();
  for (const record of journal.records) {
    if (record.t === "blob") blobs.set(record.hash, record.v);
    else if (record.t === "source") texts.set(record.name, String(blobs.get(record.hash) ?? ""));
    else if (record.t === "module") imports.set(importKey(record.from, record.specifier), record.name);
  }
  return { texts, imports };
}

/** The key of an import in `recordedSources().imports`. */
export const importKey = (from: string, specifier: string): string => `${from}\n${specifier}`;
