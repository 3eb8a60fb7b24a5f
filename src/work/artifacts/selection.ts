/**
 * Which artifacts a model gets to see: filters, order and budget of a context policy (agents.md §19.1), and the text made
 * of what was chosen. The order is total and stable: equal artifacts keep the order of the list.
 */
import { microcompact } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { at, row } from "../../table/index.ts";
import {
  type Argument,
  Dict,
  jsonStringify,
  List,
  numericValue,
  textOf,
  type Value,
} from "../../values/index.ts";
import { adaptiveFields, contextPolicyFields } from "../fields/workflow-fields.ts";
import { artifactBody, artifactKind, artifactsOf, tokensIn } from "./record.ts";

function contextPolicyOf(name: string, input: Argument) {
  const read = row
    .dict(contextPolicyFields)
    .read(input ?? new Dict(), at(name, input instanceof Dict ? "" : "policy"));
  const kinds = (given: readonly string[]) => given.map((kind) => artifactKind(kind));
  return {
    ...read,
    /** What the artifacts may take, with the reserve already taken off. */
    tokens: Math.max(0, read.maxTokens - read.reserveTokens),
    includeKinds: new Set(kinds(read.includeKinds)),
    excludeKinds: new Set(kinds(read.excludeKinds)),
    prioritizeKinds: kinds(read.prioritizeKinds),
    pinned: new Set(read.pinnedIds),
    includeStages: new Set(read.includeStages),
  };
}
type ContextPolicy = ReturnType<typeof contextPolicyOf>;

/** The artifacts that a policy lets through, best first. Pinned ones come first and are never dropped. */
export function selectArtifacts(task: Task, name: string, input: Argument, options: Argument): Dict[] {
  const policy = contextPolicyOf(name, options);
  const candidates = artifactsOf(task, name, input).filter((artifact) => admitted(artifact, policy));
  return withinBudget(candidates.toSorted(order(policy)), policy);
}

const isPinned = (artifact: Dict, policy: ContextPolicy): boolean =>
  policy.pinned.has(textOf(artifact.get("id")));

function admitted(artifact: Dict, policy: ContextPolicy): boolean {
  if (isPinned(artifact, policy)) return true;
  const kind = textOf(artifact.get("kind"));
  const { includeKinds, excludeKinds, includeStages } = policy;
  if (includeKinds.size > 0 && !includeKinds.has(kind)) return false;
  if (excludeKinds.has(kind)) return false;
  return includeStages.size === 0 || includeStages.has(textOf(artifact.get("stage")));
}

function withinBudget(ordered: readonly Dict[], policy: ContextPolicy): Dict[] {
  const chosen: Dict[] = [];
  let tokens = 0;
  for (const artifact of ordered) {
    const size = numericValue(artifact.get("estimated_tokens")) ?? 0;
    const fits = chosen.length < policy.maxArtifacts && tokens + size <= policy.tokens;
    if (!fits && !isPinned(artifact, policy)) continue;
    chosen.push(artifact);
    tokens += size;
  }
  return chosen;
}

type Order = (a: Dict, b: Dict) => number;

/** Pinned, preferred kinds, priority, relevance, then age; `prefer_…` puts freshness or age before priority. */
function order(policy: ContextPolicy): Order {
  const { prioritizeKinds: preferred } = policy;
  const place = (artifact: Dict): number => {
    const index = preferred.indexOf(textOf(artifact.get("kind")));
    return index === -1 ? preferred.length : index;
  };
  const orders: Order[] = [
    (a, b) => Number(isPinned(b, policy)) - Number(isPinned(a, policy)),
    (a, b) => place(a) - place(b),
  ];
  if (policy.preferFresh) orders.push((a, b) => freshness(b) - freshness(a));
  if (policy.preferRecent) orders.push(newestFirst);
  orders.push(byNumber("priority"), byNumber("relevance"), newestFirst);
  return (a, b) => {
    for (const compare of orders) {
      const result = compare(a, b);
      if (result !== 0) return result;
    }
    return 0;
  };
}

const byNumber =
  (field: string): Order =>
  (a, b) =>
    (numericValue(b.get(field)) ?? 0) - (numericValue(a.get(field)) ?? 0);

const freshnessRanks: ReadonlyMap<string, number> = new Map([
  ["live", 2],
  ["fresh", 1],
  ["stale", -1],
]);

const freshness = (artifact: Dict): number => freshnessRanks.get(textOf(artifact.get("freshness"))) ?? 0;

/** By `created_at`: as numbers where both are seconds, else as texts, which orders ISO times. */
export const newestFirst: Order = (a, b) => {
  const left = textOf(a.get("created_at"));
  const right = textOf(b.get("created_at"));
  const difference = Number(right) - Number(left);
  if (!Number.isNaN(difference)) return difference;
  return left === right ? 0 : left < right ? 1 : -1;
};

// ── as text ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The selected artifacts as text for a prompt. */
export function artifactContext(task: Task, input: Argument, options: Argument): string {
  const name = "artifact_context";
  return renderArtifacts(name, selectArtifacts(task, name, input, options), options);
}

/** Artifacts as a context policy wants them put. */
export function renderArtifacts(name: string, chosen: readonly Dict[], options: Argument): string {
  const { render } = contextPolicyOf(name, options);
  return render === "json"
    ? chosen.map((artifact) => jsonStringify(artifact)).join("\n")
    : renderText(chosen);
}

function renderText(artifacts: readonly Dict[]): string {
  return artifacts.map((artifact) => `${selectionHeading(artifact)}\n${artifactBody(artifact)}`).join("\n\n");
}

function selectionHeading(artifact: Dict): string {
  const kind = textOf(artifact.get("kind"));
  const title = artifact.get("title") ?? artifact.get("id") ?? null;
  return `[${kind}] ${title === null ? "" : textOf(title)}`.trimEnd();
}

// ── adaptive ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Drops what says the same as an earlier one, shortens what is very long, then selects. */
export function selectAdaptive(task: Task, input: Argument, options: Argument): Dict[] {
  const name = "select_artifacts_adaptive";
  const clip = row.dict(adaptiveFields).read(options ?? new Dict(), at(name)).microcompactThreshold;
  const seen = new Set<string>();
  const distinct = artifactsOf(task, name, input).filter((artifact) => {
    const body = artifactBody(artifact);
    if (body === "") return true;
    if (seen.has(body)) return false;
    seen.add(body);
    return true;
  });
  const shortened: Value[] = distinct.map((artifact) => clippedArtifact(artifact, clip));
  return selectArtifacts(task, name, new List(shortened), options);
}

function clippedArtifact(artifact: Dict, tokens: number): Dict {
  const text = artifact.get("text");
  if (typeof text !== "string" || tokensIn(text) <= tokens) return artifact;
  const short = microcompact(text, tokens * 4);
  return artifact.merge(Dict.of({ text: short, estimated_tokens: tokensIn(short) }));
}
