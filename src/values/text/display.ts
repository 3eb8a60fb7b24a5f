/** Display forms (language.md §5): the one conversion from value to text. */
import { Callable } from "../callable.ts";
import { Dict } from "../collections/dict.ts";
import { HandleValue } from "../collections/handle.ts";
import { List } from "../collections/list.ts";
import { SetValue } from "../collections/set.ts";
import { Atomic, Bytes, Duration, EnumValue, Float, Pair, Range, StructValue } from "../scalars.ts";
import { lazyError } from "../script-error.ts";
import type { Value } from "../value.ts";
import { Decimal } from "./decimal.ts";
import { type Group, writeTree } from "./tree-text.ts";

/** The text of a value, as `log`, interpolation and messages show it. */
export function display(value: Value): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
  }
  return value === null ? "nil" : writeTree(value, piece);
}

let inMessage = 0;

/** The same for messages and logs, which show what can't be printed by its kind. */
export function displayAnyway(value: Value): string {
  inMessage++;
  try {
    return display(value);
  } finally {
    inMessage--;
  }
}

/** What a message shows of a value that it refuses: texts in quotes, so that `"3"` is told from `3`; the beginning of what is long. */
export function shownValue(value: Value): string {
  const shown = typeof value === "string" ? JSON.stringify(value) : displayAnyway(value);
  return shown.length <= maxShown ? shown : `${shown.slice(0, maxShown)}…`;
}

/** Characters. */
const maxShown = 120;

/** The dict key that a value stands for. */
export const toKey = (value: Value): string => (typeof value === "string" ? value : display(value));

const digitGroup = (
  open: string,
  close: string,
  children: ArrayLike<Value>,
  count: number,
  labels?: readonly string[],
): Group => ({ open, close, separator: ", ", labels, children, count });

function piece(value: Value): string | Group {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
  }
  if (value === null) return "nil";
  if (value instanceof Float) return displayFloat(value.value);
  if (value instanceof List) return digitGroup("[", "]", value.buffer, value.length);
  if (value instanceof Dict) {
    const values = value.sortedValues();
    return digitGroup(
      "{",
      "}",
      values,
      values.length,
      value.keys().map((key) => `${key}: `),
    );
  }
  if (value instanceof StructValue) return structGroup(value);
  if (value instanceof EnumValue) return enumPiece(value);
  if (value instanceof SetValue) return digitGroup("set(", ")", value.buffer, value.size);
  if (value instanceof Pair) return digitGroup("(", ")", [value.first, value.second], 2);
  return leaf(value);
}

function structGroup(value: StructValue): Group {
  const fields = value.entries();
  const labels = fields.map(([name]) => `${name}: `);
  return digitGroup(
    `${value.struct.name} {`,
    "}",
    fields.map(([, field]) => field),
    fields.length,
    labels,
  );
}

function enumPiece(value: EnumValue): string | Group {
  const name = `${value.enumName}.${value.variant}`;
  return value.fields.length === 0 ? name : digitGroup(`${name}(`, ")", value.fields, value.fields.length);
}

function leaf(value: Exclude<Value, null | boolean | number | bigint | string>): string {
  if (value instanceof Range) return `${value.from} to ${value.to}${value.exclusive ? " exclusive" : ""}`;
  if (value instanceof Duration) return displayDuration(value.ms);
  if (value instanceof Decimal) return value.toString();
  if (value instanceof Bytes) return displayBytes(value.data);
  if (value instanceof Atomic) return `<atomic:${value.value}>`;
  if (value instanceof Callable) {
    return value.type === "builtin" ? `<builtin ${value.name}>` : `<fn(${value.params.join(", ")})>`;
  }
  if (inMessage === 0 && value.type === "iter") throw lazyError("has no printed form");
  return value instanceof HandleValue ? value.display() : "";
}

/** A float's text: `5.0`, shortest round trip, never an exponent. */
export function displayFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  if (Number.isInteger(value)) {
    if (Math.abs(value) < 1e15) return `${text}.0`;
  }
  return text.includes("e") ? withoutExponent(text) : text;
}

/** `1.5e-7` to `0.00000015`. */
function withoutExponent(text: string): string {
  const [mantissa = "", exponentText = "0"] = text.split("e");
  const sign = mantissa.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = mantissa.slice(sign.length).split(".");
  const digits = whole + fraction;
  const point = whole.length + Number(exponentText);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + "0".repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

const UNITS: readonly (readonly [string, number])[] = [
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
];

/** A duration in the largest unit up to hours that divides it. */
export function displayDuration(ms: number): string {
  if (ms !== 0) {
    for (const [unit, size] of UNITS) if (ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

const SHOWN_BYTES = 32;

function displayBytes(data: Uint8Array): string {
  let hex = "";
  for (let i = 0; i < data.length && i < SHOWN_BYTES; i++)
    hex += (data[i] as number).toString(16).padStart(2, "0");
  return data.length > SHOWN_BYTES ? `b"${hex}...+${data.length - SHOWN_BYTES}"` : `b"${hex}"`;
}
