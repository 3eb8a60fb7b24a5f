/**
 * What the live, the recording and the replaying port share: paths and numbers, randomness, effects in flight, and the
 * handing over of their results in turn.
 */
import type { MaybePromise } from "../values/index.ts";
import { InFlightEffect } from "./in-flight.ts";
import type { Decision, EffectCall, EffectMode, EffectScope, Effects, RunEnd, StopRequest } from "./port.ts";
import { randomStream } from "./random.ts";
import { Scope } from "./scope.ts";
import type { Secrets } from "./secrets/secrets.ts";
import { type AtRest, type Runnable, Turns } from "./turns.ts";

/** An asynchronous effect between being asked for and being handed over. */
export class Pending<T> implements Runnable {
  readonly scope: EffectScope;
  readonly number: number;
  readonly call: EffectCall<T>;
  readonly promise: Promise<T>;
  state: "in flight" | "arrived" | "abandoned" | "over" = "in flight";
  outcome: { readonly value: T } | { readonly error: unknown } | undefined = undefined;
  private resolve!: (value: T) => void;
  private reject!: (error: unknown) => void;
  /** Called when it is handed over, just before the task sees it. */
  private readonly handOver: (pending: Pending<T>) => void;

  constructor(
    scope: EffectScope,
    number: number,
    call: EffectCall<T>,
    handOver: (pending: Pending<T>) => void,
  ) {
    this.scope = scope;
    this.number = number;
    this.call = call;
    this.handOver = handOver;
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  run(): void {
    this.state = "over";
    this.handOver(this);
    const { outcome } = this;
    if (outcome === undefined) return;
    if ("error" in outcome) this.reject(outcome.error);
    else this.resolve(outcome.value);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: effects of all types stand in one queue.
export type AnyPending = Pending<any>;

/** A request to stop, on its way to being handed over. */
export class StopItem implements Runnable {
  readonly request: StopRequest;
  private readonly act: (request: StopRequest) => void;
  constructor(request: StopRequest, act: (request: StopRequest) => void) {
    this.request = request;
    this.act = act;
  }
  run(): void {
    this.act(this.request);
  }
}

export interface CoreOptions {
  readonly atRest: AtRest;
  /** Any text; random unless a run is repeated. */
  readonly seed: string;
}

/** Made when first needed: Node loads `AbortController` then. */
let neverAborted: AbortSignal | undefined;
function never(): AbortSignal {
  neverAborted ??= new AbortController().signal;
  return neverAborted;
}

export abstract class EffectsCore implements Effects {
  abstract mode: EffectMode;
  readonly root: EffectScope = new Scope(undefined, 0);
  readonly turns: Turns;
  readonly seed: string;
  /** Asked for and neither handed over nor abandoned. */
  protected readonly waiting = new Set<AnyPending>();
  /** The same of effects that no task waits for. */
  protected readonly background = new Set<AnyPending>();
  protected readonly inFlightEffects = new Map<AnyPending, InFlightEffect>();
  problem: unknown = undefined;
  metSecrets: Secrets | undefined = undefined;
  onStop: (request: StopRequest) => void = () => {};
  onProblem: (problem: unknown) => void = () => {};
  onIdle: () => void = () => {};
  allWait: () => boolean = () => true;
  printed = 0;
  protected closed = false;

  constructor(options: CoreOptions) {
    this.turns = new Turns(options.atRest);
    this.seed = options.seed;
    this.turns.source = () => this.next();
    this.turns.onRest = () => this.rest();
  }

  /** The next result that may be handed over. */
  protected abstract next(): Runnable | undefined;
  /** Idle with nothing to hand over. Live, what was asked for is in flight outside. */
  protected rest(): void {
    if (this.waiting.size === 0) this.onIdle();
  }
  abstract perform<T>(scope: EffectScope, call: EffectCall<T>, inFlight?: InFlightEffect): MaybePromise<T>;
  abstract requestStop(request: StopRequest): void;

  child(parent: EffectScope): EffectScope {
    return new Scope(parent as Scope, parent.children++);
  }

  random32(scope: EffectScope): number {
    const own = scope as Scope;
    if (own.random === undefined) {
      const { seed, name } = own.stream ?? { seed: this.seed, name: own.path };
      own.random = randomStream(seed, name);
    }
    return own.random();
  }

  seededChild(parent: EffectScope, seed: string, name: string): EffectScope {
    const child = new Scope(parent as Scope, parent.children++);
    child.seedAs(seed, name);
    return child;
  }

  output(_text: string): boolean {
    this.printed++;
    return true;
  }
  lost(): void {}
  shown(_pieces: number): void {}
  flush(): void {}
  decided(_decision: Decision): void {}
  leaveRecord(): void {
    // What was broken off can't have said that it is over.
    this.inside = false;
    this.turns.reschedule();
  }
  nextDecision(_path: string): Decision | undefined {
    return undefined;
  }
  decisionTaken(_path: string): void {}
  decisionMissed(_decision: Decision): void {}

  computing(): void {}

  decisionLost(_deadline: string, _ms: number): void {}

  /** An effect's own code is running: what it asks for is part of it, and is neither counted nor recorded. */
  protected inside = false;

  /** Runs the effect; its signal is made only for a function that declares it. */
  protected start<T>(
    call: EffectCall<T>,
    inFlight: InFlightEffect | undefined,
    left?: number,
  ): MaybePromise<T> {
    const outer = this.inside;
    this.inside = true;
    try {
      return call.run(call.run.length === 0 ? never() : (inFlight ?? new InFlightEffect()).signal, left);
    } finally {
      this.inside = outer;
    }
  }

  /** Registers an asynchronous effect. */
  protected track<T>(pending: Pending<T>, inFlight: InFlightEffect | undefined): Promise<T> {
    (pending.call.background === true ? this.background : this.waiting).add(pending);
    if (inFlight !== undefined) {
      this.inFlightEffects.set(pending, inFlight);
      inFlight.onAbandon = () => this.abandon(pending);
    }
    return pending.promise;
  }

  protected untrack(pending: AnyPending): void {
    this.waiting.delete(pending);
    this.background.delete(pending);
    const inFlight = this.inFlightEffects.get(pending);
    if (inFlight === undefined) return;
    this.inFlightEffects.delete(pending);
    inFlight.onAbandon = undefined;
  }

  private abandon(pending: AnyPending): void {
    pending.state = "abandoned";
    this.untrack(pending);
    // What was the last thing in flight may leave the run without anything to wait for.
    this.turns.check();
  }

  /** Ends the turns and asks everything in flight to stop. */
  async close(_end?: RunEnd): Promise<void> {
    this.shut();
  }

  protected shut(): void {
    if (this.closed) return;
    this.closed = true;
    this.turns.stop();
    const inFlightEffects = [...this.inFlightEffects.values()];
    this.waiting.clear();
    this.background.clear();
    this.inFlightEffects.clear();
    for (const inFlight of inFlightEffects) {
      inFlight.onAbandon = undefined;
      inFlight.abandon(new Error("the run has ended"));
    }
  }
}
