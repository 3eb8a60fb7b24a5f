/**
 * Functions that say what they give and end without giving it: only `return` gives a value, so the last expression of a
 * declared function is dropped and its caller gets nil (language.md §8.1).
 */
import type { FnDecl } from "../../syntax/index.ts";
import type { Checker } from "../checker.ts";
import { showType } from "../model/show-type.ts";
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
  for (const dropped of endsOf(node.body.statements).values)
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
