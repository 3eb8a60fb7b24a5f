/** The two forms of a scorer: a function, or a dict with one. */
import { nearest } from "../../diagnostics/index.ts";
import { Callable, Dict, List, type Value } from "../../values/index.ts";
import type { ScorerNeed, ScorerSpec } from "./score.ts";

/** A scorer with its function. */
export interface NamedScorer extends ScorerSpec {
  readonly score: Callable;
  /** Options of the calls of its judges. */
  readonly calls: readonly Dict[];
}

const needs: readonly string[] = ["model", "files", "world"] satisfies ScorerNeed[];

const fields = ["name", "score", "threshold", "needs"];

/** A function `fn(outcome, sample)`, or `{name, score, threshold?, needs?}`; else what is wrong with it, in words. */
export function readScorer(value: Value): NamedScorer | string {
  if (value instanceof Callable)
    return { name: value.name || "scorer", threshold: null, needs: [], score: value, calls: [] };
  if (!(value instanceof Dict)) return "it must be a function or a dict {name, score}";
  const unknown = value.keys().find((key) => !key.startsWith("_") && !fields.includes(key));
  if (unknown !== undefined) {
    const near = nearest(unknown, fields);
    return `it has no field \`${unknown}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
  }
  const score = value.get("score") ?? null;
  if (!(score instanceof Callable)) return "its `score` must be a function";
  const name = value.get("name") ?? null;
  if (typeof name !== "string" || name === "") return "its `name` must be a text";
  const threshold = numberOrNull(value.get("threshold") ?? null);
  if (threshold === undefined) return "its `threshold` must be a number";
  const listed = value.get("needs") ?? null;
  const needed = listed instanceof List ? listed.toArray() : [];
  if (!needed.every((need) => typeof need === "string" && needs.includes(need)))
    return 'its `needs` must be made of "model", "files" and "world"';
  return { name, threshold, needs: needed as ScorerNeed[], score, calls: judgeCalls(value) };
}

/** What judges say of their calls (`_calls`), also of scorers that are made of them. */
export function judgeCalls(value: Value): Dict[] {
  if (value instanceof List) return value.toArray().flatMap(judgeCalls);
  if (!(value instanceof Dict)) return [];
  const calls = value.get("_calls");
  if (calls instanceof List) return calls.toArray().filter((one) => one instanceof Dict);
  return ["scorer", "scorers"].flatMap((name) => judgeCalls(value.get(name) ?? null));
}

function numberOrNull(value: Value): number | null | undefined {
  if (value === null || typeof value === "number") return value;
  const inner = (value as { value?: unknown }).value;
  return typeof inner === "number" ? inner : undefined;
}
