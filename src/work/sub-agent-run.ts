/**
 * `sub_agent_run`: a child loop with a session, tools and a budget of its own, and one envelope as its result.
 *
 *     request ─▶ scope (tools under every ceiling) ─▶ options ─▶ loop on a session whose parent is the caller's ─▶ envelope
 *
 * The parent's transcript gets two internal events and, when a tool did this, the tool's result: nothing that the child
 * said or called. What it spends comes out of the budgets of the loops around it (`ModelBudget`).
 */

import { handedDown, inheritReminders } from "../agent/index.ts";
import { taskPlaces } from "../events/index.ts";
import { type Task, workspaces } from "../interp/index.ts";
import { type Conversation, conversations, publishNamed } from "../model/index.ts";
import { loadAgentLoop } from "../skills/index.ts";
import { Dict, List, type Value } from "../values/index.ts";
import { carryConversation } from "./carry.ts";
import { closePlace, openPlace } from "./execution/place.ts";
import { carryOf, executionOption } from "./fields/shared-fields.ts";
import { OutcomeRecord } from "./outcome-record.ts";
import { returnsText, schemaCheck } from "./returned-data.ts";
import { subAgentEnvelope } from "./sub-agent-envelope.ts";
import { makeRequest, type SubAgentRequest } from "./sub-agent-request.ts";
import { childPolicy, childTools } from "./tool-scope.ts";
import { endInPlace } from "./workers/end-in-place.ts";

/** Runs a sub-agent to its end and gives its envelope. */
export async function runSubAgent(
  task: Task,
  about: Value | undefined,
  options: Value | undefined,
): Promise<Dict> {
  const request = makeRequest(task, "sub_agent_run", about, options);
  const execution = executionOption(request.get("execution") ?? null, "sub_agent_run");
  if (execution === null) return await runRequest(task, request);
  const place = await openPlace(task, execution, String(request.get("session_id")), "sub_agent_run");
  const leave = workspaces.enter(task, place.workspace);
  let envelope: Dict | undefined;
  try {
    envelope = await runRequest(task, request);
    return envelope;
  } finally {
    leave();
    // One that is suspended goes on there.
    if (envelope?.has("handle") !== true) await closePlace(task, place);
  }
}

/** Runs a request in the task given, which waits for it. */
export async function runRequest(task: Task, request: SubAgentRequest): Promise<Dict> {
  const store = task.runtime.state(conversations);
  const session = carryConversation(
    task,
    store,
    String(request.get("session_id")),
    carryOf(request.get("carry") ?? null, "sub_agent_run").transcriptMode,
  );
  const parent = store.current(task);
  const record = new OutcomeRecord();
  await emitToParent(task, parent, "sub_agent_start", startFields(task, request, session));
  const { runChildLoop } = await task.runtime.effects.turns.hold(loadAgentLoop());
  const end = await runChildLoop(task, {
    prompt: String(request.get("task")),
    system: subAgentSystemOf(request),
    options: loopOptions(task, request, session),
    caller: "sub_agent_run",
    name: String(request.get("name")),
    subAgent: request,
    disposable: session.startsWith("sub_agent_session_"),
    narrowed: true,
    onOutcome: record.sink,
    prepare: (conversation) => handReminders(task, request, parent, conversation),
  });
  const envelope = subAgentEnvelope(task, request, end, record);
  if (!envelope.has("handle"))
    await endInPlace(task, session, { result: envelope, lastText: end.lastVisible });
  await emitToParent(task, parent, "sub_agent_result", resultFields(request, envelope));
  return envelope;
}

// ── the child's loop ──────────────────────────────────────────────────────────────────────────────────────────────

function subAgentSystemOf(request: SubAgentRequest): string | null {
  const system = request.get("system");
  const schema = request.get("returns_schema");
  const parts = [typeof system === "string" ? system : "", schema instanceof Dict ? returnsText(schema) : ""];
  const text = parts.filter((part) => part !== "").join("\n\n");
  return text === "" ? null : text;
}

function loopOptions(task: Task, request: SubAgentRequest, session: string): Dict {
  const value = request.get("options");
  const own = value instanceof Dict ? value : new Dict();
  let options = handedDown(task, "sub-agents").merge(own).with("session_id", session);
  const allowed = request.get("allowed_tools");
  const asked = request.get("policy");
  const policy = childPolicy(asked instanceof Dict ? asked : null, allowed instanceof List ? allowed : null);
  if (policy !== null) options = options.with("policy", policy);
  const tools = options.get("tools") ?? null;
  if (tools !== null) options = options.with("tools", childTools(task, tools, policy, "sub_agent_run"));
  const budget = request.get("token_budget");
  if (typeof budget === "number") options = options.with("limits", tokenLimit(options.get("limits"), budget));
  const schema = request.get("returns_schema");
  return schema instanceof Dict ? withSchema(options, schema) : options;
}

/** The parent's pending reminders, as far as they are for children; a session that goes on has had them. */
async function handReminders(
  task: Task,
  request: SubAgentRequest,
  parent: string | null,
  child: Conversation,
): Promise<void> {
  const from = parent === null ? undefined : task.runtime.state(conversations).get(parent);
  if (from === undefined || child.log.length > 0 || request.get("reminder_propagation") === false) return;
  await inheritReminders(task, from, child);
}

function tokenLimit(limits: Value | undefined, budget: number): Dict {
  const known = limits instanceof Dict ? limits : new Dict();
  const own = known.get("tokens");
  return known.with("tokens", typeof own === "number" ? Math.min(own, budget) : budget);
}

/** Natively only where every answer is a final one: with tools the vendor would hold the model to the schema at once. */
function withSchema(options: Dict, schema: Dict): Dict {
  const retries = options.get("schema_retries");
  let result = options.has("tools") ? options : options.with("output_schema", schema);
  if (typeof retries === "number" && retries > 0)
    result = result.with(
      "verify_completion",
      schemaCheck(schema, retries, options.get("verify_completion") ?? null),
    );
  return result;
}

// ── for the parent ────────────────────────────────────────────────────────────────────────────────────────────────

async function emitToParent(task: Task, parent: string | null, kind: string, fields: Dict): Promise<void> {
  const conversation = parent === null ? undefined : task.runtime.state(conversations).get(parent);
  if (parent === null || conversation === undefined) return;
  const text = String(fields.get("name"));
  conversation.audit.push({ kind, role: "system", visibility: "internal", text, metadata: fields });
  await publishNamed(task, parent, kind, fields);
}

function startFields(task: Task, request: SubAgentRequest, session: string): Dict {
  return Dict.of({
    name: request.get("name") ?? null,
    child_session_id: session,
    task: request.get("task") ?? null,
    tool_call_id: taskPlaces.current(task)?.call?.modelCallId ?? null,
  });
}

function resultFields(request: SubAgentRequest, envelope: Dict): Dict {
  const field = (name: string): Value => envelope.get(name) ?? null;
  return Dict.of({
    name: request.get("name") ?? null,
    child_session_id: field("session_id"),
    ok: field("ok"),
    summary: field("summary"),
    tokens_used: field("tokens_used"),
    budget_exceeded: field("budget_exceeded"),
    error: field("error"),
  });
}
