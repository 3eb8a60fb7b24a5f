/** Types as text (language.md §17.9). */
import type { TypeExpr, TypeParam, WhereBound } from "../ast.ts";
import { escapeText } from "./literals.ts";

/** A type on one line; alternatives inside `&`, `?` and … have no parentheses in the language, so none are needed. */
export function printedType(type: TypeExpr): string {
  switch (type.kind) {
    case "NamedType":
      return `${type.name.text}${type.args.length === 0 ? "" : `<${type.args.map(printedType).join(", ")}>`}`;
    case "ListType":
      return `list<${printedType(type.element)}>`;
    case "FnType":
      return `fn(${type.params.map(printedType).join(", ")}) -> ${printedType(type.returns)}`;
    case "ShapeType":
      return `{${type.fields.map((field) => `${field.name.text}${field.optional ? "?" : ""}: ${printedType(field.type)}`).join(", ")}}`;
    case "LiteralType":
      return typeof type.value === "string"
        ? `"${escapeText(type.value)}"`
        : type.value === null
          ? "nil"
          : String(type.value);
    case "UnionType":
      return type.members.map(printedType).join(" | ");
    case "IntersectionType":
      return type.members.map(printedType).join(" & ");
    case "OptionalType":
      return `${printedType(type.type)}?`;
    case "OwnedType":
      return `owned<${printedType(type.type)}>`;
  }
}

export function typeParamsText(params: readonly TypeParam[]): string {
  if (params.length === 0) return "";
  const each = params.map((one) =>
    one.variance === undefined ? one.name.text : `${one.variance} ${one.name.text}`,
  );
  return `<${each.join(", ")}>`;
}

export function whereText(where: readonly WhereBound[]): string {
  if (where.length === 0) return "";
  const each = where.map((one) => `${one.param.text}: ${one.bounds.map((bound) => bound.text).join(" + ")}`);
  return ` where ${each.join(", ")}`;
}
