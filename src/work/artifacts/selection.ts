/**
 * Which artifacts a model gets to see: filters, order and budget of a context policy (agents.md §19.1), and the text made
 * of what was chosen. The order is total and stable: equal artifacts keep the order of the list.
 */
import { microcompact } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import {
  type Argument,
  Dict,
  intOr,
  isInt,
  jsonStringify,
  List,
  numericValue,
  option,
  shownValue,
  textOf,
  thrown,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { artifactBody, artifactKind, artifactsOf, tokensIn } from "./record.ts";

interface ContextPolicy {
  readonly maxArtifacts: number;
  /** What the artifacts may take, with the reserve already taken off. */
  readonly tokens: number;
  readonly includeKinds: ReadonlySet<string>;
  readonly excludeKinds: ReadonlySet<string>;
  readonly prioritizeKinds: readonly string[];
  readonly pinned: ReadonlySet<string>;
  readonly includeStages: ReadonlySet<string>;
  readonly preferRecent: boolean;
  readonly preferFresh: boolean;
  readonly render: "text" | "json";
}

function readPolicy(name: string, input: Argument): ContextPolicy {
  if (input !== undefined && input !== null && !(input instanceof Dict))
    throw thrown(`${name}: policy must be a dict or nil, got ${typeOf(input)}`);
  const max = countOptionOf(name, input, "max_tokens", Number.POSITIVE_INFINITY);
  const kinds = (key: string) => texts(name, input, key).map((kind) => artifactKind(kind));
  return {
    maxArtifacts: countOptionOf(name, input, "max_artifacts", Number.POSITIVE_INFINITY),
    tokens: Math.max(0, max - countOptionOf(name, input, "reserve_tokens", 0)),
    includeKinds: new Set(kinds("include_kinds")),
    excludeKinds: new Set(kinds("exclude_kinds")),
    prioritizeKinds: kinds("prioritize_kinds"),
    pinned: new Set(texts(name, input, "pinned_ids")),
    includeStages: new Set(texts(name, input, "include_stages")),
    preferRecent: option(input, "prefer_recent") === true,
    preferFresh: option(input, "prefer_fresh") === true,
    render: rendering(name, option(input, "render")),
  };
}

/** A whole number of at least 0. */
export function countOptionOf(name: string, options: Argument, key: string, fallback: number): number {
  const value = option(options, key);
  if (value === undefined) return fallback;
  if (!isInt(value) || value < 0)
    throw thrown(`${name}: '${key}' must be an int of at least 0, got ${shownValue(value)}`);
  return intOr(value, fallback);
}

function texts(name: string, options: Argument, key: string): string[] {
  const value = option(options, key);
  if (value === undefined) return [];
  if (!(value instanceof List)) throw thrown(`${name}: '${key}' must be a list, got ${typeOf(value)}`);
  return value.toArray().map((item) => textOf(item));
}

function rendering(name: string, value: Argument): "text" | "json" {
  if (value === undefined || value === "text") return "text";
  if (value === "json") return "json";
  throw thrown(`${name}: 'render' must be "text" or "json", got ${shownValue(value)}`);
}

/** The artifacts that a policy lets through, best first. Pinned ones come first and are never dropped. */
export function selectArtifacts(task: Task, name: string, input: Argument, options: Argument): Dict[] {
  const policy = readPolicy(name, options);
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
  const { render } = readPolicy(name, options);
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

const defaultClip = 2000;

/** Drops what says the same as an earlier one, shortens what is very long, then selects. */
export function selectAdaptive(task: Task, input: Argument, options: Argument): Dict[] {
  const name = "select_artifacts_adaptive";
  const clip = countOptionOf(name, options, "microcompact_threshold", defaultClip);
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
