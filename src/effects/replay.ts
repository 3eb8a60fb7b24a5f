/**
 * A recorded run again, with nothing outside touched: every effect is answered from the journal, and results that were
 * waited for are handed over in the recorded order. Whatever the program asks for that was not recorded, or was
 * recorded differently, is a problem that ends the replay.
 */
import type { Json, MaybePromise } from "../values/index.ts";
import type { Digest } from "./blobs.ts";
import { type CoreOptions, EffectsCore, Pending, StopItem } from "./core.ts";
import { encodeError } from "./error-codec.ts";
import { History, type HistoryEffect, type Resumption, resumptionsOf } from "./history.ts";
import type { InFlightEffect } from "./in-flight.ts";
import {
  type EndRecord,
  type EndResult,
  introduces,
  type Journal,
  JournalProblem,
  type JournalRecord,
  noticing,
  type ResultRecord,
  type StopRecord,
} from "./journal.ts";
import {
  differs,
  endedEarly,
  endsEarlier,
  endsOtherwise,
  givesOther,
  notAsked,
  notDecided,
  notPassed,
  printedOther,
  type RecordedPlace,
  unrecorded,
} from "./mismatch.ts";
import {
  type Decision,
  type EffectCall,
  type EffectMode,
  type EffectScope,
  endedByItself,
  type RecordedKind,
  type RunEnd,
  type StopRequest,
} from "./port.ts";
import { endResult, type OutputHash } from "./recorder.ts";
import { Replayer } from "./replayer.ts";
import { type Secrets, standInMark } from "./secrets/secrets.ts";
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
  /** Paths of which nobody asks anything, where a part of the run is looked at and not all of it played. */
  readonly unasked?: ((path: string) => boolean) | undefined;
  /** Called where the recorded run went on that had ended or died, before the first effect after it. */
  readonly onResumed?: ((resumption: Resumption) => void) | undefined;
  /** Which effects happen once more, and what comes of them is compared: those that may happen twice. None unless given. */
  readonly tries?: ((call: EffectCall<unknown>) => boolean) | undefined;
}

export class ReplayEffects extends EffectsCore {
  mode: EffectMode = "replay";
  readonly journal: Journal;
  private readonly options: ReplayOptions;
  private readonly history: History;
  private readonly replayer: Replayer;
  private readonly stops: StopRecord[];
  private readonly end: EndRecord | undefined;
  /** Those that the replay has not come to. */
  private readonly resumptions: Resumption[];
  private places: Map<JournalRecord, number> | undefined = undefined;
  /** Those that the program has asked for. */
  private readonly asked = new Set<HistoryEffect>();
  /** The recorded run was broken off in a computation, and the replay has reached that step. */
  private broken = false;
  /** The replay itself was stopped: it says nothing about the recorded run. */
  private abandoned = false;
  /** Effects that happen once more. */
  private readonly trying = new Set<Promise<void>>();
  /** It ends when those have, or when somebody asks it to. */
  private closing: PromiseWithResolvers<void> | undefined = undefined;
  /** A stop was handed over. */
  private stop: StopRequest | undefined = undefined;

  constructor(options: ReplayOptions) {
    super({ atRest: options.atRest, seed: options.journal.header.seed });
    this.options = options;
    this.journal = options.journal;
    this.history = new History(options.journal);
    const { format, seed } = options.journal.header;
    options.secrets.follow({ format, mark: standInMark(seed, options.digest), replays: true });
    options.secrets.onMet = () => {
      this.metSecrets = options.secrets;
    };
    this.replayer = new Replayer(this.history, options);
    this.stops = [...this.history.stops];
    this.resumptions = options.onResumed === undefined ? [] : resumptionsOf(options.journal.records);
    this.end = this.history.end;
    this.turns.urgent = () => this.recordedStop();
  }

  perform<T>(scope: EffectScope, call: EffectCall<T>, inFlight?: InFlightEffect): MaybePromise<T> {
    if (this.problem !== undefined) throw this.problem;
    const number = scope.effects++;
    const recorded = this.history.at(scope.path, number);
    if (this.resumptions.length > 0) this.noteReached(recorded?.result ?? recorded?.intent);
    this.check(scope.path, number, call, recorded);
    const result = recorded?.result;
    if (result !== undefined && this.options.tries?.(call as EffectCall<unknown>) === true)
      this.tryAgain(call, result, inFlight);
    if (result !== undefined && result.o === undefined)
      return this.checked(() => this.replayer.give(call, result));
    if (result === undefined && this.isLast(scope.path, number)) {
      throw this.fail(endedEarly(this.replayer.describe(scope.path, number, call)));
    }
    const pending = new Pending(scope, number, call, (input) => this.deliver(input));
    this.replayer.wait(pending);
    const promise = this.track(pending, inFlight);
    this.turns.check();
    return promise;
  }

  /** Turns wait for it, so that whatever comes after it comes after the comparison. */
  private tryAgain<T>(call: EffectCall<T>, result: ResultRecord, inFlight: InFlightEffect | undefined): void {
    const tried = this.turns.hold(this.tried(call, result, inFlight));
    this.trying.add(tried);
    void tried.finally(() => this.trying.delete(tried));
  }

  /** Never rejects. The stored forms are compared, which hold no secrets. */
  private async tried<T>(
    call: EffectCall<T>,
    result: ResultRecord,
    inFlight: InFlightEffect | undefined,
  ): Promise<void> {
    const { p: path, n: number, v, e } = result;
    try {
      const then: Json =
        e === undefined ? { result: this.history.whole(v ?? null) } : { error: this.history.whole(e) };
      const now = this.options.secrets.namedIn(await this.outcomeNow(call, inFlight));
      if (this.problem !== undefined || this.closed) return;
      const other = givesOther(this.replayer.describe(path, number, call), then, now);
      if (other !== undefined) this.fail(other);
    } catch (error) {
      this.fail(error instanceof JournalProblem ? error : this.replayer.broke(error));
    }
  }

  private async outcomeNow<T>(call: EffectCall<T>, inFlight: InFlightEffect | undefined): Promise<Json> {
    try {
      return { result: call.result.encode(await this.start(call, inFlight)) };
    } catch (error) {
      return { error: encodeError(error) };
    }
  }

  recordedNext({ path, effects: number }: EffectScope): RecordedKind | undefined {
    return this.history.kindAt(path, number);
  }

  isAhead(): boolean {
    return this.replayer.nextResult !== undefined;
  }

  /** An effect is asked for whose record was written after the run went on. */
  private noteReached(record: JournalRecord | undefined): void {
    this.places ??= new Map(this.history.records.map((one, at) => [one, at]));
    const at = record === undefined ? -1 : (this.places.get(record) ?? -1);
    for (let next = this.resumptions[0]; next !== undefined && at >= next.after; next = this.resumptions[0]) {
      this.resumptions.shift();
      this.options.onResumed?.(next);
    }
  }

  /** The intent was the last thing that a run wrote before it was cut off. */
  private isLast(path: string, number: number): boolean {
    if (this.end !== undefined) return false;
    const { last } = this.history;
    return last?.t === "intent" && last.p === path && last.n === number;
  }

  /** Compares what is asked with what was recorded. */
  private check<T>(
    path: string,
    number: number,
    call: EffectCall<T>,
    recorded: HistoryEffect | undefined,
  ): void {
    const packed = this.replayer.packed(call);
    if (recorded?.print === undefined) {
      if (this.breakOff()) throw new BrokenOff();
      const asked = this.replayer.describe(path, number, call);
      throw this.fail(this.end === undefined ? endedEarly(asked) : unrecorded(asked, this.ending(this.end)));
    }
    if (!this.replayer.matches(recorded, call, packed)) {
      const { print } = recorded;
      const args = this.checked(() => this.history.whole(print.a));
      throw this.fail(differs({ ...print, args }, this.replayer.describe(path, number, call)));
    }
    this.asked.add(recorded);
  }

  /** The first recorded effect that the program did not ask for. */
  private leftOver(): RecordedPlace | undefined {
    for (const record of this.history.records) {
      if (!introduces(record)) continue;
      const { p: path, n: number, k: kind } = record;
      const effect = this.history.at(path, number);
      if (effect !== undefined && !this.asked.has(effect)) return { path, number, kind };
    }
    return undefined;
  }

  /** A journal that lacks a piece ends the replay. */
  private checked<T>(read: () => T): T {
    return noticing(read, (problem) => this.fail(problem));
  }

  broke(cause: unknown): void {
    this.fail(this.replayer.broke(cause));
  }

  private ending(end: EndRecord): string {
    return `${end.reason} (exit code ${end.code})`;
  }

  private deliver<T>(pending: Pending<T>): void {
    this.untrack(pending);
    this.replayer.hand(pending);
    const { outcome } = pending;
    if (outcome !== undefined && "error" in outcome && outcome.error instanceof JournalProblem) {
      this.fail(outcome.error);
    }
  }

  protected next(): Runnable | undefined {
    const { unasked } = this.options;
    if (unasked !== undefined) this.replayer.passOver(unasked);
    return this.problem === undefined ? this.replayer.next() : undefined;
  }

  /** The stop that took effect at this turn of the recorded run. */
  private recordedStop(): Runnable | undefined {
    // The turn in which the run was broken off is over, and the step was not met: this is where it ended.
    if (
      this.history.brokenTurn !== undefined &&
      this.turns.taken >= this.history.brokenTurn &&
      !this.broken
    ) {
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
   * wait, the program and its journal have diverged, unless it is a deadlock of the program itself.
   */
  protected override rest(): void {
    if (this.problem !== undefined || this.closed || !this.allWait()) return;
    if (this.waiting.size === 0 && this.replayer.nextResult === undefined) this.onIdle();
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
    const waiting = [...this.waiting].map(({ scope, number, call }) =>
      this.replayer.describe(scope.path, number, call),
    );
    const [first] = waiting;
    const record = this.replayer.nextResult;
    if (record !== undefined) {
      const print = this.history.at(record.p, record.n)?.print;
      this.fail(notAsked({ path: record.p, number: record.n, kind: print?.k ?? "unknown" }, waiting));
    } else if (this.end === undefined || first === undefined) this.fail(endedEarly(first));
    else if (!this.breakOff()) this.fail(unrecorded(first, this.ending(this.end)));
  }

  /** The recorded run was broken off in the middle of a computation, and this is where: ends the replay like it. */
  private breakOff(): boolean {
    const { end } = this;
    if (end === undefined || !endedFromOutside(end)) return false;
    this.broken = true;
    this.onStop({ reason: end.reason as StopRequest["reason"], exitCode: end.code, atOnce: true });
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
    this.abandoned = true;
    this.closing?.resolve();
    this.onStop({ ...request, atOnce: true });
  }

  override nextDecision(path: string): Decision | undefined {
    const decision = this.replayer.nextDecision(path);
    // The task that was looked at last need not be the one that was broken off: only that turn counts.
    if (decision?.kind !== "interrupt") return decision;
    const early = this.turns.taken < (decision.turn ?? 0) || this.printed < (this.end?.w ?? 0);
    return early ? undefined : decision;
  }

  override decisionTaken(path: string): void {
    const decision = this.replayer.takeDecision(path);
    if (decision?.kind === "interrupt") this.breakOff();
  }

  override decisionMissed(decision: Decision): void {
    throw this.fail(notDecided(decision));
  }

  override decisionLost(deadline: string, ms: number): void {
    throw this.fail(notPassed(deadline, ms));
  }

  keptSecrets(): Secrets {
    return this.options.secrets;
  }

  keepSecret(name: string, value: string): void {
    this.options.secrets.register(name, value);
  }

  override output(text: string): boolean {
    if (this.problem !== undefined || this.broken) return false;
    // A run that was broken off in the middle of a computation printed no more than this.
    if (this.end !== undefined && endedFromOutside(this.end) && this.printed >= this.end.w) return false;
    this.printed++;
    this.options.outputHash.update(this.options.secrets.named(text));
    return true;
  }

  /** Whether the replay came to where the recorded run was stopped; if not, a stop was meant for the replay itself. */
  get reachedStop(): boolean {
    return this.broken || this.stop !== undefined;
  }

  /** How the recorded run ended; `undefined` when it was cut off. */
  get recordedEnd(): EndRecord | undefined {
    return this.end;
  }

  override async close(end?: RunEnd): Promise<void> {
    if (this.closed || this.closing !== undefined) return;
    if (end !== undefined && this.trying.size > 0 && !this.abandoned) {
      // The program is through, and what nobody waited for is still compared, unless nobody waits for the replay any more.
      this.closing = Promise.withResolvers<void>();
      await Promise.race([Promise.all(this.trying), this.closing.promise]);
    }
    this.shut();
    if (end === undefined || this.problem !== undefined || this.abandoned) return;
    const left = endedByItself(end) && this.options.unasked === undefined ? this.leftOver() : undefined;
    if (left !== undefined) this.fail(endsEarlier(left, this.resultNow(end)));
    else if (this.end === undefined) this.fail(endedEarly(undefined));
    else if (this.end.w !== this.printed || !this.printedSame(this.end)) this.fail(printedOther());
    else this.compareResults(this.end, end);
  }

  /** Of a run whose result somebody took, and whose program is through, then and now. */
  private compareResults({ reason, code, result }: EndRecord, now: RunEnd): void {
    if (result === undefined || now.result === undefined || this.options.unasked !== undefined) return;
    if (!endedByItself({ reason }) || !endedByItself(now)) return;
    const other = endsOtherwise({ code, result }, { code: now.exitCode, result: this.resultNow(now) });
    if (other !== undefined) this.fail(other);
  }

  private resultNow({ result }: RunEnd): EndResult | undefined {
    const { digest, secrets } = this.options;
    return endResult(result?.(), secrets, digest, this.history.format);
  }

  private printedSame({ output }: EndRecord): boolean {
    return output === undefined || output === this.options.outputHash.digest();
  }
}

function endedFromOutside(end: EndRecord): boolean {
  return ["interrupt", "terminate", "hangup", "cancel", "output", "parked"].includes(end.reason);
}
