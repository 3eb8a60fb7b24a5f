/** The JSON-schema dicts that a `tool` declaration's parameters and result become (language.md §21). */

import type { ModuleInfo } from "../../resolve/index.ts";
import type { Expr, Param, TypeExpr } from "../../syntax/index.ts";
import { Dict, List, schemaDict, toJsonSchema, type Value } from "../../values/index.ts";
import { literalValue } from "../expressions/literals.ts";
import { orAnything } from "./schema-alias.ts";

/** The JSON Schema of a type; `{type: "any"}` for what has none. */
function typeSchema(type: TypeExpr | undefined, module: ModuleInfo): Dict {
  const schema = schemaDict(orAnything(type, module));
  return schema.get("type") === "any" ? schema : toJsonSchema(schema);
}

/** One entry per parameter; a default makes it optional. */
/** `docs`: what is said of parameters, by name. */
export function toolParameters(
  params: readonly Param[],
  module: ModuleInfo,
  docs: ReadonlyMap<string, string> = new Map(),
): Dict {
  return Dict.from(
    params.map((param) => {
      const about = docs.get(param.name.text) ?? "";
      const type = typeSchema(param.type, module);
      const schema = about === "" ? type : type.with("description", about);
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
export const toolOutput = (type: TypeExpr | undefined, module: ModuleInfo): Dict | undefined =>
  type === undefined ? undefined : typeSchema(type, module);
