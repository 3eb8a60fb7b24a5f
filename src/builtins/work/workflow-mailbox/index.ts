/**
 * The mailbox of a workflow (agents.md §19.4): signals, queries and updates between programs of one project, addressed by
 * the workflow's id. The namespace value `workflow` is in namespace.ts.
 */

import type { Task } from "../../../interp/index.ts";
import { elapsedMs, monotonicMs, newId, pause } from "../../../interp/index.ts";
import { type BuiltinDeclaration, defineBuiltins } from "../../../table/index.ts";
import { Dict, List, ScriptError, thrown, typeOf, type Value } from "../../../values/index.ts";
import { type Given, numberOf, option, textOf } from "../../arguments.ts";
import { updateFields } from "../../rows/agents.ts";
import { wallClock } from "../../time/clock-state.ts";
import { isoTime } from "../../time/iso-time.ts";
import { change, look, type Mailbox, mailboxOf } from "./mailbox-file.ts";
import {
  enqueue,
  isOpenUpdate,
  nextGeneration,
  publish,
  queried,
  respond,
  responseTo,
  statusOf,
  takeOldest,
  withdraw,
} from "./state.ts";

const now = (task: Task): string => isoTime(wallClock(task));

function needName(caller: string, name: Given): string {
  if (typeof name === "string" && name !== "") return name;
  throw thrown(`${caller}: name must be a string that is not empty, got ${typeOf(name ?? null)}`);
}

/** `{workflow_id, message, status}` */
async function send(task: Task, target: Given, name: Given, payload: Given): Promise<Value> {
  const box = mailboxOf("workflow.signal", target);
  const letter = {
    kind: "signal" as const,
    name: needName(box.caller, name),
    payload: payload ?? null,
    at: now(task),
  };
  return await change(task, box, new List([box.workflow, letter.name, letter.payload]), (before, folder) => {
    const { state, result } = enqueue(before, letter);
    const message = (result as Dict).without("request_id");
    const told = Dict.of({ workflow_id: box.workflow, message, status: statusOf(state, folder) });
    return { state, result: told };
  });
}

/** A change whose result is the status. */
async function changeStatus(
  task: Task,
  box: Mailbox,
  about: Value,
  apply: (state: Dict) => Dict,
): Promise<Value> {
  return await change(task, box, about, (before, folder) => {
    const state = apply(before);
    return { state, result: statusOf(state, folder) };
  });
}

function setPaused(name: "pause" | "resume", paused: boolean): BuiltinDeclaration["run"] {
  return async (task, target: Given) => {
    const box = mailboxOf(`workflow.${name}`, target);
    const letter = { kind: "control" as const, name, payload: null, at: now(task) };
    return await changeStatus(task, box, box.workflow, (state) =>
      enqueue(state, letter).state.with("paused", paused),
    );
  };
}

async function continueAsNew(task: Task, target: Given): Promise<Value> {
  const box = mailboxOf("workflow.continue_as_new", target);
  const at = now(task);
  return await changeStatus(task, box, box.workflow, (state) => nextGeneration(state, at));
}

// ── updates ───────────────────────────────────────────────────────────────────────────────────────────────────────

const usualTimeoutMs = 30_000;
/** Whoever answers may be another process: its answer is looked for, at first often, then now and then. */
const shortestLookMs = 5;
const maxLookMs = 250;

async function update(
  task: Task,
  target: Given,
  name: Given,
  payload: Given,
  options: Given,
): Promise<Value> {
  const box = mailboxOf("workflow.update", target);
  const wanted = needName(box.caller, name);
  const limit = timeoutOf(box.caller, options);
  const request = `update_${newId(task)}`;
  const letter = { kind: "update" as const, name: wanted, payload: payload ?? null, at: now(task), request };
  await change(task, box, new List([box.workflow, wanted, letter.payload]), (before) => ({
    state: enqueue(before, letter).state,
    result: null,
  }));
  const giveUp = () =>
    change(task, box, request, (state) => ({ state: withdraw(state, request), result: null }));
  let answer: Dict | undefined;
  try {
    answer = await answered(task, box, request, limit);
  } catch (error) {
    // A deadline around the update: nobody waits for the answer.
    if (error instanceof ScriptError) await giveUp();
    throw error;
  }
  if (answer !== undefined) return answer.get("value") ?? null;
  await giveUp();
  throw thrown(`${box.caller}: no response to '${wanted}' from workflow ${box.workflow} within ${limit} ms`);
}

function timeoutOf(caller: string, options: Given): number {
  if (options !== undefined && options !== null && !(options instanceof Dict))
    throw thrown(`${caller}: options must be a dict or nil, got ${typeOf(options)}`);
  const given = option(options, "timeout_ms");
  const ms = given === undefined ? usualTimeoutMs : numberOf(given);
  if (ms !== undefined && ms >= 0) return ms;
  throw thrown(`${caller}: timeout_ms must be a number of at least 0, got ${textOf(given)}`);
}

/** The answer, `undefined` when it does not come in time. */
async function answered(task: Task, box: Mailbox, request: string, limit: number): Promise<Dict | undefined> {
  const started = monotonicMs(task);
  for (let step = shortestLookMs; ; step = Math.min(maxLookMs, step * 2)) {
    const found = await look(task, box, request, (state) => responseTo(state, request) ?? null);
    if (found instanceof Dict) return found;
    const left = limit - elapsedMs(task, started);
    if (left <= 0) return undefined;
    await pause(task, Math.min(step, left));
  }
}

async function respondUpdate(
  task: Task,
  target: Given,
  given: Given,
  value: Given,
  name: Given,
): Promise<Value> {
  const box = mailboxOf("workflow.respond_update", target);
  const request = textOf(given ?? undefined);
  const answer = Dict.of({ value: value ?? null, name: name ?? null, responded_at: now(task) });
  return await changeStatus(task, box, new List([request, value ?? null]), (state) => {
    if (!isOpenUpdate(state, request))
      throw thrown(`${box.caller}: no update of workflow ${box.workflow} waits for '${request}'`);
    return respond(state, request, answer);
  });
}

// ── the table ─────────────────────────────────────────────────────────────────────────────────────────────────────

const common = { performs: true, suspends: "may" } as const;
const reading = { ...common, effect: "read", capability: "fs.read" } as const;
const writing = { ...common, effect: "write", capability: "fs.read fs.write" } as const;

const status =
  "`{workflow_id, base_dir, generation, paused, pending_count, query_count, response_count, continue_as_new_count, last_continue_as_new_at}`";

export const workflowMailbox = defineBuiltins("workflow_mailbox", {
  workflow_signal: {
    ...writing,
    doc: "Puts a message into the mailbox of a workflow (`.harn/workflows/ID/state.json`) and gives `{workflow_id, message: {seq, kind, name, payload, enqueued_at}, status}`. The target is an id, `{workflow_id}`, a graph or a run. Also `workflow.signal`.",
    sig: "(target: any, name: string, payload: any = nil) -> dict",
    run: send,
  },
  workflow_receive: {
    ...writing,
    doc: "Takes the oldest message: `{seq, kind: signal|update|control, name, payload, enqueued_at, workflow_id, request_id}`; nil when there is none. Also `workflow.receive`.",
    sig: "(target: any) -> dict?",
    run: async (task, target: Given) => {
      const box = mailboxOf("workflow.receive", target);
      return await change(task, box, box.workflow, takeOldest);
    },
  },
  workflow_publish_query: {
    ...writing,
    doc: `Sets what queries of this name are answered with; gives the status ${status}. Also \`workflow.publish_query\`.`,
    sig: "(target: any, name: string, value: any = nil) -> dict",
    run: async (task, target: Given, name: Given, value: Given) => {
      const box = mailboxOf("workflow.publish_query", target);
      const wanted = needName(box.caller, name);
      const about = new List([box.workflow, wanted, value ?? null]);
      return await changeStatus(task, box, about, (state) => publish(state, wanted, value ?? null));
    },
  },
  workflow_query: {
    ...reading,
    doc: "What was published under a name; nil when nothing was. Also `workflow.query`.",
    sig: "(target: any, name: string) -> any",
    example: 'workflow.query("nobody", "progress")  // nil',
    run: async (task, target: Given, name: Given) => {
      const box = mailboxOf("workflow.query", target);
      const wanted = needName(box.caller, name);
      return await look(task, box, new List([box.workflow, wanted]), (state) => queried(state, wanted));
    },
  },
  workflow_update: {
    ...writing,
    doc: "Sends an update and waits until somebody answers it with `workflow.respond_update`; gives the answer. Thrown when `timeout_ms` (30000) are over: the update is withdrawn then. Also `workflow.update`.",
    sig: "(target: any, name: string, payload: any = nil, options: dict? = nil) -> any",
    fields: { options: () => updateFields },
    run: update,
  },
  workflow_respond_update: {
    ...writing,
    doc: "Answers the update with this `request_id`; gives the status. Also `workflow.respond_update`.",
    sig: "(target: any, request_id: string, value: any = nil, name: string? = nil) -> dict",
    run: respondUpdate,
  },
  workflow_pause: {
    ...writing,
    doc: "Marks a workflow as paused, tells its mailbox (a `control` message) and gives the status. Whoever works for it looks at `paused`. Also `workflow.pause`.",
    sig: "(target: any) -> dict",
    run: setPaused("pause", true),
  },
  workflow_resume: {
    ...writing,
    doc: "Takes the mark of `workflow.pause` away, tells its mailbox and gives the status. Also `workflow.resume`.",
    sig: "(target: any) -> dict",
    run: setPaused("resume", false),
  },
  workflow_status: {
    ...reading,
    doc: `How a workflow's mailbox stands: ${status}. Also \`workflow.status\`.`,
    sig: "(target: any) -> dict",
    example: 'workflow.status("nobody").generation  // 1',
    run: async (task, target: Given) => {
      const box = mailboxOf("workflow.status", target);
      return await look(task, box, box.workflow, statusOf);
    },
  },
  workflow_continue_as_new: {
    ...writing,
    doc: "Begins the next generation of a workflow and gives the status: messages and queries stay, answers are forgotten. Also `workflow.continue_as_new`.",
    sig: "(target: any) -> dict",
    run: continueAsNew,
  },
  continue_as_new: {
    ...writing,
    doc: "The same as `workflow.continue_as_new`.",
    sig: "(target: any) -> dict",
    run: continueAsNew,
  },
});
