/** What nodes are, by their kinds. A door of its own: who runs trees that were parsed before does not load the parser. */
import type { Expr, Item } from "./ast.ts";

/** What a link of a chain (`.name`, `[…]`, `.method(…)`, `?`, `|>`) stands after; `undefined` when it is no link. */
export function leftOfLink(node: Expr): Expr | undefined {
  switch (node.kind) {
    case "Member":
    case "Index":
    case "Slice":
      return node.object;
    case "MethodCall":
      return node.receiver;
    case "Propagate":
    case "Pipe":
      return node.value;
    default:
      return undefined;
  }
}

/** Declarations run before the pipeline; of these only functions, tools … have something to run. */
export const isDeclaration = (item: Item): boolean => item.kind.endsWith("Decl");
