/**
 * Whether an expression may stand where a type is expected. More than the compatibility of two types: a literal list or
 * dict that nobody else holds is judged by its parts, because `[1]` is a right `list<int | nil>` although `list<int>`
 * does not fit it; and a variable may be excused by what was last assigned to it.
 */
import type { DictLit, Expr, ListLit } from "../syntax/index.ts";
import { type Checker, visit } from "./checker.ts";
import { fits, whyNot } from "./fits.ts";
import type { ShapeType, Type } from "./type.ts";
import { hole } from "./type.ts";
import { choices, resolved } from "./type-scope.ts";

/** Parts of a literal that are looked at; beyond, it is taken as right. */
const MAX_PARTS = 5_000;

export function accepts(c: Checker, node: Expr, actual: Type, expected: Type): boolean {
  if (fits(actual, expected)) return true;
  const variable = c.variableOf(node);
  if (variable !== undefined) {
    const assigned = c.localsHidden ? undefined : c.flow.lastAssigned(variable);
    return assigned !== undefined && fits(assigned, expected);
  }
  if (!isLiteral(node)) return false;
  return c.quietly(() => new LiteralQuestion(c).fits(node, expected, false));
}

const isLiteral = (node: Expr): boolean =>
  node.kind === "ListLit" || node.kind === "DictLit" || node.kind === "Ternary";

class LiteralQuestion {
  private readonly c: Checker;
  private parts = MAX_PARTS;

  constructor(c: Checker) {
    this.c = c;
  }

  fits(node: Expr, expected: Type, exact: boolean): boolean {
    if (--this.parts < 0) return true;
    if (node.kind === "Ternary") {
      return this.part(node.then, expected, exact) && this.part(node.else, expected, exact);
    }
    for (const choice of choices(expected)) {
      if (node.kind === "ListLit" && this.list(node, choice)) return true;
      if (node.kind === "DictLit" && this.dict(node, choice, exact)) return true;
    }
    return false;
  }

  private part(node: Expr, expected: Type, exact: boolean): boolean {
    if (fits(visit.infer(this.c, node), expected, exact)) return true;
    return isLiteral(node) && this.fits(node, expected, exact);
  }

  /** The elements of a list keep their type: an int there is not a float. */
  private list(node: ListLit, expected: Type): boolean {
    if (expected.kind !== "name" || expected.name !== "list") return false;
    const element = expected.args[0] ?? hole;
    return node.elements.every((one) => one.kind === "Spread" || this.part(one, element, true));
  }

  private dict(node: DictLit, expected: Type, exact: boolean): boolean {
    if (expected.kind === "shape") return this.shape(node, expected, exact);
    if (expected.kind !== "name" || expected.name !== "dict") return false;
    const value = expected.args[1] ?? hole;
    return node.entries.every((one) => one.kind === "Spread" || this.part(one.value, value, exact));
  }

  private shape(node: DictLit, expected: ShapeType, exact: boolean): boolean {
    const given = new Map<string, Expr>();
    for (const one of node.entries) {
      if (one.kind === "Spread" || typeof one.key !== "string") return true;
      given.set(one.key, one.value);
    }
    for (const field of expected.fields.values()) {
      if (field.optional) continue;
      const value = given.get(field.name);
      if (value === undefined || !this.part(value, field.type, exact)) return false;
    }
    return true;
  }
}

/** Why a value does not satisfy the interface that is expected; for a hint. */
export function interfaceReason(actual: Type, expected: Type): string | undefined {
  const wanted = resolved(expected);
  return wanted.kind === "name" ? whyNot(resolved(actual), wanted) : undefined;
}
