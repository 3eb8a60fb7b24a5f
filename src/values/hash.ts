/**
 * Hash keys: a JavaScript Map key that is the same for two values exactly when the language calls them equal. So sets
 * and `unique` need no buckets. Scalars are their own key; anything else gets a canonical text, built bottom-up
 * without recursion, because values nest deeper than the stack.
 */

import type { Dict } from "./collections/dict.ts";
import type { List } from "./collections/list.ts";
import { sameByIdentity } from "./identity.ts";
import type { Atomic, Bytes, EnumValue, Float, Pair, Range, StructValue } from "./scalars.ts";
import { type Decimal, decimalKey } from "./text/decimal.ts";
import type { Value, ValueClasses } from "./value.ts";

/** `undefined`: the value is equal to nothing, not even itself. */
export type HashKey = string | number | bigint | boolean | null | undefined;

/** Opens canonical texts, so that they never meet a plain string. */
const MARK = "\u0000";

/** The hash key of a value. */
export function hashKey(value: Value): HashKey {
  switch (typeof value) {
    case "string":
      return value.charCodeAt(0) === 0 ? MARK + value : value;
    case "number":
    case "bigint":
    case "boolean":
      return value;
  }
  if (value === null) return null;
  if (value.type === "float") return floatKey((value as Float).value);
  if (value.type === "decimal") {
    const key = decimalKey(value as Decimal);
    return typeof key === "string" ? `${MARK}N${key}` : key;
  }
  return canonicalText(value);
}

/** A float that is an int has the int's key. */
function floatKey(value: number): HashKey {
  if (Number.isNaN(value)) return undefined;
  if (Number.isSafeInteger(value)) return value + 0;
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value);
  return value;
}

interface HashFrame {
  /** What to put before the children. */
  readonly head: string;
  readonly children: ArrayLike<Value>;
  readonly count: number;
  readonly labels: readonly string[] | undefined;
  readonly sort: boolean;
  next: number;
  text: string;
  readonly parts: string[];
}

/** Text of a whole tree; `undefined` when some part of it equals nothing. */
function canonicalText(root: Value): string | undefined {
  const stack: HashFrame[] = [];
  let done: string | undefined;
  let value: Value | undefined = root;
  for (;;) {
    if (value !== undefined) {
      const leaf: string | HashFrame | undefined = describe(value);
      if (leaf === undefined) return undefined;
      if (typeof leaf === "string") done = leaf;
      else stack.push(leaf);
      value = undefined;
    }
    const frame = stack[stack.length - 1];
    if (frame === undefined) return MARK + done;
    if (done !== undefined) {
      if (frame.sort) frame.parts.push(done);
      else frame.text += done;
      done = undefined;
    }
    if (frame.next < frame.count) {
      if (frame.labels !== undefined) frame.text += hashedText(frame.labels[frame.next] as string);
      value = frame.children[frame.next++] as Value;
      continue;
    }
    stack.pop();
    done = `${frame.head}(${frame.sort ? frame.parts.sort().join("") : frame.text})`;
  }
}

/** A number's text where the decimal equals one. */
const decimalText = (key: number | bigint | string): string =>
  typeof key === "string" ? `N${key};` : `#${key};`;

/** Length first, so that no text can imitate another's end. */
const hashedText = (text: string): string => `'${text.length}:${text}`;

function frame(
  head: string,
  children: ArrayLike<Value>,
  count: number,
  labels?: readonly string[],
  sort = false,
): HashFrame {
  return { head, children, count, labels, sort, next: 0, text: "", parts: [] };
}

function describe(value: Value): string | HashFrame | undefined {
  switch (typeof value) {
    case "string":
      return hashedText(value);
    case "number":
    case "bigint":
      return `#${value};`;
    case "boolean":
      return value ? "t" : "f";
  }
  if (value === null) return "n";
  switch (value.type) {
    case "float": {
      const key = floatKey((value as Float).value);
      return key === undefined ? undefined : `#${String(key)};`;
    }
    case "decimal":
      return decimalText(decimalKey(value as Decimal));
    case "list":
      return frame("L", (value as List).buffer, (value as List).length);
    case "dict": {
      const values = (value as Dict).sortedValues();
      return frame("D", values, values.length, (value as Dict).keys());
    }
    case "set":
      return frame(
        "S",
        (value as ValueClasses["set"]).buffer,
        (value as ValueClasses["set"]).size,
        undefined,
        true,
      );
    case "pair":
      return frame("P", [(value as Pair).first, (value as Pair).second], 2);
    case "enum": {
      const { enumName, variant, fields } = value as EnumValue;
      return frame(`E${hashedText(enumName)}${hashedText(variant)}`, fields, fields.length);
    }
    case "struct":
      return structFrame(value as StructValue);
    case "range": {
      const { from, to, exclusive } = value as Range;
      return `R${from},${to},${exclusive};`;
    }
    case "bytes":
      return `B${(value as Bytes).data.join()};`;
    case "atomic":
      return `A${(value as Atomic).value};`;
    case "builtin":
      return `F${hashedText((value as unknown as { name: string }).name)}`;
    default:
      return sameByIdentity(value) ? `I${identity(value)};` : undefined;
  }
}

function structFrame(value: StructValue): HashFrame {
  const fields = value.entries();
  return frame(
    `T${hashedText(value.struct.name)}`,
    fields.map(([, field]) => field),
    fields.length,
    fields.map(([name]) => name),
  );
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** A number for an object; only for comparing, never shown. */
function identity(object: object): number {
  let id = identities.get(object);
  if (id === undefined) {
    id = ++lastIdentity;
    identities.set(object, id);
  }
  return id;
}
