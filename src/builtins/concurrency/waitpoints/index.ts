/** Builtins over waitpoints (builtins.md §2.22). */

import { newId, type Task } from "../../../interp/index.ts";
import { defineBuiltins } from "../../../table/index.ts";
import { Dict, List, thrown, typeOf, type Value } from "../../../values/index.ts";
import { type Argument, option, optionsOf, textOf } from "../../arguments.ts";
import { traceIdFor } from "../../observe/trace-ids.ts";
import { cancelFields, settleFields, waitFields, waitpointFields } from "../../rows/waitpoints.ts";
import { monotonic, wallClock } from "../../time/clock-state.ts";
import { isoTime } from "../../time/iso-time.ts";
import { createWaitpoint, findWaitpoint, settleWaitpoint, statusOf, untilChange } from "./waitpoint-state.ts";

/** An id, given as text or in a record; `undefined` when there is none. */
function idOf(value: Argument): string | undefined {
  const id = value instanceof Dict ? option(value, "id") : (value ?? undefined);
  return id === undefined ? undefined : textOf(id);
}

function needId(caller: string, value: Argument): string {
  const id = idOf(value);
  if (id !== undefined && id !== "") return id;
  throw thrown(`${caller}: expected a waitpoint or its id, got ${typeOf(value ?? null)}`);
}

function needWaitpoint(task: Task, caller: string, id: string): Dict {
  const record = findWaitpoint(task, id);
  if (record === undefined) throw thrown(`${caller}: unknown waitpoint '${id}'`);
  return record;
}

/** Completing twice, or cancelling twice, changes nothing; one after the other is a mistake. */
function settle(task: Task, status: "completed" | "cancelled", input: Argument, options: Argument): Value {
  const caller = status === "completed" ? "waitpoint.complete" : "waitpoint.cancel";
  const id = needId(caller, input);
  const record = needWaitpoint(task, caller, id);
  const now = statusOf(record);
  if (now === status) return record;
  if (now !== "open") throw thrown(`${caller}: waitpoint '${id}' is already ${now}`);
  const read =
    status === "completed"
      ? optionsOf(caller, options, settleFields)
      : { ...optionsOf(caller, options, cancelFields), value: null };
  return settleWaitpoint(task, id, status, read) ?? record;
}

/** What a wait came to. */
interface WaitResult {
  readonly status: "completed" | "cancelled" | "timed_out";
  readonly cancelled: Dict | undefined;
}

async function awaitWaitpoint(task: Task, value: Argument, options: Argument): Promise<Value> {
  const caller = "waitpoint.wait";
  const ids = (value instanceof List ? value.toArray() : [value]).map((one) => needId(caller, one));
  const read = optionsOf(caller, options, waitFields);
  const started = isoTime(wallClock(task));
  const { status, cancelled } = await waitForPoint(task, ids, read.timeout);
  // Made even where one is given: recordings have it.
  const made = `waitpoint_wait_${newId(task)}`;
  return Dict.of({
    wait_id: read.waitId ?? made,
    status,
    waitpoints: new List(ids.map((id) => needWaitpoint(task, caller, id))),
    waitpoint_ids: new List(ids),
    cancelled_waitpoint_id: cancelled?.get("id") ?? null,
    reason: status === "timed_out" ? "deadline elapsed" : (cancelled?.get("reason") ?? null),
    started_at: started,
    resolved_at: isoTime(wallClock(task)),
    trace_id: traceIdFor(task),
  });
}

async function waitForPoint(task: Task, ids: readonly string[], limit: number | null): Promise<WaitResult> {
  const due = limit === null ? undefined : monotonic(task) + limit;
  for (;;) {
    const records = ids.map((id) => needWaitpoint(task, "waitpoint.wait", id));
    const cancelled = records.find((record) => statusOf(record) === "cancelled");
    if (cancelled !== undefined) return { status: "cancelled", cancelled };
    if (records.every((record) => statusOf(record) === "completed")) {
      return { status: "completed", cancelled: undefined };
    }
    const left = due === undefined ? undefined : Math.max(0, due - monotonic(task));
    if (left === 0) return { status: "timed_out", cancelled: undefined };
    await untilChange(task, left);
  }
}

const acting = { effect: "write", performs: true } as const;

export const waitpoints = defineBuiltins(
  "waitpoints",
  {
    waitpoint_create: {
      ...acting,
      doc:
        "A waitpoint that tasks can wait for: `{id, status, created_at, created_by, completed_at, completed_by, cancelled_at, " +
        "cancelled_by, value, reason, metadata}`. One of that id that exists already is given as it is.",
      sig: "(id?: string | {id?: string, metadata?: dict, created_by?: string}) -> dict",
      example: 'waitpoint_create("ready").status  // open',
      fields: { id: () => waitpointFields },
      run: (task, input: Argument) => {
        const options = input instanceof Dict ? input : Dict.of({ id: input ?? null });
        const read = optionsOf("waitpoint_create", options, waitpointFields);
        const id = read.id ?? `waitpoint_${newId(task)}`;
        // Nobody could complete it.
        if (id === "") throw thrown("waitpoint.create: the id must not be empty");
        const { metadata, createdBy } = read;
        return createWaitpoint(task, { id, metadata: metadata ?? new Dict(), createdBy });
      },
    },
    waitpoint_complete: {
      ...acting,
      doc: "Lets everybody go on who waits for it, also those who come later. Options: `by`, `reason`, `value`.",
      sig: "(waitpoint: dict | string, options: {by?: string, reason?: string, value?: any} = {}) -> dict",
      fields: { options: () => settleFields },
      run: (task, input: Argument, options: Argument) => settle(task, "completed", input, options),
    },
    waitpoint_cancel: {
      ...acting,
      doc: "Tells everybody who waits for it that it will not come. Options: `by`, `reason`.",
      sig: "(waitpoint: dict | string, options: {by?: string, reason?: string} = {}) -> dict",
      fields: { options: () => cancelFields },
      run: (task, input: Argument, options: Argument) => settle(task, "cancelled", input, options),
    },
    waitpoint_wait: {
      effect: "read",
      performs: true,
      suspends: "may",
      doc:
        "Waits until all are completed, one is cancelled, or the `timeout` is over: `{wait_id, status, waitpoints, " +
        "waitpoint_ids, cancelled_waitpoint_id, reason, started_at, resolved_at, trace_id}`; status `completed`, `cancelled` " +
        "or `timed_out`.",
      sig: "(waitpoints: dict | string | list, options: {timeout?: duration | int, wait_id?: string} = {}) -> dict",
      fields: { options: () => waitFields },
      run: (task, input: Argument, options: Argument) => awaitWaitpoint(task, input, options),
    },
  },
  {
    waitpoint: "a waitpoint, as `waitpoint_create` gives it",
    waitpoints: "waitpoints, as `waitpoint_create` gives them",
  },
);
