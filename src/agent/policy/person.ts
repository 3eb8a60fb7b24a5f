/**
 * Asking a person for leave (agents.md §8.4): the host of the run (an editor, a server, a mock), else the terminal.
 * The question is one `human` effect: a replay gives the recorded answer and asks nobody.
 */
import { showOneLine } from "../../diagnostics/index.ts";
import { type Json, shape } from "../../effects/index.ts";
import { isInputMocked, notifyPerson, type Runtime, stateKey, type Task } from "../../interp/index.ts";
import type { JsonSchema } from "../../model/index.ts";
import {
  Dict,
  display,
  fromJson,
  List,
  type MaybePromise,
  proceed,
  toJson,
  type Value,
} from "../../values/index.ts";

/** Answers a permission request; `undefined` when it has nothing to say. */
export type ApprovalHost = (request: Json, signal: AbortSignal) => MaybePromise<unknown>;

interface Approvers {
  /** Answers inside the run (`host_mock("session", "request_permission", …)`): state, not an effect. */
  mock: ((task: Task, request: Dict) => Value | undefined) | undefined;
  host: ApprovalHost | undefined;
  /** `--on-approval deny`: where no host answers, nobody is asked, and nothing is allowed that has to be. */
  denies: boolean;
}

/** The effect by which a person is asked for leave. */
export const permissionKind = "session.request_permission";

/** `task.runtime.state(approvers)` */
export const approvers = stateKey<Approvers>("agent.approvers", () => ({
  mock: undefined,
  host: undefined,
  denies: false,
}));

/** Lets a TypeScript host answer what policies ask. */
export function configureApprovals(runtime: Runtime, host: ApprovalHost): void {
  runtime.state(approvers).host = host;
}

export interface Leave {
  readonly granted: boolean;
  /** For every further call of this tool with these arguments. */
  readonly always: boolean;
  readonly reason: string | null;
  readonly by: string | null;
  /** What the call is to be made with instead; null: as it was asked about. */
  readonly arguments: Dict | null;
}

/** The answer, or `null` when there is nobody to ask. `schema`: of arguments that a person gives instead of the asked ones. */
export function askForLeave(
  task: Task,
  request: Dict,
  schema: JsonSchema | undefined,
): MaybePromise<Leave | null> {
  const { mock, host, denies } = task.runtime.state(approvers);
  const mocked = mock?.(task, request);
  if (mocked !== undefined) return leaveOf(mocked);
  const answer = task.perform<Value>({
    effect: "human",
    kind: permissionKind,
    args: () => toJson(request) as Json,
    ...(host === undefined && !denies ? { question: () => approvalQuestionOf(request, schema) } : {}),
    run: (signal) => {
      if (host !== undefined) return askApprovalHost(host, request, signal);
      return denies ? refusal : askTerminal(task, request, signal);
    },
    result: shape.value(),
  });
  return proceed(answer, (value) => (value === null ? null : leaveOf(value)));
}

const refusal = Dict.of({ approved: false, reason: "denied by --on-approval deny" });

/** What the run waits with: what is to be done with which arguments, the answers there are, and who may give them. */
function approvalQuestionOf(request: Dict, schema: JsonSchema | undefined): Json {
  const tool = display(request.get("tool_name") ?? "");
  const rule = request.get("approval") ?? null;
  const reviewers = rule instanceof Dict ? (rule.get("reviewers") ?? null) : null;
  const shown = request.merge(
    Dict.of({
      request_kind: "permission",
      prompt: `may ${tool} run? ${display(request.get("reason") ?? "")}`,
      choices: new List(["approve", "deny", "session"]),
      approvers: reviewers instanceof List ? reviewers : new List(reviewers === null ? [] : [reviewers]),
      tool_schema: schema === undefined ? undefined : fromJson(schema),
    }),
  );
  return toJson(shown) as Json;
}

async function askApprovalHost(host: ApprovalHost, request: Dict, signal: AbortSignal): Promise<Value> {
  const answer = await host(toJson(request) as Json, signal);
  return answer === undefined ? null : fromJson(JSON.parse(JSON.stringify(answer)));
}

function askTerminal(task: Task, request: Dict, signal: AbortSignal): MaybePromise<Value> {
  const { host } = task.runtime;
  if (!host.isTty("stdin") || !host.isTty("stderr") || isInputMocked(task.runtime)) return null;
  const reason = request.get("reason") ?? "";
  // A line each: nothing that is asked about may look like the question.
  const asked = `${display(request.get("tool_name") ?? "")} ${display(request.get("tool_args") ?? new Dict())}`;
  notifyPerson(
    task.runtime,
    `\nApproval needed: ${showOneLine(asked)}\n  ${showOneLine(display(reason))}\n  Allow? [y]es, [a]lways with these arguments, [n]o: `,
  );
  const read = (line: string | undefined): Value => {
    const word = (line ?? "").trim().toLowerCase();
    if (word === "a" || word === "always") return "session";
    return word === "y" || word === "yes";
  };
  const line = host.readLine(signal);
  return line instanceof Promise ? line.then(read) : read(line);
}

const yes = new Set([
  "once",
  "allow",
  "allow_once",
  "approve",
  "approved",
  "grant",
  "granted",
  "yes",
  "true",
]);
const always = new Set(["session", "always", "allow_always", "allow_session"]);

/** Reads the spellings that hosts and callbacks use; everything else is a no. */
export function leaveOf(value: Value): Leave {
  const plain = { reason: null, by: null, arguments: null };
  if (value === true) return { granted: true, always: false, ...plain };
  if (typeof value === "string") {
    const forever = always.has(value);
    return { granted: forever || yes.has(value), always: forever, ...plain };
  }
  if (!(value instanceof Dict)) return { granted: false, always: false, ...plain };
  const said = [
    "grant",
    "decision",
    "outcome",
    "optionId",
    "option_id",
    "approved",
    "granted",
    "allow",
    "ok",
  ];
  const key = said.find((name) => (value.get(name) ?? null) !== null);
  const inner = key === undefined ? null : (value.get(key) as Value);
  const nested =
    inner instanceof Dict && inner.get("outcome") === "selected" ? (inner.get("optionId") ?? null) : inner;
  const leave = leaveOf(nested instanceof Dict && nested === value ? null : nested);
  const reason = value.get("reason");
  const by = value.get("approver") ?? value.get("decided_by") ?? value.get("reviewer");
  const changed = value.get("arguments");
  return {
    ...leave,
    reason: typeof reason === "string" ? reason : leave.reason,
    by: typeof by === "string" ? by : leave.by,
    arguments: changed instanceof Dict ? changed : leave.arguments,
  };
}
