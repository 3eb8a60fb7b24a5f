/**
 * A run that goes on: its past is followed up to its end, then it is live, and what happens is added to the journal.
 *
 *   following   every effect is answered from the past, nothing outside is touched (`mode` is "replay")
 *   live        from the first effect that the past does not answer, or when all wait for something it does not hand over
 *
 * A program that asks for something else than its past holds (its script was edited) stops there with both sides shown, or
 * goes on live from there when the user has accepted that.
 */
import type { MaybePromise } from "../values/index.ts";
import type { Pending } from "./core.ts";
import { DoubtfulEffects, type DoubtOptions, type DoubtPark } from "./doubt.ts";
import type { Flight } from "./flight.ts";
import { Following, type FollowingOptions } from "./following.ts";
import { JournalProblem, type JournalRecord } from "./journal.ts";
import { JournalledEffects, type JournalledOptions } from "./journalled.ts";
import { differs, endsEarlier, notAsked, unrecorded } from "./mismatch.ts";
import type { Past, Recorded } from "./past.ts";
import type { Decision, EffectCall, EffectMode, EffectScope, Json, RunEnd, StopRequest } from "./port.ts";
import type { Recorder } from "./recorder.ts";
import { markOf } from "./secrets/secrets.ts";
import type { Runnable } from "./turns.ts";

export interface ResumeOptions extends Omit<JournalledOptions, "open">, FollowingOptions, DoubtOptions {
  readonly past: Past;
  /** Pieces of standard output that were printed already. */
  readonly shown: number;
  /** Go on live where the program asks for something else than it did then. */
  readonly acceptChanges: boolean;
  /**
   * Called when the run goes live: gives the journal to go on with. `followed` are the records that were followed, in
   * order; they are all there are unless the program has changed.
   */
  readonly onward: (followed: readonly JournalRecord[], changed: boolean) => Recorder;
  /** Notes that so many pieces are printed now, while the past is followed; `JournalWriter.shown` does it later. */
  readonly noteShown?: (pieces: number) => void;
  /** Hashes what is printed while the past is followed. */
  readonly outputHash: { update(text: string): void };
  /** `path#number` of an effect that failed and is to be tried again. */
  readonly failed?: string;
  /** What takes the place of results that the past lacks, by `path#number`: answers of people, a fork's own result. */
  readonly answers?: ReadonlyMap<string, Json>;
}

/** What is said when a program does not do what its past says. */
const choices =
  "`--accept-changes` goes on live from here, as a new run; without it nothing is done and the run stays as it is";

export class ResumingEffects extends JournalledEffects {
  private readonly resume: ResumeOptions;
  private readonly following: Following;
  private readonly doubts: DoubtfulEffects;
  private followed = true;
  /** Records that were followed. */
  private readonly used = new Set<JournalRecord>();
  /** Asked while the past was followed, by `path#number`; started when the run goes live. */
  private readonly unanswered = new Set<Pending<unknown>>();

  constructor(options: ResumeOptions) {
    super({ ...options, open: () => this.openOnward() });
    this.resume = options;
    const mark = markOf(options.seed, options.digest);
    options.secrets.follow({ format: options.past.format, mark });
    this.watch(options.secrets);
    this.following = new Following(options.past, options);
    this.doubts = new DoubtfulEffects(options);
  }

  override mode: EffectMode = "replay";

  /** How many effects the past answered. */
  get answered(): number {
    return this.used.size;
  }

  override perform<T>(scope: EffectScope, call: EffectCall<T>, flight?: Flight): MaybePromise<T> {
    if (!this.followed || this.inside) return super.perform(scope, call, flight);
    if (this.problem !== undefined) throw this.problem;
    const number = scope.effects++;
    const recorded = this.resume.past.at(scope.path, number);
    if (recorded?.print === undefined) {
      this.pastIsOver(scope.path, number, call);
      return this.announce(scope, number, call, flight);
    }
    if (!this.following.matches(recorded, call, this.following.packed(call))) {
      this.parted(scope.path, number, call, recorded);
      return this.announce(scope, number, call, flight);
    }
    this.note(recorded);
    const { result } = recorded;
    if (result !== undefined && result.o === undefined) {
      this.used.add(result);
      return this.checked(() => this.following.give(call, result));
    }
    if (result === undefined && this.isLast(scope.path, number)) {
      // The process died while this was done: nothing was recorded after it.
      this.goLive(false);
      return this.doubtful(scope, number, call, flight, recorded);
    }
    const pending = this.pendingOf(scope, number, call);
    this.following.wait(pending);
    this.unanswered.add(pending as Pending<unknown>);
    const promise = this.track(pending, flight);
    this.turns.check();
    return promise;
  }

  private note(recorded: Recorded): void {
    if (recorded.intent !== undefined) this.used.add(recorded.intent);
  }

  private isLast(path: string, number: number): boolean {
    const { last } = this.resume.past;
    return last?.t === "intent" && last.p === path && last.n === number;
  }

  /** The program asks for more than its past holds: that is where it goes on, if it has used all of it. */
  private pastIsOver<T>(path: string, number: number, call: EffectCall<T>): void {
    const left = this.leftOver();
    if (left !== undefined && !this.resume.acceptChanges) {
      const asked = this.following.describe(path, number, call);
      throw this.fail(unrecorded(asked, `something else first: ${left}`, choices));
    }
    this.goLive(left !== undefined);
  }

  private parted<T>(path: string, number: number, call: EffectCall<T>, recorded: Recorded): void {
    if (!this.resume.acceptChanges && recorded.print !== undefined) {
      const { print } = recorded;
      const args = this.checked(() => this.resume.past.whole(print.a));
      throw this.fail(differs({ ...print, args }, this.following.describe(path, number, call), choices));
    }
    this.goLive(true);
  }

  /** The first recorded effect that the program did not ask for, in words. */
  private leftOver(): string | undefined {
    for (const record of this.resume.past.records) {
      if (record.t !== "intent" && record.t !== "result") continue;
      if (record.h === undefined || this.used.has(record)) continue;
      return `${record.k} (effect ${record.p}#${record.n})`;
    }
    return undefined;
  }

  /** A past that lacks a piece can't be followed. */
  private checked<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw error instanceof JournalProblem ? this.fail(error) : error;
    }
  }

  private fail(problem: JournalProblem): JournalProblem {
    if (this.problem === undefined) {
      this.problem = problem;
      this.onProblem(problem);
    }
    return problem;
  }

  protected override given<T>(pending: Pending<T>): void {
    if (!this.followed) {
      super.given(pending);
      return;
    }
    this.untrack(pending);
    this.unanswered.delete(pending as Pending<unknown>);
    const result = this.following.nextResult;
    if (result !== undefined) this.used.add(result);
    this.following.hand(pending);
    const { outcome } = pending;
    if (outcome !== undefined && "error" in outcome && outcome.error instanceof JournalProblem) {
      this.fail(outcome.error);
    }
  }

  protected override next(): Runnable | undefined {
    if (!this.followed) return super.next();
    return this.problem === undefined ? this.following.next() : undefined;
  }

  /** Everybody waits, and the past hands nothing over. */
  protected override rest(): void {
    if (!this.followed) {
      super.rest();
      return;
    }
    if (this.problem !== undefined || this.closed || !this.allWait()) return;
    const record = this.following.nextResult;
    if (record === undefined && this.waiting.size === 0) {
      this.onIdle();
      return;
    }
    if (record !== undefined && !this.resume.acceptChanges) {
      const print = this.resume.past.at(record.p, record.n)?.print;
      const waiting = [...this.waiting].map(({ scope, number, call }) =>
        this.following.describe(scope.path, number, call),
      );
      this.fail(
        notAsked({ path: record.p, number: record.n, kind: print?.k ?? "unknown" }, waiting, choices),
      );
      return;
    }
    try {
      this.goLive(record !== undefined || this.leftOver() !== undefined);
    } catch (error) {
      if (!(error instanceof JournalProblem)) throw error;
    }
  }

  override lost(): void {
    if (this.followed) this.rest();
  }

  /** From here on everything happens. What was asked for and not answered is begun again, as its class wants it. */
  private goLive(changed: boolean): void {
    if (!this.followed) return;
    this.followed = false;
    this.mode = "record";
    this.changed = changed;
    const { journal } = this;
    journal.order = this.following.order;
    const waiting = [...this.unanswered];
    this.unanswered.clear();
    for (const pending of waiting) if (pending.state === "under way") this.takeUp(pending);
    this.turns.check();
  }

  private changed = false;

  private openOnward(): Recorder {
    const records = this.resume.past.records.filter((record) => this.follows(record));
    return this.resume.onward(records, this.changed);
  }

  /** Whether a record was followed; those that are no effects are. */
  private follows(record: JournalRecord): boolean {
    return (record.t !== "intent" && record.t !== "result") || this.used.has(record);
  }

  /** An effect that a task waits for, with an intent and no result. */
  private takeUp<T>(pending: Pending<T>): void {
    const { scope, number, call } = pending;
    const flight = this.flights.get(pending);
    const recorded = this.resume.past.at(scope.path, number);
    const answer = this.answerOf(scope, number);
    if (answer !== undefined) {
      this.settle(
        pending,
        this.promised(() => call.decode(answer.value)),
      );
      return;
    }
    if (call.question !== undefined && this.unattended) {
      this.parkPending(pending);
      return;
    }
    this.later({
      begin: () => {
        if (pending.state !== "under way") return;
        const settled = this.decide(scope, number, call);
        if (isPark(settled)) this.parkPending(pending, settled.park);
        else if (settled !== undefined) this.settle(pending, this.promised(settled));
        else this.startPending(pending, flight, this.left(call, recorded));
      },
    });
  }

  /** The same for an effect that nobody waits for yet: it was the last that the process did. */
  private doubtful<T>(
    scope: EffectScope,
    number: number,
    call: EffectCall<T>,
    flight: Flight | undefined,
    recorded: Recorded,
  ): MaybePromise<T> {
    const answer = this.answerOf(scope, number);
    const place = { p: scope.path, n: number };
    if (answer === undefined && call.question !== undefined && this.unattended) {
      return this.park(scope, number, call, flight);
    }
    const settled = answer !== undefined ? () => call.decode(answer.value) : this.decide(scope, number, call);
    if (isPark(settled)) return this.park(scope, number, call, flight, settled.park);
    const again = settled === undefined ? call : { ...call, run: () => settled() };
    const result = this.attempt(again, flight, place, this.left(call, recorded));
    if (!(result instanceof Promise)) return result;
    return this.await(this.pendingOf(scope, number, call), result, flight);
  }

  private decide<T>(
    scope: EffectScope,
    number: number,
    call: EffectCall<T>,
  ): (() => T) | DoubtPark | undefined {
    if (this.resume.failed === `${scope.path}#${number}`) return undefined;
    const { past } = this.resume;
    const before = past.at(scope.path, number)?.intent?.b;
    const place = `${scope.path}#${number}`;
    return this.doubts.decide(call, before === undefined ? undefined : past.whole(before), place);
  }

  private answerOf(scope: EffectScope, number: number): { readonly value: Json } | undefined {
    const key = `${scope.path}#${number}`;
    const { answers } = this.resume;
    if (answers?.has(key) !== true) return undefined;
    return { value: answers.get(key) as Json };
  }

  private promised<T>(make: () => T): Promise<T> {
    try {
      return Promise.resolve(make());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** What is left of a wait that began in the past. */
  private left<T>(call: EffectCall<T>, recorded: Recorded | undefined): number | undefined {
    const due = recorded?.intent?.due;
    if (call.waits === undefined || due === undefined || this.resume.now === undefined) return undefined;
    return Math.min(call.waits, Math.max(0, due - this.resume.now()));
  }

  override nextDecision(path: string): Decision | undefined {
    return this.followed ? this.following.nextDecision(path) : undefined;
  }

  override decisionTaken(path: string): void {
    this.following.takeDecision(path);
  }

  override decided(decision: Decision): void {
    if (!this.followed) super.decided(decision);
  }

  override output(text: string): boolean {
    if (!this.followed) {
      if (this.offRecord) return super.output(text);
      super.output(text);
    } else {
      if (this.problem !== undefined) return false;
      this.resume.outputHash.update(this.resume.secrets.named(text));
      this.printed++;
    }
    return this.printed > this.resume.shown;
  }

  override shown(pieces: number): void {
    if (!this.followed) super.shown(pieces);
    else this.guard(() => this.resume.noteShown?.(pieces));
  }

  /** While the past is followed nothing has happened: the run stays as it was. */
  override requestStop(request: StopRequest): void {
    if (!this.followed) super.requestStop(request);
    else this.onStop({ ...request, atOnce: true });
  }

  private endWithinPast(): void {
    const left = this.leftOver();
    if (left === undefined || this.resume.acceptChanges) this.goLive(left !== undefined);
    else this.fail(endsEarlier(left, choices));
  }

  /** The program has ended within its past: that is where this run ended, or would have. */
  override async close(end?: RunEnd): Promise<void> {
    if (this.followed && !this.closed && end !== undefined && this.problem === undefined) {
      if (["done", "error", "exit"].includes(end.reason)) this.endWithinPast();
    }
    await super.close(end);
  }
}

const isPark = (settled: (() => unknown) | DoubtPark | undefined): settled is DoubtPark =>
  typeof settled === "object";
