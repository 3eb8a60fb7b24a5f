/** Texts of a judge's answer. */
import type { Dict } from "../../../values/index.ts";

export function textFieldOf(answer: Dict, name: string): string {
  const value = answer.get(name) ?? null;
  return typeof value === "string" ? value : "";
}
