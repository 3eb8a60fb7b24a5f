/**
 * Resuming a worker that stands still (agents.md §17.5): with one of this run in a new cycle, with one of another run
 * after it was taken over from its file (rehydration.ts).
 */

import { checkedReminder, dropBatch, remindSession, runSessionHooks } from "../../../agent/index.ts";
import type { Task } from "../../../interp/index.ts";
import { type Conversation, conversations } from "../../../model/index.ts";
import { inputText } from "../../../table/index.ts";
import { Dict, display, jsonStringify, thrown, type Value } from "../../../values/index.ts";
import type { Worker } from "../worker.ts";
import { beginCycle } from "../worker-cycle.ts";
import { handleOf } from "../worker-handle.ts";
import { workers } from "../worker-table.ts";
import { rehydrated } from "./rehydration.ts";
import { suspensionError } from "./suspension-error.ts";
import { noteResumption } from "./suspension-notes.ts";

/** What somebody gives along. */
export interface WorkerResumeInput {
  readonly input: Value;
  /** In the same conversation; else the model is told only its task, what it said last, and the input. */
  readonly continueTranscript: boolean;
}

/** `resume_agent(worker | snapshot, input, continue_transcript)`. */
export async function resumeAgent(
  task: Task,
  value: Value,
  input: Value,
  continueTranscript: Value,
): Promise<Dict> {
  const worker = await workerToResume(task, value);
  if (worker.status === "completed") return handleOf(worker);
  mustStandStill(worker);
  if (input !== null && typeof input !== "string" && !(input instanceof Dict))
    throw suspensionError(
      "HARN-SUS-009",
      `resume_agent: input: expected string | dict, got ${inputText(input)}`,
    );
  if (worker.resuming)
    throw suspensionError("HARN-SUS-006", `resume_agent: worker ${worker.id} is being resumed already`);
  worker.resuming = true;
  try {
    await resumeWorkerWith(task, worker, { input, continueTranscript: continueTranscript !== false });
  } finally {
    worker.resuming = false;
  }
  return handleOf(worker);
}

function mustStandStill({ id, status, statusWord }: Worker): void {
  if (status === "suspended" || status === "interrupted") return;
  const [code, what] =
    status === "cancelled" || status === "stopped"
      ? (["HARN-SUS-010", "closed"] as const)
      : (["HARN-SUS-003", "not suspended"] as const);
  throw suspensionError(code, `resume_agent: worker ${id} is ${what} (status=${statusWord})`);
}

async function resumeWorkerWith(task: Task, worker: Worker, value: WorkerResumeInput): Promise<void> {
  const fields = Dict.of({
    reason: worker.suspension?.reason ?? "",
    input: value.input,
    continue_transcript: value.continueTranscript,
  });
  const said = await runSessionHooks(task, "PreResume", worker.session, fields, worker.plan.name);
  if (said.blocked !== null)
    throw thrown(`resume_agent: worker ${worker.id} is not resumed: ${said.blocked}`);
  const conversation = task.runtime.state(conversations).open(worker.session);
  const about = await resumptionMessage(task, worker, conversation, value);
  // Its calls come first: the model is told only what was given along.
  if (conversation.openBatch !== null)
    conversation.resumption = { said: value.input === null ? null : about };
  // Words of somebody, or a new beginning: what was got nowhere with before no longer counts.
  conversation.streak = value.input === null && value.continueTranscript ? worker.streak : null;
  noteResumption(conversation, value.input, value.continueTranscript);
  await beginCycle(task, worker, about, "WorkerResumed");
  await runSessionHooks(task, "PostResume", worker.session, fields, worker.plan.name);
}

/** Prepares the conversation; gives what the model is told next. */
export async function resumptionMessage(
  task: Task,
  worker: Worker,
  conversation: Conversation,
  { input, continueTranscript }: WorkerResumeInput,
): Promise<string> {
  // With the conversation go the calls that it ends in.
  if (!continueTranscript) {
    dropBatch(conversation);
    conversation.reset();
  }
  const reason = worker.suspension?.reason ?? "";
  if (reason !== "") {
    const body = `You were suspended: ${reason}`;
    await remindSession(
      task,
      conversation,
      checkedReminder(task, Dict.of({ body, ttl_turns: 1 }), "resume_agent"),
    );
  }
  const text = input === null ? "Go on with your task." : resumeInputText(input);
  return continueTranscript ? text : `${worker.task}\n\n${resumptionSummary(worker)}${text}`;
}

const resumeInputText = (input: Value): string =>
  input instanceof Dict ? jsonStringify(input) : display(input);

const resumptionSummary = ({ lastText }: Worker): string =>
  lastText === "" ? "" : `What was said before the suspension:\n${lastText}\n\n`;

/** A handle, an id, a snapshot or the path of one. */
async function workerToResume(task: Task, value: Value): Promise<Worker> {
  const table = task.runtime.state(workers);
  const found = table.find(value);
  if (found !== undefined) return found;
  if (typeof value === "string" && value.endsWith(".json")) return await rehydrated(task, value);
  if (value instanceof Dict && value.get("_type") === "worker_snapshot") return await rehydrated(task, value);
  return table.need("resume_agent", value);
}
