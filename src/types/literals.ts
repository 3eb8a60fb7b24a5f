/**
 * Whether an expression may stand where a type is expected. More than the compatibility of two types: a literal list or
 * dict that nobody else holds is judged by its parts, because `[1]` is a right `list<int | nil>` although `list<int>`
 * does not fit it; and a variable may be excused by what was last assigned to it.
 */
import { nearest } from "../diagnostics/index.ts";
import type { Call, DictLit, Expr, IntLit, ListLit, StringLit, StructLit } from "../syntax/index.ts";
import type { Checker } from "./checker.ts";
import { fits, whyNotFitting } from "./model/fits.ts";
import { showType } from "./model/show-type.ts";
import type { ConstantType, RecordType, ReferenceType, Type } from "./model/type.ts";
import { hole, includesNil, nil } from "./model/type.ts";
import { argumentsOf, choices, resolvedAlias, substitute } from "./model/type-scope.ts";
import { Unification } from "./model/unify.ts";

/** Parts of a literal that are looked at; beyond, it is taken as right. */
const maxParts = 5_000;

export function accepts(c: Checker, node: Expr, actual: Type, expected: Type): boolean {
  if (fits(actual, expected)) return !contradicts(node, expected);
  if (c.variableOf(node) !== undefined) {
    const assigned = lastAssigned(c, node);
    return assigned !== undefined && fits(assigned, expected);
  }
  if (!isCollectionLiteral(node)) return false;
  return c.quietly(() => new LiteralQuestion(c).fits(node, expected, false));
}

interface Contradiction {
  readonly node: StringLit | IntLit;
  /** What may stand there. */
  readonly values: readonly ConstantType[];
}

/**
 * A text or number that is written out and is none of those that a union names: the type of a literal is `string`, which a union
 * of texts has to take, because variables hold them.
 */
function contradiction(node: Expr, expected: Type, depth = 8): Contradiction | undefined {
  if (depth === 0) return undefined;
  const inner = (part: Expr, type: Type): Contradiction | undefined => contradiction(part, type, depth - 1);
  switch (node.kind) {
    case "StringLit":
    case "IntLit": {
      const members = choices(expected);
      const values = members.filter((one): one is ConstantType => one.kind === "literal");
      const fitting =
        values.length === 0 || members.some((one) => fits({ kind: "literal", value: node.value }, one));
      return fitting ? undefined : { node, values };
    }
    case "Ternary":
      return inner(node.then, expected) ?? inner(node.else, expected);
    case "ListLit":
      return inEach(expected, "list", (one) =>
        firstOf(node.elements, (element) =>
          element.kind === "Spread" ? undefined : inner(element, (one as ReferenceType).args[0] ?? hole),
        ),
      );
    case "DictLit":
      return inEach(expected, "dict", (one) =>
        firstOf(node.entries, (entry) => {
          if (entry.kind === "Spread") return undefined;
          if (one.kind !== "shape") return inner(entry.value, (one as ReferenceType).args[1] ?? hole);
          const field = typeof entry.key === "string" ? one.fields.get(entry.key) : undefined;
          return field && inner(entry.value, field.type);
        }),
      );
    default:
      return undefined;
  }
}

/** Whether a literal, or one in it, is none of the values that a type names. */
export const contradicts = (node: Expr, expected: Type): boolean =>
  contradiction(node, expected) !== undefined;

/** The first contradiction, when every collection of the kind that a type names has one. */
function inEach(
  expected: Type,
  name: "list" | "dict",
  find: (one: Type) => Contradiction | undefined,
): Contradiction | undefined {
  const found = choices(expected)
    .filter((one) => (one.kind === "name" ? one.name !== "nil" : one.kind !== "literal"))
    .map((one) =>
      (one.kind === "shape" && name === "dict") || (one.kind === "name" && one.name === name)
        ? find(one)
        : undefined,
    );
  return found.includes(undefined) ? undefined : found[0];
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What messages say of a value that is not accepted: a literal by its value where a union names values. */
export function mismatchOf(
  node: Expr,
  actual: Type,
  expected: Type,
): { readonly expected: string; readonly found: string; readonly help?: string | undefined } {
  const wrong = contradiction(node, expected);
  const literal = wrong === undefined ? undefined : showType({ kind: "literal", value: wrong.node.value });
  const found = wrong?.node === node ? literal : undefined;
  const help = wrong === undefined ? variantOfText(node, expected) : nearValue(wrong, literal as string);
  return { expected: showType(expected), found: found ?? showType(actual), help };
}

function nearValue({ node, values }: Contradiction, shown: string): string {
  const texts = values.map((one) => String(one.value));
  const near = typeof node.value === "string" ? nearest(node.value, texts) : undefined;
  return near === undefined
    ? `${shown} is none of ${values.map(showType).join(", ")}`
    : `${shown}: did you mean ${JSON.stringify(near)}?`;
}

/** `Colour.Red`, where a text names a variant of an enum that is expected. */
function variantOfText(node: Expr, expected: Type): string | undefined {
  if (node.kind !== "StringLit") return undefined;
  for (const one of choices(expected)) {
    const decl = one.kind === "name" ? one.decl?.node : undefined;
    const variant = decl?.kind === "EnumDecl" && decl.variants.find(({ name }) => name.text === node.value);
    if (decl !== undefined && variant)
      return `write \`${decl.name.text}.${node.value}${variant.params.length > 0 ? "(…)" : ""}\``;
  }
  return undefined;
}

/** A text that is accepted, and has the name of a variant of an enum that would be, too. */
export function checkVariantText(c: Checker, node: Expr, expected: Type): void {
  const help = variantOfText(node, expected);
  if (help !== undefined)
    c.report("HARN-NAM-020", node, { text: (node as StringLit).value, type: showType(expected), help });
}

/** What a variable that is declared as a union was last given, where that is certain. */
function lastAssigned(c: Checker, node: Expr): Type | undefined {
  const variable = c.variableOf(node);
  return variable === undefined || c.localsHidden ? undefined : c.flow.lastAssigned(variable);
}

/** Was the variable last given something that is not nil? */
export function isAssigned(c: Checker, node: Expr): boolean {
  const assigned = lastAssigned(c, node);
  return assigned !== undefined && assigned !== nil && !includesNil(resolvedAlias(assigned));
}

/** What has no type of its own yet: literals, and results of generic calls. */
const isCollectionLiteral = (node: Expr): boolean =>
  node.kind === "ListLit" ||
  node.kind === "DictLit" ||
  node.kind === "StructLit" ||
  node.kind === "Call" ||
  node.kind === "Ternary";

class LiteralQuestion {
  private readonly c: Checker;
  private parts = maxParts;

  constructor(c: Checker) {
    this.c = c;
  }

  fits(node: Expr, expected: Type, exact: boolean): boolean {
    if (--this.parts < 0) return true;
    if (node.kind === "Ternary") {
      return this.part(node.then, expected, exact) && this.part(node.else, expected, exact);
    }
    return choices(expected).some((choice) => {
      switch (node.kind) {
        case "ListLit":
          return this.list(node, choice);
        case "DictLit":
          return this.dict(node, choice, exact);
        case "StructLit":
          return this.struct(node, choice);
        case "Call":
          return this.call(node, choice);
        default:
          return false;
      }
    });
  }

  private part(node: Expr, expected: Type, exact: boolean): boolean {
    if (fits(this.c.visit.infer(this.c, node), expected, exact)) return !contradicts(node, expected);
    return isCollectionLiteral(node) && this.fits(node, expected, exact);
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

  /** `Box {value: 1}` is a right `Box<float>`. */
  private struct(node: StructLit, expected: Type): boolean {
    if (expected.kind !== "name" || expected.decl?.node.kind !== "StructDecl") return false;
    const { decl } = expected;
    if (decl !== this.c.scope.declaration(node.name.text) || decl.params.length === 0) return false;
    const values = argumentsOf(decl.params, expected.args);
    const fields = new Map(expected.decl.node.fields.map((field) => [field.name.text, field.type]));
    return node.fields.every(({ name, value }) => {
      const type = fields.get(name.text);
      return type === undefined || this.part(value, substitute(decl.scope.type(type), values), false);
    });
  }

  /** A generic call whose type parameters are what the expected type makes them. */
  private call(node: Call, expected: Type): boolean {
    const fn = this.c.module.calls.get(node)?.fn?.fn;
    const signature = fn === undefined ? undefined : this.c.signature(fn);
    if (signature?.returns === undefined || signature.vars.length === 0 || node.typeArgs.length > 0)
      return false;
    const unified = new Unification(signature.vars);
    unified.learn(signature.returns, expected);
    if (!fits(unified.apply(signature.returns), expected)) return false;
    return signature.params.every((param, index) => {
      const arg = node.args[index];
      if (arg === undefined || param.rest || arg.kind === "Spread" || arg.kind === "NamedArg") return true;
      return this.part(arg, unified.apply(param.type), false);
    });
  }

  private shape(node: DictLit, expected: RecordType, exact: boolean): boolean {
    const entries = new Map<string, Expr>();
    for (const one of node.entries) {
      if (one.kind === "Spread" || typeof one.key !== "string") return true;
      entries.set(one.key, one.value);
    }
    for (const field of expected.fields.values()) {
      if (field.optional) continue;
      const value = entries.get(field.name);
      if (value === undefined || !this.part(value, field.type, exact)) return false;
    }
    return true;
  }
}

/** Why a value does not satisfy the interface that is expected; for a hint. */
export function interfaceReason(actual: Type, expected: Type): string | undefined {
  const wanted = resolvedAlias(expected);
  return wanted.kind === "name" ? whyNotFitting(resolvedAlias(actual), wanted) : undefined;
}
