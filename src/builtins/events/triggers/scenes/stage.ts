/**
 * Where a scenario of `trigger_test_harness` is played: the real dispatcher over a world of its own, with a clock that
 * moves only when something waits, and records that stay in the scenario.
 */

import type { Task } from "../../../../interp/index.ts";
import { NativeCallable } from "../../../../interp/index.ts";
import { Dict, List, type MaybePromise, type Value } from "../../../../values/index.ts";
import { textOf } from "../../../arguments.ts";
import type { BindingConfig, Handler, TriggerBinding } from "../binding.ts";
import { noBudget } from "../budget.ts";
import { fireBinding, inboxTopic, outboxTopic, replay } from "../dispatch.ts";
import { eventId } from "../event.ts";
import type { JournalEntry } from "../intake.ts";
import { noRetry } from "../retry.ts";
import { type TriggerClock, TriggerWorld } from "../world.ts";

export interface SceneRecord {
  readonly atMs: number;
  readonly topic: string;
  readonly kind: string;
  readonly payload: Dict;
  readonly headers: Dict;
}

/** A row of the report's `attempts`. */
export interface SceneAttempt {
  readonly status: string;
  readonly at_ms: number;
  readonly backoff_ms: number;
  readonly replay_of_event_id: string | null;
}

class SceneClock implements TriggerClock {
  nowMs: number;
  constructor(startMs: number) {
    this.nowMs = startMs;
  }
  now(): number {
    return this.nowMs;
  }
  sleep(_task: Task, ms: number): Value {
    this.nowMs += ms;
    return null;
  }
}

/** 2026-04-19T00:00:00Z */
export const sceneStart = Date.UTC(2026, 3, 19);

const blank: BindingConfig = {
  id: "fixture",
  kind: "webhook",
  provider: "webhook",
  source: "manifest",
  handler: { kind: "worker", address: "worker://fixture", queue: "fixture" },
  when: undefined,
  whenBudget: undefined,
  retry: noRetry,
  events: [],
  dedupeKey: undefined,
  filter: undefined,
  budget: noBudget,
  rate: undefined,
  tenantId: undefined,
  autonomyTier: "act_auto",
  manifestPath: undefined,
  packageName: undefined,
  schedule: undefined,
  timezone: undefined,
};

/** A handler that runs in this process. */
export const handler = (run: (event: Dict, task: Task) => MaybePromise<Value>): Handler => ({
  kind: "local",
  run: new NativeCallable("fixture", ["event"], (task, [event]) => run(event as Dict, task)),
});

export class Stage {
  readonly task: Task;
  readonly clock: SceneClock;
  readonly records: SceneRecord[] = [];
  readonly world: TriggerWorld;
  readonly emitted: Dict[] = [];
  private readonly start: number;

  constructor(task: Task, startMs = sceneStart) {
    this.task = task;
    this.start = startMs;
    this.clock = new SceneClock(startMs);
    this.world = this.newWorld();
  }

  /** Another process over the same records. */
  newWorld(): TriggerWorld {
    return new TriggerWorld(this.clock, (_task, topic, kind, payload, headers) => {
      this.records.push({ atMs: this.clock.nowMs, topic, kind, payload, headers });
    });
  }

  get now(): number {
    return this.clock.nowMs;
  }

  advance(ms: number): void {
    this.clock.nowMs += ms;
  }

  bind(config: Partial<BindingConfig>, world = this.world): TriggerBinding {
    return world.register({ ...blank, ...config });
  }

  fire(binding: TriggerBinding, event: Dict, world = this.world): Promise<Dict> {
    return fireBinding(this.task, world, binding, event);
  }

  replay(event: string): Promise<Dict> {
    const delivery = this.world.delivery(event);
    const binding = delivery === undefined ? undefined : this.world.replayer(delivery);
    if (delivery === undefined || binding === undefined) throw new Error(`no event ${event}`);
    return replay(this.task, this.world, binding, delivery);
  }

  /** Notes an event that reached its handler. */
  emit(event: Dict, more: Readonly<Record<string, Value>> = {}): void {
    const field = (name: string): Value => event.get(name) ?? null;
    this.emitted.push(
      Dict.of({
        provider: field("provider"),
        kind: field("kind"),
        occurred_at: field("occurred_at"),
        note: null,
        dedupe_key: field("dedupe_key"),
        signature_state: null,
        ...more,
      }),
    );
  }

  /** The attempts of all deliveries, read off the dispatcher's records. */
  attempts(): SceneAttempt[] {
    const attempts: SceneAttempt[] = [];
    let pause = 0;
    for (const { kind, payload, atMs } of this.records) {
      const replayed = payload.get("replay_of_event_id") ?? null;
      const row = (status: string): SceneAttempt => ({
        status,
        at_ms: atMs - this.start,
        backoff_ms: pause,
        replay_of_event_id: replayed === null ? null : textOf(replayed),
      });
      if (kind === "RetryScheduled") pause = payload.get("delay_ms") as number;
      else if (kind === "DispatchThrottled") pause = payload.get("throttled_for_ms") as number;
      else if (kind === "DispatchSucceeded" || kind === "DispatchFailed") {
        attempts.push(row(kind === "DispatchSucceeded" ? "dispatched" : "failed"));
        pause = 0;
      } else if (kind === "DlqMoved") attempts.push({ ...(attempts.pop() as SceneAttempt), status: "dlq" });
    }
    return attempts;
  }

  /** What came in and what was settled, for `inFlight`. */
  journal(): JournalEntry<Dict>[] {
    return this.records
      .filter(({ topic }) => topic === inboxTopic || topic === outboxTopic)
      .map(({ topic, payload, headers }) => ({
        topic: topic === inboxTopic ? "inbox" : "outbox",
        eventId: textOf(headers.get("event_id")),
        bindingId: textOf(headers.get("trigger_id")),
        event: topic === inboxTopic ? (payload.get("event") as Dict) : payload,
      }));
  }

  /** The dead letters now, as rows of the report. */
  deadLetters(): Dict[] {
    return [...this.world.deadLetters.values()].map((entry) =>
      Dict.of({
        event_id: eventId(entry.event),
        state: "pending",
        attempts: entry.history[0]?.get("attempts") ?? 0,
        replayed: false,
      }),
    );
  }

  bindings(): Dict[] {
    return this.world.all().map(({ id, version, state }) => Dict.of({ id, version, state }));
  }
}

/** What a scenario saw; what it leaves out is read off the stage. */
export interface Scene {
  readonly ok: boolean;
  /** Whether it only stands for what it is called after. */
  readonly stub?: boolean;
  readonly attempts?: readonly SceneAttempt[];
  readonly dlq?: readonly Dict[];
  readonly alerts?: readonly Dict[];
  readonly details?: Readonly<Record<string, Value>>;
}

export function sceneReport(name: string, stage: Stage, scene: Scene): Dict {
  const attempts = scene.attempts ?? stage.attempts();
  const report = Dict.of({
    fixture: name,
    ok: scene.ok,
    emitted: new List(stage.emitted),
    attempts: new List(attempts.map((attempt) => Dict.of({ ...attempt }))),
    dlq: new List([...(scene.dlq ?? stage.deadLetters())]),
    bindings: new List(stage.bindings()),
    alerts: new List([...(scene.alerts ?? [])]),
    details: Dict.of(scene.details ?? {}),
  });
  return scene.stub === undefined ? report : report.with("stub", scene.stub);
}
