/**
 * A map (agents.md §19.2): one artifact for each item, as many as its join strategy asks for. With a mode a model works on
 * each item, several at a time; without one the items themselves are the artifacts.
 */
import { newId, runParallel, type Task } from "../../../interp/index.ts";
import { at, row } from "../../../table/index.ts";
import { Dict, isErr, List, option, payload, textOf, type Value } from "../../../values/index.ts";
import { artifactBody, artifactKind, isArtifact } from "../../artifacts/record.ts";
import { mapPolicyFields } from "../../fields/workflow-fields.ts";
import { addUsage } from "../record/record.ts";
import { majority, policyCount } from "../schedule.ts";
import { broken, finished, type NodeContext, type NodeResult, undone } from "./node-result.ts";
import { type NodeEnd, nodeUsage } from "./node-work.ts";
import { outputKind, stageArtifact } from "./stage-artifact.ts";
import { handedOver, outputMetadata, recordNodeCalls, runWorkingNode } from "./working-node.ts";

export async function mapNode(context: NodeContext): Promise<NodeResult> {
  const items = mappedItemsOf(context);
  const needed = neededOf(context.node, items.length);
  if ((context.node.get("mode") ?? null) === null)
    return mappedStages(
      context,
      items,
      items.slice(0, needed).map((item, at) => mappedArtifactOf(context, at, textOfItem(item))),
    );
  return await workOnItems(context, items, needed);
}

// ── what is mapped ────────────────────────────────────────────────────────────────────────────────────────────────

/** The items of the policy, else the artifacts of its kind, else what came here. */
function mappedItemsOf({ node, selected }: NodeContext): Value[] {
  const { items, itemArtifactKind: kind } = mapPolicyOf(node);
  const found =
    items?.toArray() ??
    (kind === null ? selected : selected.filter((one) => one.get("kind") === artifactKind(kind)));
  return found.slice(0, policyCount(node, "map_policy", "max_items") ?? found.length);
}

const mapPolicyOf = (node: Dict) =>
  row.dict(mapPolicyFields).read(node.get("map_policy") ?? new Dict(), at("map_policy"));

function neededOf(node: Dict, count: number): number {
  const strategy = option(node.get("join_policy"), "strategy") ?? "all";
  if (strategy === "all") return count;
  if (strategy === "first") return Math.min(1, count);
  return Math.min(count, policyCount(node, "join_policy", "min_completed") ?? majority(count));
}

const textOfItem = (item: Value): string => (isArtifact(item) ? artifactBody(item) : textOf(item));

// ── what comes of it ──────────────────────────────────────────────────────────────────────────────────────────────

function mappedArtifactOf(
  { task, caller, id, node }: NodeContext,
  index: number,
  text: string,
  data: Value = null,
): Dict {
  const { outputKind: kind } = mapPolicyOf(node);
  return stageArtifact(task, caller, {
    stage: id,
    title: `map ${id} item ${index + 1}`,
    kind: kind ?? outputKind(node, "artifact"),
    text,
    data,
    metadata: outputMetadata(node).merge(Dict.of({ item_index: index })),
  });
}

const mappedStages = (
  _context: NodeContext,
  items: readonly Value[],
  artifacts: readonly Dict[],
): NodeResult =>
  finished("mapped", "mapped", { text: mappedText(artifacts.length, items.length), artifacts });

const mappedText = (done: number, all: number): string => `mapped ${done} of ${all} items`;

// ── a model for each ──────────────────────────────────────────────────────────────────────────────────────────────

interface ItemEnd {
  readonly index: number;
  readonly end: NodeEnd;
}

async function workOnItems(
  context: NodeContext,
  items: readonly Value[],
  needed: number,
): Promise<NodeResult> {
  const { task, run, node, stageId } = context;
  const done: ItemEnd[] = [];
  const failures: string[] = [];
  let unpaid = false;
  const one = async (child: Task, item: Value, index: number): Promise<Value> => {
    // Enough have come: the others are not begun.
    if (done.length >= needed || unpaid) return null;
    const about = `${run.start.about}\n\n${textOfItem(item)}`;
    const end = await runWorkingNode(context, child, `session_${newId(child)}`, about);
    if (context.budget.ranOut(end.loop)) unpaid = true;
    else if (end.status === "completed") done.push({ index, end });
    else failures.push(`item ${index + 1}: ${end.error ?? end.status}`);
    return null;
  };
  const settled = await runParallel(
    task,
    "settle",
    new List([...items]),
    one,
    mapPolicyOf(node).maxConcurrent,
  );
  failures.push(...thrownTexts(settled));
  const chosen = done.toSorted((a, b) => a.index - b.index).slice(0, needed);
  for (const { end } of chosen) recordNodeCalls(run, stageId, end.calls);
  const artifacts = chosen.flatMap(({ index, end }) => [
    mappedArtifactOf(context, index, end.text, end.data),
    ...handedOver(task, end.made),
  ]);
  const more = { usage: addUsage(done.map(({ end }) => nodeUsage(end.loop))) };
  if (unpaid && chosen.length < needed) return undone("unpaid", null);
  if (chosen.length >= needed)
    return finished("mapped", "mapped", {
      ...more,
      text: mappedText(chosen.length, items.length),
      artifacts,
    });
  const why = `only ${chosen.length} of ${needed} items came to an end: ${failures.join("; ")}`;
  return broken(why, { ...more, text: mappedText(chosen.length, items.length), artifacts });
}

function thrownTexts(settled: Value): string[] {
  const results = option(settled, "results");
  return (results instanceof List ? results.toArray() : []).flatMap((result, index) =>
    isErr(result) ? [`item ${index + 1}: ${textOf(payload(result))}`] : [],
  );
}
