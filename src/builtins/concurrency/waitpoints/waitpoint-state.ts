/**
 * Waitpoints: places where tasks, and with a durable event log whole runs, wait until somebody says "go on". They are what
 * the events of one topic come to; of two contrary events the first counts.
 */
import { stateKey, type Task } from "../../../interp/index.ts";
import type { Read } from "../../../table/index.ts";
import { Dict } from "../../../values/index.ts";
import { textOf } from "../../arguments.ts";
import { emitEvent, nextEvent, readEvents } from "../../events/event-log/event-log.ts";
import type { settleFields } from "../../rows/waitpoints.ts";
import { wallClock } from "../../time/clock-state.ts";
import { isoTime } from "../../time/iso-time.ts";

const topic = "waitpoint.events";

export type WaitpointStatus = "open" | "completed" | "cancelled";

interface Waitpoints {
  /** The last event that is part of `records`. */
  cursor: number;
  readonly records: Map<string, Dict>;
}

const waitpointState = stateKey<Waitpoints>("waitpoints", () => ({ cursor: 0, records: new Map() }));

/** What is known of waitpoints now. */
function currentWaitpoint(task: Task): Waitpoints {
  const state = task.runtime.state(waitpointState);
  for (const event of readEvents(task, { topic, after: state.cursor })) {
    state.cursor = event.get("id") as number;
    const payload = event.get("payload");
    if (payload instanceof Dict) applyWaitpointChange(state.records, textOf(event.get("kind")), payload);
  }
  return state;
}

function applyWaitpointChange(records: Map<string, Dict>, kind: string, payload: Dict): void {
  const id = textOf(payload.get("id"));
  const known = records.get(id);
  if (kind === "created") {
    if (known === undefined) records.set(id, payload);
  } else if (known !== undefined && statusOf(known) === "open") records.set(id, known.merge(payload));
}

export const statusOf = (record: Dict): WaitpointStatus => record.get("status") as WaitpointStatus;

export const findWaitpoint = (task: Task, id: string): Dict | undefined =>
  currentWaitpoint(task).records.get(id);

/** The waitpoint of this id, made when there is none. */
export function createWaitpoint(
  task: Task,
  { id, metadata, createdBy }: { readonly id: string; readonly metadata: Dict; readonly createdBy: string },
): Dict {
  const known = findWaitpoint(task, id);
  if (known !== undefined) return known;
  const record = Dict.of({
    id,
    status: "open",
    created_at: isoTime(wallClock(task)),
    created_by: createdBy,
    completed_at: null,
    completed_by: null,
    cancelled_at: null,
    cancelled_by: null,
    value: null,
    reason: null,
    metadata,
  });
  emitEvent(task, topic, "created", record);
  return findWaitpoint(task, id) ?? record;
}

/** Completes or cancels an open one, and wakes who waits for it. */
export function settleWaitpoint(
  task: Task,
  id: string,
  status: "completed" | "cancelled",
  { by, reason, value }: Read<typeof settleFields>,
): Dict | undefined {
  const change = Dict.of({
    id,
    status,
    [`${status}_at`]: isoTime(wallClock(task)),
    [`${status}_by`]: by,
    reason,
    value,
  });
  emitEvent(task, topic, status, change);
  return findWaitpoint(task, id);
}

/** Until something happens to any waitpoint; false when the time is over. */
export async function untilChange(task: Task, limitMs: number | undefined): Promise<boolean> {
  const { cursor } = currentWaitpoint(task);
  return (await nextEvent(task, topic, cursor, limitMs)) !== undefined;
}
