/**
 * A model or an agent at work on a node: stages and repairs of workflows, items of a map, delegated stages of workers. A
 * node of mode `llm` is one call; with tools, and in mode `agent`, it is a loop.
 */

import type { Task } from "../../../interp/index.ts";
import type { ToolOutcome } from "../../../model/index.ts";
import { loadAgentLoop } from "../../../skills/index.ts";
import { Dict, Float, List, textField, type Value } from "../../../values/index.ts";
import { renderArtifacts } from "../../artifacts/selection.ts";
import { OutcomeRecord } from "../../outcome-record.ts";
import { returnedData, returnsText, schemaCheck } from "../../returned-data.ts";
import { childPolicy, childTools } from "../../tool-scope.ts";
import { stagePrompt } from "./stage-prompt.ts";

export interface NodeWork {
  /** Begins messages: `spawn_agent`, `workflow_execute`. */
  readonly caller: string;
  /** What its loop is called in events. */
  readonly name: string;
  readonly node: Dict;
  readonly about: string;
  /** Of the loop; what the node itself says is in it. */
  readonly options: Dict;
  readonly session: string;
  readonly policy: Dict | null;
  /** Names that narrow the ceiling. */
  readonly tools: List | null;
  readonly permissions: Value;
  readonly approvalPolicy: Value;
  /** What a new session begins with. */
  readonly transcript: Value;
  /** Artifacts that it works from. */
  readonly selected: readonly Dict[];
  readonly expectations: readonly string[];
}

export interface NodeEnd {
  readonly status: "completed" | "failed" | "suspended";
  /** What scripts get of it (agents.md §17.2). */
  readonly result: Dict;
  /** What a person saw of the last turn. */
  readonly text: string;
  readonly error: string | null;
  /** Parsed answer when the node's contract has a schema. */
  readonly data: Value;
  /** The loop's own result. */
  readonly loop: Dict;
  /** Artifacts and hand-offs that its tools gave. */
  readonly made: readonly Dict[];
  readonly calls: readonly ToolOutcome[];
}

/** Loops that ended so have no result. */
const failedStatuses: ReadonlySet<string> = new Set(["failed", "provider_error", "blocked"]);

export async function workOnNode(task: Task, work: NodeWork): Promise<NodeEnd> {
  const { node, selected } = work;
  const context = renderArtifacts(work.caller, selected, node.get("context_policy"));
  const prompt = stagePrompt({ node, about: work.about, context, expectations: work.expectations });
  const schema = schemaOf(node);
  const system = [textField(node, "system"), schema === null ? "" : returnsText(schema)]
    .filter((part) => part !== "")
    .join("\n\n");
  const record = new OutcomeRecord();
  const calls: ToolOutcome[] = [];
  const { runChildLoop } = await task.runtime.effects.turns.hold(loadAgentLoop());
  const end = await runChildLoop(task, {
    prompt,
    system: system === "" ? null : system,
    options: nodeLoopOptions(task, work, schema),
    caller: work.caller,
    name: work.name,
    narrowed: true,
    ...((node.get("auto_compact") ?? null) === null ? {} : { compactionMode: "workflow" as const }),
    onOutcome: (outcome, entry) => {
      calls.push(outcome);
      record.sink(outcome, entry);
    },
  });
  const loop = end.result;
  const status = String(loop.get("status"));
  const failed = failedStatuses.has(status);
  const read = schema === null || failed ? null : returnedData(task, end.lastVisible, schema);
  const misfit = read !== null && !read.ok ? misfitText(read.errors) : null;
  const ended = failed || (misfit !== null && status !== "suspended") ? "failed" : "completed";
  return {
    status: status === "suspended" ? "suspended" : ended,
    result: stageResult(loop, {
      prompt,
      system,
      context,
      selected,
      data: read?.ok === true ? read.data : null,
    }),
    text: end.lastVisible,
    error: failed ? failureText(end.failure?.error.message, loop) : misfit,
    data: read?.ok === true ? read.data : null,
    loop,
    made: record.artifacts.toArray() as Dict[],
    calls,
  };
}

function schemaOf(node: Dict): Dict | null {
  const contract = node.get("output_contract");
  const schema = contract instanceof Dict ? contract.get("schema") : null;
  return schema instanceof Dict ? schema : null;
}

const misfitText = (errors: readonly string[]): string =>
  errors.length === 0
    ? "the output holds no JSON value, and output_contract.schema wants one"
    : `the output does not fit output_contract.schema: ${errors.join("; ")}`;

function nodeLoopOptions(task: Task, work: NodeWork, schema: Dict | null): Dict {
  const { node, caller } = work;
  let { options } = work;
  const policy = childPolicy(work.policy, work.tools);
  const tools = node.get("tools") ?? null;
  if (tools !== null) options = options.with("tools", childTools(task, tools, policy, caller));
  else if (node.get("mode") !== "agent") options = options.with("max_iterations", 1);
  if (policy !== null) options = options.with("policy", policy);
  if (work.permissions !== null) options = options.with("permissions", work.permissions);
  if (work.approvalPolicy !== null) options = options.with("approval_policy", work.approvalPolicy);
  if (work.transcript !== null) options = options.with("transcript", work.transcript);
  const compact = node.get("auto_compact") ?? null;
  if (compact !== null) options = options.with("auto_compact", compact);
  if (schema !== null) options = withNodeSchema(options, schema, tools !== null);
  return options.with("session_id", work.session);
}

/** Natively only where every answer is the final one: with tools the vendor would hold the model to it at once. */
function withNodeSchema(options: Dict, schema: Dict, usesTools: boolean): Dict {
  const retries = options.get("schema_retries");
  if (typeof retries === "number" && retries > 0)
    return options.with(
      "verify_completion",
      schemaCheck(schema, retries, options.get("verify_completion") ?? null),
    );
  return usesTools ? options : options.with("output_schema", schema);
}

interface NodeInput {
  readonly prompt: string;
  readonly system: string;
  readonly context: string;
  readonly selected: readonly Dict[];
  readonly data: Value;
}

function stageResult(loop: Dict, value: NodeInput): Dict {
  const field = (name: string): Value => loop.get(name) ?? null;
  const of = (name: string): List => new List(value.selected.map((artifact) => artifact.get(name) ?? null));
  return Dict.of({
    status: field("status"),
    text: field("text"),
    visible_text: field("visible_text"),
    llm: field("llm"),
    tools: field("tools"),
    transcript: field("transcript"),
    prompt: value.prompt,
    system_prompt: value.system,
    rendered_context: value.context,
    selected_artifact_ids: of("id"),
    selected_artifact_titles: of("title"),
    private_reasoning: field("private_reasoning"),
    ...(value.data === null ? {} : { data: value.data }),
  });
}

function failureText(failure: string | undefined, loop: Dict): string {
  if (failure !== undefined) return failure;
  const error = loop.get("error");
  return typeof error === "string" ? error : String(loop.get("stop_reason"));
}

/** `{input_tokens, output_tokens, total_tokens, llm_calls, duration_ms, cost_usd}` of a loop. */
export function nodeUsage(loop: Dict): Dict {
  const llm = loop.get("llm");
  const count = (name: string): number => {
    const value = llm instanceof Dict ? llm.get(name) : undefined;
    return typeof value === "number" ? value : 0;
  };
  const cost = loop.get("cost_usd");
  return Dict.of({
    input_tokens: count("input_tokens"),
    output_tokens: count("output_tokens"),
    total_tokens: count("input_tokens") + count("output_tokens"),
    llm_calls: count("iterations"),
    duration_ms: count("duration_ms"),
    cost_usd: cost instanceof Float ? cost : new Float(0),
  });
}
