/**
 * Functions that say what they give and end without giving it: only `return` gives a value, so the last expression of a
 * declared function is dropped and its caller gets nil (language.md §8.1).
 */
import type { Block, Expr, FnDecl, If } from "../../syntax/index.ts";
import type { Checker } from "../checker.ts";
import { showType } from "../model/show-type.ts";
import { nil, type Type } from "../model/type.ts";
import type { FnSignature } from "../model/type-scope.ts";
import { choices } from "../model/type-scope.ts";

/** Reports what the end of a function drops, when its declared result excludes nil. */
export function checkMissingReturn(c: Checker, node: FnDecl, signature: FnSignature): void {
  const { returns } = signature;
  if (returns === undefined || node.gen || c.module.fnByNode.get(node)?.generator === true) return;
  if (!excludesNil(returns)) return;
  const type = showType(returns);
  for (const dropped of lastValues(node.body))
    if (c.quietly(() => c.visit.infer(c, dropped)).kind !== "never")
      c.report("HARN-ORC-003", dropped, { name: node.name.text, type });
}

/** Nothing that the type may stand for is nil. */
function excludesNil(type: Type): boolean {
  return choices(type).every(
    (member) =>
      member !== nil &&
      (member.kind === "name" ||
        member.kind === "shape" ||
        member.kind === "fn" ||
        member.kind === "literal"),
  );
}

/** The expressions that stand last on some way through a block, where control goes on behind it. */
function lastValues(body: Block): Expr[] {
  const found: Expr[] = [];
  const pending: Block[] = [body];
  for (let block = pending.pop(); block !== undefined; block = pending.pop()) {
    const last = block.statements.at(-1);
    if (last?.kind === "Mutex") pending.push(last.body);
    if (last?.kind !== "ExprStatement" || block.statements.some(leavesFunction)) continue;
    const inner = blocksOf(last.expr);
    if (inner === undefined) found.push(last.expr);
    else pending.push(...inner);
  }
  return found.sort((a, b) => a.start - b.start);
}

const leavesFunction = (node: Block["statements"][number]): boolean =>
  node.kind === "Return" || node.kind === "Throw" || node.kind === "Break" || node.kind === "Continue";

/** The blocks that an expression ends with; `undefined` when it is a value by itself. */
function blocksOf(node: Expr): Block[] | undefined {
  switch (node.kind) {
    case "If": {
      const blocks: Block[] = [];
      for (let at: If | undefined = node; at !== undefined; ) {
        blocks.push(at.then);
        if (at.else?.kind === "Block") blocks.push(at.else);
        at = at.else?.kind === "If" ? at.else : undefined;
      }
      return blocks;
    }
    case "Match":
      return node.arms.map((arm) => arm.body);
    case "Try":
      return node.catch === undefined ? [node.body] : [node.body, node.catch.body];
    case "Retry":
    case "Deadline":
    case "Scope":
    case "CostRoute":
      return [node.body];
    default:
      return undefined;
  }
}
