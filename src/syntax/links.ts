import type { Expr } from "./ast.ts";

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
