/** Predicates of task contracts and work items (docs/control-plane.md), read strictly: what can't be looked at is refused. */
import type { JsonObject, PatternMatcher, Predicate } from "../../model/index.ts";
import { meantField, optionText } from "../../table/index.ts";
import {
  Callable,
  Dict,
  display,
  isInt,
  thrown,
  toJson,
  typeOf,
  type Value,
  wireSchema,
} from "../../values/index.ts";

/** Keys of each type beside `type`. */
export const predicateKeys: Readonly<Record<string, readonly string[]>> = {
  file_exists: ["path", "glob", "min_count", "min_bytes", "changed"],
  contains_text: ["pattern", "in", "path", "tool"],
  tool_result_success: ["tool", "args", "min_count", "fresh"],
  json_schema_valid: ["schema", "file", "item", "output"],
  custom: ["check"],
  always_true: ["judge"],
  command: ["command", "expect_status", "assert_text"],
};

/** Reads one predicate. `where` is its path among the options of `caller`: ``agent_loop: `contract.…` ``. */
export function readPredicate(value: Value, where: string, matches: PatternMatcher | null): Predicate {
  if (!(value instanceof Dict)) throw thrown(`${where} must be a dict with \`type\`; got ${typeOf(value)}`);
  const type = value.get("type") ?? null;
  const keys =
    typeof type === "string" && Object.hasOwn(predicateKeys, type) ? predicateKeys[type] : undefined;
  // What a record has of a function of another run; nobody writes it.
  if (type === "not_available") return { type, was: display(value.get("was") ?? "") };
  if (keys === undefined)
    throw thrown(
      `${where}: \`type\` must be one of ${Object.keys(predicateKeys).join(", ")}; got ${optionText(type)}`,
    );
  const read = new PredicateReader(value, where);
  read.onlyKeys(["type", ...keys]);
  switch (type as string) {
    case "file_exists": {
      const path = read.text("path");
      const glob = read.text("glob");
      if ((path === null) === (glob === null)) throw thrown(`${where}: give either \`path\` or \`glob\``);
      return {
        type: "file_exists",
        path,
        glob,
        minCount: read.count("min_count", 1),
        minBytes: read.count("min_bytes", 1),
        changed: read.flag("changed", false),
      };
    }
    case "contains_text": {
      const pattern = read.need("pattern");
      const problem = matches?.(pattern, "");
      if (typeof problem === "string") throw thrown(`${where}: \`pattern\` can't be read: ${problem}`);
      const source = read.text("in") ?? "results";
      if (source !== "results" && source !== "files" && source !== "output" && source !== "transcript")
        throw thrown(`${where}: \`in\` must be one of results, files, output, transcript; got ${source}`);
      const path = read.text("path");
      if (source === "files" && path === null)
        throw thrown(`${where}: \`in: "files"\` needs \`path\`, a file or glob`);
      return { type: "contains_text", pattern, in: source, path, tool: read.text("tool") };
    }
    case "tool_result_success":
      return {
        type: "tool_result_success",
        tool: read.need("tool"),
        args: read.dict("args"),
        minCount: read.count("min_count", 1),
        fresh: read.flag("fresh", true),
      };
    case "json_schema_valid":
      return { type: "json_schema_valid", schema: read.schema(), source: read.source() };
    case "custom": {
      const check = value.get("check") ?? null;
      if (!(check instanceof Callable))
        throw thrown(`${where}: \`check\` must be a closure; got ${typeOf(check)}`);
      return { type: "custom", check };
    }
    case "always_true": {
      const judge = value.get("judge") ?? null;
      if (judge !== null && judge !== true && !(judge instanceof Dict))
        throw thrown(`${where}: \`judge\` must be true or a dict; got ${typeOf(judge)}`);
      return { type: "always_true", judge: judge === true ? new Dict() : judge };
    }
    default:
      return {
        type: "command",
        command: read.need("command"),
        expectStatus: read.count("expect_status", 0, 0),
        assertText: read.text("assert_text"),
      };
  }
}

class PredicateReader {
  private readonly input: Dict;
  private readonly where: string;

  constructor(options: Dict, where: string) {
    this.input = options;
    this.where = where;
  }

  onlyKeys(known: readonly string[]): void {
    const unknown = this.input.keys().find((key) => !known.includes(key));
    if (unknown !== undefined)
      throw thrown(`${this.where}: unknown key \`${unknown}\`; ${meantField(unknown, known, "there are ")}`);
  }

  text(name: string): string | null {
    const value = this.input.get(name) ?? null;
    if (value !== null && (typeof value !== "string" || value === ""))
      throw thrown(`${this.where}: \`${name}\` must be a text that is not empty; got ${optionText(value)}`);
    return value;
  }

  need(name: string): string {
    const value = this.text(name);
    if (value === null) throw thrown(`${this.where}: \`${name}\` is missing`);
    return value;
  }

  count(name: string, usual: number, least = name === "min_bytes" ? 0 : 1): number {
    const value = this.input.get(name) ?? usual;
    if (!isInt(value) || Number(value) < least)
      throw thrown(`${this.where}: \`${name}\` must be an int of ${least} or more; got ${optionText(value)}`);
    return Number(value);
  }

  flag(name: string, usual: boolean): boolean {
    const value = this.input.get(name) ?? usual;
    if (typeof value !== "boolean")
      throw thrown(`${this.where}: \`${name}\` must be a bool; got ${typeOf(value)}`);
    return value;
  }

  dict(name: string): Dict | null {
    const value = this.input.get(name) ?? null;
    if (value !== null && !(value instanceof Dict))
      throw thrown(`${this.where}: \`${name}\` must be a dict; got ${typeOf(value)}`);
    return value;
  }

  schema(): JsonObject {
    const value = this.input.get("schema") ?? null;
    if (!(value instanceof Dict))
      throw thrown(`${this.where}: \`schema\` must be a schema; got ${typeOf(value)}`);
    const wrong = unknownTypeIn(toJson(value), "schema");
    if (wrong !== null) throw thrown(`${this.where}: ${wrong}`);
    return toJson(wireSchema(value)) as JsonObject;
  }

  source(): Extract<Predicate, { type: "json_schema_valid" }>["source"] {
    const file = this.text("file");
    const item = this.text("item");
    const output = this.flag("output", false);
    if ([file !== null, item !== null, output].filter(Boolean).length !== 1)
      throw thrown(`${this.where}: give one of \`file\`, \`item\` or \`output: true\``);
    if (file !== null) return { kind: "file", path: file };
    return item !== null ? { kind: "item", id: item } : { kind: "output" };
  }
}

/** Whether a schema may name it: a type of JSON or of the language. */
const isType = (name: string): boolean =>
  name === "any" || wireSchema(Dict.of({ type: name })).get("type") !== undefined;

/** A `type` that nothing can ever be, with its path; null: all of them are types. */
function unknownTypeIn(schema: unknown, path: string): string | null {
  if (Array.isArray(schema)) return firstOf(schema.map((part, at) => unknownTypeIn(part, `${path}[${at}]`)));
  if (typeof schema !== "object" || schema === null) return null;
  const { type, properties, ...rest } = schema as { readonly [name: string]: unknown };
  const unknown = [type].flat().find((one) => typeof one === "string" && !isType(one));
  if (unknown !== undefined)
    return `\`${path}.type\` must name a type, such as string, int, list or dict; got ${JSON.stringify(unknown)}`;
  const ofProperties = Object.entries(properties ?? {}).map(([name, one]) =>
    unknownTypeIn(one, `${path}.properties.${name}`),
  );
  const inside = ["items", "anyOf", "oneOf", "allOf"].map((name) =>
    unknownTypeIn(rest[name], `${path}.${name}`),
  );
  return firstOf([...ofProperties, ...inside]);
}

const firstOf = (found: readonly (string | null)[]): string | null =>
  found.find((one) => one !== null) ?? null;
