/** Literals: constants, interpolated strings, lists, dicts, structs. */
import { locatedFrame, type Run, type Site } from "../../interp/index.ts";
import type { DictLit, Expr, Interpolation, ListLit, Spread, StructLit } from "../../syntax/index.ts";
import {
  Dict,
  Duration,
  display,
  Float,
  List,
  Shape,
  StructValue,
  toKey,
  typeError,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { aliasSchema } from "../declarations/schema-alias.ts";
import { structTypeOf } from "../declarations/structs.ts";
import { type Ctx, type Ex, ex } from "../node.ts";
import { constant, operand, withAll } from "./operand.ts";

/** A literal's value; `undefined` for what is no literal. */
export function literalValue(node: Expr): Value | undefined {
  switch (node.kind) {
    case "IntLit":
    case "StringLit":
    case "BoolLit":
      return node.value;
    case "FloatLit":
      return new Float(node.value);
    case "DurationLit":
      return new Duration(node.ms);
    case "NilLit":
      return null;
    default:
      return undefined;
  }
}

/** Ints are the commonest thing to be shown: `String` here saves the call of `display`. */
const text = (value: Value): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : display(value);

/**
 * The literal pieces are part of the node, so only the expressions are called (three of five parts less in
 * `"${a}: ${b} of ${c}"`: the interpolation kernel went from 10.6 to 8.7 ms).
 */
export function lowerInterpolation(ctx: Ctx, node: Interpolation): Ex {
  /** The text before the first expression, between each two, and after the last. */
  const texts = [""];
  const holes: Ex[] = [];
  for (const part of node.parts) {
    if (typeof part === "string") texts[holes.length] += part;
    else {
      holes.push(operand(ctx, part));
      texts.push("");
    }
  }
  const [first, second, third, fourth] = texts as [string, string, string, string];
  if (holes.some((hole) => hole.may))
    return withAll(holes, (_f, values) => {
      let result = first;
      for (let i = 0; i < values.length; i++) result += text(values[i] as Value) + texts[i + 1]!;
      return result;
    });
  const runs = holes.map((hole) => hole.run);
  const [a, b, c] = runs as [Run, Run, Run];
  // Variables are read here, and empty pieces left out: each of them is a call otherwise.
  const [i, j, k] = [0, 1, 2].map((at) => holes[at]?.slot ?? -1) as [number, number, number];
  const begins = first === "";
  const lasts = texts[holes.length] !== "";
  switch (runs.length) {
    case 1:
      return ex((f) => {
        const x = text(i >= 0 ? f[i] : a(f));
        const start = begins ? x : first + x;
        return lasts ? start + second : start;
      });
    case 2:
      return ex((f) => {
        const x = text(i >= 0 ? f[i] : a(f));
        const all = (begins ? x : first + x) + second + text(j >= 0 ? f[j] : b(f));
        return lasts ? all + third : all;
      });
    case 3:
      return ex((f) => {
        const x = text(i >= 0 ? f[i] : a(f));
        const start = (begins ? x : first + x) + second + text(j >= 0 ? f[j] : b(f));
        const all = start + third + text(k >= 0 ? f[k] : c(f));
        return lasts ? all + fourth : all;
      });
    default:
      return ex((f) => {
        let result = first;
        for (let i = 0; i < runs.length; i++) result += text(runs[i]!(f)) + texts[i + 1]!;
        return result;
      });
  }
}

const isSpread = (node: { readonly kind: string }): node is Spread => node.kind === "Spread";

/** Lowers elements, remembering which are spread. */
function elementsOf(
  ctx: Ctx,
  nodes: readonly (Expr | Spread)[],
): { all: Ex[]; spread: boolean[]; any: boolean } {
  const all = nodes.map((node) => operand(ctx, isSpread(node) ? node.value : node));
  const spread = nodes.map(isSpread);
  return { all, spread, any: spread.includes(true) };
}

/** What a spread list contributes; nil has nothing, as in a loop. */
export function spreadInto(target: Value[], value: Value, site: Site): void {
  if (value === null) return;
  if (!(value instanceof List))
    throw locatedFrame(
      typeError(`cannot destructure ${typeOf(value)} with [...] pattern — expected list`),
      site,
    );
  for (let i = 0; i < value.length; i++) target.push(value.buffer[i] as Value);
}

/** Values with some of them spread, as one array. */
export function spreadAll(
  values: readonly Value[],
  spread: readonly boolean[],
  sites: readonly Site[],
): Value[] {
  const result: Value[] = [];
  values.forEach((value, i) => {
    if (spread[i]) spreadInto(result, value, sites[i]!);
    else result.push(value);
  });
  return result;
}

export function lowerList(ctx: Ctx, node: ListLit): Ex {
  const { all, spread, any } = elementsOf(ctx, node.elements);
  if (!any) {
    if (all.length === 0) return ex(() => new List([]));
    if (all.length === 1 && !all[0]!.may) {
      const { run } = all[0]!;
      return ex((f) => new List([run(f)]));
    }
    return withAll(all, (_f, values) => new List(values));
  }
  const sites = node.elements.map((element) => ctx.site(element));
  return withAll(all, (_f, values) => new List(spreadAll(values, spread, sites)));
}

export function lowerDict(ctx: Ctx, node: DictLit): Ex {
  const keys: string[] = [];
  for (const entry of node.entries) {
    if (entry.kind !== "DictEntry" || typeof entry.key !== "string") return lowerComputedDict(ctx, node);
    keys.push(entry.key);
  }
  if (new Set(keys).size !== keys.length) return lowerComputedDict(ctx, node);
  const all = node.entries.map((entry, i) => entryValue(ctx, keys[i]!, entry.value));
  if (all.length === 0) return ex(() => new Dict());
  const shape = Shape.ofLiteral(keys);
  if (shape !== undefined) return withAll(all, (_f, values) => Dict.shaped(shape, values));
  return withAll(all, (_f, values) => Dict.fromArrays(keys, values));
}

/** `output_schema: Alias`, and the other options that take a schema, get the schema of the type. */
const schemaKeys: ReadonlySet<string> = new Set(["output_schema", "schema", "json_schema", "returns_schema"]);

function entryValue(ctx: Ctx, key: string, value: Expr): Ex {
  const schema = schemaKeys.has(key) ? aliasSchema(ctx, value) : undefined;
  return schema ?? operand(ctx, value);
}

/** With computed keys, spreads, or a key twice: entries in order, later ones win. */
function lowerComputedDict(ctx: Ctx, node: DictLit): Ex {
  const all: Ex[] = [];
  const sites = node.entries.map((entry) => ctx.site(entry));
  for (const entry of node.entries) {
    if (entry.kind === "Spread") all.push(constant(null));
    else all.push(typeof entry.key === "string" ? constant(entry.key) : operand(ctx, entry.key));
    const key = entry.kind === "DictEntry" && typeof entry.key === "string" ? entry.key : "";
    all.push(entryValue(ctx, key, entry.value));
  }
  const isSpreadAt = node.entries.map((entry) => entry.kind === "Spread");
  return withAll(all, (_f, values) => {
    // Built by versions: `{...d, k: v}` in a loop shares d's table instead of copying it.
    let dict = new Dict();
    for (let i = 0; i < isSpreadAt.length; i++) {
      const value = values[i * 2 + 1] as Value;
      if (isSpreadAt[i]) dict = dict.merge(spreadDict(value, sites[i]!));
      else dict = dict.with(toKey(values[i * 2] as Value), value);
    }
    return dict;
  });
}

function spreadDict(value: Value, site: Site): Dict {
  if (value instanceof Dict) return value;
  throw locatedFrame(
    typeError(`cannot destructure ${typeOf(value)} with {...} pattern — expected dict`),
    site,
  );
}

/** Undeclared fields are evaluated and dropped; missing ones stay absent (language.md §15.1). */
export function lowerStruct(ctx: Ctx, node: StructLit): Ex {
  const type = structTypeOf(ctx.unit, node.name.text);
  const slots = node.fields.map((field) => type.slots.get(field.name.text) ?? -1);
  const all = node.fields.map((field) => operand(ctx, field.value));
  const inOrder = slots.length === type.fields.length && slots.every((slot, i) => slot === i);
  if (inOrder) return withAll(all, (_f, values) => new StructValue(type, values));
  const empty: undefined[] = type.fields.map(() => undefined);
  return withAll(all, (_f, values) => {
    const filled: (Value | undefined)[] = empty.slice();
    for (let i = 0; i < values.length; i++) if (slots[i]! >= 0) filled[slots[i]!] = values[i];
    return new StructValue(type, filled);
  });
}
