/** `||` and `&&` as in other languages, where they give one of their operands (language.md §6.2). */
import type { Binary, Expr } from "../syntax/index.ts";
import type { Checker } from "./checker.ts";
import { showType } from "./model/show-type.ts";
import { bool, nil, type Type, widened } from "./model/type.ts";
import { choices } from "./model/type-scope.ts";

const literals: ReadonlySet<Expr["kind"]> = new Set([
  "IntLit",
  "FloatLit",
  "DurationLit",
  "StringLit",
  "NilLit",
  "ListLit",
  "DictLit",
]);

/** A literal as the right operand: the result is always the same, or that of the left side alone. */
export function checkLiteralOperand(c: Checker, node: Binary): void {
  const { op, left, right } = node;
  if ((op !== "||" && op !== "&&") || !literals.has(right.kind)) return;
  c.report("HARN-TYP-027", node, { op, instead: logicHint(c, op, left, right) });
}

function logicHint(c: Checker, op: "||" | "&&", left: Expr, right: Expr): string {
  const [a, b] = [c.source.slice(left), c.source.slice(right)];
  if (left.kind === "Binary" && (left.op === "==" || left.op === "!="))
    return `write \`${a} ${op} ${c.source.slice(left.left)} ${left.op} ${b}\``;
  return op === "||" ? `write \`${a} ?? ${b}\`` : `write \`${a} ? ${b} : nil\``;
}

/** The value of `a || b` is taken, and b is certainly no bool: somebody wanted b. */
export function checkTruthTaken(c: Checker, node: Expr): void {
  if (node.kind !== "Binary" || (node.op !== "||" && node.op !== "&&") || literals.has(node.right.kind))
    return;
  const type = c.quietly(() => c.visit.infer(c, node.right));
  if (choices(type).every((one) => isNoBool(widened(one))))
    c.report("HARN-TYP-028", node, { op: node.op, type: showType(type) });
}

const isNoBool = (type: Type): boolean =>
  type.kind === "shape" ||
  (type.kind === "name" && type !== bool && type !== nil && type.decl?.node.kind !== "InterfaceDecl");
