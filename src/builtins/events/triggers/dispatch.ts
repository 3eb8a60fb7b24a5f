/**
 * What becomes of an event: is it this trigger's, is it worth it, does the handler cope with it, and if not, how often is
 * it tried before it is put aside.
 *
 *   received ─▶ admitted? ─▶ predicate ─▶ handler ─▶ dispatched
 *                  │ no         │ no          │ raises: again after a pause, at last
 *               skipped    dispatched,        ▼
 *                          {skipped: true}   dlq ──replay──▶ dispatched
 */

import { isTierRefusal, TierScope } from "../../../agent/index.ts";
import { showText } from "../../../diagnostics/index.ts";
import type { Task } from "../../../interp/index.ts";
import { modelsOf } from "../../../model/index.ts";
import { caughtValue, Dict, display, ScriptError, type Value } from "../../../values/index.ts";
import type { Argument } from "../../arguments.ts";
import { type HumanTape, insertTape } from "../../people/index.ts";
import { writeError } from "../../process/output.ts";
import { isoTime } from "../../time/iso-time.ts";
import { admissionMismatch, refusal } from "./admission.ts";
import type { TriggerBinding } from "./binding.ts";
import type { Exhausted } from "./budget.ts";
import { enterHandler, refuseDeepNesting } from "./context.ts";
import { deadLetter, deadLetterAgain } from "./dead-letters.ts";
import { eventId, eventOf } from "./event.ts";
import { ActionGraph } from "./graph.ts";
import { handleEvent } from "./handlers.ts";
import { lifecycleTopic, passGate } from "./predicate.ts";
import { pauseAfter } from "./retry.ts";
import { isAskedToStop } from "./stopping.ts";
import { recordHeaders, type TriggerDelivery, type TriggerWorld } from "./world.ts";

export const inboxTopic = "trigger.inbox";
export const outboxTopic = "trigger.outbox";

export interface DispatchResult {
  readonly status: "dispatched" | "skipped" | "failed" | "dlq";
  readonly result: Value;
  readonly error: string | null;
  readonly deadLetterId: string | null;
  /** Attempts made. */
  readonly attempts: number;
}

/** One delivery in progress. */
interface Dispatch {
  readonly task: Task;
  readonly world: TriggerWorld;
  readonly binding: TriggerBinding;
  readonly delivery: TriggerDelivery;
  readonly replayOf: string | null;
  readonly graph: ActionGraph;
}

/** Takes an event in and sees it through. */
export async function fireBinding(
  task: Task,
  world: TriggerWorld,
  binding: TriggerBinding,
  value: Argument,
): Promise<Dict> {
  refuseDeepNesting(task);
  const event = eventOf(task, value, binding, world.clock.now(task));
  binding.metrics.received++;
  world.record(task, inboxTopic, "event_received", Dict.of({ event }), recordHeaders(binding, event));
  const delivery: TriggerDelivery = {
    event,
    bindingId: binding.id,
    bindingVersion: binding.version,
    gate: world.delivery(eventId(event), binding.id)?.gate,
    tape: { taken: [], at: 0 },
  };
  const refused = await notTaken(task, world, binding, delivery);
  if (refused !== undefined) return settled(task, world, binding, event, null, refused);
  await throttleEvent(task, world, binding, event);
  world.remember(delivery);
  return settled(task, world, binding, event, null, await deliverEvent(task, world, binding, delivery, null));
}

/** Sees a delivery through once more: with what the predicate and people said the first time. */
export async function replay(
  task: Task,
  world: TriggerWorld,
  binding: TriggerBinding,
  delivery: TriggerDelivery,
): Promise<Dict> {
  const { event } = delivery;
  binding.metrics.replayed++;
  const outcome = await deliverEvent(task, world, binding, delivery, eventId(event));
  const entry = world.deadLetterOf(eventId(event), delivery.bindingId);
  if (entry !== undefined && outcome.status === "dispatched") world.deadLetters.delete(entry.id);
  return settled(task, world, binding, event, eventId(event), outcome);
}

/** What becomes of an event that its trigger does not take; `undefined` for one that it does. */
async function notTaken(
  task: Task,
  world: TriggerWorld,
  binding: TriggerBinding,
  delivery: TriggerDelivery,
): Promise<DispatchResult | undefined> {
  const foreign = await admissionMismatch(task, binding, delivery.event);
  if (foreign !== undefined) return skipped(binding, { reason: foreign });
  const over = exhaustedBudget(task, world, binding);
  if (over !== undefined && binding.budget.onExhausted !== "warn")
    return unaffordable(world, binding, delivery, over);
  const reason = await refusal(task, binding, delivery.event);
  return reason === undefined ? undefined : skipped(binding, { reason });
}

function skipped(binding: TriggerBinding, why: Readonly<Record<string, Value>>): DispatchResult {
  binding.metrics.skipped++;
  const result = Dict.of({ skipped: true, ...why });
  return { status: "skipped", result, error: null, deadLetterId: null, attempts: 0 };
}

const exhaustedBudget = (task: Task, world: TriggerWorld, binding: TriggerBinding): Exhausted | undefined =>
  binding.usage.exhausted(binding.budget, world.clock.now(task));

/** What `on_budget_exhausted` makes of an event; a postponed one is remembered for `trigger_replay`. */
function unaffordable(
  world: TriggerWorld,
  binding: TriggerBinding,
  delivery: TriggerDelivery,
  { reason, untilMs }: Exhausted,
): DispatchResult {
  switch (binding.budget.onExhausted) {
    case "fail": {
      binding.metrics.failed++;
      const error = `trigger '${binding.id}': its budget is used up (${reason})`;
      return { status: "failed", result: null, error, deadLetterId: null, attempts: 0 };
    }
    case "retry_later":
      world.remember(delivery);
      return skipped(binding, { reason, retry_at: isoTime(untilMs) });
    default:
      return skipped(binding, { reason });
  }
}

function settled(
  task: Task,
  world: TriggerWorld,
  binding: TriggerBinding,
  event: Dict,
  replayOf: string | null,
  outcome: DispatchResult,
): Dict {
  const headers = recordHeaders(binding, event);
  world.record(task, outboxTopic, outcome.status, Dict.of({ event_id: eventId(event) }), headers);
  return Dict.of({
    event_id: eventId(event),
    binding_id: binding.id,
    binding_version: binding.version,
    status: outcome.status,
    result: outcome.result,
    error: outcome.error,
    dlq_entry_id: outcome.deadLetterId,
    replay_of_event_id: replayOf,
  });
}

/** Waits until the trigger's rate allows one more. */
async function throttleEvent(
  task: Task,
  world: TriggerWorld,
  binding: TriggerBinding,
  event: Dict,
): Promise<void> {
  for (;;) {
    const ms = binding.rate?.take(world.clock.now(task)) ?? 0;
    if (ms === 0) return;
    const payload = Dict.of({ throttled_for_ms: ms });
    world.record(task, lifecycleTopic, "DispatchThrottled", payload, recordHeaders(binding, event));
    await world.clock.sleep(task, ms);
  }
}

async function deliverEvent(
  task: Task,
  world: TriggerWorld,
  binding: TriggerBinding,
  delivery: TriggerDelivery,
  replayOf: string | null,
): Promise<DispatchResult> {
  const graph = new ActionGraph(task, world, binding, delivery.event);
  const dispatch: Dispatch = { task, world, binding, delivery, replayOf, graph };
  // What the predicate says is remembered as a whole, so its questions need no tape.
  const tier = new TierScope(binding.id, binding.autonomyTier);
  const gate = await inHandler(dispatch, { taken: [], at: 0 }, () =>
    passGate(task, world, binding, delivery.event, { gate: delivery.gate, replayOf, tier }),
  );
  const refused = refusedByTier(dispatch, tier);
  if (refused !== undefined) {
    binding.metrics.failed++;
    return { ...refused, attempts: 0 };
  }
  delivery.gate = gate;
  if (binding.when !== undefined)
    graph.step(task, "predicate", "predicate_gate", gate.open ? "passed" : "stopped");
  if (gate.open) return afford(dispatch) ?? heldBack(binding) ?? attempts(dispatch);
  binding.metrics.dispatched++;
  const result = Dict.of({ skipped: true, reason: gate.reason, event_id: eventId(delivery.event) });
  return { status: "dispatched", result, error: null, deadLetterId: null, attempts: 0 };
}

/**
 * Asked at the last moment and counted in the same breath: events that wait for their predicates side by side would else
 * all pass the same limit, and a replay would go past it.
 */
function afford(dispatch: Dispatch): DispatchResult | undefined {
  const { task, world, binding, delivery } = dispatch;
  const over = exhaustedBudget(task, world, binding);
  if (over !== undefined) {
    if (binding.budget.onExhausted !== "warn") return unaffordable(world, binding, delivery, over);
    noteDispatch(dispatch, "budget.exceeded", { reason: over.reason });
    const what = `trigger '${binding.id}': its budget is used up (${over.reason})`;
    writeError(task, showText(`warning: ${what}; the event is handled all the same\n`));
  }
  if (binding.autonomyTier === "act_auto") binding.usage.decide(world.clock.now(task));
  return undefined;
}

/** Nothing leaves in the shadow: neither to a queue nor to another agent. */
const heldBack = (binding: TriggerBinding): DispatchResult | undefined =>
  binding.autonomyTier === "shadow" && binding.handler.kind !== "local"
    ? skipped(binding, { reason: "autonomy_tier" })
    : undefined;

/** How a dispatch ends that its tier refused something, whatever its functions made of the refusal; nothing is tried again. */
function refusedByTier(
  dispatch: Dispatch,
  tier: TierScope,
  error?: ScriptError,
): Omit<DispatchResult, "attempts"> | undefined {
  const { event } = dispatch.delivery;
  for (const { builtin, arguments: args } of tier.refused)
    noteDispatch(dispatch, "autonomy.proposed", {
      builtin,
      arguments: args,
      tier: tier.tier,
      trace_id: event.get("trace_id") ?? null,
    });
  const reason =
    tier.refused[0]?.reason ?? (error !== undefined && isTierRefusal(error) ? caughtText(error) : undefined);
  return reason === undefined
    ? undefined
    : { status: "failed", result: null, error: reason, deadLetterId: null };
}

/** Runs something in the context of the event; people are asked only what is not on the tape. */
async function inHandler<T>(dispatch: Dispatch, tape: HumanTape, body: () => Promise<T>): Promise<T> {
  const { task, binding, delivery, replayOf } = dispatch;
  const leave = enterHandler(task, { binding, event: delivery.event, replayOf });
  const takeOut = insertTape(task, tape);
  try {
    return await body();
  } finally {
    takeOut();
    leave();
  }
}

async function attempts(dispatch: Dispatch): Promise<DispatchResult> {
  const { world, binding } = dispatch;
  world.flying(binding, 1);
  try {
    for (let made = 1; ; made++) {
      const attempt = await attemptHandlerOnce(dispatch, made);
      if (!("failure" in attempt)) return { ...attempt, attempts: made };
      if (made >= binding.retry.max) return deadLettered(dispatch, attempt.failure, made);
      await pauseBeforeRetry(dispatch, made, attempt.failure);
    }
  } finally {
    world.flying(binding, -1);
  }
}

type DispatchAttempt = Omit<DispatchResult, "attempts"> | { readonly failure: ScriptError };

const steps = {
  local: ["dispatch", "trigger_dispatch"],
  worker: ["worker_enqueue", "trigger_dispatch"],
  a2a: ["a2a_hop", "a2a_dispatch"],
} as const;

async function attemptHandlerOnce(dispatch: Dispatch, attempt: number): Promise<DispatchAttempt> {
  const { task, world, binding, delivery, graph } = dispatch;
  noteDispatch(dispatch, "DispatchStarted", { attempt, handler_kind: binding.handler.kind });
  const [node, edge] = steps[binding.handler.kind];
  const before = modelsOf(task).spending.costUsd;
  const tier = new TierScope(binding.id, binding.autonomyTier);
  const failed = (attempted: DispatchAttempt): DispatchAttempt => {
    const error = "failure" in attempted ? caughtText(attempted.failure) : attempted.error;
    graph.step(task, node, edge, "failed");
    noteDispatch(dispatch, "DispatchFailed", { attempt, error });
    binding.metrics.failed++;
    return attempted;
  };
  try {
    // What people answered to an attempt that failed is not asked again.
    delivery.tape.at = 0;
    const result = await inHandler(dispatch, delivery.tape, async () =>
      handleEvent(task, world, binding, delivery.event, tier),
    );
    const refused = refusedByTier(dispatch, tier);
    if (refused !== undefined) return failed(refused);
    graph.step(task, node, edge, "completed");
    noteDispatch(dispatch, "DispatchSucceeded", { attempt });
    binding.metrics.dispatched++;
    return { status: "dispatched", result, error: null, deadLetterId: null };
  } catch (error) {
    if (!(error instanceof ScriptError) || isAskedToStop(task)) throw error;
    return failed(refusedByTier(dispatch, tier, error) ?? { failure: error });
  } finally {
    binding.usage.spend(world.clock.now(task), modelsOf(task).spending.costUsd - before);
  }
}

async function pauseBeforeRetry(dispatch: Dispatch, attempt: number, error: ScriptError): Promise<void> {
  const { task, world, binding, graph } = dispatch;
  const delay = pauseAfter(binding.retry, attempt);
  binding.metrics.retried++;
  graph.step(task, "retry", "retry", "scheduled");
  noteDispatch(dispatch, "RetryScheduled", { attempt, delay_ms: delay, error: caughtText(error) });
  if (delay > 0) await world.clock.sleep(task, delay);
}

function deadLettered(dispatch: Dispatch, error: ScriptError, made: number): DispatchResult {
  const { task, world, binding, delivery, replayOf, graph } = dispatch;
  const text = caughtText(error);
  binding.metrics.dlq++;
  graph.step(task, "dlq", "dlq_move", "pending");
  const why = { text, value: caughtValue(error), attempts: made };
  const entry =
    replayOf === null ? deadLetter(task, world, delivery, why) : deadLetterAgain(task, world, delivery, why);
  noteDispatch(dispatch, "DlqMoved", { attempts: made, error: text, dlq_entry_id: entry.id });
  return { status: "dlq", result: null, error: text, deadLetterId: entry.id, attempts: made };
}

function noteDispatch(dispatch: Dispatch, kind: string, about: Readonly<Record<string, Value>>): void {
  const { task, world, binding, delivery, replayOf } = dispatch;
  const payload = Dict.of({ ...about, replay_of_event_id: replayOf });
  world.record(task, lifecycleTopic, kind, payload, recordHeaders(binding, delivery.event));
}

const caughtText = (error: ScriptError): string => display(caughtValue(error));
