/**
 * Live effects with a journal: intents before, results after, in the order in which they were handed over. An intent of a
 * class that changes the outside (write, model, human) is made durable before the effect starts, so a process that dies
 * in between leaves a trace of the attempt; those that start together share one commit (`deferred`).
 *
 * The journal is begun with the first effect: a run without effects writes nothing, and its start loads nothing for it.
 */

import type { Json } from "../values/index.ts";
import { type MaybePromise, ScriptError } from "../values/index.ts";
import { type AnyPending, type CoreOptions, Pending } from "./core.ts";
import { encodeError } from "./error-codec.ts";
import type { InFlightEffect } from "./in-flight.ts";
import { JournalProblem, type JournalRecord } from "./journal.ts";
import { LiveEffects } from "./live.ts";
import { recordedResult } from "./mismatch.ts";
import type {
  Decision,
  EffectCall,
  EffectMode,
  EffectScope,
  JournalledClass,
  RunEnd,
  StopRequest,
} from "./port.ts";
import type { Recorder } from "./recorder.ts";
import type { Secrets } from "./secrets/secrets.ts";

export interface JournalledOptions extends CoreOptions {
  /** Begins the journal; called once, with the first effect. Throws a `JournalProblem`. */
  readonly open: () => Recorder;
  /** Milliseconds since the epoch, for waits that a resume cuts short. */
  readonly now?: () => number;
  /** Takes texts that were printed before the journal is begun, when they become many. */
  readonly spill?: (texts: readonly string[]) => void;
  /** Whether people can be asked now; else questions park the run. Default yes. */
  readonly attended?: () => boolean;
  /** A question that nobody can answer now: the run waits for it, and parks when it has nothing else left to do. */
  readonly onQuestion?: (place: string, question: Json) => void;
  /** Nobody wants the answer to this question any more: its time was over, or its task was cancelled. */
  readonly onQuestionOver?: (place: string) => void;
  /**
   * For a run that is answered while it lives (`giveAnswer`): calls back when nothing but questions has been left for as long as
   * it waits for people; the result takes that back. Without it the run parks at once.
   */
  readonly parkLater?: (park: () => void) => () => void;
}

/** What somebody who is not there is asked. */
interface ParkedEffect {
  readonly pending: AnyPending;
  /** Goes on with what was said. */
  readonly answered: (answer: Json) => void;
}

/** Classes whose intent is written before they happen. */
const announced: readonly JournalledClass[] = ["read", "write", "model", "human"];
/** Of these, the ones that must not happen without a trace. */
const guarded: readonly JournalledClass[] = ["write", "model", "human"];

/** Characters printed before the journal is begun that are kept as they are. */
const earlyText = 64 * 1024;

/** Turns that a deferred effect waits at most while others go on. */
const patience = 256;

/** Exit code of a run that waits for a person. */
const parkedCode = 75;

export interface DeferredStart {
  begin(): void;
}

export class JournalledEffects extends LiveEffects {
  override mode: EffectMode = "record";
  private readonly options: JournalledOptions;
  private recorder: Recorder | undefined = undefined;
  /** Before the journal is begun: what it would have noted. */
  private readonly early = { texts: [] as string[], size: 0, records: [] as JournalRecord[], shown: 0 };
  /** Announced, and started once their intents are durable. */
  private deferred: DeferredStart[] = [];
  private deferredSince = 0;
  /** Waiting for people who are not there, by `path#number`. */
  private readonly parked = new Map<string, ParkedEffect>();
  /** Takes back that the run parks when people take too long; `undefined` while something else is in progress. */
  private stay: (() => void) | undefined = undefined;
  /** What happens now is not recorded any more. */
  protected offRecord = false;
  /** Called when what has happened so far is in the journal: the time to write what is made of it. */
  onJournalled: () => void = () => {};

  /** How many records the run's history has come to: what happens next is after them. */
  get records(): number {
    return this.recorder?.records ?? 0;
  }

  constructor(options: JournalledOptions) {
    super(options);
    this.options = options;
    const { urgent } = this.turns;
    this.turns.urgent = () => {
      if (this.deferred.length > 0 && this.turns.taken - this.deferredSince > patience) this.startDeferred();
      return urgent();
    };
  }

  /** The journal, begun now when it is not yet. */
  protected get journal(): Recorder {
    if (this.recorder !== undefined) return this.recorder;
    const recorder = this.guard(this.options.open);
    this.watch(recorder.secrets);
    for (const text of this.early.texts) recorder.output(text);
    recorder.printed = this.printed;
    this.recorder = recorder;
    for (const record of this.early.records) this.append(record);
    if (this.early.shown > 0) this.guard(() => recorder.writer.shown(this.early.shown));
    return recorder;
  }

  /** What the program finds out about secrets is recorded once it has met one. */
  protected watch(secrets: Secrets): void {
    if (secrets.anyMet) this.metSecrets = secrets;
    else {
      secrets.onMet = () => {
        this.metSecrets = secrets;
      };
    }
  }

  /** Begins the journal now, whether or not there will be effects. */
  begin(): void {
    void this.journal;
  }

  /** A process that is killed before its first effect leaves a run that can be resumed. */
  beginsNow(): void {
    if (this.hasBegun || this.offRecord || this.problem !== undefined) return;
    this.hasBegun = true;
    this.begin();
    this.commit(false);
  }

  private hasBegun = false;

  override perform<T>(scope: EffectScope, call: EffectCall<T>, inFlight?: InFlightEffect): MaybePromise<T> {
    this.refuseAfterProblem();
    if (this.offRecord) return super.perform(scope, call, inFlight);
    if (this.inside) return this.start(call, inFlight);
    return this.announce(scope, scope.effects++, call, inFlight);
  }

  /** Notes the intent, does it, notes the result. */
  protected announce<T>(
    scope: EffectScope,
    number: number,
    call: EffectCall<T>,
    inFlight: InFlightEffect | undefined,
  ): MaybePromise<T> {
    const { journal } = this;
    const print = this.guard(() => journal.fingerprint(call));
    const place = { p: scope.path, n: number };
    const intent: JournalRecord = { t: "intent", ...place, ...print, ...this.notes(call) };
    const early = announced.includes(call.effect);
    if (early) this.append(intent);
    if (call.question !== undefined && this.unattended) {
      return this.park(scope, number, call, inFlight);
    }
    if (guarded.includes(call.effect)) {
      if (call.deferred === true) return this.defer(scope, number, call, inFlight);
      this.commit(true);
    }
    const result = this.attempt(call, inFlight, early ? place : { ...place, ...print });
    if (!(result instanceof Promise)) return result;
    // What waits has an intent in every class: a replay must know that it was asked for, though perhaps never given.
    if (!early) this.append(intent);
    return this.await(this.pendingOf(scope, number, call), result, inFlight);
  }

  /** Large pieces go to the journal on the way: a disk that is full is noticed here. */
  private packed(json: Json): Json {
    return this.guard(() => this.journal.packed(json));
  }

  /** What a resume will want to know. */
  private notes<T>({ waits, evidence }: EffectCall<T>): { due?: number; b?: Json } {
    const { now } = this.options;
    if (waits !== undefined && now !== undefined) return { due: now() + waits };
    return evidence === undefined ? {} : { b: this.packed(evidence.before()) };
  }

  /** Starts it; what it gives or throws at once is noted with `rest`. */
  protected attempt<T>(
    call: EffectCall<T>,
    inFlight: InFlightEffect | undefined,
    rest: object,
    left?: number,
  ): MaybePromise<T> {
    try {
      const result = this.start(call, inFlight, left);
      if (!(result instanceof Promise)) {
        this.append({ t: "result", ...rest, v: this.packed(call.result.encode(result)) } as JournalRecord);
        this.keep(call);
      }
      return result;
    } catch (error) {
      if (!isPassing(error)) {
        this.append({ t: "result", ...rest, e: this.packed(encodeError(error)) } as JournalRecord);
        this.keep(call);
      }
      throw error;
    }
  }

  /** What changed the outside and is finished must not be done again, whatever ends this process next. */
  private keep<T>(call: EffectCall<T>): void {
    if (guarded.includes(call.effect)) this.commit(false);
  }

  protected pendingOf<T>(scope: EffectScope, number: number, call: EffectCall<T>): Pending<T> {
    return new Pending(scope, number, call, (input) => this.deliver(input));
  }

  /** Its start waits for the commit at the next rest. */
  private defer<T>(
    scope: EffectScope,
    number: number,
    call: EffectCall<T>,
    inFlight: InFlightEffect | undefined,
  ): Promise<T> {
    const pending = this.pendingOf(scope, number, call);
    const promise = this.track(pending, inFlight);
    this.later({ begin: () => this.startPending(pending, inFlight) });
    return promise;
  }

  protected later(deferred: DeferredStart): void {
    if (this.deferred.length === 0) this.deferredSince = this.turns.taken;
    this.deferred.push(deferred);
    this.turns.check();
  }

  /** Does what a task waits for already. */
  protected startPending<T>(pending: Pending<T>, inFlight: InFlightEffect | undefined, left?: number): void {
    // Nobody wants it any more.
    if (pending.state !== "in flight") return;
    let result: MaybePromise<T>;
    try {
      result = this.start(pending.call, inFlight, left);
    } catch (error) {
      result = Promise.reject(error);
    }
    this.settle(pending, result instanceof Promise ? result : Promise.resolve(result));
  }

  private startDeferred(): void {
    this.commit(true);
    const ready = this.deferred;
    this.deferred = [];
    for (const one of ready) one.begin();
  }

  /** Nobody can be asked. */
  protected get unattended(): boolean {
    return this.options.attended?.() === false;
  }

  /** A question that nobody can answer now. */
  protected park<T>(
    scope: EffectScope,
    number: number,
    call: EffectCall<T>,
    inFlight: InFlightEffect | undefined,
    question: Json = call.question?.() ?? null,
    settleInDoubt?: (pending: Pending<T>, choice: Json) => void,
  ): Promise<T> {
    const pending = this.pendingOf(scope, number, call);
    const promise = this.track(pending, inFlight);
    this.parkPending(pending, question, settleInDoubt);
    return promise;
  }

  /** The same for one that a task waits for already. `doubt`: what is asked is not the effect's own question. */
  protected parkPending<T>(
    pending: Pending<T>,
    question: Json = pending.call.question?.() ?? null,
    settleInDoubt?: (pending: Pending<T>, choice: Json) => void,
  ): void {
    const answered = (answer: Json): void => {
      if (settleInDoubt !== undefined) settleInDoubt(pending, answer);
      else
        this.settle(
          pending,
          promised(() => recordedResult(pending.call, answer, pending.scope.path, pending.number)),
        );
    };
    const place = placeOf(pending);
    this.parked.set(place, { pending, answered });
    this.options.onQuestion?.(place, this.journal.secrets.hideIn(question));
    this.turns.check();
  }

  /**
   * What somebody has said to a question (`onQuestion`) while the run lives: in the stored form of the effect's result, or
   * the choice in a doubt. False when nothing waits for it.
   */
  giveAnswer(place: string, answer: Json): boolean {
    const parked = this.parked.get(place);
    if (parked === undefined || parked.pending.state !== "in flight") return false;
    this.parked.delete(place);
    parked.answered(answer);
    return true;
  }

  /** Abandoned: nobody waits for the answer any more. */
  protected override untrack(pending: AnyPending): void {
    super.untrack(pending);
    const place = placeOf(pending);
    if (this.parked.get(place)?.pending !== pending) return;
    this.parked.delete(place);
    if (!this.closed && !this.offRecord) this.guard(() => this.options.onQuestionOver?.(place));
  }

  protected deliver<T>(pending: Pending<T>): void {
    this.untrack(pending);
    const { outcome } = pending;
    if (outcome === undefined || this.offRecord) return;
    const { journal } = this;
    const place = { p: pending.scope.path, n: pending.number, o: journal.order++ };
    try {
      if ("value" in outcome) {
        this.append({ t: "result", ...place, v: this.packed(pending.call.result.encode(outcome.value)) });
      } else this.append({ t: "result", ...place, e: this.packed(encodeError(outcome.error)) });
      this.keep(pending.call);
    } catch (error) {
      // The result cannot be stored (a function in it, a full disk): the task is told instead.
      pending.outcome = { error };
      if (error instanceof ScriptError) {
        this.append({ t: "result", ...place, e: this.packed(encodeError(error)) });
      }
    }
  }

  protected override stopNow(request: StopRequest): void {
    this.append({ t: "stop", turn: this.turns.taken, reason: request.reason, code: request.exitCode });
    this.onStop(request);
  }

  /** What is recorded survives a violent end up to the last time that the run waited for something outside. */
  protected override rest(): void {
    if (this.problem === undefined) this.atRest();
    super.rest();
  }

  private atRest(): void {
    if (this.offRecord) return;
    try {
      if (this.deferred.length > 0) this.startDeferred();
      else this.commit(false);
    } catch (error) {
      // `guard` has noted it, and ends the run.
      if (!(error instanceof JournalProblem)) throw error;
      return;
    }
    this.onJournalled();
    this.parkIfOnlyAsking();
  }

  /** With nothing but questions in flight the run parks, at once or when people have taken too long. */
  private parkIfOnlyAsking(): void {
    if (!this.onlyAsks) {
      this.stay?.();
      this.stay = undefined;
      return;
    }
    const { parkLater } = this.options;
    const park = (): void => {
      this.stay = undefined;
      if (!this.onlyAsks || this.closed || this.parking) return;
      this.parking = true;
      this.requestStop({ reason: "parked", exitCode: parkedCode });
    };
    if (parkLater === undefined) park();
    else this.stay ??= parkLater(park);
  }

  /** The run is about to end as parked. */
  private parking = false;

  private get onlyAsks(): boolean {
    return this.parked.size > 0 && this.waiting.size === this.parked.size && this.allWait();
  }

  override decided(decision: Decision): void {
    this.append({
      t: "decision",
      p: decision.path,
      s: decision.steps,
      k: decision.kind,
      of: decision.subject,
      turn: this.turns.taken,
    });
  }

  override leaveRecord(): void {
    this.offRecord = true;
    this.deferred = [];
    super.leaveRecord();
  }

  keptSecrets(): Secrets | undefined {
    return this.recorder?.secrets;
  }

  keepSecret(name: string, value: string): void {
    if (!this.offRecord) this.journal.secrets.register(name, value);
  }

  override output(text: string): boolean {
    if (this.offRecord) return true;
    if (this.recorder === undefined) this.keepEarly(text);
    else this.recorder.output(text);
    this.printed++;
    return true;
  }

  private keepEarly(text: string): void {
    const { early } = this;
    early.texts.push(text);
    early.size += text.length;
    if (early.size < earlyText || this.options.spill === undefined) return;
    this.options.spill(early.texts.splice(0));
    early.size = 0;
  }

  override shown(pieces: number): void {
    if (this.recorder === undefined) this.early.shown = pieces;
    else this.guard(() => this.recorder?.writer.shown(pieces));
  }

  override async close(end?: RunEnd): Promise<void> {
    if (this.closed) return;
    this.stay?.();
    this.shut();
    const { recorder } = this;
    if (recorder === undefined) return;
    try {
      if (end !== undefined && this.problem === undefined) recorder.end(end);
      recorder.writer.close();
    } catch (error) {
      this.problem ??= error;
    }
  }

  /** While the program computes, too: what has happened so far is shown as soon as it is recorded. */
  override flush(): void {
    if (this.recorder === undefined || this.problem !== undefined) return;
    this.commit(false);
    this.onJournalled();
  }

  private commit(durable: boolean): void {
    if (this.recorder !== undefined) this.guard(() => this.recorder?.writer.flush(durable));
  }

  protected append(record: JournalRecord): void {
    if (this.offRecord) return;
    if (this.recorder === undefined) this.early.records.push(record);
    else this.guard(() => this.recorder?.append(record));
  }

  /** A journal that cannot be written ends the run: what is not recorded could not be resumed. */
  protected guard<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      if (error instanceof JournalProblem && this.problem === undefined) {
        this.problem = error;
        this.onProblem(error);
      }
      throw error;
    }
  }

  private refuseAfterProblem(): void {
    if (this.problem !== undefined) throw this.problem;
  }
}

/** Things on their way through an effect that are no result of it: a stop, an exit, a bug. */
function isPassing(error: unknown): boolean {
  if (error instanceof JournalProblem) return true;
  if (error instanceof ScriptError || error instanceof Error) return false;
  return typeof (error as { message?: unknown } | undefined)?.message !== "string";
}

/** `path#number` of an effect. */
const placeOf = ({ scope, number }: { readonly scope: EffectScope; readonly number: number }): string =>
  `${scope.path}#${number}`;

/** As a promise, also when it throws. */
export function promised<T>(make: () => T): Promise<T> {
  try {
    return Promise.resolve(make());
  } catch (error) {
    return Promise.reject(error);
  }
}
