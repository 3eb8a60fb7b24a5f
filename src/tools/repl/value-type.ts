/** The type of a value as it is written in source, for variables whose declarations are long gone. */
import type { Span } from "../../source/index.ts";
import type { TypeExpr } from "../../syntax/index.ts";
import { Dict, EnumValue, Float, List, StructValue, typeOf, type Value } from "../../values/index.ts";

/** Elements looked at; a longer list says nothing about the rest. */
const SAMPLE = 200;
const maxDepth = 4;
const plain = new Set(["string", "bool", "duration", "bytes", "set", "range"]);

/** `undefined` where the language has no words for it: then nothing is said about the variable. */
export function typeOfValue(value: Value, at: Span, depth = 0): TypeExpr | undefined {
  const named = (name: string, args: readonly TypeExpr[] = []): TypeExpr => ({
    kind: "NamedType",
    name: { text: name, ...at },
    args,
    ...at,
  });
  if (typeof value === "number" || typeof value === "bigint") return named("int");
  if (value instanceof Float) return named("float");
  if (value instanceof StructValue) return named(value.struct.name);
  if (value instanceof EnumValue) return named(value.enumName);
  if (value instanceof List) {
    const element = depth < maxDepth ? elementType(value, at, depth + 1) : undefined;
    return named("list", element === undefined ? [] : [element]);
  }
  if (value instanceof Dict && depth < maxDepth && value.keys().length <= SAMPLE) {
    const keys = value.keys();
    const types = value.sortedValues().map((part) => typeOfValue(part, at, depth + 1));
    if (keys.length > 0 && keys.every((key) => /^[A-Za-z_]\w*$/.test(key)) && types.every(Boolean))
      return {
        kind: "ShapeType",
        fields: keys.map((key, i) => ({ name: { text: key, ...at }, optional: false, type: types[i]! })),
        ...at,
      };
    return named("dict");
  }
  const name = typeOf(value);
  return plain.has(name) ? named(name) : undefined;
}

/** The one type of all elements, told apart by how they are written. */
function elementType(list: List, at: Span, depth: number): TypeExpr | undefined {
  if (list.length === 0 || list.length > SAMPLE) return undefined;
  const types = [...list].map((element) => typeOfValue(element, at, depth));
  const [first] = types;
  const text = JSON.stringify(first);
  return types.every((type) => JSON.stringify(type) === text) ? first : undefined;
}
