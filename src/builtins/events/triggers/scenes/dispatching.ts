/** Scenarios of the dispatcher: schedules, repeats, retries, dead letters, limits. */
import { Dict, Float, List, thrown } from "../../../../values/index.ts";
import { Breaker } from "../../../concurrency/circuits.ts";
import { shortIsoTime } from "../../../time/iso-time.ts";
import { noBudget } from "../budget.ts";
import { parseCron } from "../cron.ts";
import { RateWindow } from "../flow-control.ts";
import { Intake, inFlight, silent } from "../intake.ts";
import { handler, type Scene, type Stage } from "./stage.ts";

export type Play = (stage: Stage) => Promise<Scene>;

const minute = 60_000;

const cronFires: Play = async (stage) => {
  const cron = parseCron(stage.task.runtime.host.libraries.croner(), "* * * * *", "UTC");
  if (typeof cron === "string") throw new Error(cron);
  const binding = stage.bind({
    kind: "cron",
    provider: "cron",
    schedule: "* * * * *",
    handler: handler((event) => {
      stage.emit(event);
      return null;
    }),
  });
  stage.advance(30_000);
  let due = cron.next(stage.now);
  stage.advance(minute);
  while (due !== undefined && due <= stage.now) {
    await stage.fire(binding, Dict.of({ kind: "cron", provider: "cron", occurred_at: shortIsoTime(due) }));
    due = cron.next(due);
  }
  return {
    ok: stage.emitted.length === 1,
    details: { next_at: due === undefined ? null : shortIsoTime(due) },
  };
};

const duplicateKey: Play = async (stage) => {
  const binding = stage.bind({
    dedupeKey: ["dedupe_key"],
    handler: handler((event) => {
      stage.emit(event, { note: "first_delivery" });
      return null;
    }),
  });
  const event = Dict.of({ kind: "ping", dedupe_key: "delivery-123" });
  await stage.fire(binding, event);
  const second = await stage.fire(binding, event);
  const skipped = second.get("status") === "skipped";
  return {
    ok: stage.emitted.length === 1 && skipped,
    details: { duplicate_error: skipped ? "duplicate event key 'delivery-123'" : null },
  };
};

const retries: Play = async (stage) => {
  let calls = 0;
  const binding = stage.bind({
    retry: { max: 3, backoff: "exponential", baseMs: 100 },
    handler: handler((event) => {
      calls++;
      if (calls < 3) throw thrown(`attempt ${calls} failed`);
      stage.emit(event);
      return null;
    }),
  });
  const fired = await stage.fire(binding, Dict.of({ kind: "ping" }));
  return { ok: fired.get("status") === "dispatched" && calls === 3 };
};

const permanentFailure: Play = async (stage) => {
  const binding = stage.bind({
    handler: handler(() => {
      throw thrown("it will never work");
    }),
  });
  const fired = await stage.fire(binding, Dict.of({ id: "event-1", kind: "ping" }));
  return { ok: fired.get("status") === "dlq", details: { error: fired.get("error") ?? null } };
};

const replayFromDlq: Play = async (stage) => {
  let broken = true;
  const binding = stage.bind({
    handler: handler((event) => {
      if (broken) throw thrown("not yet");
      stage.emit(event);
      return null;
    }),
  });
  await stage.fire(binding, Dict.of({ id: "event-1", kind: "ping" }));
  const [entry] = stage.deadLetters();
  broken = false;
  const again = await stage.replay("event-1");
  const replayed = stage.deadLetters().length === 0;
  return {
    ok: replayed && again.get("status") === "dispatched",
    dlq:
      entry === undefined
        ? []
        : [entry.merge(Dict.of({ state: replayed ? "replayed" : "pending", replayed }))],
    details: { replay_of_event_id: again.get("replay_of_event_id") ?? null },
  };
};

const rateLimitScene: Play = async (stage) => {
  const binding = stage.bind({
    rate: new RateWindow(1, minute),
    handler: handler((event) => {
      stage.emit(event);
      return null;
    }),
  });
  for (const id of ["event-1", "event-2"]) await stage.fire(binding, Dict.of({ id, kind: "ping" }));
  const waits = stage.records.filter(({ kind }) => kind === "DispatchThrottled");
  return {
    ok: stage.emitted.length === 2 && waits.length === 1,
    details: { throttled_for_ms: waits[0]?.payload.get("throttled_for_ms") ?? null },
  };
};

const costGuard: Play = async (stage) => {
  const limit = 1;
  const binding = stage.bind({
    budget: { ...noBudget, daily: { costUsd: limit, decisions: undefined } },
    handler: handler((event) => {
      stage.emit(event);
      return null;
    }),
  });
  binding.usage.spend(stage.now, 1.25);
  const fired = await stage.fire(binding, Dict.of({ kind: "ping" }));
  const result = fired.get("result");
  const blocked = result instanceof Dict && result.get("reason") === "daily_budget_exceeded";
  const status = blocked ? "cost_guard_blocked" : "dispatched";
  return {
    ok: blocked && stage.emitted.length === 0,
    attempts: [{ status, at_ms: 0, backoff_ms: 0, replay_of_event_id: null }],
    details: { limit_usd: new Float(limit), spent_usd: new Float(binding.usage.usdToday) },
  };
};

/** What ends a process: no error of a handler. */
class Crash {}

const crashRecovery: Play = async (stage) => {
  const doomed = stage.bind({
    id: "recovery.fixture",
    handler: handler(() => {
      throw new Crash();
    }),
  });
  const died = await stage.fire(doomed, Dict.of({ id: "event-1", kind: "ping" })).catch((error: unknown) => {
    if (error instanceof Crash) return error;
    throw error;
  });
  const next = stage.newWorld();
  const redriven = stage.bind(
    {
      id: "recovery.fixture",
      handler: handler((event) => {
        stage.emit(event, { note: "recovered" });
        return null;
      }),
    },
    next,
  );
  const lost = inFlight(stage.journal());
  for (const { event } of lost) await stage.fire(redriven, event, next);
  const left = inFlight(stage.journal()).length;
  return {
    ok: died instanceof Crash && lost.length === 1 && left === 0,
    details: { recovered_event_ids: new List(lost.map(({ eventId }) => eventId)) },
  };
};

const deadManSwitch: Play = async (stage) => {
  const limit = 5 * minute;
  const binding = stage.bind({ id: "deadman.fixture", handler: handler(() => null) });
  const polled = new Map<string, number>();
  await stage.fire(binding, Dict.of({ kind: "ping" }));
  polled.set(binding.id, stage.now);
  stage.advance(limit - 1);
  const early = silent(polled, limit, stage.now);
  stage.advance(1);
  const late = silent(polled, limit, stage.now);
  return {
    ok: early.length === 0 && late.length === 1,
    alerts: late.map(({ id, forMs }) => Dict.of({ binding_id: id, silent_for_ms: forMs })),
    details: { silent_for_ms: late[0]?.forMs ?? null },
  };
};

const hotReload: Play = async (stage) => {
  let whileRunning = "";
  const first = stage.bind({
    id: "reload.fixture",
    handler: handler((event) => {
      stage.bind({ id: "reload.fixture", handler: handler(() => "second") });
      whileRunning = first.state;
      stage.emit(event);
      return "first";
    }),
  });
  const fired = await stage.fire(first, Dict.of({ kind: "ping" }));
  return {
    ok: whileRunning === "draining" && fired.get("result") === "first" && first.state === "terminated",
    details: { state_while_in_flight: whileRunning },
  };
};

const multiTenant: Play = async (stage) => {
  let leak = false;
  for (const tenant of ["tenant-a", "tenant-b"]) {
    stage.bind({
      id: `${tenant}.fixture`,
      tenantId: tenant,
      handler: handler((event) => {
        leak ||= event.get("tenant_id") !== tenant;
        stage.emit(event, { note: tenant });
        return null;
      }),
    });
  }
  for (const tenant of ["tenant-a", "tenant-b"]) {
    const event = Dict.of({ kind: "ping", tenant_id: tenant });
    for (const binding of stage.world.all()) await stage.fire(binding, event);
  }
  return { ok: !leak && stage.emitted.length === 2, stub: false, details: { cross_tenant_leak: leak } };
};

const replayAfterCollection: Play = async (stage) => {
  const id = "replay.gc.fixture";
  let broken = true;
  const config = {
    id,
    handler: handler(() => {
      if (broken) throw thrown("not yet");
      return null;
    }),
  };
  const recorded = stage.bind(config);
  await stage.fire(recorded, Dict.of({ id: "event-1", kind: "ping" }));
  stage.bind(config);
  stage.bind(config);
  stage.world.collect();
  broken = false;
  const again = await stage.replay("event-1");
  return {
    ok: again.get("status") === "dispatched" && again.get("binding_version") === 3,
    details: {
      trigger_id: id,
      recorded_version: recorded.version,
      resolved_version: again.get("binding_version") ?? null,
    },
  };
};

const circuitBreaker: Play = async (stage) => {
  const breaker = new Breaker(5, minute);
  const now = () => stage.now;
  let opened = false;
  let down = true;
  let calls = 0;
  const binding = stage.bind({
    retry: { max: 5, backoff: "immediate", baseMs: 0 },
    handler: handler(() => {
      if (breaker.state(now) === "open") throw thrown("circuit_open");
      calls++;
      if (down) {
        opened = breaker.failed(now) || opened;
        throw thrown("destination is down");
      }
      breaker.close();
      return null;
    }),
  });
  await stage.fire(binding, Dict.of({ id: "event-1", kind: "ping" }));
  const [dlq, attempts] = [stage.deadLetters(), stage.attempts()];
  const callsBefore = calls;
  await stage.fire(binding, Dict.of({ id: "event-2", kind: "ping" }));
  const fastFailed = calls === callsBefore && breaker.state(now) === "open";
  stage.advance(minute);
  down = false;
  const probed = breaker.state(now) === "half_open";
  const probe = await stage.fire(binding, Dict.of({ id: "event-3", kind: "ping" }));
  const closes = probed && probe.get("status") === "dispatched" && breaker.state(now) === "closed";
  return {
    ok: opened && fastFailed && closes,
    attempts,
    dlq,
    details: { opened, fast_failed: fastFailed, probe_closes_after_success: closes },
  };
};

const saturation: Play = async (stage) => {
  const intake = new Intake(new RateWindow(1, minute));
  const binding = stage.bind({
    handler: handler((event) => {
      stage.emit(event);
      return null;
    }),
  });
  const answers = [];
  for (const id of ["event-1", "event-2"]) {
    const answer = intake.admit(id, stage.now);
    answers.push(answer);
    if (answer.appended) await stage.fire(binding, Dict.of({ id, kind: "ping" }));
  }
  const [, second] = answers;
  const wait = second?.status === 503 ? second.retryAfterMs : 0;
  return {
    ok: stage.emitted.length === 1 && second?.status === 503,
    attempts: [
      ...stage.attempts(),
      { status: "ingest_saturated", at_ms: 0, backoff_ms: wait, replay_of_event_id: null },
    ],
    details: { status: second?.status ?? null, retry_after_ms: wait },
  };
};

/** By name, in the order of the specification. */
export const dispatchingScenes: readonly (readonly [string, Play])[] = [
  ["cron_fires_on_schedule", cronFires],
  ["dedupe_swallows_duplicate_key", duplicateKey],
  ["dispatcher_retries_with_exponential_backoff", retries],
  ["dlq_on_permanent_failure", permanentFailure],
  ["replay_refires_from_dlq", replayFromDlq],
  ["rate_limit_throttles", rateLimitScene],
  ["cost_guard_short_circuits", costGuard],
  ["crash_recovery_replays_in_flight_events", crashRecovery],
  ["dead_man_switch_alerts_on_silent_binding", deadManSwitch],
  ["manifest_hot_reload_preserves_in_flight", hotReload],
  ["multi_tenant_isolation_stub", multiTenant],
  ["replay_binding_gc_fallback", replayAfterCollection],
  ["orchestrator_circuit_breaker_trips", circuitBreaker],
  ["orchestrator_backpressure_ingest_saturation", saturation],
];
