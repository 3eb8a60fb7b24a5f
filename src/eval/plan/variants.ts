/** A task's matrix: a dict of lists (their product, keys sorted), or a list of dicts with `name`. */
import type { Digest } from "../../effects/index.ts";
import { inputText, refusal } from "../../table/index.ts";
import { Dict, display, List, ScriptError, type Value } from "../../values/index.ts";
import { evalError, taskAt } from "../eval-error.ts";
import { canonicalJson } from "./canonical-json.ts";
import { encodePart } from "./trial-key.ts";
import type { Variant } from "./variant.ts";

const maxVariants = 64;

export function variantsOf(task: string, value: Value, digest: Digest): Variant[] {
  if (value === null) return [variantOf(task, "default", new Dict(), digest)];
  const bodies = value instanceof Dict ? product(task, value) : listed(task, value);
  if (bodies.length > maxVariants)
    throw wrong(task, "matrix", `there are ${bodies.length} variants, at most ${maxVariants} are allowed`);
  const names = new Set<string>();
  return bodies.map(({ name, body }) => {
    if (names.has(name)) throw wrong(task, name, "there is another of this name");
    names.add(name);
    return variantOf(task, name, body, digest);
  });
}

interface VariantBody {
  readonly name: string;
  readonly body: Dict;
}

const wrong = (task: string, text: string, reason: string): ScriptError =>
  evalError("HARN-EVL-007", { task, text, reason });

function variantOf(task: string, name: string, body: Dict, digest: Digest): Variant {
  try {
    return { name, key: encodePart(name), digest: digest(canonicalJson(body)), body };
  } catch (error) {
    if (error instanceof ScriptError) throw wrong(task, name, String(error.value));
    throw error;
  }
}

function product(task: string, options: Dict): VariantBody[] {
  let points: Dict[] = [new Dict()];
  for (const key of options.keys().toSorted()) {
    const values = options.get(key) ?? null;
    if (!(values instanceof List))
      throw wrong(task, key, `expected a list of values, got ${inputText(values)}`);
    if (values.length === 0) throw wrong(task, key, "it has no values");
    points = points.flatMap((point) => values.toArray().map((value) => point.with(key, value)));
  }
  return points.map((body) => ({ name: pointName(body), body }));
}

/** `model=a,style=short`; `default` for the empty matrix. */
const pointName = (body: Dict): string => {
  const parts = body
    .keys()
    .toSorted()
    .map((key) => `${key}=${display(body.get(key) ?? null)}`);
  return parts.length === 0 ? "default" : parts.join(",");
};

function listed(task: string, value: Value): VariantBody[] {
  if (!(value instanceof List))
    throw refusal(taskAt(task, "variants"), "a dict of lists, or a list of dicts with `name`", value);
  if (value.length === 0) throw wrong(task, "list", "it is empty");
  return value.toArray().map((body, at) => {
    if (!(body instanceof Dict)) throw wrong(task, `[${at}]`, `expected dict, got ${inputText(body)}`);
    const name = body.get("name") ?? null;
    if (typeof name !== "string" || name === "")
      throw wrong(task, `[${at}]`, "it needs `name`, a text that is not empty");
    return { name, body };
  });
}
