/** Conversions, `type_of`, `len`, identity and hashes (builtins.md §2.3). */
import { stateKey } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import {
  atScale,
  Bytes,
  Callable,
  Decimal,
  Dict,
  decimalOfInt,
  display,
  equals,
  Float,
  HandleValue,
  hashKey,
  Iter,
  List,
  lazyError,
  Pair,
  parseDecimal,
  Range,
  runtimeError,
  SetValue,
  textLength,
  typeError,
  typeNames,
  typeOf,
  type Value,
  wholeOfDecimal,
} from "../../values/index.ts";
import { type Argument, intFrom, isInt } from "../arguments.ts";
import { harnessTypeNames } from "../harness.ts";

const intText = /^[+-]?\d+$/;
const floatText = /^[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)$/i;
const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;

/** An int of any text size, when it fits 64 bits. */
export function parseInt64(text: string): number | bigint | null {
  if (!intText.test(text)) return null;
  const quick = Number(text);
  if (Number.isSafeInteger(quick)) return quick === 0 ? 0 : quick;
  // A million digits can't fit: don't make a BigInt of them.
  if (text.replace(/^[+-]?0*/, "").length > 19) return null;
  const exact = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return exact >= minInt && exact <= maxInt ? exact : null;
}

export function parseFloatText(text: string): Float | null {
  if (!floatText.test(text)) return null;
  const lower = text.toLowerCase().replace(/^\+/, "");
  if (lower.endsWith("nan")) return new Float(Number.NaN);
  if (lower.includes("inf")) return new Float(lower.startsWith("-") ? -Infinity : Infinity);
  return new Float(Number(lower));
}

function toInt(value: Argument): Value {
  if (isInt(value)) return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string") return parseInt64(value);
  if (value instanceof Decimal) return intOrNil(wholeOfDecimal(value));
  if (!(value instanceof Float) || !Number.isFinite(value.value)) return null;
  const whole = Math.trunc(value.value);
  return Math.abs(whole) >= 2 ** 63 ? null : intFrom(whole);
}

function intOrNil(whole: bigint): Value {
  if (whole < minInt || whole > maxInt) return null;
  const small = Number(whole);
  return Number.isSafeInteger(small) ? small : whole;
}

/** A decimal of a text, an int, a float's shortest text, or a decimal; at a scale when one is given. */
function toDecimal(value: Argument, scale?: number | null): Decimal {
  const exact = decimalOf(value);
  if (exact === undefined) throw runtimeError(`decimal: not a decimal number: ${display(value ?? null)}`);
  if (scale === undefined || scale === null) return exact;
  return atScale(exact, scale);
}

function decimalOf(value: Argument): Decimal | undefined {
  if (value instanceof Decimal) return value;
  if (isInt(value)) return decimalOfInt(value);
  if (value instanceof Float) return parseDecimal(display(value));
  return typeof value === "string" ? parseDecimal(value) : undefined;
}

function toFloat(value: Argument): Value {
  if (value instanceof Decimal) return new Float(Number(value.toString()));
  if (value instanceof Float) return value;
  if (isInt(value)) return new Float(Number(value));
  return typeof value === "string" ? parseFloatText(value) : null;
}

/** Length as scripts see it; 0 for whatever has none. */
export function lengthOf(value: Argument): number {
  if (typeof value === "string") return textLength(value);
  if (value instanceof List || value instanceof Range) return value.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof SetValue) return value.size;
  if (value instanceof Iter) throw lazyError("has no length");
  return value instanceof Bytes ? value.data.length : 0;
}

/** Addresses given out so far: a number per object, so that two looks at one value agree. */
const addresses = stateKey<{ of: WeakMap<object, number>; next: number }>("addresses", () => ({
  of: new WeakMap(),
  next: 0x1000,
}));

function isHeap(value: Value): value is Exclude<Value, null | boolean | number | bigint | string> {
  return typeof value === "object" && value !== null && !(value instanceof Float);
}

function isIdentical(value: Value): boolean {
  return (
    value instanceof List ||
    value instanceof Dict ||
    value instanceof SetValue ||
    value instanceof Callable ||
    value instanceof Pair ||
    value instanceof HandleValue
  );
}

/** The hash key with its type: the string "42" is not the int 42. */
function structuralText(value: Value): string {
  const key = hashKey(value);
  return `${typeof key === "bigint" ? "number" : typeof key}:${String(key)}`;
}

/** FNV-1a, 64 bits. */
export function hashText(text: string): number | bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  const signed = BigInt.asIntN(64, hash);
  const small = Number(signed);
  return Number.isSafeInteger(small) ? small : signed;
}

export const conversion = defineBuiltins("conversion", {
  type_of: {
    doc: "The name of the value's type: int, float, string, bool, nil, list, dict, set, closure, builtin …",
    sig: "(value: any) -> string",
    effect: "pure",
    traits: ["borrows"],
    resultTexts: () => [...typeNames, ...harnessTypeNames()],
    example: "type_of(1.5)  // float",
    run: (_task, value: Argument) => typeOf(value ?? null),
  },
  to_string: {
    doc: "The display form of a value.",
    sig: "(value: any) -> string",
    effect: "pure",
    traits: ["borrows", "converts", "needsWhole"],
    example: "to_string([1, 2.0])  // [1, 2.0]",
    run: (_task, value: Argument) => display(value ?? null),
  },
  decimal: {
    doc: "An exact decimal number of a text, an int or a float's shortest text; it keeps its scale, or takes the given one (half to even). Decimals compute with decimals and ints, to 28 digits.",
    sig: "(value: any, scale?: int >= 0 <= 400) -> decimal",
    effect: "pure",
    example: 'decimal("1.50") * 3  // 4.50',
    run: (_task, value: Argument, scale?: number | null) => toDecimal(value, scale),
  },
  to_int: {
    doc: "An int: a float or decimal truncated, a bool as 1 or 0, a string that is a plain decimal integer. Otherwise nil.",
    sig: "(value: any) -> int?",
    effect: "pure",
    traits: ["converts"],
    example: 'to_int("-12")  // -12',
    run: (_task, value: Argument) => toInt(value),
  },
  to_float: {
    doc: 'A float from a number or a string such as `"1e3"`, `"inf"`, `"NaN"`. Otherwise nil.',
    sig: "(value: any) -> float?",
    effect: "pure",
    traits: ["converts"],
    example: 'to_float("1e3")  // 1000.0',
    run: (_task, value: Argument) => toFloat(value),
  },
  to_list: {
    doc: "The elements of a set; a list as it is; anything else as a list of one element.",
    sig: "(value: any) -> list",
    effect: "pure",
    example: 'to_list("ab")  // [ab]',
    run: (_task, value: Argument) => {
      if (value instanceof SetValue) return new List(value.toArray());
      return value instanceof List ? value : new List([value ?? null]);
    },
  },
  len: {
    doc: "Characters of a string, elements of a list, set or range, keys of a dict, bytes. An iterator has none: it is an error. 0 for anything else.",
    sig: "(value: any) -> int",
    effect: "pure",
    traits: ["borrows", "resultVaries", "needsWhole"],
    example: 'len("häß")  // 3',
    run: (_task, value: Argument) => lengthOf(value),
  },
  is_same: {
    doc: "Whether both are the same object (lists, dicts, sets, functions, pairs) or, for scalars, equal values.",
    sig: "(a: any, b: any) -> bool",
    effect: "pure",
    example: 'is_same("a", "a")  // true',
    run: (_task, a: Argument, b: Argument) => {
      const left = a ?? null;
      const right = b ?? null;
      if (isIdentical(left) || isIdentical(right)) return left === right;
      return typeOf(left) === typeOf(right) && equals(left, right);
    },
  },
  addr_of: {
    doc: "`TYPE@…`: an address that is stable for a value while it lives; scalars show themselves.",
    sig: "(value: any) -> string",
    effect: "state",
    example: "addr_of(42)  // int@42",
    run: (task, value: Argument) => {
      const it = value ?? null;
      if (!isHeap(it)) return `${typeOf(it)}@${display(it)}`;
      const known = task.runtime.state(addresses);
      let address = known.of.get(it);
      if (address === undefined) {
        address = known.next;
        known.next += 16;
        known.of.set(it, address);
      }
      return `${typeOf(it)}@0x${address.toString(16)}`;
    },
  },
  hash_value: {
    doc: "A 64-bit hash: equal values have equal hashes, whatever the order of their dict keys.",
    sig: "(value: any) -> int",
    effect: "pure",
    example: "hash_value({a: 1, b: 2}) == hash_value({b: 2, a: 1})  // true",
    run: (_task, value: Argument) => hashText(structuralText(value ?? null)),
  },
  pair: {
    doc: "A pair with `.first` and `.second`.",
    sig: "(first: any, second: any) -> pair",
    effect: "pure",
    example: "pair(1, 2)  // (1, 2)",
    run: (_task, ...args: Value[]) => {
      if (args.length !== 2) throw typeError(`pair: expected 2 arguments, got ${args.length}`);
      return new Pair(args[0] as Value, args[1] as Value);
    },
  },
  range: {
    doc: "The half-open range from 0 (or `from`) up to `to`.",
    sig: "(from: int, to?: int) -> range",
    effect: "pure",
    example: "len(range(2, 5))  // 3",
    run: (_task, ...args: Value[]) => {
      const [a, b] = args;
      if (args.length === 1) {
        if (typeof a !== "number") throw typeError("range(n): expected integer argument");
        return new Range(0, a, true);
      }
      if (args.length !== 2) throw typeError(`range expects 1 or 2 integer arguments, got ${args.length}`);
      if (typeof a !== "number" || typeof b !== "number")
        throw typeError("range(a, b): expected integer arguments");
      return new Range(a, b, true);
    },
  },
  drop: {
    doc: "Lets go of a handle. Values are collected by themselves; kept for scripts that say it.",
    sig: "(value?: any) -> nil",
    effect: "pure",
    run: () => null,
  },
});
