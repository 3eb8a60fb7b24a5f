/** Predicates of task contracts and work items (docs/control-plane.md), read strictly: what can't be looked at is refused. */
import type { JsonObject, PatternMatcher, Predicate } from "../../model/index.ts";
import { type At, inside, type Read, readRows, refusal, row, rows } from "../../table/index.ts";
import { Dict, display, type ScriptError, toJson, type Value, wireSchema } from "../../values/index.ts";

const strict = { strict: true } as const;

/** Rows of each type beside `type`. */
export const predicateTables = {
  file_exists: rows(
    () => ({
      type: row.exactly("file_exists").required(),
      path: row.filled(),
      glob: row.filled(),
      min_count: row.int("", 1, { min: 1 }),
      min_bytes: row.int("", 1, { min: 0 }),
      changed: row.bool("", false),
    }),
    strict,
  ),
  contains_text: rows(
    () => ({
      type: row.exactly("contains_text").required(),
      pattern: row.filled().required(),
      in: row.oneOf(["results", "files", "output", "transcript"], "", "results"),
      path: row.filled(),
      tool: row.filled(),
    }),
    strict,
  ),
  tool_result_success: rows(
    () => ({
      type: row.exactly("tool_result_success").required(),
      tool: row.filled().required(),
      args: row.dict(null),
      min_count: row.int("", 1, { min: 1 }),
      fresh: row.bool("", true),
    }),
    strict,
  ),
  json_schema_valid: rows(
    () => ({
      type: row.exactly("json_schema_valid").required(),
      schema: row.dict(null).to(wireSchemaOf).required(),
      file: row.filled(),
      item: row.filled(),
      output: row.bool("", false),
    }),
    strict,
  ),
  custom: rows(() => ({ type: row.exactly("custom").required(), check: row.closure().required() }), strict),
  always_true: rows(
    () => ({
      type: row.exactly("always_true").required(),
      judge: row
        .either([row.exactly(true), row.dict(null)])
        .to((judge) => (judge === true ? new Dict() : judge)),
    }),
    strict,
  ),
  command: rows(
    () => ({
      type: row.exactly("command").required(),
      command: row.filled().required(),
      expect_status: row.int("", 0, { min: 0 }),
      assert_text: row.filled(),
    }),
    strict,
  ),
};

const typeNames = Object.keys(predicateTables) as (keyof typeof predicateTables)[];

/** Reads one predicate. */
export function predicateOf(value: Value, place: At, matches: PatternMatcher | null): Predicate {
  const given = row.dict(null).read(value, place);
  const name = given.get("type") ?? null;
  // What a record has of a function of another run; nobody writes it.
  if (name === "not_available") return { type: name, was: display(given.get("was") ?? "") };
  const type = row.oneOf(typeNames).read(name, inside(place, "type"));
  const read = readRows<never>(given, predicateTables[type] as never, place) as AnyPredicate;
  switch (read.type) {
    case "file_exists":
      if ((read.path === null) === (read.glob === null))
        throw refusal(place, "either `path` or `glob`", given);
      return read;
    case "contains_text": {
      const problem = matches?.(read.pattern, "");
      if (typeof problem === "string")
        throw refusal(inside(place, "pattern"), "a pattern", read.pattern, { help: problem });
      if (read.in === "files" && read.path === null)
        throw refusal(inside(place, "path"), 'a file or glob (`in: "files"`)', null);
      return read;
    }
    case "json_schema_valid":
      return { type: read.type, schema: read.schema, source: documentSource(read, place) };
    default:
      return read;
  }
}

type AnyPredicate = {
  [K in keyof typeof predicateTables]: Read<(typeof predicateTables)[K]>;
}[keyof typeof predicateTables];

function documentSource(
  { file, item, output }: Read<typeof predicateTables.json_schema_valid>,
  place: At,
): Extract<Predicate, { type: "json_schema_valid" }>["source"] {
  const given = [file, item, output || null].filter((one) => one !== null);
  if (given.length !== 1) throw refusal(place, "one of `file`, `item` or `output: true`", given.length);
  if (file !== null) return { kind: "file", path: file };
  return item !== null ? { kind: "item", id: item } : { kind: "output" };
}

function wireSchemaOf(schema: Dict, place: At): JsonObject {
  const wrong = unknownTypeIn(toJson(schema), place);
  if (wrong !== null) throw wrong;
  return toJson(wireSchema(schema)) as JsonObject;
}

/** Whether a schema may name it: a type of JSON or of the language. */
const isType = (name: string): boolean =>
  name === "any" || wireSchema(Dict.of({ type: name })).get("type") !== undefined;

/** A `type` that nothing can ever be; null: all of them are types. */
function unknownTypeIn(schema: unknown, place: At): ScriptError | null {
  if (Array.isArray(schema))
    return firstProblem(schema.map((part, index) => unknownTypeIn(part, inside(place, `[${index}]`))));
  if (typeof schema !== "object" || schema === null) return null;
  const { type, properties, ...rest } = schema as { readonly [name: string]: unknown };
  const unknown = [type].flat().find((one) => typeof one === "string" && !isType(one)) as string | undefined;
  if (unknown !== undefined)
    return refusal(inside(place, "type"), "a type, such as string, int, list or dict", unknown);
  const ofProperties = Object.entries(properties ?? {}).map(([name, one]) =>
    unknownTypeIn(one, inside(inside(place, "properties"), name)),
  );
  const within = ["items", "anyOf", "oneOf", "allOf"].map((name) =>
    unknownTypeIn(rest[name], inside(place, name)),
  );
  return firstProblem([...ofProperties, ...within]);
}

const firstProblem = (found: readonly (ScriptError | null)[]): ScriptError | null =>
  found.find((one) => one !== null) ?? null;
