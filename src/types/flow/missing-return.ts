/**
 * Functions that say what they give and end without giving it: only `return` gives a value, so the last expression of a
 * declared function is dropped and its caller gets nil (language.md §8.1); so does a way that comes to the end behind an `if`
 * without `else`, a loop, or a `match`.
 */
import type { Block, FnDecl, If, ToolDecl } from "../../syntax/index.ts";
import type { Checker } from "../checker.ts";
import { showType } from "../model/show-type.ts";
import { returnsValue } from "../model/tree.ts";
import { nil, type Type } from "../model/type.ts";
import type { FnSignature } from "../model/type-scope.ts";
import { choices } from "../model/type-scope.ts";
import { checkDroppedEnd, endsOf } from "./dropped-value.ts";

/** Reports what the end of a function drops: anything when its declared result excludes nil, else what only computes. */
export function checkMissingReturn(c: Checker, node: FnDecl, signature: FnSignature): void {
  const { returns } = signature;
  if (node.gen || c.module.fnByNode.get(node)?.generator === true) return;
  if (returns === undefined || !excludesNil(returns)) {
    checkDroppedEnd(c, node.body, true);
    return;
  }
  const type = showType(returns);
  let said = false;
  for (const dropped of endsOf(node.body.statements).values) {
    const given = c.quietly(() => c.visit.infer(c, dropped));
    // What gives nil, as `log(…)` does, is no result that was forgotten.
    if (given.kind === "never" || given === nil) continue;
    said = true;
    c.report("HARN-ORC-003", dropped, { name: node.name.text, type });
  }
  if (!said) reportEnd(c, node, type);
}

/** A tool gives what its last expression gives: only an end without one gives nil. */
export function checkToolEnd(c: Checker, node: ToolDecl, { returns }: FnSignature): void {
  if (returns === undefined || !excludesNil(returns) || !returnsValue(node.body)) return;
  if (!givesValue(node.body.statements)) reportEnd(c, node, showType(returns));
}

function reportEnd(c: Checker, node: FnDecl | ToolDecl, type: string): void {
  const { end } = node.body;
  c.report("HARN-TYP-004", { start: end - 1, end }, { ends: node.name.text, expected: type, found: "nil" });
}

/** Whether every way through the statements leaves or comes to a last expression. */
function givesValue(statements: Block["statements"]): boolean {
  const last = statements.at(-1);
  if (last === undefined) return false;
  if (statements.some((one) => one.kind === "Return" || one.kind === "Throw")) return true;
  if (last.kind !== "ExprStatement") return last.kind === "Mutex" && givesValue(last.body.statements);
  if (last.expr.kind === "Match") return last.expr.arms.every((arm) => givesValue(arm.body.statements));
  if (last.expr.kind !== "If") return true;
  for (let at: If = last.expr; ; at = at.else) {
    if (!givesValue(at.then.statements) || at.else === undefined) return false;
    if (at.else.kind === "Block") return givesValue(at.else.statements);
  }
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
