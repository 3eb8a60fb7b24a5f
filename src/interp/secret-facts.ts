/**
 * What a program finds out about a secret: how long it is, whether it equals something, its hash, a signature made with it. A
 * replay has a stand-in for the secret, of which none of this is true; so what was found out is recorded (`observe`, kind
 * `secret.NAME`) and given again. Only for a program that has met a secret, and only where a secret is among what is asked.
 *
 * Texts made of secrets (a part, upper case, hex digits) are not recorded: that would give them away.
 */
import { shape } from "../effects/index.ts";
import type { BuiltinSpec } from "../table/index.ts";
import { Bytes, Dict, List, type Value } from "../values/index.ts";
import type { Task } from "./task.ts";

/** Methods that say something about their receiver or arguments and give no text of it. */
const factMethods: ReadonlySet<string> = new Set([
  "count",
  "len",
  "length",
  "empty",
  "contains",
  "starts_with",
  "ends_with",
  "index_of",
  "last_index_of",
  "has",
  "any",
  "all",
]);

export const isFactMethod = (name: string): boolean => factMethods.has(name);

/** Builtins whose result is a number or a bool, or says nothing about what went in. */
export function isFact(spec: BuiltinSpec): boolean {
  if (spec.oneWay === true) return true;
  if (spec.effect !== "pure" || spec.performs === true || spec.suspends !== "never") return false;
  return /-> (bool|int|float)( \| nil|\?)?$/.test(spec.sig);
}

/** The result, recorded if the task's program has met a secret that is among the values. */
export function aboutSecrets(task: Task, kind: string, values: readonly Value[], find: () => Value): Value {
  const { effects, structs } = task.runtime;
  const met = effects.metSecrets;
  if (met === undefined || !values.some((value) => holds(met, value, 3))) return find();
  return effects.perform<Value>(task.scope, {
    effect: "observe",
    kind: `secret.${kind}`,
    args: () => null,
    run: find,
    result: shape.value(structs),
  }) as Value;
}

/** Elements of a list or a dict that are looked at. */
const lookedAt = 64;

function holds(met: { isIn(data: string | Uint8Array): boolean }, value: Value, depth: number): boolean {
  if (typeof value === "string") return met.isIn(value);
  if (value instanceof Bytes) return met.isIn(value.data);
  if (depth === 0) return false;
  if (value instanceof List) {
    for (let i = 0; i < Math.min(value.length, lookedAt); i++)
      if (holds(met, value.at(i) ?? null, depth - 1)) return true;
  } else if (value instanceof Dict) {
    let left = lookedAt;
    for (const [, item] of value.entries()) {
      if (left-- === 0) break;
      if (holds(met, item, depth - 1)) return true;
    }
  }
  return false;
}
