/** What the linter asks about builtins, answered by the real table. */
import { builtinTable } from "../../src/builtins/index.ts";
import { parseSignature } from "../../src/table/index.ts";

export function builtinResult(name: string): string | undefined {
  const spec = builtinTable().get(name);
  if (spec === undefined) return undefined;
  const { returns } = parseSignature(spec.sig);
  return returns.kind === "name" ? returns.name : "any";
}
