/** Reads the dict of a declaration by its rows; everything that is wrong is said in the words of HARN-EVL-001 and 002. */
import { nearest } from "../../diagnostics/index.ts";
import { eachNested, type FieldTable, mismatch, shownValue } from "../../table/index.ts";
import {
  Callable,
  Dict,
  Duration,
  display,
  Float,
  isInt,
  List,
  type ScriptError,
  type Value,
} from "../../values/index.ts";
import { evalError } from "../eval-error.ts";

export class TaskReader {
  readonly task: string;
  private readonly input: Dict;
  private readonly path: string;

  /** Checks names and types, of the dicts inside too. `path` is where the dict stands in the task. */
  constructor(task: string, options: Dict, table: FieldTable, path = "") {
    this.task = task;
    this.input = options;
    this.path = path;
    checkDict(task, options, table, path);
  }

  /** Nil when it is absent. */
  value(name: string): Value {
    return this.input.get(name) ?? null;
  }

  has(name: string): boolean {
    return this.value(name) !== null;
  }

  /** An error about one of its fields. */
  wrong(name: string, what: string, got: string = shownValue(this.value(name))): ScriptError {
    return wrongField(this.task, this.path + name, what, got);
  }

  text(name: string): string | null {
    const value = this.value(name);
    return typeof value === "string" ? value : null;
  }

  /** A text, or an int as a text. */
  seed(name: string): string | null {
    const value = this.value(name);
    return value === null ? null : display(value);
  }

  number(name: string): number | null {
    return numberOf(this.value(name));
  }

  bool(name: string): boolean {
    return this.value(name) === true;
  }

  /** A duration, or a number of milliseconds. */
  milliseconds(name: string): number | null {
    const value = this.value(name);
    const ms = value instanceof Duration ? value.ms : numberOf(value);
    if (ms !== null && ms <= 0) throw this.wrong(name, "a time above 0");
    return ms;
  }

  dict(name: string): Dict | null {
    const value = this.value(name);
    return value instanceof Dict ? value : null;
  }

  list(name: string): readonly Value[] | null {
    const value = this.value(name);
    return value instanceof List ? value.toArray() : null;
  }

  texts(name: string): string[] | null {
    const list = this.list(name);
    return list === null
      ? null
      : list.map((item, at) => {
          if (typeof item === "string") return item;
          throw this.wrong(`${name}[${at}]`, "a text", shownValue(item));
        });
  }

  closure(name: string): Callable | null {
    const value = this.value(name);
    return value instanceof Callable ? value : null;
  }

  /** Entries of a dict of texts. */
  textsByName(name: string): Record<string, string> | null {
    const dict = this.dict(name);
    if (dict === null) return null;
    return Object.fromEntries([...dict.entries()].map(([key, value]) => [key, display(value)]));
  }
}

export const wrongField = (task: string, field: string, what: string, got: string): ScriptError =>
  evalError("HARN-EVL-001", { task, field, what, got });

export function numberOf(value: Value): number | null {
  if (isInt(value)) return Number(value);
  return value instanceof Float ? value.value : null;
}

function checkDict(task: string, options: Dict, table: FieldTable, path: string): void {
  for (const [key, value] of options.entries()) {
    const row = table.get(key);
    if (row === undefined) {
      // Model options: vendors' own fields are judged where the call is made.
      if (key.startsWith("_") || table.others !== undefined) continue;
      const near = nearest(key, table.names());
      throw evalError("HARN-EVL-002", {
        task,
        field: path + key,
        near: near === undefined ? undefined : path + near,
      });
    }
    if (value === null) continue;
    const expected = mismatch(row, value);
    if (expected !== undefined) throw wrongType(task, path + key, expected, value);
    const { nested } = row;
    if (nested !== undefined)
      eachNested(value, row, path + key, (inner, at) => checkDict(task, inner, nested, `${at}.`));
  }
}

/** Where a list of texts holds something else, that is what is wrong. */
function wrongType(task: string, field: string, expected: string, value: Value): ScriptError {
  const items = expected === "list<string>" && value instanceof List ? value.toArray() : [];
  const at = items.findIndex((item) => typeof item !== "string");
  if (at < 0) return wrongField(task, field, inWords(expected), shownValue(value));
  const example = field === "gates" ? ', such as "success >= 0.80"' : "";
  return wrongField(task, `${field}[${at}]`, `a text${example}`, shownValue(items[at] as Value));
}

const words: Readonly<Record<string, string>> = {
  string: "a text",
  int: "an int",
  float: "a number",
  bool: "a bool",
  dict: "a dict",
  list: "a list",
  closure: "a closure",
  duration: "a duration",
  "list<string>": "a list of texts",
  "dict<string, string>": "a dict of texts",
};

/** `string | list` as people say it: `a text or a list`. */
function inWords(type: string): string {
  if (type.includes('"')) return type;
  const [least, ...range] = type.split(/(?= (?:>=|<=|from) )/);
  const parts = (least as string).split(" | ").map((part) => words[part] ?? part);
  const last = parts.pop() as string;
  const joined = parts.length === 0 ? last : `${parts.join(", ")} or ${last}`;
  return joined + range.join("");
}
