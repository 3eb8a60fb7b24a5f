/** `match`: arms under what their patterns say, literals of the wrong type, and values that no arm takes (language.md §17.5). */
import type { Expr, Match, MatchArm } from "../../syntax/index.ts";
import { type BlockResult, type Checker, isEnumRef } from "../checker.ts";
import { checkVariantPattern } from "../enum-variants.ts";
import { showType } from "../model/show-type.ts";
import {
  bool,
  type ConstantType,
  float,
  hole,
  int,
  isNumberType,
  nil,
  type RecordType,
  type ReferenceType,
  string,
  type Type,
  widened,
} from "../model/type.ts";
import { choices, resolvedAlias } from "../model/type-scope.ts";
import { checkMatchedStates } from "../model/vocabularies.ts";
import { narrowByName, narrowLiteral, narrowNil, narrowTag, typeOfArgument } from "./narrow.ts";

export function inferMatch(
  c: Checker,
  node: Match,
  options: { readonly returns?: boolean } = {},
): BlockResult {
  const subject = c.visit.infer(c, node.subject);
  const type = resolvedAlias(subject);
  checkLiterals(c, node, type);
  checkMatchedStates(c, node, type);
  let rest = c.flow.fork();
  const ends: (typeof rest)[] = [];
  let exits = node.arms.length > 0;
  for (const arm of node.arms) {
    for (const pattern of arm.patterns) checkVariantPattern(c, pattern);
    const armType = subjectType(c, node.subject, type, rest);
    let result: BlockResult = { type: hole, exits: false };
    const end = c.inFlow(rest.fork(), () => {
      takeArm(c, node.subject, arm, armType);
      if (arm.guard !== undefined) c.visit.infer(c, arm.guard);
      result = c.visit.block(c, arm.body, options);
    });
    if (!result.exits) ends.push(end);
    exits &&= result.exits;
    rest = c.inFlow(rest, () => leaveArm(c, node.subject, arm));
  }
  checkExhaustive(c, node, type);
  // When every arm leaves, what follows is only for values that no arm took.
  const first = ends.shift() ?? rest;
  for (const end of ends) first.meet(end);
  c.flow = first;
  return { type: hole, exits };
}

/** What the subject may still be. */
function subjectType(c: Checker, subject: Expr, type: Type, flow: typeof c.flow): Type {
  const variable = c.variableOf(subject);
  return variable === undefined ? type : (flow.get(variable) ?? type);
}

/** Narrows and binds for the body of an arm. */
function takeArm(c: Checker, subject: Expr, arm: MatchArm, type: Type): void {
  const [pattern] = arm.patterns;
  if (pattern === undefined) return;
  if (arm.patterns.length === 1) {
    narrowTo(c, subject, pattern, true);
    bindNames(c, pattern, type);
  }
}

/** After an arm without guard, what it takes is gone. */
function leaveArm(c: Checker, subject: Expr, arm: MatchArm): void {
  if (arm.guard !== undefined) return;
  for (const pattern of arm.patterns) narrowTo(c, subject, pattern, false);
}

function narrowTo(c: Checker, subject: Expr, pattern: Expr, taken: boolean): void {
  const value = pattern.kind === "StringLit" || pattern.kind === "IntLit" ? pattern.value : undefined;
  const tested = typeOfArgument(subject);
  const place = tested ?? (subject.kind === "Member" ? subject.object : subject);
  const variable = c.variableOf(place);
  if (variable === undefined) return;
  const before = resolvedAlias(c.typeOfVariable(variable));
  let after = before;
  if (tested !== undefined) after = typeof value === "string" ? narrowByName(before, value, taken) : before;
  else if (subject.kind === "Member")
    after = typeof value === "string" ? narrowTag(before, subject.name.text, value, taken) : before;
  else if (pattern.kind === "NilLit") after = narrowNil(before, taken);
  else if (value !== undefined) after = narrowLiteral(before, value, taken);
  if (after !== before) c.flow.set(variable, after);
}

/** An identifier is the whole subject; what a payload or an element is, is known under strict types only. */
function bindNames(c: Checker, pattern: Expr, type: Type): void {
  if (pattern.kind === "Identifier") bind(c, pattern, type);
  else if (pattern.kind === "MethodCall") bindPayload(c, pattern);
  else if (pattern.kind === "ListLit")
    for (const element of pattern.elements) if (element.kind === "Identifier") bind(c, element, hole);
}

function bind(c: Checker, node: Expr, type: Type): void {
  if (node.kind !== "Identifier") return;
  const binding = c.bindingOf(node);
  if (binding !== undefined) c.vars.set(binding, { declared: type, annotated: true, isInferred: false });
}

function bindPayload(c: Checker, pattern: Expr & { kind: "MethodCall" }): void {
  if (!c.strict || pattern.receiver.kind !== "Identifier") return;
  const decl = c.scope.declaration(pattern.receiver.name);
  if (decl?.node.kind !== "EnumDecl" || decl.params.length > 0) return;
  const variant = decl.node.variants.find((one) => one.name.text === pattern.name.text);
  pattern.args.forEach((arg, index) => {
    const param = variant?.params[index];
    if (arg.kind === "Identifier" && param?.type !== undefined) bind(c, arg, decl.scope.type(param.type));
  });
}

// ---------------------------------------------------------------- literals

function checkLiterals(c: Checker, node: Match, subject: Type): void {
  const wanted = widened(subject);
  const isEnum = wanted.kind === "name" && wanted.decl?.node.kind === "EnumDecl";
  if (!isEnum && wanted !== int && wanted !== float && wanted !== string && wanted !== bool) return;
  for (const arm of node.arms) {
    for (const pattern of arm.patterns) {
      const type = matchedLiteralType(pattern);
      if (type === undefined || type === wanted || (isNumberType(type) && isNumberType(wanted))) continue;
      // `x?` and missing arguments give nil where an annotation does not say so.
      if (type === nil) continue;
      c.report("HARN-MAT-003", pattern, { subject: showType(subject), pattern: showType(type) });
    }
  }
}

function matchedLiteralType(pattern: Expr): Type | undefined {
  switch (pattern.kind) {
    case "IntLit":
      return int;
    case "FloatLit":
      return float;
    case "StringLit":
      return string;
    case "BoolLit":
      return bool;
    case "NilLit":
      return nil;
    case "Unary":
      return pattern.op === "-" ? matchedLiteralType(pattern.operand) : undefined;
    default:
      return undefined;
  }
}

// ---------------------------------------------------------------- exhaustiveness

/** What the arms name: literals, enum variants; `undefined` when one of them takes everything. */
interface MatchCoverage {
  readonly literals: ReadonlySet<string | number | bigint>;
  readonly types: ReadonlySet<Type>;
  readonly variants: ReadonlySet<string>;
  readonly enums: ReadonlySet<string>;
}

function coverage(c: Checker, node: Match): MatchCoverage | undefined {
  const literals = new Set<string | number | bigint>();
  const types = new Set<Type>();
  const variants = new Set<string>();
  const enums = new Set<string>();
  for (const pattern of node.arms.flatMap((arm) => arm.patterns)) {
    const type = matchedLiteralType(pattern);
    if (type !== undefined) {
      types.add(type);
      if (pattern.kind === "StringLit" || pattern.kind === "IntLit") literals.add(pattern.value);
      if (pattern.kind === "Unary" && pattern.operand.kind === "IntLit") literals.add(-pattern.operand.value);
      continue;
    }
    if (pattern.kind !== "Member" || pattern.object.kind !== "Identifier") return undefined;
    if (!isEnumRef(c.module.refs.get(pattern.object))) return undefined;
    variants.add(pattern.name.text);
    enums.add(pattern.object.name);
  }
  return { literals, types, variants, enums };
}

function checkExhaustive(c: Checker, node: Match, subject: Type): void {
  if (node.arms.length === 0) return;
  const kind = exhaustible(c, node, subject);
  if (kind === undefined) return;
  const covered = coverage(c, node);
  const missing = covered === undefined ? [] : kind.missing(covered);
  if (missing.length > 0)
    c.report("HARN-MAT-001", node.subject, {
      text: `Non-exhaustive match on ${kind.what}: ${kind.noun}${missing.join(", ")}`,
      missing,
    });
}

interface Exhaustible {
  readonly what: string;
  readonly noun: string;
  readonly missing: (covered: MatchCoverage) => readonly string[];
}

const quotedCase = (text: string): string => JSON.stringify(text);

function exhaustible(c: Checker, node: Match, subject: Type): Exhaustible | undefined {
  if (node.subject.kind === "Member") {
    const name = node.subject.name.text;
    const object = resolvedAlias(
      c.quietly(() => c.visit.infer(c, (node.subject as Expr & { kind: "Member" }).object)),
    );
    if (name === "variant" && object.kind === "name") return matchVariants(object);
    const tagged = tagValues(object, name);
    if (tagged !== undefined)
      return {
        what: "tagged shape union",
        noun: "missing variants ",
        missing: ({ literals }) => tagged.filter((tag) => !literals.has(tag.value)).map(showType),
      };
  }
  if (subject.kind === "name") return matchVariants(subject);
  return subject.kind === "union" && !subject.mixed ? unionMembers(choices(subject)) : undefined;
}

function matchVariants(type: ReferenceType): Exhaustible | undefined {
  const node = type.decl?.node;
  if (node?.kind !== "EnumDecl") return undefined;
  return {
    what: `enum ${type.name}`,
    noun: "missing variants ",
    missing: ({ variants, literals }) =>
      node.variants
        .map((variant) => variant.name.text)
        .filter((name) => !variants.has(name) && !literals.has(name))
        .map(quotedCase),
  };
}

/** The values of the field that tells the shapes of a union apart. */
function tagValues(object: Type, field: string): readonly ConstantType[] | undefined {
  const shapes = choices(object);
  if (shapes.length < 2 || !shapes.every((shape): shape is RecordType => shape.kind === "shape"))
    return undefined;
  const tags = shapes.map((shape) => shape.fields.get(field)?.type);
  return tags.every((tag): tag is ConstantType => tag?.kind === "literal") ? tags : undefined;
}

function unionMembers(members: readonly Type[]): Exhaustible | undefined {
  if (members.every((member): member is ConstantType => member.kind === "literal"))
    return {
      what: "literal union",
      noun: "missing ",
      missing: ({ literals }) => members.filter((member) => !literals.has(member.value)).map(showType),
    };
  const plain = members.every((member) => member.kind === "name" && member.args.length === 0);
  if (!plain) return undefined;
  return {
    what: "union type",
    noun: "missing ",
    missing: ({ types, enums }) =>
      members
        .filter((member) => !types.has(member) && !enums.has((member as ReferenceType).name))
        .filter((member) => !(member === float && types.has(int)))
        .map(showType),
  };
}
