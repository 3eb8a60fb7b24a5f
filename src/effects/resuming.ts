/**
 * A run that is resumed: it is replayed up to the end of its history, then it is live, and what happens is added to the
 * journal. Each phase is a delegate that answers the whole port:
 *
 *   replaying   every effect is answered from the history, nothing outside is touched (`mode` is "replay")
 *   live        from the first effect that the history does not answer, or when all wait for something it does not hand over
 *
 * A program that asks for something else than its history holds (its script was edited) stops there with both sides shown,
 * or goes on live from there when the user has accepted that.
 */
import type { Json, MaybePromise } from "../values/index.ts";
import type { Pending } from "./core.ts";
import type { History, HistoryEffect } from "./history.ts";
import {
  type DoubtChoice,
  EffectsInDoubt,
  type InDoubtOptions,
  type InDoubtPark,
  type LostPart,
} from "./in-doubt.ts";
import type { InFlightEffect } from "./in-flight.ts";
import { introduces, JournalProblem, type JournalRecord, noticing } from "./journal.ts";
import { JournalledEffects, type JournalledOptions, promised } from "./journalled.ts";
import {
  differs,
  endsEarlier,
  notAsked,
  notDecided,
  notPassed,
  type RecordedPlace,
  recordedResult,
  unfitAnswer,
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
import type { Recorder } from "./recorder.ts";
import { Replayer, type ReplayerOptions } from "./replayer.ts";
import { stepsOf } from "./resume-point.ts";
import { standInMark } from "./secrets/secrets.ts";
import type { Runnable } from "./turns.ts";

export interface ResumeOptions extends Omit<JournalledOptions, "open">, ReplayerOptions, InDoubtOptions {
  readonly history: History;
  /** Pieces of standard output that were printed already. */
  readonly shown: number;
  /** Go on live where the program asks for something else than it did then. */
  readonly acceptChanges: boolean;
  /** What can be done about it, for people. */
  readonly choices?: string;
  /**
   * Called when the run goes live: gives the journal to go on with. `replayed` are the records that were replayed, in
   * order; they are all there are unless the program has changed.
   */
  readonly onward: (replayed: readonly JournalRecord[], changed: boolean) => Recorder;
  /** Notes that so many pieces are printed now, while the history is replayed; `JournalWriter.shown` does it later. */
  readonly noteShown?: (pieces: number) => void;
  /** Hashes what is printed while the history is replayed. */
  readonly outputHash: { update(text: string): void };
  /** Records that a damaged store has lost. */
  readonly lost?: LostPart;
  /** Called when something is about to happen that may have happened in the lost part. */
  readonly onLost?: () => void;
  /** `path#number` of an effect that failed and is to be tried again. */
  readonly failed?: string | undefined;
  /** What takes the place of results that the history lacks, by `path#number`: answers of people, a fork's own result. */
  readonly answers?: ReadonlyMap<string, Json>;
  /** What gave them, for people: the flag of a fork. */
  readonly answeredBy?: string;
}

/** What is said when a program does not do what its history says. */
const usualChoices =
  "`--accept-changes` goes on live from here, as a new run; without it nothing is done and the run stays as it is";

/** What differs between the phases of a resumed run. */
export interface Phase {
  perform<T>(scope: EffectScope, call: EffectCall<T>, inFlight?: InFlightEffect): MaybePromise<T>;
  deliver<T>(pending: Pending<T>): void;
  next(): Runnable | undefined;
  rest(): void;
  lost(): void;
  nextDecision(path: string): Decision | undefined;
  decided(decision: Decision): void;
  /** Whether it is to be printed now: what the run has printed before is not printed again. */
  output(text: string): boolean;
  shown(pieces: number): void;
  requestStop(request: StopRequest): void;
  /** The program has come to an end by itself or by an error of its own. */
  ended(): void;
}

export class ResumingEffects extends JournalledEffects {
  private readonly resume: ResumeOptions;
  private readonly replayer: Replayer;
  private readonly inDoubtEffects: EffectsInDoubt;
  /** From the end of the history on. */
  private readonly live: Phase = {
    perform: (scope, call, inFlight) =>
      this.isLost(call)
        ? this.performLost(scope, scope.effects++, call, inFlight)
        : super.perform(scope, call, inFlight),
    deliver: (pending) => super.deliver(pending),
    next: () => super.next(),
    rest: () => super.rest(),
    lost: () => {},
    nextDecision: () => undefined,
    decided: (decision) => super.decided(decision),
    output: (text) => super.output(text) && (this.offRecord || this.printed > this.resume.shown),
    shown: (pieces) => super.shown(pieces),
    requestStop: (request) => super.requestStop(request),
    ended: () => {},
  };

  /** While the history answers nothing happens: the run stays as it was. */
  protected readonly replaying: Phase = {
    perform: (scope, call, inFlight) => this.replay(scope, call, inFlight),
    deliver: (pending) => this.replayResult(pending),
    next: () => (this.problem === undefined ? this.replayer.next() : undefined),
    rest: () => this.restWithinHistory(),
    lost: () => this.restWithinHistory(),
    nextDecision: (path) => this.replayer.nextDecision(path),
    decided: () => {},
    output: (text) => this.replayOutput(text),
    shown: (pieces) => this.guard(() => this.resume.noteShown?.(pieces)),
    requestStop: (request) => this.onStop({ ...request, atOnce: true }),
    ended: () => this.endWithinHistory(),
  };

  protected phase: Phase = this.replaying;
  /** Records that were replayed. */
  private readonly used = new Set<JournalRecord>();
  /** All before this one of the history's records are used, or no effects. */
  private usedUpTo = 0;
  /** Asked while the history was replayed, by `path#number`; started when the run goes live. */
  private readonly unanswered = new Set<Pending<unknown>>();

  constructor(options: ResumeOptions) {
    super({ ...options, open: () => this.openOnward() });
    this.resume = options;
    const mark = standInMark(options.seed, options.digest);
    options.secrets.follow({ format: options.history.format, mark });
    this.watch(options.secrets);
    this.replayer = new Replayer(options.history, options);
    this.inDoubtEffects = new EffectsInDoubt(options);
  }

  override mode: EffectMode = "replay";

  /** How many effects the history answered. */
  get answered(): number {
    return this.used.size;
  }

  /** The number of the step (`stepsOf`) that comes after those that were replayed. */
  protected get nextStep(): number {
    let steps = 1;
    for (const record of this.used) if (introduces(record)) steps++;
    return steps;
  }

  override perform<T>(scope: EffectScope, call: EffectCall<T>, inFlight?: InFlightEffect): MaybePromise<T> {
    return this.inside ? super.perform(scope, call, inFlight) : this.phase.perform(scope, call, inFlight);
  }

  isAnswered({ path, effects: number }: EffectScope): boolean {
    if (this.mode !== "replay") return false;
    const { history } = this.resume;
    return history.at(path, number)?.result !== undefined || history.at(path, number + 1) !== undefined;
  }

  recordedNext({ path, effects: number }: EffectScope): RecordedKind | undefined {
    return this.mode === "replay" ? this.resume.history.kindAt(path, number) : undefined;
  }

  isAhead(): boolean {
    return this.mode === "replay" && this.replayer.nextResult !== undefined;
  }

  /** An effect, answered from the history; one that the history does not answer makes the run live. */
  private replay<T>(scope: EffectScope, call: EffectCall<T>, inFlight?: InFlightEffect): MaybePromise<T> {
    if (this.problem !== undefined) throw this.problem;
    const number = scope.effects++;
    const recorded = this.resume.history.at(scope.path, number);
    if (recorded?.print === undefined) {
      this.historyIsOver(scope.path, number, call);
      return this.isLost(call)
        ? this.performLost(scope, number, call, inFlight)
        : this.announce(scope, number, call, inFlight);
    }
    if (!this.replayer.matches(recorded, call, this.replayer.packed(call))) {
      this.diverged(scope.path, number, call, recorded);
      return this.announce(scope, number, call, inFlight);
    }
    const { result } = recorded;
    if (result === undefined) this.mustFit(scope, number, call);
    this.note(recorded);
    if (result !== undefined && result.o === undefined) {
      this.used.add(result);
      return this.checked(() => this.replayer.give(call, result));
    }
    if (result === undefined && this.isLast(scope.path, number)) {
      // The process died while this was done: nothing was recorded after it.
      this.goLive(false);
      return this.performInDoubt(scope, number, call, inFlight, recorded);
    }
    const pending = this.pendingOf(scope, number, call);
    this.replayer.wait(pending);
    this.unanswered.add(pending as Pending<unknown>);
    const promise = this.track(pending, inFlight);
    this.turns.check();
    return promise;
  }

  /** Before anything happens: what is given as its result is one. */
  private mustFit<T>(scope: EffectScope, number: number, call: EffectCall<T>): void {
    const answer = this.answerOf(scope, number);
    if (answer === undefined) return;
    try {
      call.result.decode(answer.value);
    } catch {
      const { history, secrets, answeredBy = "the answer" } = this.resume;
      const place = `${scope.path}#${number}`;
      const step = stepsOf(history).find((one) => one.place === place)?.number ?? this.nextStep;
      const json = secrets.named(JSON.stringify(answer.value));
      const { words, unfitPart } = call.result;
      const what = { words, part: unfitPart(answer.value) };
      throw this.fail(unfitAnswer(step, call.kind, what, { by: answeredBy, json }));
    }
  }

  private note(recorded: HistoryEffect): void {
    if (recorded.intent !== undefined) this.used.add(recorded.intent);
  }

  private isLast(path: string, number: number): boolean {
    const { last } = this.resume.history;
    return last?.t === "intent" && last.p === path && last.n === number;
  }

  private get choices(): string {
    return this.resume.choices ?? usualChoices;
  }

  /** The program asks for more than its history holds: that is where it goes on, if it has used all of it. */
  private historyIsOver<T>(path: string, number: number, call: EffectCall<T>): void {
    const left = this.leftOver();
    if (left !== undefined && !this.resume.acceptChanges) {
      const asked = this.replayer.describe(path, number, call);
      throw this.fail(
        unrecorded(
          asked,
          `something else first: ${left.kind} (effect ${left.path}#${left.number})`,
          this.choices,
        ),
      );
    }
    this.goLive(left !== undefined, call.kind);
  }

  private diverged<T>(path: string, number: number, call: EffectCall<T>, recorded: HistoryEffect): void {
    if (!this.resume.acceptChanges && recorded.print !== undefined) {
      const { print } = recorded;
      const args = this.checked(() => this.resume.history.whole(print.a));
      throw this.fail(differs({ ...print, args }, this.replayer.describe(path, number, call), this.choices));
    }
    this.goLive(true, call.kind);
  }

  /** The first recorded effect that the program did not ask for. */
  private leftOver(): RecordedPlace | undefined {
    const { records } = this.resume.history;
    for (; this.usedUpTo < records.length; this.usedUpTo++) {
      const record = records[this.usedUpTo];
      if (introduces(record) && !this.used.has(record))
        return { path: record.p, number: record.n, kind: record.k };
    }
    return undefined;
  }

  /** Whether the program has come to where its process ended: nothing of what is recorded is still to come. */
  private isUsedUp(): boolean {
    if (this.replayer.nextResult !== undefined || this.leftOver() !== undefined) return false;
    return ![...this.resume.history.decisions.values()].flat().some(({ kind }) => kind === "deadline");
  }

  /** A history that lacks a piece can't be replayed. */
  private checked<T>(read: () => T): T {
    return noticing(read, (problem) => this.fail(problem));
  }

  broke(cause: unknown): void {
    // Before it has answered anything nothing can have come from it.
    if (this.mode === "replay" && this.answered > 0) this.fail(this.replayer.broke(cause));
  }

  cannotGoOn(problem: JournalProblem): JournalProblem {
    return this.fail(problem);
  }

  protected fail(problem: JournalProblem): JournalProblem {
    if (this.problem === undefined) {
      this.problem = problem;
      this.onProblem(problem);
    }
    return problem;
  }

  protected override deliver<T>(pending: Pending<T>): void {
    this.phase.deliver(pending);
  }

  private replayResult<T>(pending: Pending<T>): void {
    this.untrack(pending);
    this.unanswered.delete(pending as Pending<unknown>);
    const result = this.replayer.nextResult;
    if (result !== undefined) this.used.add(result);
    this.replayer.hand(pending);
    const { outcome } = pending;
    if (outcome !== undefined && "error" in outcome && outcome.error instanceof JournalProblem) {
      this.fail(outcome.error);
    }
  }

  protected override next(): Runnable | undefined {
    return this.phase.next();
  }

  protected override rest(): void {
    this.phase.rest();
  }

  /** Everybody waits, and the history hands nothing over. */
  private restWithinHistory(): void {
    if (this.problem !== undefined || this.closed || !this.allWait()) return;
    const record = this.replayer.nextResult;
    if (record === undefined && this.waiting.size + this.background.size === 0) {
      this.onIdle();
      return;
    }
    if (record !== undefined && !this.resume.acceptChanges) {
      const print = this.resume.history.at(record.p, record.n)?.print;
      const waiting = [...this.waiting].map(({ scope, number, call }) =>
        this.replayer.describe(scope.path, number, call),
      );
      this.fail(
        notAsked({ path: record.p, number: record.n, kind: print?.k ?? "unknown" }, waiting, this.choices),
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
    this.phase.lost();
  }

  /**
   * From here on everything happens. What was asked for and not answered is begun again, as its class wants it. `asked` is the kind
   * of the effect that the history does not answer, where it is one.
   */
  protected goLive(changed: boolean, _asked?: string): void {
    if (this.phase === this.live) return;
    this.phase = this.live;
    this.mode = "record";
    this.changed = changed;
    if (this.beginsWhenLive) {
      this.begin();
      // Before anything is sent again: whoever counts what it may have cost must see that.
      this.flush();
    }
    const waiting = [...this.unanswered];
    this.unanswered.clear();
    for (const pending of waiting) if (pending.state === "in flight") this.takeUp(pending);
    this.turns.check();
  }

  private changed = false;

  /** It is recorded already; while its history is followed nothing is written. */
  override beginsNow(): void {}

  /** Whether the journal is resumed as soon as the run is live, and not only by what happens then. */
  protected get beginsWhenLive(): boolean {
    return true;
  }

  private openOnward(): Recorder {
    const records = this.resume.history.records.filter((record) => this.wasReplayed(record));
    const recorder = this.resume.onward(records, this.changed);
    recorder.order = this.replayer.order;
    return recorder;
  }

  /** Whether a record was replayed; those that are no effects are. */
  private wasReplayed(record: JournalRecord): boolean {
    return (record.t !== "intent" && record.t !== "result") || this.used.has(record);
  }

  /** An effect that a task waits for, with an intent and no result. */
  private takeUp<T>(pending: Pending<T>): void {
    const { scope, number, call } = pending;
    const inFlight = this.inFlightEffects.get(pending);
    const answer = this.answerOf(scope, number);
    if (answer !== undefined) {
      this.settle(
        pending,
        promised(() => recordedResult(call, answer.value, scope.path, number)),
      );
      return;
    }
    if (call.question !== undefined && this.unattended) {
      this.parkPending(pending);
      return;
    }
    this.later({
      begin: () => {
        if (pending.state !== "in flight") return;
        const settled = this.decide(scope, number, call);
        if (isPark(settled)) this.parkPending(pending, settled.park, this.inDoubtSettled);
        else this.performAgain(pending, settled, inFlight);
      },
    });
  }

  /** The same for an effect that nobody waits for yet: it was the last that the process did. */
  private performInDoubt<T>(
    scope: EffectScope,
    number: number,
    call: EffectCall<T>,
    inFlight: InFlightEffect | undefined,
    recorded: HistoryEffect,
  ): MaybePromise<T> {
    const answer = this.answerOf(scope, number);
    const place = { p: scope.path, n: number };
    if (answer === undefined && call.question !== undefined && this.unattended) {
      return this.park(scope, number, call, inFlight);
    }
    if (answer !== undefined && call.question !== undefined) {
      // In turn, as if it had been answered while the run lived.
      const pending = this.pendingOf(scope, number, call);
      const promise = this.track(pending, inFlight);
      this.settle(
        pending,
        promised(() => recordedResult(call, answer.value, scope.path, number)),
      );
      return promise;
    }
    const settled =
      answer !== undefined
        ? () => recordedResult(call, answer.value, scope.path, number)
        : this.decide(scope, number, call);
    if (isPark(settled)) return this.park(scope, number, call, inFlight, settled.park, this.inDoubtSettled);
    const again = settled === undefined ? call : { ...call, run: () => settled() };
    const result = this.attempt(again, inFlight, place, this.left(call, recorded));
    if (!(result instanceof Promise)) return result;
    return this.await(this.pendingOf(scope, number, call), result, inFlight);
  }

  /** Whether it lies in the part of the run that a damaged store has lost: it may have happened before. */
  private isLost<T>(call: EffectCall<T>): boolean {
    const { lost, history } = this.resume;
    if (lost === undefined || call.effect !== "write" || this.changed || this.offRecord) return false;
    const madeSince = Math.max(0, this.records - history.records.length);
    return madeSince < lost.records || this.printed < lost.shown;
  }

  private performLost<T>(
    scope: EffectScope,
    number: number,
    call: EffectCall<T>,
    inFlight: InFlightEffect | undefined,
  ): MaybePromise<T> {
    this.resume.onLost?.();
    const settled = this.inDoubtEffects.decide(call, undefined, `${scope.path}#${number}`, true);
    if (settled === undefined) return this.announce(scope, number, call, inFlight);
    // What its evidence sees now is none of what happened before.
    const { evidence: _, ...bare } = call;
    if (!isPark(settled)) return this.announce(scope, number, { ...bare, run: () => settled() }, inFlight);
    const print = this.guard(() => this.journal.fingerprint(call));
    this.append({ t: "intent", p: scope.path, n: number, ...print });
    return this.park(scope, number, call, inFlight, settled.park, this.inDoubtSettled);
  }

  /** Does it, as a resume does, or settles it without. */
  private performAgain<T>(
    pending: Pending<T>,
    settled: (() => T) | undefined,
    inFlight: InFlightEffect | undefined,
  ): void {
    if (settled !== undefined) this.settle(pending, promised(settled));
    else {
      const { scope, number, call } = pending;
      this.startPending(pending, inFlight, this.left(call, this.resume.history.at(scope.path, number)));
    }
  }

  /** Somebody has decided while the run waited for it. */
  private readonly inDoubtSettled = <T>(pending: Pending<T>, choice: Json): void => {
    const { scope, number, call } = pending;
    const inFlight = this.inFlightEffects.get(pending);
    this.performAgain(
      pending,
      this.inDoubtEffects.decided(call, choice as DoubtChoice, `${scope.path}#${number}`),
      inFlight,
    );
  };

  private decide<T>(
    scope: EffectScope,
    number: number,
    call: EffectCall<T>,
  ): (() => T) | InDoubtPark | undefined {
    const place = `${scope.path}#${number}`;
    if (this.resume.failed === place) return this.inDoubtEffects.again(call, place, true);
    const { history } = this.resume;
    const before = history.at(scope.path, number)?.intent?.b;
    if (this.isLost(call)) this.resume.onLost?.();
    const seen = before === undefined ? undefined : history.whole(before);
    return this.inDoubtEffects.decide(call, seen, place, this.isLost(call));
  }

  private answerOf(scope: EffectScope, number: number): { readonly value: Json } | undefined {
    const key = `${scope.path}#${number}`;
    const { answers } = this.resume;
    if (answers?.has(key) !== true) return undefined;
    return { value: answers.get(key) as Json };
  }

  /** What is left of a wait that began in the history. */
  private left<T>(call: EffectCall<T>, recorded: HistoryEffect | undefined): number | undefined {
    const due = recorded?.intent?.due;
    if (call.waits === undefined || due === undefined || this.resume.now === undefined) return undefined;
    return Math.min(call.waits, Math.max(0, due - this.resume.now()));
  }

  override nextDecision(path: string): Decision | undefined {
    return this.phase.nextDecision(path);
  }

  override decisionTaken(path: string): void {
    this.replayer.takeDecision(path);
  }

  override decisionMissed(decision: Decision): void {
    if (!this.resume.acceptChanges) throw this.fail(notDecided(decision, this.choices));
    this.goLive(true);
  }

  override computing(): void {
    if (this.phase === this.replaying && this.problem === undefined && this.isUsedUp()) this.goLive(false);
  }

  override decisionLost(deadline: string, ms: number): void {
    if (!this.resume.acceptChanges) throw this.fail(notPassed(deadline, ms, this.choices));
    this.goLive(true);
  }

  override decided(decision: Decision): void {
    this.phase.decided(decision);
  }

  override output(text: string): boolean {
    return this.phase.output(text);
  }

  private replayOutput(text: string): boolean {
    if (this.problem !== undefined) return false;
    this.resume.outputHash.update(this.resume.secrets.named(text));
    this.printed++;
    return this.printed > this.resume.shown;
  }

  override shown(pieces: number): void {
    this.phase.shown(pieces);
  }

  override requestStop(request: StopRequest): void {
    this.phase.requestStop(request);
  }

  private endWithinHistory(): void {
    const left = this.leftOver();
    if (left === undefined || this.resume.acceptChanges) this.goLive(left !== undefined);
    else this.fail(endsEarlier(left, undefined, this.choices));
  }

  /** The program has ended within its history: that is where this run ended, or would have. */
  override async close(end?: RunEnd): Promise<void> {
    if (end !== undefined && endedByItself(end) && !this.closed && this.problem === undefined)
      this.phase.ended();
    await super.close(end);
  }
}

const isPark = (settled: (() => unknown) | InDoubtPark | undefined): settled is InDoubtPark =>
  typeof settled === "object";
