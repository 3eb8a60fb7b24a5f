/** TOML (builtins.md §2.10). */
import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import {
  Dict,
  display,
  Float,
  fitsInt,
  intFromBig,
  List,
  SetValue,
  StructValue,
  thrown,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { type Argument, isInt, textOf } from "../arguments.ts";

function parse(task: Task, text: string): Value {
  const { parse: read } = task.runtime.host.libraries.toml();
  try {
    return fromToml(read(text, { integersAsBigInt: true }));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const [line = ""] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    const place = error as { line?: number; column?: number };
    const at = place.line === undefined ? "" : ` at line ${place.line} column ${place.column}`;
    throw thrown(`TOML parse error: ${line}${at}`);
  }
}

function fromToml(data: unknown): Value {
  if (typeof data === "bigint") return fitsInt(data) ? intFromBig(data) : new Float(Number(data));
  if (typeof data === "number") return new Float(data);
  if (typeof data === "string" || typeof data === "boolean") return data;
  if (Array.isArray(data)) return new List(data.map(fromToml));
  if (data instanceof Date) return Dict.of({ $__toml_private_datetime: tomlDate(data) });
  return Dict.from(Object.entries(data as object).map(([key, value]) => [key, fromToml(value)] as const));
}

/** The date as TOML writes it: a fraction only when there is one. */
function tomlDate(date: Date): string {
  return date.toISOString().replace(/\.000(?!\d)/, "");
}

/** The names that errors have for what TOML can't say at that place. */
const typeNames: Readonly<Record<string, string>> = {
  nil: "unit",
  int: "i64",
  float: "f64",
  string: "str",
  list: "array",
};

function unsupported(value: Value): never {
  const type = typeOf(value);
  throw thrown(`toml_stringify: unsupported ${typeNames[type] ?? type} type`);
}

function toToml(value: Value): unknown {
  if (value instanceof List || value instanceof SetValue) return value.toArray().map(toToml);
  if (value instanceof Dict || value instanceof StructValue) return tomlTable(value);
  if (value instanceof Float) return value.value;
  if (isInt(value)) return BigInt(value);
  if (typeof value === "string" || typeof value === "boolean") return value;
  return value === null ? unsupported(value) : display(value);
}

/** Own properties even for `__proto__`. */
function tomlTable(value: Dict | StructValue): object {
  const plain = {};
  for (const [key, entry] of value.entries()) {
    Object.defineProperty(plain, key, {
      value: toToml(entry),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return plain;
}

function stringifyToml(task: Task, value: Value): string {
  if (!(value instanceof Dict) && !(value instanceof StructValue)) unsupported(value);
  const { stringify: write } = task.runtime.host.libraries.toml();
  let text: string;
  try {
    text = write(tomlTable(value), { numbersAsFloat: true });
  } catch (error) {
    // Text that is no Unicode has no place in a TOML file.
    const isText = error instanceof RangeError && !error.message.startsWith("Maximum call stack");
    throw isText ? thrown(`toml_stringify: ${error.message}`) : error;
  }
  return text.trim() === "" ? "" : text.endsWith("\n") ? text : `${text}\n`;
}

/** A TOML document as a dict, for other builtins that read one. */
export function parseToml(task: Task, text: string): Dict {
  const value = parse(task, text);
  return value instanceof Dict ? value : new Dict();
}

export const toml = defineBuiltins(
  "toml",
  {
    toml_parse: {
      doc: "The value of a TOML text. Dates become `{$__toml_private_datetime: TEXT}`.",
      sig: "(text: any) -> dict",
      effect: "pure",
      traits: ["uncheckedText", "unvalidated"],
      example: 'toml_parse("a = 1\\n[t]\\nb = [1.5]")  // {a: 1, t: {b: [1.5]}}',
      run: (task, text: Argument) => parse(task, textOf(text)),
    },
    toml_stringify: {
      doc: "A dict without nil as TOML.",
      sig: "(value: dict) -> string",
      effect: "pure",
      example: 'toml_stringify({a: 1}) == "a = 1\\n"  // true',
      run: (task, value: Argument) => stringifyToml(task, value ?? null),
    },
  },
  { value: "any dict" },
);
