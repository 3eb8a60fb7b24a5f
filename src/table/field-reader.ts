/**
 * Reads a dict by its rows: an option that is absent or nil has the default of its row. What has no row can't be read,
 * so that no option exists that nobody describes.
 */
import { Callable, Dict, Duration, Float, isInt, List, type Value } from "../values/index.ts";
import { checkFieldTypes } from "./field-check.ts";
import type { FieldTable } from "./fields.ts";

export class FieldReader {
  private readonly dict: Dict | null;
  private readonly table: FieldTable;
  private readonly caller: string;
  private readonly path: string;

  /** Checks the types of the dict; throws the first that is wrong. Names are the business of `checkNames`. */
  constructor(caller: string, dict: Dict | null, table: FieldTable, path = "") {
    if (dict !== null) checkFieldTypes(caller, dict, table, path);
    this.dict = dict;
    this.table = table;
    this.caller = caller;
    this.path = path;
  }

  /** As given, else the default, else nil. */
  value(name: string): Value {
    const row = this.table.get(name);
    if (row === undefined) throw new Error(`${this.caller}: no row for the option ${this.path}${name}`);
    return this.dict?.get(name) ?? defaultOf(row.default);
  }

  /** Whether the script gave it. */
  has(name: string): boolean {
    return (this.dict?.get(name) ?? null) !== null;
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    return typeof value === "string" ? value : undefined;
  }

  /** An int or float. */
  number(name: string): number | undefined {
    const value = this.value(name);
    if (isInt(value)) return Number(value);
    return value instanceof Float ? value.value : undefined;
  }

  bool(name: string): boolean | undefined {
    const value = this.value(name);
    return typeof value === "boolean" ? value : undefined;
  }

  /** A duration, or a number of milliseconds. */
  milliseconds(name: string): number | undefined {
    const value = this.value(name);
    return value instanceof Duration ? value.ms : this.number(name);
  }

  dictOf(name: string): Dict | undefined {
    const value = this.value(name);
    return value instanceof Dict ? value : undefined;
  }

  list(name: string): readonly Value[] | undefined {
    const value = this.value(name);
    return value instanceof List ? value.toArray() : undefined;
  }

  closure(name: string): Callable | undefined {
    const value = this.value(name);
    return value instanceof Callable ? value : undefined;
  }
}

/** Texts, numbers, bools and nil as they are written; everything else is said in words and reads as nil. */
function defaultOf(text: string | undefined): Value {
  if (text === undefined || text === "nil") return null;
  if (/^-?\d+$/.test(text)) return Number(text);
  if (/^-?\d*\.\d+$/.test(text)) return new Float(Number(text));
  if (text === "true" || text === "false") return text === "true";
  return text.startsWith('"') ? (JSON.parse(text) as string) : null;
}
