/** Decisions of people: `request_approval`, `dual_control`, `escalate_to` (builtins.md §2.22). */

import { noteApproval } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { at, refusal } from "../../table/index.ts";
import { type Callable, Dict, List, runtimeError, type Value } from "../../values/index.ts";
import { type Argument, optionsOf, textOf } from "../arguments.ts";
import { approvalRequestFields } from "../rows/questions.ts";
import { type ConsultVerdict, consult, emitRequest } from "./consult.ts";
import { deniedError } from "./denied.ts";
import { type HumanRequest, metadataOf, usualLimitMs } from "./request.ts";
import { type HumanResponse, personResponseDict, signatureOf } from "./responses.ts";

/** The decisions on one request: one of each person, and only of those who may decide. */
class Votes {
  /** Approvals needed. */
  private readonly quorum: number;
  /** People who may decide, as far as the request says how many there are. */
  private readonly people: number;
  private readonly byReviewer = new Map<string, HumanResponse>();

  constructor(quorum: number, people: number) {
    this.quorum = quorum;
    this.people = people;
  }

  judge(request: HumanRequest, response: HumanResponse): ConsultVerdict<readonly HumanResponse[]> {
    const { reviewer } = response;
    if (request.approvers.length > 0 && !request.approvers.includes(reviewer)) {
      return { problem: `${reviewer} is not one of those who may decide (${request.approvers.join(", ")})` };
    }
    if (!this.byReviewer.has(reviewer)) this.byReviewer.set(reviewer, response);
    const all = [...this.byReviewer.values()];
    const approvals = all.filter((one) => one.approved);
    const denials = all.length - approvals.length;
    const over = approvals.length >= this.quorum || denials > this.people - this.quorum;
    return over ? { settled: all } : {};
  }
}

const isApproved = (votes: readonly HumanResponse[], quorum: number): boolean =>
  votes.filter((vote) => vote.approved).length >= quorum;

function denied(request: HumanRequest, votes: readonly HumanResponse[]): unknown {
  const no = votes.filter((vote) => !vote.approved);
  const reason = no.find((vote) => vote.reason !== null)?.reason ?? null;
  const by = no.map((vote) => vote.reviewer).join(", ");
  return deniedError(
    request,
    votes.map((vote) => vote.reviewer),
    by,
    reason,
  );
}

/** Asks for decisions and gives those that approved; raises when it is denied. */
async function decide(
  task: Task,
  request: {
    readonly caller: string;
    readonly kind: "approval" | "dual_control";
    readonly prompt: string;
    readonly limitMs: number;
    readonly quorum: number;
    readonly people: number;
    readonly approvers: readonly string[];
    readonly metadata: Dict;
  },
): Promise<{ request: HumanRequest; approvals: readonly HumanResponse[] }> {
  const { caller, quorum, people, ...text } = request;
  const votes = new Votes(quorum, people);
  const done = await consult(task, {
    caller,
    text,
    judge: (asked, response) => votes.judge(asked, response),
  });
  const all = done.settled ?? [];
  const list = new List(all.map(personResponseDict));
  const approved = isApproved(all, quorum);
  const topic = `hitl.${text.kind}_${approved ? "approved" : "denied"}`;
  await emitRequest(task, topic, done.request, Dict.of({ prompt: text.prompt, responses: list }));
  if (!approved) throw denied(done.request, all);
  return { request: done.request, approvals: all.filter((vote) => vote.approved) };
}

function needText(caller: string, what: string, value: Argument): string {
  const text = value === undefined || value === null ? "" : textOf(value);
  if (text === "") throw runtimeError(`${caller}: ${what} is required`);
  return text;
}

export async function requestApproval(task: Task, action: Argument, options: Argument): Promise<Value> {
  const caller = "request_approval";
  const read = optionsOf(caller, options, approvalRequestFields);
  const { quorum, reviewers: approvers } = read;
  if (approvers.length > 0 && quorum > approvers.length) {
    throw refusal(at(caller, "quorum"), `int <= ${approvers.length}, as many as reviewers`, quorum);
  }
  const { request, approvals } = await decide(task, {
    caller,
    kind: "approval",
    prompt: needText(caller, "an action", action),
    limitMs: read.deadline ?? read.timeout ?? usualLimitMs,
    quorum,
    people: approvers.length === 0 ? quorum : approvers.length,
    approvers,
    metadata: metadataOf(options, ["deadline", "timeout", "reviewers"]).with("quorum", quorum),
  });
  const last = approvals.at(-1) as HumanResponse;
  noteApproval(task);
  return Dict.of({
    approved: true,
    reviewers: new List(approvals.map((vote) => vote.reviewer)),
    approved_at: last.respondedAt,
    reason: last.reason,
    signatures: new List(
      approvals.map((vote) =>
        Dict.of({
          reviewer: vote.reviewer,
          signed_at: vote.respondedAt,
          signature: signatureOf(task, request, vote),
        }),
      ),
    ),
  });
}

/** Runs an action when `n` of `m` people approve. */
export async function dualControl(
  task: Task,
  needed: number,
  people: number,
  action: Callable,
  approvers: readonly string[],
): Promise<Value> {
  const caller = "dual_control";
  if (needed > people) throw refusal(at(caller, "n"), `int <= ${people}`, needed);
  const what = action.name === "" ? "an action" : action.name;
  const { request } = await decide(task, {
    caller,
    kind: "dual_control",
    prompt: `${needed} of ${people} must approve ${what}`,
    limitMs: usualLimitMs,
    quorum: needed,
    people,
    approvers,
    metadata: Dict.of({ n: needed, m: people, action: what }),
  });
  const result = await action.call(task, []);
  await emitRequest(task, "hitl.dual_control_executed", request, Dict.of({ action: what }));
  return result;
}

/** Hands something to a role and waits until somebody takes it on, or refuses. */
export async function escalateTo(task: Task, role: Argument, reason: Argument): Promise<Value> {
  const caller = "escalate_to";
  const name = needText(caller, "a role", role);
  const why = needText(caller, "a reason", reason);
  const { request, settled } = await consult<HumanResponse>(task, {
    caller,
    text: {
      kind: "escalation",
      prompt: why,
      limitMs: usualLimitMs,
      metadata: Dict.of({ role: name }),
    },
    judge: (_request, response) => ({ settled: response }),
  });
  const response = settled as HumanResponse;
  await emitRequest(
    task,
    `hitl.escalation_${response.approved ? "accepted" : "declined"}`,
    request,
    personResponseDict(response),
  );
  return Dict.of({
    request_id: request.id,
    role: name,
    reason: why,
    trace_id: request.traceId,
    status: response.approved ? "accepted" : "declined",
    accepted_at: response.approved ? response.respondedAt : null,
    reviewer: response.reviewer,
  });
}
