/** Values of enums: that the variant is declared, and has as many values (language.md §15.2). */
import type { Arg, EnumDecl, Expr, MethodCall, VariantDecl } from "../syntax/index.ts";
import { type Checker, isEnumRef } from "./checker.ts";
import { accepts, mismatchOf } from "./literals.ts";
import { hole, type Type, widened } from "./model/type.ts";
import { resultOf } from "./operators.ts";

/** Arguments that can be counted and matched with parameters. */
export const arePlainArguments = (args: readonly Arg[]): args is readonly Expr[] =>
  args.every((arg) => arg.kind !== "Spread" && arg.kind !== "NamedArg");

interface Construction {
  readonly node: MethodCall;
  readonly types: readonly Type[];
}

/** The type of `E.V` and `E.V(…)`; the types of a payload are judged under strict types only (language.md §15.2). */
export function enumType(
  c: Checker,
  name: string,
  variant: string,
  made: Construction | undefined,
  at: { readonly start: number; readonly end: number },
): Type {
  if (name === "Result") {
    const payload = widened(made?.types[0] ?? hole);
    return variant === "Ok" ? resultOf(payload, hole) : resultOf(hole, payload);
  }
  const decl = c.scope.declaration(name);
  if (decl?.node.kind !== "EnumDecl") return hole;
  checkVariant(c, decl.node, variant, made, at);
  return { kind: "name", name, args: [], decl };
}

function checkVariant(
  c: Checker,
  node: EnumDecl,
  variant: string,
  made: Construction | undefined,
  at: { readonly start: number; readonly end: number },
): void {
  const name = node.name.text;
  const declared = declaredVariant(c, node, variant, at);
  if (declared === undefined || made === undefined || !arePlainArguments(made.node.args)) return;
  if (made.types.length !== declared.params.length)
    c.report("HARN-ORC-001", made.node, {
      text: `${name}.${variant} expects ${declared.params.length} argument(s), got ${made.types.length}`,
    });
  if (c.strict) checkPayload(c, declared, made, name);
}

function checkPayload(c: Checker, declared: VariantDecl, made: Construction, name: string): void {
  const scope = c.scope.declaration(name)?.scope ?? c.scope;
  declared.params.forEach((param, index) => {
    const arg = made.node.args[index] as Expr | undefined;
    if (param.type === undefined || arg === undefined) return;
    const expected = scope.type(param.type);
    if (!accepts(c, arg, made.types[index]!, expected))
      c.report("HARN-TYP-017", arg, {
        variant: `${name}.${declared.name.text}`,
        field: param.name.text,
        ...mismatchOf(arg, made.types[index]!, expected),
      });
  });
}

/** `Shape.Circle(r)` in an arm: a variant that is declared, and no more names than it has values. */
export function checkVariantPattern(c: Checker, pattern: Expr): void {
  if (pattern.kind !== "Member" && pattern.kind !== "MethodCall") return;
  const object = pattern.kind === "Member" ? pattern.object : pattern.receiver;
  const ref = object.kind === "Identifier" ? c.module.refs.get(object) : undefined;
  const decl = isEnumRef(ref) ? c.scope.declaration(ref.name) : undefined;
  if (decl?.node.kind !== "EnumDecl") return;
  const declared = declaredVariant(c, decl.node, pattern.name.text, pattern.name);
  const extra = pattern.kind === "MethodCall" && declared && pattern.args[declared.params.length];
  if (declared && extra)
    c.report("HARN-ORC-001", extra, {
      text: `${decl.node.name.text}.${declared.name.text} has ${declared.params.length} value(s): this is always nil`,
    });
}

/** The variant of this name; that there is none is said. */
function declaredVariant(
  c: Checker,
  node: EnumDecl,
  variant: string,
  at: { readonly start: number; readonly end: number },
): VariantDecl | undefined {
  const declared = node.variants.find((one) => one.name.text === variant);
  if (declared === undefined) {
    const variants = node.variants.map((one) => one.name.text);
    c.report("HARN-NAM-009", at, { variant, enum: node.name.text, variants });
  }
  return declared;
}
