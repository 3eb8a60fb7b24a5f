/**
 * What a condition tells about variables (language.md §17.7). `assume(c, condition, true)` changes the current flow to
 * what is known where the condition held, `false` to where it did not.
 */
import type { Binding } from "../../resolve/index.ts";
import type { Binary, Expr, MethodCall } from "../../syntax/index.ts";
import type { Checker } from "../checker.ts";
import {
  applied,
  bool,
  closure,
  dict,
  float,
  hole,
  includesNil,
  int,
  list,
  never,
  nil,
  type ReferenceType,
  remaining,
  string,
  type Type,
  withoutNil,
} from "../model/type.ts";
import { choices, resolvedAlias } from "../model/type-scope.ts";

export function assume(c: Checker, condition: Expr, holds: boolean): void {
  const pending: [Expr, boolean][] = [[condition, holds]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [node, positive] = next;
    if (node.kind === "Unary" && node.op === "!") pending.push([node.operand, !positive]);
    else if (node.kind === "Binary" && node.op === (positive ? "&&" : "||"))
      // The left side is looked at first: what it finds, the right side builds on.
      pending.push([node.right, positive], [node.left, positive]);
    else assumeOne(c, node, positive);
  }
}

function assumeOne(c: Checker, node: Expr, positive: boolean): void {
  if (node.kind === "Identifier") {
    const variable = c.variableOf(node);
    if (variable !== undefined && positive)
      change(c, variable, (type) => (includesNil(type) ? withoutNil(type) : type));
    return;
  }
  if (node.kind === "Binary") {
    if (node.op === "==" || node.op === "!=") equality(c, node, (node.op === "==") === positive);
    return;
  }
  if (node.kind === "MethodCall") {
    if (node.name.text === "has" && positive) narrowPresent(c, node);
    return;
  }
  if (node.kind === "Call" && node.callee.kind === "Identifier") {
    const name = node.callee.name;
    if (name === "schema_is" || name === "is_type")
      schemaTest(c, node.args[0] as Expr, node.args[1] as Expr, positive);
  }
}

/** Narrows a variable, if its type is known. */
function change(c: Checker, variable: Binding, to: (type: Type) => Type): void {
  const before = c.typeOfVariable(variable);
  const type = resolvedAlias(before);
  const after = to(type);
  if (after !== type) c.flow.set(variable, after);
}

function equality(c: Checker, node: Binary, positive: boolean): void {
  for (const [side, other] of [
    [node.left, node.right],
    [node.right, node.left],
  ] as const) {
    if (narrowByValue(c, side, other, positive)) return;
  }
}

function narrowByValue(c: Checker, side: Expr, value: Expr, positive: boolean): boolean {
  const variable = c.variableOf(side);
  if (variable !== undefined && value.kind === "NilLit") {
    change(c, variable, (type) => narrowNil(type, positive));
    return true;
  }
  if (value.kind !== "StringLit" && value.kind !== "IntLit") return false;
  if (variable !== undefined) {
    change(c, variable, (type) => narrowLiteral(type, value.value, positive));
    return true;
  }
  if (value.kind !== "StringLit") return false;
  const tested = typeOfArgument(side);
  if (tested !== undefined) {
    const of = c.variableOf(tested);
    if (of !== undefined) change(c, of, (type) => narrowByName(type, value.value, positive));
    return true;
  }
  if (side.kind === "Member") {
    const tagged = c.variableOf(side.object);
    if (tagged !== undefined)
      change(c, tagged, (type) => narrowTag(type, side.name.text, value.value, positive));
    return true;
  }
  return false;
}

/** `x` in `type_of(x)`. */
export function typeOfArgument(node: Expr): Expr | undefined {
  if (node.kind !== "Call" || node.callee.kind !== "Identifier" || node.callee.name !== "type_of")
    return undefined;
  const arg = node.args[0];
  return arg === undefined || arg.kind === "Spread" || arg.kind === "NamedArg" ? undefined : arg;
}

export function narrowNil(type: Type, isNil: boolean): Type {
  if (type.kind === "unknown") return isNil ? nil : ruleOut(type, "nil");
  if (type.kind === "union" && includesNil(type)) return isNil ? nil : withoutNil(type);
  // A nil where the type names none: what it is there, nobody knows.
  return isNil && type !== nil ? hole : type;
}

/** Literal unions only: a plain string compared with a literal stays a string. */
export function narrowLiteral(type: Type, value: string | number | bigint, equal: boolean): Type {
  const members = choices(type);
  if (!members.some((member) => member.kind === "literal")) return type;
  const is = (member: Type): boolean => member.kind === "literal" && member.value === value;
  const kept = members.filter((member) => (equal ? is(member) || !literalOrNil(member) : !is(member)));
  return kept.length === members.length ? type : remaining(type, kept);
}

const literalOrNil = (member: Type): boolean => member.kind === "literal" || member === nil;

/** Names of `type_of` that narrow, and the types that they stand for. */
const byRuntimeName: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["int", int],
  ["string", string],
  ["float", float],
  ["bool", bool],
  ["nil", nil],
  ["list", list],
  ["dict", dict],
  ["closure", closure],
  ["bytes", applied("bytes")],
]);

/** In the order in which messages list what is left (language.md §17.6). */
export const concreteTypes: readonly string[] = [...byRuntimeName.keys()];

export function narrowByName(type: Type, name: string, is: boolean): Type {
  const named = byRuntimeName.get(name);
  if (type.kind === "hole" || type.kind === "any") return is && named !== undefined ? named : type;
  if (type.kind === "unknown") {
    if (named === undefined) return is ? hole : type;
    return is ? named : ruleOut(type, name);
  }
  const members = choices(type);
  const kept = members.flatMap((member): readonly Type[] => {
    const names = runtimeNames(member);
    if (names === undefined) return [member];
    if (!is) return names[0] === name ? [] : [member];
    if (!names.includes(name)) return [];
    return [member === float && name === "int" ? int : member];
  });
  if (kept.length === members.length && kept.every((member, index) => member === members[index])) return type;
  return is && kept.length === 0 ? (named ?? hole) : remaining(type, kept);
}

function ruleOut(type: Type & { kind: "unknown" }, name: string): Type {
  return type.ruledOut.includes(name) ? type : { kind: "unknown", ruledOut: [...type.ruledOut, name] };
}

/** What `type_of` may say of a value of the type, the usual answer first; `undefined` when anything is possible. */
function runtimeNames(type: Type): readonly string[] | undefined {
  switch (type.kind) {
    case "literal":
      return [typeof type.value === "string" ? "string" : "int"];
    case "shape":
      return ["dict", "struct"];
    case "fn":
      return ["closure", "builtin"];
    case "name":
      return namedRuntimeNames(type);
    default:
      return undefined;
  }
}

function namedRuntimeNames(type: ReferenceType): readonly string[] | undefined {
  switch (type.decl?.node.kind) {
    case "StructDecl":
      return ["struct"];
    case "EnumDecl":
      return ["enum"];
    case "InterfaceDecl":
      return undefined;
    default:
      break;
  }
  if (type.name === "Result") return ["enum"];
  if (type.name === "closure") return ["closure", "builtin"];
  // An int may stand where a float is expected, a struct where a dict is.
  if (type.name === "float") return ["float", "int"];
  return type.name === "dict" ? ["dict", "struct"] : [type.name];
}

/** Shapes told apart by a field with a literal type. */
export function narrowTag(type: Type, field: string, value: string, equal: boolean): Type {
  const members = choices(type);
  const kept = members.filter((member) => {
    if (member.kind !== "shape") return true;
    const tag = member.fields.get(field)?.type;
    if (tag?.kind !== "literal") return true;
    return (tag.value === value) === equal;
  });
  return kept.length === members.length ? type : remaining(type, kept);
}

/** `d.has("k")`: an optional field is there. */
function narrowPresent(c: Checker, node: MethodCall): void {
  const variable = c.variableOf(node.receiver);
  const key = node.args[0];
  if (variable === undefined || key?.kind !== "StringLit") return;
  change(c, variable, (type) => {
    const field = type.kind === "shape" ? type.fields.get(key.value) : undefined;
    if (type.kind !== "shape" || field?.optional !== true) return type;
    return { kind: "shape", fields: new Map(type.fields).set(field.name, { ...field, optional: false }) };
  });
}

/** `schema_is(x, S)`: with an alias the type is known afterwards, with any other schema the value is at least checked. */
function schemaTest(c: Checker, value: Expr | undefined, schema: Expr | undefined, positive: boolean): void {
  const variable = value === undefined ? undefined : c.variableOf(value);
  if (variable === undefined || schema === undefined) return;
  const ref = c.module.refs.get(schema);
  const alias =
    ref !== undefined && "kind" in ref && ref.kind === "alias"
      ? c.scope.declaration(ref.decl.name.text)
      : undefined;
  if (alias === undefined || alias.params.length > 0) {
    if (positive) c.flow.set(variable, hole);
    return;
  }
  const type: Type = { kind: "alias", name: alias.name, args: [], decl: alias };
  if (positive) c.flow.set(variable, type);
  else
    change(c, variable, (before) => {
      const out = choices(type);
      const members = choices(before);
      const kept = members.filter((member) => !out.includes(member));
      return kept.length === members.length || kept.length === 0 ? before : remaining(before, kept);
    });
}

/** A value that went through all its tests. */
export const isExhausted = (type: Type): boolean =>
  type === never ||
  type.kind === "never" ||
  (type.kind === "unknown" && concreteTypes.every((name) => type.ruledOut.includes(name)));
