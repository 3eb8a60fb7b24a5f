/** What a worker is asked for: `spawn_agent(config)` and `sub_agent_run(task, {background: true})`, checked. */

import { nearest } from "../../diagnostics/index.ts";
import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { at, meantField, unknownOption } from "../../table/index.ts";
import { Dict, failing, List, option, ScriptError, textOf, type Value } from "../../values/index.ts";
import { selectArtifacts } from "../artifacts/selection.ts";
import { carryOf, executionOption, namesOf } from "../fields/shared-fields.ts";
import { spawnFields, workerNodeFields } from "../fields/worker-fields.ts";
import { contractFields, workflowNodeFields } from "../fields/workflow-fields.ts";
import { requestNames, requestPayload, requestValue, type SubAgentRequest } from "../sub-agent-request.ts";
import { runRequest } from "../sub-agent-run.ts";
import { dictIn } from "../workflow/record/record-fields.ts";
import { runStage } from "./stage-cycle.ts";
import { parseConditions } from "./suspension/resume-conditions.ts";
import type { CycleEnd, Worker, WorkerPlan } from "./worker.ts";
import { portsOf } from "./worker-ports.ts";

/** Begins error texts. */
export const caller = "spawn_agent";
export const fail: (text: string) => never = failing(`${caller}: `);

function checkStageConfig(config: Dict, node: Dict): void {
  refuseUnknownKeys(config, namesOf(spawnFields.rows, "graph"), "");
  refuseUnknownKeys(node, namesOf(workerNodeFields.rows), "node");
  refuseUnknownKeys(
    dictIn(node, "output_contract") ?? new Dict(),
    namesOf(contractFields.rows),
    "node.output_contract",
  );
}

/** The plan of a delegated stage. */
export function stagePlan(task: Task, config: Dict, about: string): WorkerPlan {
  const node = dictIn(config, "node");
  if (node === null) return fail("config requires either graph or node");
  checkStageConfig(config, node);
  const input = dictIn(config, "options") ?? new Dict();
  const resumeWhen = input.get("resume_when") ?? null;
  const options = input.without("resume_when");
  const approvalPolicy = config.get("approval_policy") ?? node.get("approval_policy") ?? null;
  const stage = {
    node,
    options,
    policy: dictIn(config, "policy") ?? dictIn(node, "capability_policy"),
    tools: (config.get("tools") as List | null | undefined) ?? null,
    permissions: config.get("permissions") ?? null,
    approvalPolicy,
    transcript: config.get("transcript") ?? null,
    selected: selectArtifacts(task, caller, config.get("artifacts") ?? null, node.get("context_policy")),
  };
  return {
    name: textOf(option(config, "name") ?? option(node, "name"), "worker"),
    task: about,
    mode: "stage",
    session: `session_${newId(task)}`,
    request: requestOf(about, config, node.get("metadata") ?? null),
    carry: carryOf(config.get("carry") ?? null, caller),
    approvalPolicy,
    resumeWhen: parseConditions(resumeWhen, (spec) => portsOf(task).checkTrigger(task, spec)),
    execution: executionOption(config.get("execution") ?? null, caller),
    spec: config,
    cycle: (own, worker, now) => runStage(own, worker, now, stage),
  };
}

/** The plan of a sub-agent in the background. */
export function subAgentPlan(request: SubAgentRequest): WorkerPlan {
  const about = String(request.get("task"));
  const options = request.get("options");
  return {
    name: String(request.get("name")),
    task: about,
    mode: "sub_agent",
    session: String(request.get("session_id")),
    request: requestOf(about, request, null),
    carry: carryOf(request.get("carry") ?? null, "sub_agent_run"),
    approvalPolicy: options instanceof Dict ? (options.get("approval_policy") ?? null) : null,
    resumeWhen: null,
    execution: executionOption(request.get("execution") ?? null, "sub_agent_run"),
    spec: request,
    cycle: (own, worker, now) => runSubAgentCycle(own, worker, now, request),
  };
}

/** Ignoring an option would do something else than was asked, so each has to be known. */
export function refuseUnknownKeys(dict: Dict, known: ReadonlySet<string>, path: string): void {
  for (const [name, value] of dict.entries()) {
    if (known.has(name) || value === null) continue;
    const hint =
      path === "node" && nearest(name, known) === undefined && workflowNodeFields.get(name) !== undefined
        ? "it is an option of stages in a workflow: `spawn_agent({graph: …})` or `workflow_execute`"
        : meantField(name, known, "expected one of ");
    throw new ScriptError("thrown", unknownOption(at(caller, path), name, hint), { code: "HARN-ORC-090" });
  }
}

/** What the asker keeps about the work: said in the config itself, else in the node's metadata. */
export function requestOf(about: string, config: Dict, metadata: Value): Dict {
  const said = [...requestNames, "system"].some((name) => (config.get(name) ?? null) !== null);
  const from = said || !(metadata instanceof Dict) ? config : metadata;
  const list = (name: Parameters<typeof requestValue>[1]): Value => requestValue(from, name) ?? new List([]);
  return Dict.of({
    task: about,
    system: from.get("system") ?? null,
    payload: requestPayload(from),
    research_questions: list("research_questions"),
    action_items: list("action_items"),
    workflow_stages: list("workflow_stages"),
    verification_steps: list("verification_steps"),
  });
}

/** A sub-agent in the background: its envelope is the worker's result. */
async function runSubAgentCycle(
  task: Task,
  worker: Worker,
  about: string,
  request: SubAgentRequest,
): Promise<CycleEnd> {
  const own = request.without("carry").merge(Dict.of({ task: about, session_id: worker.session }));
  const envelope = await runRequest(task, own);
  const error = envelope.get("error");
  const artifacts = envelope.get("artifacts");
  const suspended = error instanceof Dict && error.get("category") === "suspended";
  return {
    status: suspended ? "suspended" : envelope.get("ok") === true ? "completed" : "failed",
    payload: envelope,
    artifacts: artifacts instanceof List ? artifacts.toArray() : [],
    error: error instanceof Dict ? String(error.get("message")) : null,
    text: String(envelope.get("summary") ?? ""),
  };
}
