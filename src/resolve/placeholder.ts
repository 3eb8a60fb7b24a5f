/**
 * The pipe placeholder: does the right side of `|>` contain `_` where language.md §8.7 looks for it? (Calls, method
 * receivers and arguments, operators, list elements, property access, indexing; not closures, not dict literals.)
 */
import type { Arg, Expr, Spread } from "../syntax/index.ts";

export function hasPlaceholder(root: Expr): boolean {
  const pending: (Arg | Spread | undefined)[] = [root];
  while (pending.length > 0) {
    const node = pending.pop();
    switch (node?.kind) {
      case "Identifier":
        if (node.name === "_") return true;
        break;
      case "Call":
        pending.push(node.callee, ...node.args);
        break;
      case "MethodCall":
        pending.push(node.receiver, ...node.args);
        break;
      case "Spread":
      case "NamedArg":
      case "Propagate":
      case "TryStar":
        pending.push(node.value);
        break;
      case "Unary":
        pending.push(node.operand);
        break;
      case "Binary":
        pending.push(node.left, node.right);
        break;
      case "Ternary":
        pending.push(node.condition, node.then, node.else);
        break;
      case "RangeExpr":
        pending.push(node.from, node.to);
        break;
      case "ListLit":
        pending.push(...node.elements);
        break;
      case "Member":
        pending.push(node.object);
        break;
      case "Index":
        pending.push(node.object, node.index);
        break;
      case "Slice":
        pending.push(node.object, node.from, node.to);
        break;
      default:
        break;
    }
  }
  return false;
}
