/** `x = x + [e]` and `x += [e]`: a variable that grows its own list. */
import type { Assign, Expr } from "../syntax/index.ts";

/** The element that an assignment appends to its own variable; `undefined` for every other assignment. */
export function appendedElement(node: Assign): Expr | undefined {
  const { target, value } = node;
  if (target.kind !== "Identifier") return undefined;
  if (node.op === "+=") return onlyElement(value);
  if (node.op !== "=" || value.kind !== "Binary" || value.op !== "+") return undefined;
  const { left } = value;
  return left.kind === "Identifier" && left.name === target.name ? onlyElement(value.right) : undefined;
}

function onlyElement(node: Expr): Expr | undefined {
  if (node.kind !== "ListLit" || node.elements.length !== 1) return undefined;
  const only = node.elements[0]!;
  return only.kind === "Spread" ? undefined : only;
}
