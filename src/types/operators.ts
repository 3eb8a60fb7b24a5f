/** Operators: what they give, and operands that can never work (language.md §17.1, §17.3, §17.6). */
import type { Span } from "../source/index.ts";
import type { Binary, BinaryOp, Expr } from "../syntax/index.ts";
import type { Checker } from "./checker.ts";
import { isAssigned } from "./literals.ts";
import { showOptional, showType } from "./model/show-type.ts";
import {
  applied,
  bool,
  dict,
  float,
  hole,
  includesNil,
  int,
  isNumberType,
  list,
  mixed,
  nil,
  type ReferenceType,
  same,
  string,
  type Type,
  union,
  widened,
  withoutNil,
} from "./model/type.ts";
import { resolvedAlias } from "./model/type-scope.ts";

/** Where an operation stands, for its findings. */
export interface OperandPlace {
  readonly at: Span;
  readonly left: Expr;
  readonly right: Expr;
}

export const placeOf = (node: Binary): OperandPlace => ({ at: node, left: node.left, right: node.right });

/** The type of `left op right`. */
export function operatorType(c: Checker, op: BinaryOp, left: Type, right: Type, place: OperandPlace): Type {
  switch (op) {
    case "&&":
    case "||":
    case "in":
    case "not in":
      return bool;
    case "==":
    case "!=":
      checkEquality(c, op, c.certainType(place.left, left), c.certainType(place.right, right), place);
      return bool;
    case "<":
    case ">":
    case "<=":
    case ">=":
      checkOrder(c, op, left, right, place);
      return bool;
    case "??":
      return orElseType(left, right);
    default:
      return arithmetic(c, op, widenedType(left), widenedType(right), place);
  }
}

/** `a ?? b`. A nil that stands in for an unknown value says nothing about it. */
function orElseType(left: Type, right: Type): Type {
  const outer = resolvedAlias(left);
  if (outer === nil) return right;
  if (outer.kind === "hole" || outer.kind === "any" || outer.kind === "unknown")
    return right === nil || right.kind === "never" ? hole : right;
  const rest = withoutNil(outer);
  return includesNil(outer) && !same(rest, right) && right !== nil ? rest : outer === rest ? left : rest;
}

/** An operand's type for arithmetic: aliases expanded, literals as their base. */
const widenedType = (type: Type): Type => widened(resolvedAlias(type));

/** A type that is one bare name; only of these the checker is sure (language.md §17.3, last line). */
const isPlainName = (type: Type): boolean => type.kind === "name" && type.args.length === 0;

const baseNames: ReadonlySet<string> = new Set([
  "int",
  "float",
  "string",
  "bool",
  "nil",
  "list",
  "dict",
  "set",
  "closure",
  "bytes",
  "duration",
  "decimal",
  "range",
]);

const isBase = (type: Type): boolean => isPlainName(type) && baseNames.has((type as { name: string }).name);

const isDecimal = (type: Type): boolean => isPlainName(type) && (type as { name: string }).name === "decimal";
const isDuration = (type: Type): boolean =>
  isPlainName(type) && (type as { name: string }).name === "duration";
const isList = (type: Type): boolean => type.kind === "name" && type.name === "list";
const isDictType = (type: Type): boolean =>
  type.kind === "shape" || (type.kind === "name" && type.name === "dict");

function arithmetic(c: Checker, op: BinaryOp, left: Type, right: Type, place: OperandPlace): Type {
  if (nilable(c, op, left, right, place)) return hole;
  if (isNumberType(left) && isNumberType(right)) {
    if (op === "**" && left === int && right === int) return hole;
    return left === int && right === int ? int : float;
  }
  if (isDecimal(left) ? isDecimal(right) || right === int : left === int && isDecimal(right))
    return isDecimal(left) ? left : right;
  if (op === "+") return addition(c, left, right, place);
  if (op === "*") {
    if ((left === string && right === int) || (left === int && right === string)) return string;
    if (isDuration(left) && isNumberType(right)) return left;
    if (isNumberType(left) && isDuration(right)) return right;
    if (isBase(left) && isBase(right))
      c.report("HARN-TYP-002", place.at, {
        text: `can't multiply ${showType(left)} and ${showType(right)} (try string * int)`,
        help: 'multiply numbers, or repeat a string: `"-" * 10`',
      });
    return hole;
  }
  if (isBase(left) && isBase(right))
    c.report("HARN-TYP-002", place.at, {
      text: `can't use '${op}' on ${showType(left)} and ${showType(right)} (needs numeric operands)`,
      help: "convert with `to_int(…)` or `to_float(…)`",
    });
  return hole;
}

function addition(c: Checker, left: Type, right: Type, place: OperandPlace): Type {
  if (left === string && right === string) return string;
  if (isList(left) && isList(right)) return same(left, right) ? left : list;
  if (isDictType(left) && isDictType(right)) return same(left, right) && left.kind === "name" ? left : dict;
  if (isPlainName(left) && isPlainName(right))
    c.report("HARN-TYP-002", place.at, {
      text: `can't add ${showType(left)} and ${showType(right)}`,
      help: left === string || right === string ? interpolation(c, place) : "convert one of them first",
    });
  return hole;
}

/** The fix for text and number: one string with both as holes or text. */
function interpolation(c: Checker, place: OperandPlace): string {
  const part = (span: Span): string => {
    const text = c.source.slice(span);
    const literal = /^"([^"\\\n$]*)"$/.exec(text)?.[1] ?? /^\d+$/.exec(text)?.[0];
    return literal ?? `\${${text}}`;
  };
  const text = `"${part(place.left)}${part(place.right)}"`;
  return text.length > 80 || text.includes("\n")
    ? 'build the text with interpolation: `"…${value}…"`'
    : `use interpolation: \`${text}\``;
}

/** Under strict types: an operand that may be nil. */
function nilable(c: Checker, op: BinaryOp, left: Type, right: Type, place: OperandPlace): boolean {
  if (!c.strict) return false;
  const [type, at] = left.kind === "union" && includesNil(left) ? [left, place.left] : [right, place.right];
  if (type.kind !== "union" || !includesNil(type) || isAssigned(c, at)) return false;
  c.report("HARN-TYP-002", at, {
    text: `operand of '${op}' may be nil (type ${showOptional(type)}); handle nil first or provide a default with \`??\``,
    help: "test it with `!= nil`, or write `(value ?? default)`",
  });
  return true;
}

const isNumeric = (type: Type): boolean => isNumberType(type) || isDecimal(type);

function checkOrder(c: Checker, op: string, left: Type, right: Type, place: OperandPlace): void {
  const a = widenedType(left);
  const b = widenedType(right);
  if (!isPlainName(a) || !isPlainName(b)) return;
  if ((isNumeric(a) && isNumeric(b)) || (a === b && orderedOperands(a))) return;
  const bothOrdered = [a, b].every((type) => isNumeric(type) || type === string);
  const text = bothOrdered
    ? `Comparing ${showType(a)} with ${showType(b)} using '${op}' may give unexpected results`
    : `Comparison '${op}' may not be meaningful for types ${showType(a)} and ${showType(b)}`;
  c.report("HARN-TYP-018", place.at, { text });
}

/** `colour == "Red"`: the variant was meant. */
function variantHelp(
  c: Checker,
  op: string,
  [type, node]: readonly [Type, Expr],
  [, text]: readonly [Type, Expr],
): string | undefined {
  const { kind, ...named } = resolvedAlias(type);
  const decl = kind === "name" ? (named as ReferenceType).decl?.node : undefined;
  if (decl?.kind !== "EnumDecl" || text.kind !== "StringLit") return undefined;
  const variant = decl.variants.find((one) => one.name.text.toLowerCase() === text.value.toLowerCase());
  const name = `${decl.name.text}.${variant?.name.text ?? decl.variants[0]?.name.text ?? "…"}`;
  const left = c.source.slice(node);
  return variant?.params.length === 0
    ? `write \`${left} ${op} ${name}\``
    : `write \`match ${left} { ${name}… -> … }\`, or compare \`${left}.variant\``;
}

/** What values of a type can be equal to: those of the same group. Other types are not judged. */
const equalGroups: ReadonlyMap<string, string> = new Map([
  ["int", "number"],
  ["float", "number"],
  ["decimal", "number"],
  ["builtin", "closure"],
  ["Result", "enum Result"],
]);
/** Types whose values equal only values of the same. */
const equalAlone: ReadonlySet<string> = new Set(
  "string bool list dict set range bytes duration closure".split(" "),
);

function checkEquality(c: Checker, op: "==" | "!=", left: Type, right: Type, place: OperandPlace): void {
  const [a, b] = [left, right].map((type) => equalGroup(widenedType(type)));
  if (a === undefined || b === undefined || a === b) return;
  c.report("HARN-TYP-026", place.at, {
    op,
    left: showType(widenedType(left)),
    right: showType(widenedType(right)),
    help:
      variantHelp(c, op, [left, place.left], [right, place.right]) ??
      variantHelp(c, op, [right, place.right], [left, place.left]),
  });
}

const equalGroup = (type: Type): string | undefined => {
  if (type.kind === "shape") return "dict";
  if (type.kind === "fn") return "closure";
  if (type.kind !== "name") return undefined;
  // A struct may stand where a dict is declared.
  if (type.decl?.node.kind === "StructDecl") return "dict";
  if (type.decl?.node.kind === "EnumDecl") return `enum ${type.name}`;
  if (type.decl !== undefined) return undefined;
  return equalAlone.has(type.name) ? type.name : equalGroups.get(type.name);
};

/** Strings, pairs and lists have an order of their own (language.md §4.4). */
const orderedOperands = (type: Type): boolean =>
  type === string || (type.kind === "name" && (type.name === "pair" || type.name === "list"));

/** The elements that iterating over a value gives. */
export function elementOf(iterated: Type): Type {
  const type = resolvedAlias(iterated);
  if (type.kind === "name") {
    const first = type.args[0] ?? hole;
    switch (type.name) {
      case "list":
      case "set":
      case "iter":
      case "Generator":
      case "generator":
      case "Stream":
      case "stream":
        return first;
      case "range":
        return int;
      case "dict":
        return entryShape(type.args[1] ?? hole);
      default:
        return hole;
    }
  }
  if (type.kind === "shape")
    return entryShape(mixed(union([...type.fields.values()].map((field) => field.type))));
  return hole;
}

/** `for` over a dict gives `{key, value}`. */
function entryShape(value: Type): Type {
  return {
    kind: "shape",
    fields: new Map([
      ["key", { name: "key", optional: false, type: string }],
      ["value", { name: "value", optional: false, type: value.kind === "never" ? hole : value }],
    ]),
  };
}

export const resultOf = (ok: Type, err: Type): Type => applied("Result", ok, err);
