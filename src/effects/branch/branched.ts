/**
 * A run that begins where another one stands: a trial of an evaluation, in the state of its plan.
 *
 *   origin      the program runs up to a place of the other run's journal, silently: every effect is answered from there
 *   replaying   from `enter()` on: the run's own history, as in every run that is resumed; a new one has none
 *   live        what happens is added to the run's own journal, which repeats nothing of the other's
 *
 * What its tasks ask for after the entry is counted on a root of its own, so that nothing that the other run did later can
 * answer it. What the other run had in flight at that place never arrives here.
 */
import type { MaybePromise } from "../../values/index.ts";
import type { Pending } from "../core.ts";
import type { History } from "../history.ts";
import type { InFlightEffect } from "../in-flight.ts";
import { JournalProblem } from "../journal.ts";
import type { Decision, EffectCall, EffectScope, RunEnd, StopRequest } from "../port.ts";
import { randomStream } from "../random.ts";
import { Replayer } from "../replayer.ts";
import { type Phase, type ResumeOptions, ResumingEffects } from "../resuming.ts";
import { Scope } from "../scope.ts";
import { type Secrets, standInMark } from "../secrets/secrets.ts";

export interface BranchOptions extends ResumeOptions {
  /** The run that it begins in. Its secrets are marked by its own seed. */
  readonly origin: { readonly history: History; readonly secrets: Secrets };
  /** It only replays: where its history ends, it ends. */
  readonly replayOnly?: boolean;
  /** Called once around the writes that end its journal, which may have to wait for others. */
  readonly together?: ((write: () => void) => Promise<void>) | undefined;
}

/** Index of the root that the run's own effects are counted on: the other run's is 0. */
const ownRoot = 1;

export class BranchedEffects extends ResumingEffects {
  private readonly branch: BranchOptions;
  private readonly originReplayer: Replayer;
  private own: Scope | undefined = undefined;

  private readonly inOrigin: Phase = {
    perform: (scope, call, inFlight) => this.answer(scope, call, inFlight),
    deliver: (pending) => this.giveFromOrigin(pending),
    next: () => (this.problem === undefined ? this.originReplayer.next() : undefined),
    rest: () => this.restInOrigin(),
    lost: () => this.restInOrigin(),
    nextDecision: (path) => this.originDecision(path),
    decided: () => {},
    output: () => false,
    shown: () => {},
    requestStop: (request) => this.onStop({ ...request, atOnce: true }),
    ended: () => {},
  };

  constructor(options: BranchOptions) {
    super(options);
    this.branch = options;
    const { history, secrets } = options.origin;
    secrets.follow({ format: history.format, mark: standInMark(history.seed, options.digest) });
    this.originReplayer = new Replayer(history, { ...options, secrets });
    this.phase = this.inOrigin;
  }

  /** Whether the place was reached. */
  get entered(): boolean {
    return this.own !== undefined;
  }

  /** The place is reached: from here on the run is its own. Gives the scope of its first task. */
  enter(): EffectScope {
    this.own = new Scope(undefined, ownRoot);
    this.own.seedAs(this.seed, this.own.path);
    this.branch.secrets.adoptStandIns(this.branch.origin.secrets);
    this.phase = this.replaying;
    // Nothing of the other run is handed over any more.
    this.waiting.clear();
    return this.own;
  }

  override isAnswered(scope: EffectScope): boolean {
    return this.phase === this.inOrigin || super.isAnswered(scope);
  }

  override random32(scope: EffectScope): number {
    const own = scope as Scope;
    if (own.random === undefined && own.stream === undefined)
      own.random = randomStream(this.branch.origin.history.seed, own.path);
    return super.random32(scope);
  }

  private answer<T>(scope: EffectScope, call: EffectCall<T>, inFlight?: InFlightEffect): MaybePromise<T> {
    if (this.problem !== undefined) throw this.problem;
    const number = scope.effects++;
    const recorded = this.branch.origin.history.at(scope.path, number);
    const { originReplayer: replayer } = this;
    if (recorded?.print === undefined || !replayer.matches(recorded, call, replayer.packed(call)))
      throw this.fail(this.elsewhere(`${call.kind} (effect ${scope.path}#${number})`));
    const { result } = recorded;
    if (result !== undefined && result.o === undefined) return replayer.give(call, result);
    const pending = this.pendingOf(scope, number, call);
    replayer.wait(pending);
    const promise = this.track(pending, inFlight);
    this.turns.check();
    return promise;
  }

  private giveFromOrigin<T>(pending: Pending<T>): void {
    this.untrack(pending);
    this.originReplayer.hand(pending);
  }

  private restInOrigin(): void {
    if (this.problem !== undefined || this.closed || !this.allWait()) return;
    if (this.waiting.size === 0 && this.originReplayer.nextResult === undefined) this.onIdle();
    else this.fail(this.elsewhere("it waits for something that never came"));
  }

  private elsewhere(what: string): JournalProblem {
    return new JournalProblem("mismatch", "the program did something else on its way to the set", [
      `now: ${what}`,
      "what it does before the set begins must be the same every time: `harn replay` of the plan shows where it differs",
    ]);
  }

  /** Decisions that have taken effect on the way, by path: the other run's history is shared by all that begin in it. */
  private readonly taken = new Map<string, number>();

  private originDecision(path: string): Decision | undefined {
    return this.branch.origin.history.decisions.get(path)?.[this.taken.get(path) ?? 0];
  }

  override decisionTaken(path: string): void {
    if (this.phase === this.inOrigin) this.taken.set(path, (this.taken.get(path) ?? 0) + 1);
    else super.decisionTaken(path);
  }

  /** On the way to the place both runs know a secret that the program finds out. */
  override keepSecret(name: string, value: string): void {
    if (this.phase === this.inOrigin) {
      this.branch.origin.secrets.register(name, value);
      this.branch.secrets.register(name, value);
    } else super.keepSecret(name, value);
  }

  /** One that has no effects has no journal. */
  protected override get beginsWhenLive(): boolean {
    return this.branch.history.records.length > 0;
  }

  protected override goLive(changed: boolean, asked?: string): void {
    if (this.branch.replayOnly === true && !this.ending && this.problem === undefined) {
      this.divergedAt = { step: this.nextStep, kind: asked ?? null };
      throw this.fail(
        new JournalProblem("ended-early", "the journal ends here, and the run asked for more", [
          "it was cut off, or the program does something else now",
        ]),
      );
    }
    super.goLive(changed, asked);
  }

  /** One that is only looked at ends with its record: it may compute for a while yet. */
  override computing(): void {
    if (this.branch.replayOnly !== true) super.computing();
  }

  /** Of a run that only replays: where it would have gone on live, and the kind of effect that it asked for. */
  divergedAt: { readonly step: number; readonly kind: string | null } | undefined = undefined;

  private ending = false;

  override requestStop(request: StopRequest): void {
    if (!this.ending) super.requestStop(request);
  }

  /** Its journal says how it ended also when its history was all there was; what else ends with it is written with that. */
  override async close(end?: RunEnd): Promise<void> {
    if (this.closed || this.ending) return;
    this.ending = true;
    // What arrives while its end waits to be written comes too late for it.
    this.turns.stop();
    const { together, history, replayOnly } = this.branch;
    const write = (): void => {
      const resumes = end !== undefined && this.entered && this.problem === undefined && replayOnly !== true;
      if (resumes && history.records.length > 0) this.begin();
      void super.close(this.entered ? end : undefined);
      if (this.problem !== undefined) throw this.problem;
    };
    try {
      if (together === undefined) write();
      else await together(write);
    } catch (error) {
      this.problem ??= error;
    }
  }
}
