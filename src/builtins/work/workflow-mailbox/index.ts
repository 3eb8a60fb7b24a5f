/**
 * The mailbox of a workflow (agents.md §19.4): signals, queries and updates between programs of one project, addressed by
 * the workflow's id. The namespace value `workflow` is in builtins/globals.ts.
 */

import {
  type EmbeddedLedger,
  type OperateOptions,
  type WorkflowStatus,
  workflowMailboxes,
} from "../../../durable/index.ts";
import type { Task } from "../../../interp/index.ts";
import { elapsedMs, newId, pauseTask, scriptMonotonicMs } from "../../../interp/index.ts";
import { at, type BuiltinDeclaration, defineBuiltins, refusal } from "../../../table/index.ts";
import { Dict, List, ScriptError, thrown, type Value } from "../../../values/index.ts";
import { updateFields } from "../../../work/index.ts";
import { type Argument, numberOf, option, textOf } from "../../arguments.ts";
import { wallClock } from "../../time/clock-state.ts";
import { isoTime } from "../../time/iso-time.ts";
import { change, lookInMailbox, type MailboxAddress, mailboxOf, textsOf } from "./mailbox-file.ts";
import { mailboxMessageDict, queried, responseTo, statusDict, statusOf } from "./state.ts";

const now = (task: Task): string => isoTime(wallClock(task));

function needMessageName(caller: string, name: Argument): string {
  if (typeof name === "string" && name !== "") return name;
  throw refusal(at(caller, "name"), "a text that is not empty", name);
}

/** `{workflow_id, message, status}` */
async function sendToWorkflow(
  task: Task,
  target: Argument,
  messageName: Argument,
  payload: Argument,
): Promise<Value> {
  const box = mailboxOf("workflow.signal", target);
  const { workflow } = box;
  const name = needMessageName(box.caller, messageName);
  const value = payload ?? null;
  const at = now(task);
  const message = {
    workflow,
    kind: "signal",
    name,
    payload: textsOf(task).text(value),
    at,
    request: null,
  } as const;
  return await change(
    task,
    box,
    new List([workflow, name, value]),
    (ledger, once) => ledger.operateSync(workflowMailboxes.enqueue, message, once),
    (sent, folder) =>
      Dict.of({
        workflow_id: workflow,
        // The value as it was given: what goes through JSON may come out as another one.
        message: mailboxMessageDict(sent.message, textsOf(task)).without("request_id").with("payload", value),
        status: statusDict(workflow, folder, sent.status),
      }),
  );
}

/** A change whose result is the status. */
async function changeMailboxStatus(
  task: Task,
  box: MailboxAddress,
  about: Value,
  operate: (ledger: EmbeddedLedger, once: OperateOptions) => WorkflowStatus,
): Promise<Value> {
  return await change(task, box, about, operate, (status, folder) =>
    statusDict(box.workflow, folder, status),
  );
}

function setPaused(name: "pause" | "resume", paused: boolean): BuiltinDeclaration["run"] {
  return async (task, target: Argument) => {
    const box = mailboxOf(`workflow.${name}`, target);
    const args = { workflow: box.workflow, paused, at: now(task) };
    return await changeMailboxStatus(task, box, box.workflow, (ledger, once) =>
      ledger.operateSync(workflowMailboxes.pause, args, once),
    );
  };
}

async function continueAsNew(task: Task, target: Argument): Promise<Value> {
  const box = mailboxOf("workflow.continue_as_new", target);
  const args = { workflow: box.workflow, at: now(task) };
  return await changeMailboxStatus(task, box, box.workflow, (ledger, once) =>
    ledger.operateSync(workflowMailboxes.continueAsNew, args, once),
  );
}

// ── updates ───────────────────────────────────────────────────────────────────────────────────────────────────────

const usualTimeoutMs = 30_000;
/** Whoever answers may be another process: its answer is looked for, at first often, then now and then. */
const shortestLookMs = 5;
const maxLookMs = 250;

async function update(
  task: Task,
  target: Argument,
  name: Argument,
  payload: Argument,
  options: Argument,
): Promise<Value> {
  const box = mailboxOf("workflow.update", target);
  const wanted = needMessageName(box.caller, name);
  const limit = mailboxTimeoutOf(box.caller, options);
  const request = `update_${newId(task)}`;
  const { workflow } = box;
  const value = payload ?? null;
  const message = {
    workflow,
    kind: "update",
    name: wanted,
    payload: textsOf(task).text(value),
    at: now(task),
    request,
  } as const;
  const nothing = (): Value => null;
  await change(
    task,
    box,
    new List([workflow, wanted, value]),
    (ledger, once) => ledger.operateSync(workflowMailboxes.enqueue, message, once),
    nothing,
  );
  const giveUp = () =>
    change(
      task,
      box,
      request,
      (ledger, once) => ledger.operateSync(workflowMailboxes.withdraw, { workflow, request }, once),
      nothing,
    );
  let answer: Dict | undefined;
  try {
    answer = await answeredMailboxMessage(task, box, request, limit);
  } catch (error) {
    // A deadline around the update: nobody waits for the answer.
    if (error instanceof ScriptError) await giveUp();
    throw error;
  }
  if (answer !== undefined) return answer.get("value") ?? null;
  await giveUp();
  throw thrown(`${box.caller}: no response to '${wanted}' from workflow ${box.workflow} within ${limit} ms`);
}

function mailboxTimeoutOf(caller: string, options: Argument): number {
  if (options !== undefined && options !== null && !(options instanceof Dict))
    throw refusal(at(caller, "options"), "dict", options);
  const timeout = option(options, "timeout_ms");
  const ms = timeout === undefined ? usualTimeoutMs : numberOf(timeout);
  if (ms !== undefined && ms >= 0) return ms;
  throw refusal(at(caller, "timeout_ms"), "a number of at least 0", timeout);
}

/** The answer, `undefined` when it does not come in time. */
async function answeredMailboxMessage(
  task: Task,
  box: MailboxAddress,
  request: string,
  limit: number,
): Promise<Dict | undefined> {
  const started = scriptMonotonicMs(task);
  for (let step = shortestLookMs; ; step = Math.min(maxLookMs, step * 2)) {
    const found = await lookInMailbox(task, box, request, (state) => responseTo(state, request) ?? null);
    if (found instanceof Dict) return found;
    const left = limit - elapsedMs(task, started);
    if (left <= 0) return undefined;
    await pauseTask(task, Math.min(step, left));
  }
}

async function respondUpdate(
  task: Task,
  target: Argument,
  input: Argument,
  value: Argument,
  name: Argument,
): Promise<Value> {
  const box = mailboxOf("workflow.respond_update", target);
  const request = textOf(input ?? undefined);
  const { workflow } = box;
  const text = textsOf(task).text(value ?? null);
  const answer = { workflow, request, value: text, name: nilOrText(name), at: now(task) };
  return await changeMailboxStatus(task, box, new List([request, value ?? null]), (ledger, once) => {
    const status = ledger.operateSync(workflowMailboxes.respond, answer, once);
    if (status !== null) return status;
    throw thrown(`${box.caller}: no update of workflow ${workflow} waits for '${request}'`);
  });
}

const nilOrText = (value: Argument): string | null =>
  value === undefined || value === null ? null : textOf(value);

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
    run: sendToWorkflow,
  },
  workflow_receive: {
    ...writing,
    doc: "Takes the oldest message: `{seq, kind: signal|update|control, name, payload, enqueued_at, workflow_id, request_id}`; nil when there is none. Also `workflow.receive`.",
    sig: "(target: any) -> dict?",
    run: async (task, target: Argument) => {
      const box = mailboxOf("workflow.receive", target);
      const { workflow } = box;
      return await change(
        task,
        box,
        workflow,
        (ledger, once) => ledger.operateSync(workflowMailboxes.receive, { workflow }, once),
        (message) =>
          message === null ? null : mailboxMessageDict(message, textsOf(task)).with("workflow_id", workflow),
      );
    },
  },
  workflow_publish_query: {
    ...writing,
    doc: `Sets what queries of this name are answered with; gives the status ${status}. Also \`workflow.publish_query\`.`,
    sig: "(target: any, name: string, value: any = nil) -> dict",
    run: async (task, target: Argument, name: Argument, value: Argument) => {
      const box = mailboxOf("workflow.publish_query", target);
      const wanted = needMessageName(box.caller, name);
      const about = new List([box.workflow, wanted, value ?? null]);
      const args = { workflow: box.workflow, name: wanted, value: textsOf(task).text(value ?? null) };
      return await changeMailboxStatus(task, box, about, (ledger, once) =>
        ledger.operateSync(workflowMailboxes.publish, args, once),
      );
    },
  },
  workflow_query: {
    ...reading,
    doc: "What was published under a name; nil when nothing was. Also `workflow.query`.",
    sig: "(target: any, name: string) -> any",
    example: 'workflow.query("nobody", "progress")  // nil',
    run: async (task, target: Argument, name: Argument) => {
      const box = mailboxOf("workflow.query", target);
      const wanted = needMessageName(box.caller, name);
      return await lookInMailbox(task, box, new List([box.workflow, wanted]), (state) =>
        queried(state, wanted),
      );
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
    run: async (task, target: Argument) => {
      const box = mailboxOf("workflow.status", target);
      return await lookInMailbox(task, box, box.workflow, (state, folder) =>
        statusOf(state, box.workflow, folder),
      );
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
