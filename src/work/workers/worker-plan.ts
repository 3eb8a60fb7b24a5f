/** What a worker is asked for: `spawn_agent(config)` and `sub_agent_run(task, {background: true})`, checked. */

import { nearest } from "../../diagnostics/index.ts";
import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { Dict, display, failing, List, ScriptError, typeOf, type Value } from "../../values/index.ts";
import { selectArtifacts } from "../artifacts/selection.ts";
import { readCarry } from "../carry.ts";
import { readExecution } from "../execution/read-execution.ts";
import { carryFields, namesOf } from "../fields/shared-fields.ts";
import { contractFields, spawnFields, workerNodeFields } from "../fields/worker-fields.ts";
import { workflowNodeFields } from "../fields/workflow-fields.ts";
import { requestNames, requestPayload, requestValue, type SubAgentRequest } from "../sub-agent-request.ts";
import { runStage } from "./stage-cycle.ts";
import { runSubAgentCycle } from "./sub-agent-cycle.ts";
import { parseConditions } from "./suspension/resume-conditions.ts";
import type { Carry, WorkerPlan } from "./worker.ts";
import { portsOf } from "./worker-ports.ts";

/** Begins error texts. */
export const caller = "spawn_agent";
export const fail: (text: string) => never = failing(`${caller}: `);

function checkStageConfig(config: Dict, node: Dict): void {
  refuseUnknown(config, namesOf(spawnFields.rows, "graph"), "");
  refuseUnknown(node, namesOf(workerNodeFields.rows), "node.");
  refuseUnknown(
    dictField(node, "output_contract", "node") ?? new Dict(),
    namesOf(contractFields.rows),
    "node.output_contract.",
  );
  oneOf(node, "kind", ["stage", "subagent"]);
  oneOf(node, "mode", ["llm", "agent"]);
}

/** The plan of a delegated stage. */
export function stagePlan(task: Task, config: Dict, about: string): WorkerPlan {
  const node = config.get("node") ?? null;
  if (node === null) return fail("config requires either graph or node");
  if (!(node instanceof Dict)) return fail(`config.node must be a dict; got ${typeOf(node)}`);
  checkStageConfig(config, node);
  const input = dictField(config, "options") ?? new Dict();
  const resumeWhen = input.get("resume_when") ?? null;
  const options = input.without("resume_when");
  const approvalPolicy = config.get("approval_policy") ?? node.get("approval_policy") ?? null;
  const stage = {
    node,
    options,
    policy: dictField(config, "policy") ?? dictField(node, "capability_policy", "node"),
    tools: toolNamesOption(config.get("tools") ?? null),
    permissions: config.get("permissions") ?? null,
    approvalPolicy,
    transcript: config.get("transcript") ?? null,
    selected: selectArtifacts(task, caller, config.get("artifacts") ?? null, node.get("context_policy")),
  };
  return {
    name: textField(config, "name") ?? textField(node, "name") ?? "worker",
    task: about,
    mode: "stage",
    session: `session_${newId(task)}`,
    request: requestOf(about, config, node.get("metadata") ?? null),
    carry: carryOf(config.get("carry") ?? null),
    approvalPolicy,
    resumeWhen: parseConditions(resumeWhen, (spec) => portsOf(task).checkTrigger(task, spec)),
    execution: readExecution(config.get("execution") ?? null, caller),
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
    carry: carryOf(request.get("carry") ?? null),
    approvalPolicy: options instanceof Dict ? (options.get("approval_policy") ?? null) : null,
    resumeWhen: null,
    execution: readExecution(request.get("execution") ?? null, "sub_agent_run"),
    spec: request,
    cycle: (own, worker, now) => runSubAgentCycle(own, worker, now, request),
  };
}

/** Ignoring an option would do something else than was asked, so each has to be known. */
export function refuseUnknown(dict: Dict, known: ReadonlySet<string>, prefix: string): void {
  for (const [name, value] of dict.entries()) {
    if (known.has(name) || value === null) continue;
    const text = `${caller}: unknown option \`${prefix}${name}\`; ${suggestionFor(name, known, prefix)}`;
    throw new ScriptError("thrown", text, { code: "HARN-ORC-090" });
  }
}

function suggestionFor(name: string, known: ReadonlySet<string>, prefix: string): string {
  const near = nearest(name, known);
  if (near !== undefined) return `did you mean \`${near}\`?`;
  if (prefix === "node." && workflowNodeFields.get(name) !== undefined)
    return "it is an option of stages in a workflow: `spawn_agent({graph: …})` or `workflow_execute`";
  return `expected one of ${[...known].join(", ")}`;
}

function oneOf(node: Dict, name: string, allowed: readonly string[]): void {
  const value = node.get(name) ?? null;
  if (value === null || (typeof value === "string" && allowed.includes(value))) return;
  fail(`node.${name} must be one of ${allowed.join(", ")}; got \`${display(value)}\``);
}

export function textField(dict: Dict, name: string): string | undefined {
  const value = dict.get(name) ?? null;
  if (value === null) return undefined;
  return typeof value === "string" ? value : fail(`config.${name} must be a string; got ${typeOf(value)}`);
}

export function dictField(dict: Dict, name: string, within = "config"): Dict | null {
  const value = dict.get(name) ?? null;
  if (value === null || value instanceof Dict) return value;
  return fail(`${within}.${name} must be a dict; got ${typeOf(value)}`);
}

export function toolNamesOption(value: Value): List | null {
  if (value === null) return null;
  const wrong = "tools shorthand must be a list of strings";
  if (!(value instanceof List)) return fail(wrong);
  return value.toArray().every((item) => typeof item === "string") ? value : fail(wrong);
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

export function carryOf(value: Value): Carry {
  const transcriptMode = readCarry(caller, value);
  const carry = value instanceof Dict ? value : new Dict();
  refuseUnknown(carry, namesOf(carryFields.rows), "carry.");
  const mode = carry.get("artifact_mode") ?? "inherit";
  const flag = (name: string, usual: boolean): boolean => {
    const input = carry.get(name) ?? usual;
    return typeof input === "boolean" ? input : fail(`carry.${name} must be a bool; got ${typeOf(input)}`);
  };
  if (mode !== "inherit" && mode !== "none" && mode !== "reset")
    return fail(`carry.artifact_mode must be one of inherit, none, reset; got \`${display(mode)}\``);
  return {
    transcriptMode,
    artifactMode: mode,
    persistState: flag("persist_state", true),
    retriggerable: flag("retriggerable", false),
    resumeWorkflow: flag("resume_workflow", true),
  };
}
