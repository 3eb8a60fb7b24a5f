/** Effects without a journal: everything happens, results are handed over in the order in which they arrive. */
import type { MaybePromise } from "../values/index.ts";
import { type CoreOptions, EffectsCore, Pending, StopItem } from "./core.ts";
import type { InFlightEffect } from "./in-flight.ts";
import type { EffectCall, EffectMode, EffectScope, StopRequest } from "./port.ts";
import type { Runnable } from "./turns.ts";

export class LiveEffects extends EffectsCore {
  mode: EffectMode = "live";
  private arrived: Runnable[] = [];
  private head = 0;
  private stops: StopItem[] = [];

  constructor(options: CoreOptions) {
    super(options);
    this.turns.urgent = () => this.stops.shift();
  }

  perform<T>(scope: EffectScope, call: EffectCall<T>, inFlight?: InFlightEffect): MaybePromise<T> {
    if (this.inside) return this.start(call, inFlight);
    const number = scope.effects++;
    const result = this.start(call, inFlight);
    if (!(result instanceof Promise)) return result;
    return this.await(new Pending(scope, number, call, (pending) => this.untrack(pending)), result, inFlight);
  }

  requestStop(request: StopRequest): void {
    this.stops.push(new StopItem(request, (asked) => this.stopNow(asked)));
    this.turns.check();
  }

  protected stopNow(request: StopRequest): void {
    this.onStop(request);
  }

  /** Queues the result when it comes. */
  protected await<T>(
    pending: Pending<T>,
    result: Promise<T>,
    inFlight: InFlightEffect | undefined,
  ): Promise<T> {
    this.settle(pending, result);
    return this.track(pending, inFlight);
  }

  protected settle<T>(pending: Pending<T>, result: Promise<T>): void {
    const settle = (outcome: { value: T } | { error: unknown }): void => {
      if (pending.state !== "in flight") return;
      pending.state = "arrived";
      pending.outcome = outcome;
      this.arrive(pending);
    };
    result.then(
      (value) => settle({ value }),
      (error) => settle({ error }),
    );
  }

  protected arrive(item: Runnable): void {
    this.arrived.push(item);
    this.turns.check();
  }

  protected next(): Runnable | undefined {
    while (this.head < this.arrived.length) {
      const item = this.arrived[this.head++] as Runnable;
      if (this.head > 256 && this.head * 2 > this.arrived.length) {
        this.arrived = this.arrived.slice(this.head);
        this.head = 0;
      }
      if (!(item instanceof Pending) || item.state === "arrived") return item;
    }
    return undefined;
  }
}
