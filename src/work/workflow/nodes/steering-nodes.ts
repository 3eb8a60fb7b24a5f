/** Nodes in which no model works: they look, split, wait, join, put together, or ask for a person. */
import { at, row } from "../../../table/index.ts";
import { Dict, List, option, textOf, thrown, typeOf, type Value } from "../../../values/index.ts";
import { artifactBody } from "../../artifacts/record.ts";
import { renderArtifacts } from "../../artifacts/selection.ts";
import { reducePolicyFields } from "../../fields/workflow-fields.ts";
import { broken, finished, type NodeContext, type NodeResult } from "./node-result.ts";
import { outputKind, stageArtifact } from "./stage-artifact.ts";
import { verify } from "./verification.ts";
import { outputMetadata } from "./working-node.ts";

/** A command and what must be in its output. */
export async function verifyNode({ task, caller, id, node }: NodeContext): Promise<NodeResult> {
  const { verification: made, ok, output } = await verify(task, node.get("verify"));
  const verification = made.get("kind") === "none" ? null : made;
  const artifact = stageArtifact(task, caller, {
    stage: id,
    kind: outputKind(node, "verification_result"),
    text: output,
    data: verification,
    metadata: outputMetadata(node),
  });
  const done = { text: output, verification, artifacts: [artifact] };
  if (ok) return finished("verified", "passed", done);
  return { ...finished("verification_failed", "failed", done), status: "failed" };
}

/** Whether a text is in what the node gets to see. */
export function conditionNode({ caller, node, selected }: NodeContext): NodeResult {
  const wanted = option(node.get("metadata"), "contains_text");
  if (typeof wanted !== "string")
    throw thrown(`a condition needs metadata.contains_text, a string; got ${typeOf(wanted ?? null)}`);
  const found = renderArtifacts(caller, selected, node.get("context_policy")).includes(wanted);
  const branch = String(found);
  return finished(`condition_${branch}`, branch, { text: branch });
}

export const forkNode = (): NodeResult => finished("forked", "fork");

/** All that it waited for is here, or it goes on without. */
export function joinNode({ node, arrival }: NodeContext): NodeResult {
  const { missing } = arrival;
  if (missing.length > 0 && option(node.get("join_policy"), "require_all_inputs") === true)
    return broken(`the join still waits for: ${missing.join(", ")}`);
  const metadata = missing.length === 0 ? new Dict() : Dict.of({ missing_inputs: new List([...missing]) });
  return finished("joined", "join", { metadata });
}

/** Several artifacts as one. */
export function reduceNode({ task, caller, id, node, selected }: NodeContext): NodeResult {
  const policy = row
    .dict(reducePolicyFields)
    .read(node.get("reduce_policy") ?? new Dict(), at("reduce_policy"));
  const text = selected.map(artifactBody).join(policy.separator);
  const artifact = stageArtifact(task, caller, {
    stage: id,
    kind: policy.outputKind ?? outputKind(node, "artifact"),
    text,
    lineage: selected.map((one) => textOf(one.get("id"))),
    metadata: outputMetadata(node),
  });
  return finished("reduced", "reduced", { text, artifacts: [artifact] });
}

/** What no machine decides. */
export const escalationNode = ({ node }: NodeContext): NodeResult =>
  finished("escalated", "escalated", {
    text: "manual review required",
    metadata: Dict.of({ reason: steeringReasonOf(node) }),
  });

const steeringReasonOf = (node: Dict): Value =>
  option(node.get("metadata"), "reason") ?? node.get("prompt") ?? null;
