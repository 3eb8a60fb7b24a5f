/** Types as people write them (language.md §17.9). */
import type { Type } from "./type.ts";

/** Longer than this, a type in a message helps nobody. */
const MAX_LENGTH = 400;

/** The text of a type. */
export function showType(type: Type): string {
  const text = show(type, 0);
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}

function show(type: Type, depth: number): string {
  if (depth > 20) return "…";
  switch (type.kind) {
    case "hole":
      return "_";
    case "any":
    case "unknown":
    case "never":
      return type.kind;
    case "name":
    case "alias":
      return type.args.length === 0
        ? type.name
        : `${type.name}<${type.args.map((arg) => show(arg, depth + 1)).join(", ")}>`;
    case "union":
      return type.members.map((member) => show(member, depth + 1)).join(" | ");
    case "shape":
      return `{${[...type.fields.values()]
        .map((field) => `${field.name}${field.optional ? "?" : ""}: ${showField(field.type, depth)}`)
        .join(", ")}}`;
    case "fn":
      return `fn(${type.params.map((param) => show(param, depth + 1)).join(", ")}) -> ${show(type.returns, depth + 1)}`;
    case "literal":
      return typeof type.value === "string" ? JSON.stringify(type.value) : String(type.value);
    case "var":
      return type.name;
    case "opaque":
      return type.text;
  }
}

/** The fields of a dict literal whose type is not known are shown as nil (language.md §17.1). */
function showField(type: Type, depth: number): string {
  return type.kind === "hole" ? "nil" : show(type, depth + 1);
}

/** `T | nil` the short way, for the checks that exist under strict types only. */
export function showOptional(type: Type): string {
  if (type.kind !== "union") return showType(type);
  const rest = type.members.filter((member) => !(member.kind === "name" && member.name === "nil"));
  if (rest.length === type.members.length) return showType(type);
  const text = rest.map(showType).join(" | ");
  return rest.length > 1 ? `(${text})?` : `${text}?`;
}
