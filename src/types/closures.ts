/** A closure where a function type is expected; said in more detail under strict types (language.md §17.8). */
import type { Expr } from "../syntax/index.ts";
import type { Checker } from "./checker.ts";
import { fits } from "./model/fits.ts";
import { showType } from "./model/show-type.ts";
import { hole, type Type } from "./model/type.ts";
import { resolvedAlias } from "./model/type-scope.ts";

/** Reports what is wrong with a closure; false when the general message has to do. */
export function checkClosure(c: Checker, node: Expr, found: Type, wanted: Type): boolean {
  const actual = resolvedAlias(found);
  const expected = resolvedAlias(wanted);
  if (!c.strict || node.kind !== "Closure" || actual.kind !== "fn" || expected.kind !== "fn") return false;
  if (fits({ ...actual, returns: hole }, expected)) {
    c.report("HARN-TYP-008", node.body.statements.at(-1) ?? node, {
      expected: showType(expected.returns),
      found: showType(actual.returns),
    });
  } else {
    c.report("HARN-TYP-001", node, {
      expected: showType({ ...expected, returns: hole }),
      found: showType({ ...actual, returns: hole }),
    });
  }
  return true;
}
