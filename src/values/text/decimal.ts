/**
 * Decimal numbers (language.md §29.2): exact base-ten values that keep their scale, for money. `1.50` is 150 with
 * scale 2. The arithmetic is that of the General Decimal Arithmetic at 28 digits: sums, differences and products are
 * exact up to 28 significant digits, quotients have at most so many, and what does not fit is rounded half to even.
 * Ints take part in it, floats do not: 0.1 as a float is not a tenth, and mixing them would hide that.
 */
import type { Value } from "../value.ts";

declare module "../value.ts" {
  interface ValueClasses {
    readonly decimal: Decimal;
  }
}

/** Significant digits of results. */
const PRECISION = 28;
/** Digits after and before the point: a loop of squarings must not fill the memory. */
const maxScale = 400;
const maxWholeDigits = 400;
/** Digits of a power before it is rounded. */
const maxPowerDigits = 100_000;

export class Decimal {
  declare readonly type: "decimal";
  /** The value times ten to the power of the scale. */
  readonly unscaled: bigint;
  /** Digits after the point; never negative. */
  readonly scale: number;

  constructor(unscaled: bigint, scale: number) {
    this.unscaled = unscaled;
    this.scale = scale;
  }

  /** `-1.50`: all digits of the scale. */
  toString(): string {
    const digits = String(abs(this.unscaled)).padStart(this.scale + 1, "0");
    const point = digits.length - this.scale;
    const text = this.scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
    return this.unscaled < 0n ? `-${text}` : text;
  }
}
Object.defineProperty(Decimal.prototype, "type", { value: "decimal" });

/** Raised by the operators as an error of the script. */
export class DecimalOverflow extends Error {}

const abs = (n: bigint): bigint => (n < 0n ? -n : n);
const ten = (power: number): bigint => 10n ** BigInt(power);

const decimalText = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

/** The decimal that a text writes out; `undefined` for other texts and for more digits than a decimal may have. */
export function parseDecimal(text: string): Decimal | undefined {
  if (!decimalText.test(text)) return undefined;
  const [whole = "", fraction = ""] = text.split(".");
  if (whole.length > maxWholeDigits || fraction.length > maxScale) return undefined;
  return new Decimal(
    BigInt((whole + fraction).replace(/^\+/, "").replace(/^-$/, "0") || "0"),
    fraction.length,
  );
}

export const decimalOfInt = (n: number | bigint): Decimal => new Decimal(BigInt(n), 0);

/** Both operands as decimals, when one is a decimal and the other a decimal or an int. */
export function decimals(a: Value, b: Value): readonly [Decimal, Decimal] | undefined {
  if (!(a instanceof Decimal) && !(b instanceof Decimal)) return undefined;
  const x = decimalOperand(a);
  const y = decimalOperand(b);
  return x === undefined || y === undefined ? undefined : [x, y];
}

function decimalOperand(value: Value): Decimal | undefined {
  if (value instanceof Decimal) return value;
  return typeof value === "number" || typeof value === "bigint" ? decimalOfInt(value) : undefined;
}

/** Both values at one scale. */
function aligned(a: Decimal, b: Decimal): readonly [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.unscaled * ten(scale - a.scale), b.unscaled * ten(scale - b.scale), scale];
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const [x, y, scale] = aligned(a, b);
  return rounded(x + y, scale);
}

export const subtractDecimals = (a: Decimal, b: Decimal): Decimal => addDecimals(a, negateDecimal(b));

export const negateDecimal = (a: Decimal): Decimal => new Decimal(-a.unscaled, a.scale);

export const multiplyDecimals = (a: Decimal, b: Decimal): Decimal =>
  rounded(a.unscaled * b.unscaled, a.scale + b.scale);

/** `b` is not zero. An exact quotient has as few digits as it needs, but keeps the difference of the scales. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  const wanted = Math.max(0, a.scale - b.scale);
  // Enough digits that the quotient has one more than the precision; what is left over only decides a tie.
  const extra = Math.max(0, PRECISION + 2 + digitsOf(b.unscaled) - digitsOf(a.unscaled));
  const numerator = a.unscaled * ten(extra + b.scale);
  const quotient = numerator / b.unscaled;
  const scale = extra + a.scale;
  if (numerator % b.unscaled === 0n) return rounded(...trimmedDigits(quotient, scale, wanted));
  const sticky = numerator < 0n === b.unscaled < 0n ? 1n : -1n;
  return rounded(quotient * 10n + sticky, scale + 1);
}

/** What is left of a division to a whole number, with the sign of the dividend. */
export function remainderOfDecimals(a: Decimal, b: Decimal): Decimal {
  const [x, y, scale] = aligned(a, b);
  return rounded(x % y, scale);
}

/** To a whole power; `undefined` when the exponent is no whole number. A zero has no negative powers. */
export function powerOfDecimal(a: Decimal, exponent: Decimal): Decimal | undefined {
  const power = wholeOfDecimal(exponent);
  if (power * ten(exponent.scale) !== exponent.unscaled) return undefined;
  const times = Number(abs(power));
  if (times * digitsOf(a.unscaled) > maxPowerDigits) throw new DecimalOverflow();
  const exact = [a.unscaled ** BigInt(times), a.scale * times] as const;
  return power < 0n ? divideDecimals(decimalOfInt(1), new Decimal(...exact)) : rounded(...exact);
}

/** The value with so many digits after the point, half to even. */
export function atScale(a: Decimal, scale: number): Decimal {
  if (scale >= a.scale) return new Decimal(a.unscaled * ten(scale - a.scale), scale);
  return new Decimal(withoutDigits(a.unscaled, a.scale - scale), scale);
}

/**
 * The whole number that a rounding gives, exactly. `round` sees a number with the same whole part's side of a half:
 * what lies after the point becomes 0, 0.25, 0.5 or 0.75.
 */
export function roundDecimal(a: Decimal, round: (x: number) => number): bigint {
  const whole = wholeOfDecimal(a);
  const rest = a.unscaled - whole * ten(a.scale);
  const half = sign(2n * abs(rest) - ten(a.scale));
  const share = rest === 0n ? 0 : half < 0 ? 0.25 : half === 0 ? 0.5 : 0.75;
  return whole + BigInt(round(sign(rest) * share));
}

/** Toward zero. */
export const wholeOfDecimal = (a: Decimal): bigint => a.unscaled / ten(a.scale);

export const maxDecimalScale = maxScale;

/** Negative, zero or positive; NaN against NaN. Exact against floats too. */
export function compareDecimal(a: Decimal, b: Decimal | number | bigint): number {
  if (typeof b === "number" && !Number.isInteger(b)) {
    if (!Number.isFinite(b)) return Number.isNaN(b) ? Number.NaN : b > 0 ? -1 : 1;
    const [numerator, denominator] = ratioOf(b);
    return sign(a.unscaled * denominator - numerator * ten(a.scale));
  }
  const [x, y] = aligned(a, b instanceof Decimal ? b : decimalOfInt(b));
  return sign(x - y);
}

const sign = (n: bigint): number => (n < 0n ? -1 : n > 0n ? 1 : 0);

/** A finite float as a fraction whose denominator is a power of two. */
function ratioOf(value: number): readonly [bigint, bigint] {
  let numerator = value;
  let power = 0n;
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    power++;
  }
  return [BigInt(numerator), 1n << power];
}

/** The int or float that equals a decimal, else its shortest text: equal values have equal keys. */
export function decimalKey(a: Decimal): number | bigint | string {
  const [unscaled, scale] = trimmedDigits(a.unscaled, a.scale, 0);
  if (scale === 0) {
    const small = Number(unscaled);
    return Number.isSafeInteger(small) ? small + 0 : unscaled;
  }
  const short = new Decimal(unscaled, scale);
  const float = Number(short.toString());
  return compareDecimal(short, float) === 0 ? float : short.toString();
}

/** Drops zeros at the end of the fraction, down to `least` digits. */
function trimmedDigits(unscaled: bigint, scale: number, least: number): [bigint, number] {
  let digits = unscaled;
  let left = scale;
  while (left > least && digits % 10n === 0n) {
    digits /= 10n;
    left--;
  }
  return [digits, left];
}

const digitsOf = (n: bigint): number => String(abs(n)).length;

/** A result within precision and limits. */
function rounded(unscaled: bigint, scale: number): Decimal {
  const excess = Math.max(digitsOf(unscaled) - PRECISION, scale - maxScale);
  if (excess <= 0) return new Decimal(unscaled, scale);
  const kept = withoutDigits(unscaled, excess);
  const left = scale - excess;
  if (left >= 0) return new Decimal(kept, left);
  if (digitsOf(kept) - left > maxWholeDigits) throw new DecimalOverflow();
  return new Decimal(kept * ten(-left), 0);
}

/** Drops digits at the end, half to even. */
function withoutDigits(unscaled: bigint, count: number): bigint {
  const unit = ten(count);
  const whole = unscaled / unit;
  const rest = abs(unscaled % unit) * 2n;
  const up = rest > unit || (rest === unit && whole % 2n !== 0n);
  return up ? whole + (unscaled < 0n ? -1n : 1n) : whole;
}
