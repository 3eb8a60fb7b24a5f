/** Type aliases where a schema is expected (language.md §15.5): arguments of the schema builtins, `output_schema: Alias`. */
import { Binding } from "../resolve/index.ts";
import type { Expr } from "../syntax/index.ts";
import { lowerTypeToSchema } from "../values/index.ts";
import type { Ctx, Ex } from "./node.ts";
import { constant } from "./operand.ts";

/** The schema of a type alias given by name. */
export function aliasSchema(ctx: Ctx, node: Expr): Ex | undefined {
  if (node.kind !== "Identifier") return undefined;
  const ref = ctx.module.refs.get(node);
  if (ref === undefined || ref instanceof Binding || ref.kind !== "alias") return undefined;
  const schema = lowerTypeToSchema(ref.decl.type);
  return schema === undefined ? undefined : constant(schema);
}
