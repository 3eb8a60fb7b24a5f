/** Mathematics (builtins.md §2.6). A non-number gives nil; statistics check their input. */
import { defineBuiltins } from "../../table/index.ts";
import {
  compare,
  Decimal,
  decimalOfInt,
  Float,
  intFromBig,
  type List,
  maxDecimalScale,
  multiply,
  negate,
  power,
  roundDecimal,
  runtimeError,
  type Value,
} from "../../values/index.ts";
import { type Argument, intFrom, isInt, numberOf } from "../arguments.ts";

/** A function of one float. */
function real(doc: string, example: string, f: (x: number) => number) {
  return {
    doc,
    sig: "(x: int | float) -> float?",
    effect: "pure" as const,
    example,
    run: (_task: unknown, x: Argument): Value => {
      const value = numberOf(x);
      return value === undefined ? null : new Float(f(value));
    },
  };
}

function toWhole(f: (x: number) => number, x: Argument): Value {
  if (isInt(x)) return x;
  if (x instanceof Decimal) return intFromBig(roundDecimal(x, f));
  if (!(x instanceof Float)) return null;
  if (!Number.isFinite(x.value)) throw runtimeError("cannot convert non-finite float to int");
  return intFrom(f(x.value));
}

/** Halves away from zero. */
function roundHalf(x: number): number {
  const floor = Math.floor(Math.abs(x));
  return Math.sign(x) * (Math.abs(x) - floor >= 0.5 ? floor + 1 : floor);
}

/** Through the decimal text, so that `round(1.005, 2)` sees what people see. */
function roundDigits(x: number, digits: number): number {
  if (!Number.isFinite(x) || digits > 300) return x;
  const shifted = shiftDecimal(x, digits);
  return Number.isFinite(shifted) ? shiftDecimal(roundHalf(shifted), -digits) : x;
}

/** x · 10^places by its decimal text. */
function shiftDecimal(x: number, places: number): number {
  const [mantissa, exponent = "0"] = String(x).split("e");
  return Number(`${mantissa}e${Number(exponent) + places}`);
}

/** A decimal keeps `digits` after the point; halves go away from zero, as everywhere in `round`. */
function decimalAt(x: Decimal, digits: number): Value {
  const places = Math.min(Math.max(digits, 0), maxDecimalScale);
  const shifted = multiply(x, power(decimalOfInt(10), places)) as Decimal;
  return new Decimal(roundDecimal(shifted, roundHalf), places);
}

function pick(a: Argument, b: Argument, better: (x: number | bigint, y: number | bigint) => boolean): Value {
  if (isExact(a) && isExact(b) && (a instanceof Decimal || b instanceof Decimal))
    return better(compare(b, a), 0) ? b : a;
  const x = numberOf(a);
  const y = numberOf(b);
  if (x === undefined || y === undefined) return null;
  const [left, right] = [a as Value, b as Value];
  if (isInt(left) && isInt(right)) return better(right, left) ? right : left;
  if (Number.isNaN(x)) return new Float(y);
  if (Number.isNaN(y)) return new Float(x);
  return new Float(better(y, x) ? y : x);
}

const isExact = (value: Argument): value is number | bigint | Decimal =>
  isInt(value) || value instanceof Decimal;

function numbersOf({ buffer, length }: List): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < length; at++) numbers.push(numberOf(buffer[at])!);
  return numbers;
}

function needItems(name: string, values: List): number[] {
  const numbers = numbersOf(values);
  if (numbers.length === 0) throw runtimeError(`${name}: items must not be empty`);
  return numbers;
}

function listMean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
}

function varianceOf(name: string, values: List, sample: Argument): number {
  const numbers = needItems(name, values);
  const isSample = sample === true;
  if (isSample && numbers.length < 2) throw runtimeError("sample variance requires at least 2 values");
  const centre = listMean(numbers);
  const squares = numbers.reduce((sum, x) => sum + (x - centre) ** 2, 0);
  return squares / (isSample ? numbers.length - 1 : numbers.length);
}

/** linear between the two nearest ranks. */
function percentile(numbers: readonly number[], p: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const rank = (p / 100) * (sorted.length - 1);
  const low = sorted[Math.floor(rank)] as number;
  const high = sorted[Math.ceil(rank)] as number;
  return low + (high - low) * (rank - Math.floor(rank));
}

export const math = defineBuiltins("math", {
  abs: {
    doc: "The absolute value; ints stay ints.",
    sig: "(n: int | float | decimal) -> int | float | decimal | nil",
    effect: "pure",
    example: "abs(-3)  // 3",
    run: (_task, n: Argument) => {
      if (typeof n === "number") return Math.abs(n);
      // The least int has no positive partner.
      if (typeof n === "bigint") return n < 0n ? (n === -(2n ** 63n) ? new Float(2 ** 63) : -n) : n;
      if (n instanceof Decimal) return n.unscaled < 0n ? negate(n) : n;
      return n instanceof Float ? new Float(Math.abs(n.value)) : null;
    },
  },
  sign: {
    doc: "-1, 0 or 1.",
    sig: "(n: int | float | decimal) -> int?",
    effect: "pure",
    example: "sign(-2.5)  // -1",
    run: (_task, n: Argument) => {
      if (n instanceof Decimal) return compare(n, 0);
      const value = numberOf(n);
      if (value === undefined) return null;
      return value > 0 ? 1 : value < 0 ? -1 : 0;
    },
  },
  floor: {
    doc: "The next int at or below.",
    sig: "(x: int | float | decimal) -> int?",
    effect: "pure",
    example: "floor(-1.5)  // -2",
    run: (_task, x: Argument) => toWhole(Math.floor, x),
  },
  ceil: {
    doc: "The next int at or above.",
    sig: "(x: int | float | decimal) -> int?",
    effect: "pure",
    example: "ceil(1.2)  // 2",
    run: (_task, x: Argument) => toWhole(Math.ceil, x),
  },
  round: {
    doc: "The nearest int, halves away from zero. With `digits`, rounded to so many decimals and still a float (or a decimal).",
    sig: "(x: int | float | decimal, digits?: int) -> int | float | decimal | nil",
    effect: "pure",
    example: "round(-2.5)  // -3",
    run: (_task, x: Argument, digits: Argument) => {
      if (typeof digits !== "number") return toWhole(roundHalf, x);
      if (x instanceof Decimal) return decimalAt(x, digits);
      return x instanceof Float ? new Float(roundDigits(x.value, digits)) : isInt(x) ? x : null;
    },
  },
  sqrt: real("The square root.", "sqrt(9)  // 3.0", Math.sqrt),
  pow: {
    doc: "`base` to the power of `exponent`: an int for ints with an exponent of at least 0, while it fits.",
    sig: "(base: int | float, exponent: int | float) -> int | float | nil",
    effect: "pure",
    example: "pow(2, 10)  // 1024",
    run: (_task, base: Argument, exponent: Argument) => {
      const b = numberOf(base);
      const e = numberOf(exponent);
      if (b === undefined || e === undefined) return null;
      if (isInt(base) && isInt(exponent) && exponent >= 0) return power(base, exponent);
      return new Float(b ** e);
    },
  },
  min: {
    doc: "The smaller of two numbers; a float when either is one.",
    sig: "(a: int | float | decimal, b: int | float | decimal) -> int | float | decimal | nil",
    effect: "pure",
    example: "min(3, 2)  // 2",
    run: (_task, a: Argument, b: Argument) => pick(a, b, (x, y) => x < y),
  },
  max: {
    doc: "The larger of two numbers; a float when either is one.",
    sig: "(a: int | float | decimal, b: int | float | decimal) -> int | float | decimal | nil",
    effect: "pure",
    example: "max(3, 2.5)  // 3.0",
    run: (_task, a: Argument, b: Argument) => pick(a, b, (x, y) => x > y),
  },
  sin: real("The sine of an angle in radians.", "sin(0)  // 0.0", Math.sin),
  cos: real("The cosine of an angle in radians.", "cos(0)  // 1.0", Math.cos),
  tan: real("The tangent of an angle in radians.", "tan(0)  // 0.0", Math.tan),
  asin: real("The angle whose sine it is.", "asin(0)  // 0.0", Math.asin),
  acos: real("The angle whose cosine it is.", "acos(1)  // 0.0", Math.acos),
  atan: real("The angle whose tangent it is.", "atan(0)  // 0.0", Math.atan),
  atan2: {
    doc: "The angle of the point (x, y).",
    sig: "(y: int | float, x: int | float) -> float?",
    effect: "pure",
    example: "atan2(0, 1)  // 0.0",
    run: (_task, y: Argument, x: Argument) => {
      const [a, b] = [numberOf(y), numberOf(x)];
      return a === undefined || b === undefined ? null : new Float(Math.atan2(a, b));
    },
  },
  ln: real("The natural logarithm.", "ln(1)  // 0.0", Math.log),
  log2: real("The logarithm of base 2.", "log2(8)  // 3.0", Math.log2),
  log10: real("The logarithm of base 10.", "log10(1000)  // 3.0", Math.log10),
  exp: real("e to the power of x.", "exp(0)  // 1.0", Math.exp),
  is_nan: {
    doc: "Whether a float is not a number.",
    sig: "(n: any) -> bool",
    effect: "pure",
    example: 'is_nan(to_float("NaN"))  // true',
    run: (_task, n: Argument) => n instanceof Float && Number.isNaN(n.value),
  },
  is_infinite: {
    doc: "Whether a float is infinite.",
    sig: "(n: any) -> bool",
    effect: "pure",
    example: 'is_infinite(to_float("-inf"))  // true',
    run: (_task, n: Argument) => n instanceof Float && (n.value === Infinity || n.value === -Infinity),
  },
  mean: {
    doc: "The arithmetic mean of a list of numbers; 0.0 for an empty one.",
    sig: "(items!: list<int | float>) -> float",
    effect: "pure",
    example: "mean([1, 2, 6])  // 3.0",
    run: (_task, items: List) => new Float(listMean(numbersOf(items))),
  },
  median: {
    doc: "The middle of a list of numbers.",
    sig: "(items!: list<int | float>) -> float",
    effect: "pure",
    example: "median([4, 1, 3, 2])  // 2.5",
    run: (_task, items: List) => new Float(percentile(needItems("median", items), 50)),
  },
  variance: {
    doc: "The variance of a list of numbers; of a sample when `sample` is true.",
    sig: "(items!: list<int | float>, sample: bool = false) -> float",
    effect: "pure",
    example: "variance([1, 2, 3, 4])  // 1.25",
    run: (_task, items: List, sample: Argument) => new Float(varianceOf("variance", items, sample)),
  },
  stddev: {
    doc: "The standard deviation of a list of numbers; of a sample when `sample` is true.",
    sig: "(items!: list<int | float>, sample: bool = false) -> float",
    effect: "pure",
    example: "stddev([2, 4, 4, 4, 5, 5, 7, 9])  // 2.0",
    run: (_task, items: List, sample: Argument) => new Float(Math.sqrt(varianceOf("stddev", items, sample))),
  },
  percentile: {
    doc: "The value below which `p` percent of the items lie, interpolated between neighbours.",
    sig: "(items!: list<int | float>, p: int | float >= 0 <= 100) -> float",
    effect: "pure",
    example: "percentile([10, 20, 30], 25)  // 15.0",
    run: (_task, items: List, p: number | Float) =>
      new Float(percentile(needItems("percentile", items), numberOf(p)!)),
  },
});
