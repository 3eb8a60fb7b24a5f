/**
 * A delegated stage (agents.md §17.2): the node's task, put to a model as workflow stages put theirs. A node of mode
 * `llm` is one call; with tools, and in mode `agent`, it is a loop.
 */
import { loadAgentLoop, newId } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { Dict, Float, List, type Value } from "../../values/index.ts";
import { childPolicy, childTools } from "../tool-scope.ts";
import type { CycleEnd, Worker } from "./worker.ts";

/** What of `spawn_agent`'s config and its node the stage needs. */
export interface Stage {
  readonly node: Dict;
  readonly options: Dict;
  readonly policy: Dict | null;
  readonly tools: List | null;
  readonly permissions: Value;
  readonly approvalPolicy: Value;
  readonly transcript: Value;
}

/** Loops that ended so have no result. */
const failedStatuses: ReadonlySet<string> = new Set(["failed", "provider_error", "blocked"]);

export async function runStage(task: Task, worker: Worker, about: string, stage: Stage): Promise<CycleEnd> {
  const { node } = stage;
  const prompt = promptOf(node, about);
  const system = textField(node, "system");
  const { runChildLoop } = await task.runtime.effects.turns.hold(loadAgentLoop());
  const first = worker.transcript === null ? stage.transcript : null;
  const end = await runChildLoop(task, {
    prompt,
    system: system === "" ? null : system,
    options: loopOptions(task, stage, worker.session, first),
    caller: "spawn_agent",
    narrowed: true,
  });
  const { result } = end;
  const status = String(result.get("status"));
  const transcript = result.get("transcript") ?? null;
  const outcome = stageResult(result, prompt, system);
  const failed = failedStatuses.has(status);
  const made = failed || status === "suspended" ? [] : [artifactOf(task, node, outcome, end.lastVisible)];
  return {
    status: status === "suspended" ? "suspended" : failed ? "failed" : "completed",
    payload: Dict.of({
      status,
      mode: "stage",
      task: about,
      result: outcome,
      artifacts: new List(made),
      transcript,
      execution: Dict.of({ cwd: null, env: new Dict(), worktree: null }),
    }),
    artifacts: made,
    error: failed ? errorText(end.failure?.error.message, result) : null,
    text: end.lastVisible,
  };
}

function promptOf(node: Dict, about: string): string {
  const label = textField(node, "task_label");
  const own = textField(node, "prompt");
  const instructions = own === "" ? about : `${own}\n\n${about}`;
  return [
    `<workflow_task>\n<label>${label === "" ? "Task" : label}</label>\n<instructions>\n${instructions}\n</instructions>\n</workflow_task>`,
    "<workflow_response_contract>\nRespond to the workflow task above.\n</workflow_response_contract>",
  ].join("\n\n");
}

function textField(node: Dict, name: string): string {
  const value = node.get(name);
  return typeof value === "string" ? value : "";
}

function loopOptions(task: Task, stage: Stage, session: string, transcript: Value): Dict {
  const { node } = stage;
  const own = node.get("model_policy");
  let options = (own instanceof Dict ? own : new Dict()).merge(stage.options);
  const policy = childPolicy(stage.policy, stage.tools);
  const tools = node.get("tools") ?? null;
  if (tools !== null) options = options.with("tools", childTools(task, tools, policy, "spawn_agent"));
  else if (node.get("mode") !== "agent") options = options.with("max_iterations", 1);
  if (policy !== null) options = options.with("policy", policy);
  if (stage.permissions !== null) options = options.with("permissions", stage.permissions);
  if (stage.approvalPolicy !== null) options = options.with("approval_policy", stage.approvalPolicy);
  if (transcript !== null) options = options.with("transcript", transcript);
  return options.with("session_id", session);
}

function stageResult(result: Dict, prompt: string, system: string): Dict {
  const field = (name: string): Value => result.get(name) ?? null;
  return Dict.of({
    status: field("status"),
    text: field("text"),
    visible_text: field("visible_text"),
    llm: field("llm"),
    tools: field("tools"),
    transcript: field("transcript"),
    prompt,
    system_prompt: system,
    rendered_context: "",
    selected_artifact_ids: new List([]),
    selected_artifact_titles: new List([]),
    private_reasoning: field("private_reasoning"),
  });
}

/** What the stage made, of the first kind that its contract names. */
function artifactOf(task: Task, node: Dict, outcome: Dict, text: string): Dict {
  const contract = node.get("output_contract");
  const kinds = contract instanceof Dict ? contract.get("output_kinds") : null;
  const kind = kinds instanceof List ? kinds.toArray()[0] : null;
  return Dict.of({
    _type: "artifact",
    id: `artifact_${newId(task)}`,
    kind: typeof kind === "string" ? kind : "artifact",
    title: "stage delegated_worker output",
    text,
    data: outcome.without("transcript"),
    source: "delegated_worker",
    created_at: newId(task),
    freshness: null,
    priority: null,
    lineage: new List([]),
    relevance: new Float(1),
    estimated_tokens: Math.ceil(text.length / 4),
    stage: "delegated_worker",
    metadata: new Dict(),
  });
}

function errorText(failure: string | undefined, result: Dict): string {
  if (failure !== undefined) return failure;
  const error = result.get("error");
  return typeof error === "string" ? error : String(result.get("stop_reason"));
}
