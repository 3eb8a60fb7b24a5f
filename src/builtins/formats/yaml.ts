/** YAML (builtins.md §2.10). Aliases are limited: a few lines of YAML can name each other into gigabytes. */
import type { Document, Node } from "yaml";
import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import {
  containsItself,
  Dict,
  display,
  Float,
  fitsInt,
  intFromBig,
  List,
  SetValue,
  StructValue,
  thrown,
  toKey,
  type Value,
} from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";

type YamlLibrary = ReturnType<Task["runtime"]["host"]["libraries"]["yaml"]>;

const maxAliases = 100;

export function parseYaml(task: Task, text: string): Value {
  const library = task.runtime.host.libraries.yaml();
  const lineCounter = new library.LineCounter();
  const document = library.parseDocument(text, {
    intAsBigInt: true,
    prettyErrors: true,
    logLevel: "error",
    uniqueKeys: false,
    lineCounter,
  });
  const [error] = document.errors;
  if (error !== undefined) throw thrown(`YAML parse error: ${plainWords(withoutColon(error.message))}`);
  const doubled = doubledKey(library, document);
  if (doubled !== undefined) {
    const { line, col } = lineCounter.linePos(doubled);
    throw thrown(`YAML parse error: Map keys must be unique at line ${line}, column ${col}`);
  }
  try {
    const data: unknown = document.toJS({ mapAsMap: true, maxAliasCount: maxAliases });
    if (containsItself(data)) throw thrown(`YAML parse error: ${circular}`);
    return fromYaml(data);
  } catch (problem) {
    if (problem instanceof ReferenceError) throw thrown(`YAML parse error: ${problem.message}`);
    throw problem;
  }
}

/** Where a key stands that its map has already. The library compares each key with all before it: half a minute for 30,000. */
function doubledKey(library: YamlLibrary, document: Document): number | undefined {
  let found: number | undefined;
  library.visit(document, {
    Map: (_, map) => {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name = library.isScalar(key) ? key.value : key;
        if (seen.has(name)) {
          found = library.isNode(key) ? (key.range?.[0] ?? 0) : 0;
          return library.visit.BREAK;
        }
        seen.add(name);
      }
      return undefined;
    },
  });
  return found;
}

/** The library reads nested values by recursion, and passes on what JavaScript says when that goes too deep. */
const plainWords = (message: string): string =>
  message.replace("Maximum call stack size exceeded", "values are nested too deeply");

const circular = "an alias stands inside of what it names: the value would contain itself";

function withoutColon(message: string): string {
  return message.split("\n", 1)[0]?.replace(/:$/, "") ?? message;
}

function fromYaml(data: unknown): Value {
  if (typeof data === "bigint") return fitsInt(data) ? intFromBig(data) : new Float(Number(data));
  if (typeof data === "number") return new Float(data);
  if (Array.isArray(data)) return new List(data.map(fromYaml));
  if (data instanceof Map) {
    return Dict.from([...data].map(([key, value]) => [toKey(fromYaml(key)), fromYaml(value)] as const));
  }
  return typeof data === "string" || typeof data === "boolean" ? data : null;
}

/** Nodes rather than plain data, so that 2.0 stays a float and every key a string. */
function toYaml(library: YamlLibrary, value: Value): Node {
  const { Pair, Scalar, YAMLMap, YAMLSeq } = library;
  if (value instanceof List || value instanceof SetValue) {
    const list = new YAMLSeq();
    list.items = value.toArray().map((item) => toYaml(library, item));
    return list;
  }
  if (value instanceof Dict || value instanceof StructValue) {
    const map = new YAMLMap();
    for (const [key, entry] of value.entries()) {
      map.items.push(new Pair(new Scalar(key), toYaml(library, entry)));
    }
    return map;
  }
  if (value instanceof Float) {
    const scalar = new Scalar(value.value);
    if (Number.isInteger(value.value)) scalar.minFractionDigits = 1;
    return scalar;
  }
  return new Scalar(value === null || typeof value !== "object" ? value : display(value));
}

function stringifyYaml(task: Task, value: Value): string {
  const library = task.runtime.host.libraries.yaml();
  const document = new library.Document(null);
  document.contents = toYaml(library, value);
  return document.toString({ lineWidth: 0 });
}

export const yaml = defineBuiltins("yaml", {
  yaml_parse: {
    doc: "The value of a YAML text; nil for an empty one.",
    sig: "(text: any) -> any",
    effect: "pure",
    traits: ["uncheckedText", "unvalidated"],
    example: 'yaml_parse("a: [1, 2.5]\\nb: yes it is")  // {a: [1, 2.5], b: yes it is}',
    run: (task, text: Argument) => parseYaml(task, textOf(text)),
  },
  yaml_stringify: {
    doc: "A value as YAML, keys sorted, with a newline at the end.",
    sig: "(value: any) -> string",
    effect: "pure",
    example: 'yaml_stringify({b: [1], a: 2.0}) == "a: 2.0\\nb:\\n  - 1\\n"  // true',
    run: (task, value: Argument) => stringifyYaml(task, value ?? null),
  },
});
