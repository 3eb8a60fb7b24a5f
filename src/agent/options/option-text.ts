/** A wrong value of an option, for its error: texts quoted, numbers and bools as they are, everything else by its type. */
import { Float, typeOf, type Value } from "../../values/index.ts";

export function optionText(value: Value): string {
  if (typeof value === "string") return `"${value}"`;
  if (value instanceof Float) return String(value.value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeOf(value);
}
