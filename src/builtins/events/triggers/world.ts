/**
 * Triggers of a run and what became of their events. A program has one world; each scenario of `trigger_test_harness` is
 * played in one of its own, with its own clock and records.
 */
import { stateKey, type Task } from "../../../interp/index.ts";
import { Dict, type MaybePromise, type Value } from "../../../values/index.ts";
import type { HumanTape } from "../../people/index.ts";
import { realSleep } from "../../time/clock.ts";
import { sleepInMock, wallClock } from "../../time/clock-state.ts";
import { emitEvent } from "../event-log/event-log.ts";
import { type BindingConfig, bindingKey, newBinding, type TriggerBinding } from "./binding.ts";

/** The predicate's say on an event: kept, so that a replay does not ask a model again. */
export interface TriggerGate {
  readonly open: boolean;
  /** Why it stayed shut, when that was not the predicate's own no. */
  readonly reason: string | null;
}

/** An event that a trigger took, for replays. */
export interface TriggerDelivery {
  readonly event: Dict;
  readonly bindingId: string;
  readonly bindingVersion: number;
  gate: TriggerGate | undefined;
  readonly tape: HumanTape;
}

export interface DeadLetter {
  readonly id: string;
  readonly event: Dict;
  readonly bindingId: string;
  readonly bindingVersion: number;
  error: string;
  errorClass: string;
  /** The delivery itself, then failed replays. */
  readonly history: Dict[];
}

export interface TriggerClock {
  now(task: Task): number;
  sleep(task: Task, ms: number): MaybePromise<Value>;
}

/** Where records go: topic, kind, payload, headers. */
export type Records = (task: Task, topic: string, kind: string, payload: Dict, headers: Dict) => void;

/** Events remembered for replays; those with a dead letter are kept in any case. */
const maxDeliveries = 10_000;

export class TriggerWorld {
  readonly clock: TriggerClock;
  readonly record: Records;
  /** Newest version last. */
  private readonly versions = new Map<string, TriggerBinding[]>();
  /** By event and trigger: one event may go to several. */
  private readonly deliveries = new Map<string, TriggerDelivery>();
  readonly deadLetters = new Map<string, DeadLetter>();
  private named = 0;

  constructor(clock: TriggerClock, record: Records) {
    this.clock = clock;
    this.record = record;
  }

  freshId(): string {
    this.named++;
    return `trigger_${this.named}`;
  }

  /** Adds a trigger. One of the same id finishes what it has begun and takes nothing more. */
  register(config: BindingConfig): TriggerBinding {
    const versions = this.versions.get(config.id) ?? [];
    const former = versions.at(-1);
    const binding = newBinding(config, former);
    if (former !== undefined) this.retire(former);
    this.versions.set(config.id, [...versions, binding]);
    return binding;
  }

  retire(binding: TriggerBinding): void {
    binding.state = binding.metrics.in_flight > 0 ? "draining" : "terminated";
  }

  /** A handler has begun or ended. */
  flying(binding: TriggerBinding, change: 1 | -1): void {
    binding.metrics.in_flight += change;
    if (binding.state === "draining") this.retire(binding);
  }

  /** The newest version of a trigger. */
  find(id: string): TriggerBinding | undefined {
    return this.versions.get(id)?.at(-1);
  }

  /** Who replays an event: the version that took it while it lives, else the newest. */
  replayer(delivery: TriggerDelivery): TriggerBinding | undefined {
    const versions = this.versions.get(delivery.bindingId);
    const former = versions?.find((one) => one.version === delivery.bindingVersion);
    return former === undefined || former.state === "terminated" ? versions?.at(-1) : former;
  }

  /** All that still take or finish events, by id. */
  list(): TriggerBinding[] {
    return this.all().filter((binding) => binding.state !== "terminated");
  }

  all(): TriggerBinding[] {
    return [...this.versions.keys()].sort().flatMap((id) => this.versions.get(id) ?? []);
  }

  /** Forgets versions that have ended, all but the newest. */
  collect(): void {
    for (const [id, versions] of this.versions) {
      const newest = versions.at(-1);
      this.versions.set(
        id,
        versions.filter((one) => one === newest || one.state !== "terminated"),
      );
    }
  }

  delivery(eventId: string, bindingId?: string): TriggerDelivery | undefined {
    if (bindingId !== undefined) return this.deliveries.get(`${eventId}\n${bindingId}`);
    const prefix = `${eventId}\n`;
    for (const [key, delivery] of this.deliveries) if (key.startsWith(prefix)) return delivery;
    return undefined;
  }

  remember(delivery: TriggerDelivery): void {
    const id = String(delivery.event.get("id"));
    this.deliveries.set(`${id}\n${delivery.bindingId}`, delivery);
    if (this.deliveries.size <= maxDeliveries) return;
    for (const [key, old] of this.deliveries) {
      if (this.deadLetterOf(String(old.event.get("id")), old.bindingId) !== undefined) continue;
      this.deliveries.delete(key);
      return;
    }
  }

  deadLetterOf(eventId: string, bindingId?: string): DeadLetter | undefined {
    return [...this.deadLetters.values()].find(
      (entry) =>
        entry.event.get("id") === eventId && (bindingId === undefined || entry.bindingId === bindingId),
    );
  }
}

const runClock: TriggerClock = {
  now: wallClock,
  sleep: (task, ms) => (ms <= 0 || sleepInMock(task, ms) ? null : realSleep(task, ms)),
};

const worldState = stateKey<TriggerWorld>(
  "triggers",
  () =>
    new TriggerWorld(runClock, (task, topic, kind, payload, headers) => {
      emitEvent(task, topic, kind, payload, headers);
    }),
);

export const triggerWorldOf = (task: Task): TriggerWorld => task.runtime.state(worldState);

/** Headers of everything that is recorded about an event of a trigger. */
export const recordHeaders = (binding: TriggerBinding, event: Dict): Dict =>
  Dict.of({
    trigger_id: binding.id,
    binding_key: bindingKey(binding),
    event_id: event.get("id") ?? null,
    trace_id: event.get("trace_id") ?? null,
  });
