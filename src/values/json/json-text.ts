/**
 * Values as JSON text (language.md §23, builtins.md §2.10): keys sorted; ints and floats stay apart (`5`, `5.0`); sets
 * as arrays, structs as objects, ranges as their display, bytes as `{"$bytes_b64": …}`; what JSON has no form for is
 * `null`. Without recursion: values nest deeper than the stack.
 */

import { Dict } from "../collections/dict.ts";
import { List } from "../collections/list.ts";
import { SetValue } from "../collections/set.ts";
import { Bytes, Float, Range, StructValue } from "../scalars.ts";
import { lazyError } from "../script-error.ts";
import { toBase64 } from "../text/base64.ts";
import { Decimal } from "../text/decimal.ts";
import { display } from "../text/display.ts";
import { type Describe, type Group, writeTree } from "../text/tree-text.ts";
import type { Value } from "../value.ts";

/** Compact JSON. */
export function jsonStringify(value: Value): string {
  return writeTree(value, compactJson);
}

/** JSON with two blanks of indentation per level. */
export function jsonPretty(value: Value): string {
  return writeTree(value, pretty);
}

/**
 * A result as a model reads it: dicts, lists, sets and structs as JSON, everything else in display form, also inside. A model
 * gets no use out of `null` for what JSON has no form for.
 */
export function modelText(value: Value): string {
  const tree =
    value instanceof List ||
    value instanceof Dict ||
    value instanceof SetValue ||
    value instanceof StructValue;
  return tree ? writeTree(value, compactForModels) : display(value);
}

/** `"name":` by key list: dicts of one shape share their key list, so arrays of records quote each name once. */
const labelCache = new WeakMap<readonly string[], readonly string[]>();

function keyLabels(names: readonly string[]): readonly string[] {
  let labels = labelCache.get(names);
  if (labels === undefined) {
    labels = names.map((name) => `${jsonText(name)}:`);
    labelCache.set(names, labels);
  }
  return labels;
}

interface JsonParts {
  readonly brackets: "[]" | "{}";
  readonly names: readonly string[] | undefined;
  readonly children: ArrayLike<Value>;
  readonly count: number;
}

const compactForModels: Describe = (value, depth) => {
  const found = compactJson(value, depth);
  return found === "null" && value !== null ? jsonText(display(value)) : found;
};

const compactJson: Describe = (value) => {
  const found = jsonParts(value);
  if (typeof found === "string") return found;
  return {
    open: found.brackets[0] as string,
    close: found.brackets[1] as string,
    separator: ",",
    labels: found.names === undefined ? undefined : keyLabels(found.names),
    children: found.children,
    count: found.count,
  };
};

const pretty: Describe = (value, depth) => {
  const found = jsonParts(value);
  if (typeof found === "string") return found;
  if (found.count === 0) return found.brackets;
  const inner = `\n${"  ".repeat(depth + 1)}`;
  const group: Group = {
    open: (found.brackets[0] as string) + inner,
    close: `\n${"  ".repeat(depth)}${found.brackets[1]}`,
    separator: `,${inner}`,
    labels: found.names?.map((name) => `${jsonText(name)}: `),
    children: found.children,
    count: found.count,
  };
  return group;
};

function jsonParts(value: Value): string | JsonParts {
  switch (typeof value) {
    case "string":
      return jsonText(value);
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
  }
  if (value instanceof Float) return jsonFloat(value.value);
  // A JSON number would come back as a float.
  if (value instanceof Decimal) return `"${value}"`;
  if (value instanceof List) {
    return { brackets: "[]", names: undefined, children: value.buffer, count: value.length };
  }
  if (value instanceof Dict) {
    const children = value.sortedValues();
    return { brackets: "{}", names: value.keys(), children, count: children.length };
  }
  if (value instanceof SetValue) {
    return { brackets: "[]", names: undefined, children: value.buffer, count: value.size };
  }
  if (value instanceof StructValue) {
    const fields = value.entries();
    const children = fields.map(([, field]) => field);
    return { brackets: "{}", names: fields.map(([name]) => name), children, count: children.length };
  }
  if (value instanceof Bytes) return `{"$bytes_b64":"${toBase64(value.data)}"}`;
  if (value instanceof Range) return jsonText(display(value));
  if (value !== null && value.type === "iter") throw lazyError("has no JSON form");
  return "null";
}

/** Shortest digits that read back as the same float; large ones with an exponent, so that they stay floats. */
function jsonFloat(value: number): string {
  if (!Number.isFinite(value)) return "null";
  if (Object.is(value, -0)) return "-0.0";
  if (Math.abs(value) >= 1e16) return value.toExponential().replace("e+", "e");
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** What has to be escaped: quote, backslash, controls, DEL and, in `ESCAPED`, surrogates without their partner. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be escaped.
const SPECIAL = /["\\\u0000-\u001f\u007f\ud800-\udfff]/;
const ESCAPED = new RegExp(`${SPECIAL.source}`, "gu");
const SHORT: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** A string as JSON. Control characters, DEL and lone surrogates as `\u00xx` with lower-case digits. */
export function jsonText(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`;
  const escaped = text.replace(
    ESCAPED,
    (unit) => SHORT.get(unit) ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `"${escaped}"`;
}
