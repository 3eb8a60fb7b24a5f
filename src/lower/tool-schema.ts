/** The JSON-schema dicts that a `tool` declaration's parameters and result become (language.md §21). */
import type { Expr, Param, TypeExpr } from "../syntax/index.ts";
import { Dict, List, type Value } from "../values/index.ts";
import { literalValue } from "./literals.ts";

const names: ReadonlyMap<string, string> = new Map([
  ["string", "string"],
  ["int", "integer"],
  ["float", "number"],
  ["bool", "boolean"],
  ["list", "array"],
  ["dict", "object"],
  ["nil", "null"],
]);

const any = (): Dict => Dict.of({ type: "any" });

/** `any` for what has no schema. */
export function typeSchema(type: TypeExpr | undefined): Dict {
  return lower(type) ?? any();
}

function lower(type: TypeExpr | undefined): Dict | undefined {
  switch (type?.kind) {
    case "NamedType": {
      const name = names.get(type.name.text);
      if (name === undefined) return undefined;
      if (name === "array" && type.args.length === 1)
        return Dict.of({ type: name, items: typeSchema(type.args[0]) });
      if (name === "object" && type.args.length === 2)
        return Dict.of({ type: name, additionalProperties: typeSchema(type.args[1]) });
      return Dict.of({ type: name });
    }
    case "ListType":
      return Dict.of({ type: "array", items: typeSchema(type.element) });
    case "OptionalType":
      return oneOf([type.type, undefined]);
    case "UnionType":
      return lowerUnion(type.members);
    case "LiteralType":
      return type.value === null ? Dict.of({ type: "null" }) : literals([type.value]);
    case "ShapeType":
      return Dict.of({
        type: "object",
        properties: Dict.from(type.fields.map((field) => [field.name.text, typeSchema(field.type)] as const)),
        required: new List(type.fields.filter((field) => !field.optional).map((field) => field.name.text)),
      });
    case "OwnedType":
      return lower(type.type);
    default:
      return undefined;
  }
}

function literals(values: readonly Value[]): Dict {
  if (values.every((value) => typeof value === "boolean")) return Dict.of({ type: "boolean" });
  const type = values.every((value) => typeof value === "string") ? "string" : "integer";
  return Dict.of({ type, enum: new List([...values]) });
}

function lowerUnion(members: readonly TypeExpr[]): Dict {
  const values = members.map((member) => (member.kind === "LiteralType" ? member.value : null));
  if (values.every((value) => typeof value === "string")) return literals(values);
  if (values.every((value) => typeof value === "number" || typeof value === "bigint"))
    return literals(values);
  return oneOf(members);
}

/** `undefined` stands for nil. */
function oneOf(members: readonly (TypeExpr | undefined)[]): Dict {
  return Dict.of({
    oneOf: new List(
      members.map((member) => (member === undefined ? Dict.of({ type: "null" }) : typeSchema(member))),
    ),
  });
}

/** One entry per parameter; a default makes it optional. */
export function toolParameters(params: readonly Param[]): Dict {
  return Dict.from(
    params.map((param) => {
      const schema = typeSchema(param.type);
      if (param.default === undefined) return [param.name.text, schema] as const;
      const optional = schema.with("required", false);
      const value = constantOf(param.default);
      return [param.name.text, value === undefined ? optional : optional.with("default", value)] as const;
    }),
  );
}

/** A default's value, when it is written out. */
function constantOf(node: Expr): Value | undefined {
  if (node.kind === "Unary" && node.op === "-" && node.operand.kind === "IntLit")
    return 0 - Number(node.operand.value);
  if (node.kind === "ListLit") {
    const items = node.elements.map((element) =>
      element.kind === "Spread" ? undefined : constantOf(element),
    );
    return items.includes(undefined) ? undefined : new List(items as Value[]);
  }
  if (node.kind === "DictLit") {
    const entries: [string, Value][] = [];
    for (const entry of node.entries) {
      const value = entry.kind === "Spread" ? undefined : constantOf(entry.value);
      if (entry.kind === "Spread" || typeof entry.key !== "string" || value === undefined) return undefined;
      entries.push([entry.key, value]);
    }
    return Dict.from(entries);
  }
  return literalValue(node);
}

/** The declared result; `undefined` when none is declared. */
export const toolOutput = (type: TypeExpr | undefined): Dict | undefined =>
  type === undefined ? undefined : typeSchema(type);
