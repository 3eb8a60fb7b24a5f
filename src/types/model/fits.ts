/**
 * Compatibility: whether a value of one type may stand where another is expected (language.md §17.2).
 *
 * Every doubt is answered with yes: a hole, an undeclared name, a type parameter, a recursion deeper or longer than the
 * limits below. Recursive types are compared under the assumption that the pair in question fits.
 */
import type { FnDecl, InterfaceDecl, InterfaceMethod, Param } from "../../syntax/index.ts";
import { showType } from "./show-type.ts";
import { callableParamOf, typeSignatureOf } from "./signature-of.ts";
import {
  baseOf,
  type CallableType,
  hole,
  type RecordType,
  type ReferenceType,
  same,
  type Type,
  type TypeDeclaration,
  type TypeVar,
} from "./type.ts";
import {
  argumentsOf,
  type ImplMethod,
  resolvedAlias,
  substitute,
  type TypeDecl,
  typeDeclOf,
} from "./type-scope.ts";

/** Comparisons that one question may take; unions within unions would otherwise multiply. */
const maxSteps = 10_000;
const maxDepth = 60;

/** Generic aliases that one question may expand: one that applies itself gives a new type each time. */
const maxExpansions = 200;

class FitQuestion {
  steps = maxSteps;
  expansions = maxExpansions;
  depth = 0;
  /** An int is not a float: for the elements of a literal list, whose type is invariant. */
  readonly exact: boolean;
  private readonly assumed = new Map<object, Set<object>>();

  constructor(exact: boolean) {
    this.exact = exact;
  }

  /** Notes a pair, of types or of declarations; true when it was noted before. */
  assume(actual: Type | TypeDeclaration, expected: Type | TypeDeclaration): boolean {
    const pairs = this.assumed.get(actual) ?? new Set();
    this.assumed.set(actual, pairs);
    if (pairs.has(expected)) return true;
    pairs.add(expected);
    return false;
  }
}

/** Whether `actual` fits `expected`. */
export function fits(actual: Type, expected: Type, exact = false): boolean {
  if (actual === expected || actual.kind === "hole" || expected.kind === "hole") return true;
  return askFit(actual, expected, new FitQuestion(exact));
}

/** Fits in both directions. */
const matchesType = (a: Type, b: Type, question: FitQuestion): boolean =>
  same(a, b) || (askFit(a, b, question) && askFit(b, a, question));

const isApplied = (type: Type): boolean => type.kind === "alias" && type.args.length > 0;

function askFit(actual: Type, expected: Type, question: FitQuestion): boolean {
  if (actual === expected) return true;
  if (--question.steps < 0 || question.depth >= maxDepth) return true;
  const recursive = actual.kind === "alias" || expected.kind === "alias";
  if (recursive && question.assume(actual, expected)) return true;
  if ((isApplied(actual) || isApplied(expected)) && --question.expansions < 0) return true;
  question.depth++;
  const answer = compareTypes(resolvedAlias(actual), resolvedAlias(expected), question);
  question.depth--;
  return answer;
}

const lenient: ReadonlySet<string> = new Set(["hole", "any", "var", "opaque"]);

function compareTypes(actual: Type, expected: Type, question: FitQuestion): boolean {
  if (actual === expected || lenient.has(actual.kind) || lenient.has(expected.kind)) return true;
  if (expected.kind === "unknown" || actual.kind === "never") return true;
  if (actual.kind === "union") {
    // Inside a list the mixture is the type itself; only a value taken out of it is one of several.
    if (actual.mixed && question.depth === 1)
      return actual.members.some((member) => askFit(member, expected, question));
    return actual.members.every((member) => askFit(member, expected, question));
  }
  if (expected.kind === "union") return expected.members.some((member) => askFit(actual, member, question));
  if (actual.kind === "unknown" || expected.kind === "never") return false;
  if (expected.kind === "literal") {
    if (actual.kind === "literal") return actual.value === expected.value;
    return actual === baseOf(expected);
  }
  if (actual.kind === "literal") return askFit(baseOf(actual), expected, question);
  if (actual.kind === "shape") return shapeFits(actual, expected, question);
  if (actual.kind === "fn")
    return expected.kind === "fn" ? fnFits(actual, expected, question) : isCallable(expected);
  if (actual.kind !== "name") return false;
  if (expected.kind === "fn") return isCallable(actual);
  if (expected.kind === "shape") return isDictLikeType(actual);
  return expected.kind === "name" && namedFits(actual, expected, question);
}

const isCallable = (type: Type): boolean =>
  type.kind === "name" && (type.name === "closure" || type.name === "builtin");

/** A struct is accepted as a dict (language.md §16). */
const isDictLikeType = (type: ReferenceType): boolean => type.name === "dict" || isStruct(type);

export const isStruct = (type: Type): boolean =>
  type.kind === "name" && type.decl?.node.kind === "StructDecl";

function shapeFits(actual: RecordType, expected: Type, question: FitQuestion): boolean {
  if (expected.kind === "shape") {
    for (const field of expected.fields.values()) {
      if (field.optional) continue;
      const value = actual.fields.get(field.name);
      if (value === undefined || !askFit(value.type, field.type, question)) return false;
    }
    return true;
  }
  if (expected.kind !== "name" || expected.name !== "dict") return false;
  const values = expected.args[1] ?? hole;
  for (const field of actual.fields.values()) if (!askFit(field.type, values, question)) return false;
  return true;
}

function fnFits(actual: CallableType, expected: CallableType, question: FitQuestion): boolean {
  if (expected.params.length < actual.required) return false;
  if (expected.params.length > actual.params.length && !actual.rest) return false;
  const params = expected.params.every((param, index) =>
    askFit(param, actual.params[index] ?? hole, question),
  );
  return params && askFit(actual.returns, expected.returns, question);
}

/** The lower-case names of run-time types mean the same. */
const canonicalType = (name: string): string =>
  name === "generator" ? "Generator" : name === "stream" ? "Stream" : name;

/** Types whose arguments may be narrower; `Result` and `set` too, because nothing says otherwise. */
const covariant: ReadonlySet<string> = new Set([
  "iter",
  "Generator",
  "Stream",
  "Result",
  "set",
  "pair",
  "Pair",
]);

function namedFits(actual: ReferenceType, expected: ReferenceType, question: FitQuestion): boolean {
  if (actual.name === "int" && expected.name === "float") return !question.exact;
  if (expected.name === "dict" && isStruct(actual)) return true;
  if (expected.decl?.node.kind === "InterfaceDecl" && actual.decl !== expected.decl)
    return reasonAgainst(actual, expected, question) === undefined;
  if (canonicalType(actual.name) !== canonicalType(expected.name)) return false;
  if (actual.args.length === 0 || expected.args.length === 0) return true;
  const params = expected.decl?.params;
  return expected.args.every((arg, index) => {
    const value = actual.args[index] ?? hole;
    const variance = params === undefined ? undefined : params[index]?.variance;
    if (variance === "out" || covariant.has(canonicalType(expected.name)))
      return askFit(value, arg, question);
    return variance === "in" ? askFit(arg, value, question) : matchesType(value, arg, question);
  });
}

// ---------------------------------------------------------------- interfaces

/** The methods of a declared type, from its own file or, for an imported type, from the file that is checked. */
export function typeMethodsOf(decl: TypeDeclaration): ReadonlyMap<string, ImplMethod> | undefined {
  return typeDeclOf(decl).scope.module.impls.get(decl.name);
}

/** Why a type does not satisfy an interface; `undefined` when it does (language.md §17.3). */
export function whyNotFitting(type: Type, wanted: ReferenceType): string | undefined {
  return reasonAgainst(type, wanted, new FitQuestion(false));
}

/** An interface whose methods mention it is compared under the assumption that the type satisfies it. */
function reasonAgainst(type: Type, wanted: ReferenceType, question: FitQuestion): string | undefined {
  const decl = wanted.decl;
  if (decl?.node.kind !== "InterfaceDecl") return undefined;
  if (type.kind !== "name" || type.decl === undefined) return "only named types can satisfy interfaces";
  if (type.decl === decl || type.decl.node.kind === "InterfaceDecl") return undefined;
  if (question.assume(type.decl, decl)) return undefined;
  const wants = decl.node.methods;
  const methods = typeMethodsOf(type.decl);
  if (methods === undefined) {
    if (wants.length === 0) return undefined;
    return `missing method(s): ${wants.map((method) => method.name.text).join(", ")}`;
  }
  const associated = new AssociatedTypes(
    typeDeclOf(decl),
    decl.node,
    argumentsOf(decl.params, wanted.args),
    question,
  );
  for (const method of wants) {
    const found = methods.get(method.name.text);
    if (found === undefined) return `missing method '${method.name.text}'`;
    const reason = methodMismatch(method, found, associated, type);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** What the interface's type parameters and associated types stand for, learnt from the methods. */
class AssociatedTypes {
  readonly decl: TypeDecl;
  readonly values: Map<TypeVar, Type>;
  readonly question: FitQuestion;
  private readonly types = new Map<string, Type | undefined>();
  private readonly fixed = new Set<string>();

  constructor(decl: TypeDecl, node: InterfaceDecl, values: Map<TypeVar, Type>, question: FitQuestion) {
    this.question = question;
    this.decl = decl;
    this.values = values;
    for (const one of node.types) {
      this.types.set(one.name.text, one.type === undefined ? undefined : decl.scope.type(one.type));
      if (one.type !== undefined) this.fixed.add(one.name.text);
    }
  }

  /** Compares a type of the implementation with one of the interface; `clash` tells about an associated type. */
  compare(
    actual: Type,
    wanted: Type,
  ): { readonly clash?: string; readonly fits: boolean; readonly wanted: Type } {
    const name = wanted.kind === "opaque" ? wanted.text : undefined;
    if (name === undefined || !this.types.has(name)) {
      const expected = substitute(wanted, this.values);
      return { fits: askFit(actual, expected, this.question), wanted: expected };
    }
    const before = this.types.get(name);
    if (before === undefined) {
      this.types.set(name, actual);
      return { fits: true, wanted: actual };
    }
    if (askFit(actual, before, this.question)) return { fits: true, wanted: before };
    return {
      fits: false,
      wanted: before,
      clash: `associated type '${name}' resolves to '${showType(actual)}', expected '${showType(before)}'`,
    };
  }
}

const isSelf = (param: Param | undefined): boolean => param?.name.text === "self";

function methodMismatch(
  wanted: InterfaceMethod,
  found: ImplMethod,
  associated: AssociatedTypes,
  self: ReferenceType,
): string | undefined {
  const name = wanted.name.text;
  const wantedParams = isSelf(wanted.params[0]) ? wanted.params.slice(1) : wanted.params;
  const actualParams = implParams(found.node, wantedParams.length);
  if (actualParams.length !== wantedParams.length)
    return `method '${name}' has ${actualParams.length} parameter(s), expected ${wantedParams.length}`;
  const scope = associated.decl.scope.inner(wanted.typeParams);
  const signature = typeSignatureOf(found.node, found.scope);
  const values = argumentsOf(self.decl?.params ?? [], self.args);
  for (const [index, param] of wantedParams.entries()) {
    const own = substitute(callableParamOf(actualParams[index]!, signature.scope).type, values);
    const asked = callableParamOf(param, scope).type;
    if (own.kind === "hole" || asked.kind === "hole") continue;
    // Parameters are contravariant: what callers pass must be accepted.
    const result = associated.compare(own, asked);
    if (result.clash !== undefined) return result.clash;
    if (!result.fits && !askFit(result.wanted, own, associated.question))
      return `method '${name}' parameter ${index + 1} has type '${showType(own)}', expected '${showType(result.wanted)}'`;
  }
  if (wanted.returns === undefined || signature.returns === undefined) return undefined;
  const own = substitute(signature.returns, values);
  const result = associated.compare(own, scope.type(wanted.returns));
  if (result.clash !== undefined) return result.clash;
  return result.fits
    ? undefined
    : `method '${name}' returns '${showType(own)}', expected '${showType(result.wanted)}'`;
}

/** The parameters after the receiver, which need not be called `self`. */
function implParams(node: FnDecl, wanted: number): readonly Param[] {
  return isSelf(node.params[0]) || node.params.length === wanted + 1 ? node.params.slice(1) : node.params;
}

/** What is different about two shapes, for the end of a message; "" for other types. */
export function shapeDetails(actual: Type, expected: Type): string {
  const value = resolvedAlias(actual);
  const wanted = resolvedAlias(expected);
  if (value.kind !== "shape" || wanted.kind !== "shape") return "";
  const faults: string[] = [];
  for (const field of wanted.fields.values()) {
    if (field.optional) continue;
    const own = value.fields.get(field.name);
    if (own === undefined) faults.push(`missing field '${field.name}' (${showType(field.type)})`);
    else if (!fits(own.type, field.type))
      faults.push(`field '${field.name}' has type ${showType(own.type)}, expected ${showType(field.type)}`);
  }
  return faults.length === 0 ? "" : ` (${faults.join("; ")})`;
}
