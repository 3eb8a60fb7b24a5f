/** Live, recorded effects with a fault at one of them. Effects are numbered from 1 in the order in which they are asked for. */
import {
  type EffectCall,
  type EffectScope,
  type InFlightEffect,
  JournalledEffects,
  type JournalledOptions,
  JournalProblem,
  type Pending,
} from "../../effects/index.ts";
import { emptyResponse, type ModelOutcome, makeModelError } from "../../model/index.ts";
import type { MaybePromise } from "../../values/index.ts";
import type { CrashJournal } from "./crash-journal.ts";
import type { Kill, ModelFault, TortureFault } from "./faults.ts";

export interface FaultPlan {
  readonly step: number;
  readonly fault: TortureFault;
}

export interface FaultyOptions extends JournalledOptions {
  readonly journal: CrashJournal;
  readonly plan: FaultPlan | undefined;
  /** Called for each effect that is done: who counts real side effects. */
  readonly done: (place: string, call: EffectCall<unknown>) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: calls of all types are compared by identity.
type AnyCall = EffectCall<any>;

export class FaultyEffects extends JournalledEffects {
  private readonly faulty: FaultyOptions;
  private asked = 0;
  /** The call that the plan is about. */
  private target: AnyCall | undefined;
  private readonly places = new Map<AnyCall, string>();

  constructor(options: FaultyOptions) {
    super(options);
    this.faulty = options;
  }

  protected override announce<T>(
    scope: EffectScope,
    number: number,
    call: EffectCall<T>,
    inFlight: InFlightEffect | undefined,
  ): MaybePromise<T> {
    this.asked++;
    this.places.set(call, `${scope.path}#${number}`);
    if (this.asked !== this.faulty.plan?.step) return super.announce(scope, number, call, inFlight);
    this.target = call;
    const { fault } = this.faulty.plan;
    if (fault.kind === "disk full") this.faulty.journal.room = 0;
    this.dieIf("before the intent");
    const result = super.announce(scope, number, call, inFlight);
    if (!(result instanceof Promise)) this.dieIf("after the result");
    return result;
  }

  protected override start<T>(
    call: EffectCall<T>,
    inFlight: InFlightEffect | undefined,
    left?: number,
  ): MaybePromise<T> {
    const place = this.places.get(call);
    if (place === undefined || this.inside) return super.start(call, inFlight, left);
    if (call !== this.target) {
      this.faulty.done(place, call as AnyCall);
      return super.start(call, inFlight, left);
    }
    this.dieIf("before it happens");
    const fault = this.faulty.plan?.fault;
    if (fault?.kind === "model") return Promise.resolve(brokenAnswer(fault.fault) as T);
    this.faulty.done(place, call as AnyCall);
    const result = super.start(call, inFlight, left);
    if (!(result instanceof Promise)) this.dieIf("after it happened");
    else if (this.planned("after it happened")) return result.finally(() => this.dieIf("after it happened"));
    return result;
  }

  protected override deliver<T>(pending: Pending<T>): void {
    super.deliver(pending);
    if (pending.call !== this.target || !this.planned("after the result")) return;
    this.die();
    pending.outcome = { error: this.problem };
  }

  private planned(when: Kill): boolean {
    const fault = this.faulty.plan?.fault;
    return fault?.kind === "kill" && fault.when === when;
  }

  private dieIf(when: Kill): void {
    if (!this.planned(when)) return;
    this.die();
    throw this.problem;
  }

  /** The process is gone: nothing more is written, and the run ends here. */
  private die(): void {
    this.faulty.journal.die();
    this.problem ??= new JournalProblem("unwritable", killed);
    this.onProblem(this.problem);
  }
}

/** The problem of a run that was killed. */
export const killed = "killed";

/** What a model port gives when a vendor does not answer as it should. */
function brokenAnswer(fault: ModelFault): ModelOutcome {
  const who = { provider: "torture", model: "torture" };
  const partial = emptyResponse(who.provider, who.model);
  switch (fault) {
    case "malformed JSON":
      return { ok: true, response: { ...partial, text: '{"verdict": "pa', stop_reason: "max_tokens" } };
    case "timeout":
      return {
        ok: false,
        partial,
        error: makeModelError({ category: "timeout", message: "no answer in time", ...who }),
      };
    case "rate limit (429)":
      return {
        ok: false,
        partial,
        error: makeModelError({ category: "rate_limit", message: "429 too many requests", ...who }),
      };
    case "cut stream":
      return {
        ok: false,
        partial: { ...partial, text: "I will look at the fi" },
        error: makeModelError({ category: "transient_network", message: "the stream was cut", ...who }),
      };
  }
}
