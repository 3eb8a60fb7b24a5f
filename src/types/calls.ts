/** Calls: of declared functions, of builtins, of methods (language.md §17.1, §17.3, §17.6, §17.8). */

import type { CallRef, ModuleInfo } from "../resolve/index.ts";
import type { Arg, Call, Expr, FnDecl, MethodCall, Node } from "../syntax/index.ts";
import { type CalledWith, hasTrait, parseSignature } from "../table/index.ts";
import { type Checker, isEnumRef } from "./checker.ts";
import { checkClosure } from "./closures.ts";
import { arePlainArguments, enumType } from "./enum-variants.ts";
import { concreteTypes, isExhausted } from "./flow/narrow.ts";
import { checkSpread } from "./iteration.ts";
import { accepts, checkVariantText, contradicts, interfaceReason, mismatchOf } from "./literals.ts";
import { checkTruthTaken } from "./logic.ts";
import { iteratorOver, methodType } from "./members.ts";
import { builtinSignature } from "./model/builtins.ts";
import { whyNotFitting } from "./model/fits.ts";
import { checkDocOptions, checkOptions } from "./model/option-fields.ts";
import { showType } from "./model/show-type.ts";
import { hole, includesNil, never, type Type, widened, withoutNil } from "./model/type.ts";
import type { CallableParam, FnSignature } from "./model/type-scope.ts";
import { builtinNames, choices, mentionsVar, resolvedAlias } from "./model/type-scope.ts";
import { Unification } from "./model/unify.ts";
import { checkTexts } from "./model/vocabularies.ts";
import { resultOf } from "./operators.ts";
import { checkSchemas } from "./schema-literals.ts";
import { checkRefused, checkTaken } from "./taken.ts";
import { checkToolHandler } from "./tool-handlers.ts";

const expressionOf = (arg: Arg): Expr => (arg.kind === "Spread" || arg.kind === "NamedArg" ? arg.value : arg);

/** `f(…)`. */
export function inferCall(c: Checker, node: Call): Type {
  const callee = node.callee.kind === "Identifier" ? undefined : c.visit.infer(c, node.callee);
  const ref = c.module.calls.get(node);
  if (ref?.builtin === true) noteCallbacks(c, node, ref.name);
  const types = argumentTypes(c, node);
  if (ref === undefined) return callee === undefined ? hole : callOfValue(c, node, callee, types);
  if (ref.variable !== undefined) {
    checkCallable(c, node, ref);
    return callOfValue(c, node, c.typeOfVariable(ref.variable), types);
  }
  if (ref.fn?.fn !== undefined) {
    const signature = c.signature(ref.fn.fn);
    if (signature === undefined) return hole;
    warnDeprecated(c, node, signature);
    checkDocOptions(c, node, ref.fn.fn);
    const type = callOfFunction(c, node, signature, types, ref.fn.fn.module);
    if (type.kind === "never") checkNeverSite(c, node, `${ref.name}()`);
    return ref.fn.fn.generator && signature.returns === undefined ? hole : type;
  }
  if (ref.struct !== undefined) {
    const decl = c.scope.declaration(ref.name);
    return decl === undefined ? hole : { kind: "name", name: decl.name, args: [], decl };
  }
  return ref.builtin || ref.name === "Ok" || ref.name === "Err"
    ? callOfBuiltin(c, node, ref.name, types)
    : hole;
}

function argumentTypes(c: Checker, node: Call | MethodCall): readonly Type[] {
  return node.args.map((arg) => {
    const value = expressionOf(arg);
    const type = c.visit.infer(c, value);
    if (arg.kind === "Spread") checkSpread(c, value, type);
    else checkTruthTaken(c, value);
    return type;
  });
}

/** A call of a variable or of what an expression gives, where the type of the closure is known. */
function callOfValue(c: Checker, node: Call, callee: Type, types: readonly Type[]): Type {
  const type = resolvedAlias(callee);
  if (type.kind !== "fn") return hole;
  if (c.strict && arePlainArguments(node.args))
    type.params.forEach((param, index) => {
      const arg = node.args[index] as Expr | undefined;
      if (arg !== undefined) checkCallArgument(c, arg, types[index]!, param, index, "");
    });
  return mentionsVar(type.returns) ? hole : type.returns;
}

// ---------------------------------------------------------------- declared functions

/** Imported functions are judged under strict types only: the checker reads the entry file (language.md §17). */
function callOfFunction(
  c: Checker,
  node: Call,
  signature: FnSignature,
  types: readonly Type[],
  module: ModuleInfo,
): Type {
  const own = module === c.module;
  const judged = own || c.strict;
  const standard = module.isStandard && !own;
  const unified = new Unification(signature.vars);
  const explicit = explicitArguments(c, node, signature, unified);
  if (arePlainArguments(node.args)) {
    checkCount(c, node, node.args.length, signature, standard);
    const at = new Map<string, Expr>();
    signature.params.forEach((param, index) => {
      const arg = node.args[index] as Expr | undefined;
      if (arg === undefined || param.rest) return;
      const actual = types[index]!;
      if (!explicit && mentionsVar(param.type)) {
        const conflict = unified.learn(param.type, actual);
        if (conflict !== undefined) {
          if (judged)
            c.report("HARN-TYP-011", arg, {
              name: conflict.name,
              first: showType(conflict.first),
              second: showType(conflict.second),
            });
          return;
        }
      }
      if (param.type.kind === "var") at.set(param.type.name, arg);
      const expected = unified.apply(param.type);
      if (judged || contradicts(arg, expected))
        checkCallArgument(c, arg, actual, expected, index, param.name);
    });
    if (judged) checkWhere(c, node, signature, unified, at);
  }
  return signature.returns === undefined ? hole : unified.apply(signature.returns);
}

/** `f<int>(…)`. */
function explicitArguments(c: Checker, node: Call, signature: FnSignature, unified: Unification): boolean {
  const written = node.typeArgs.map((arg) => c.scope.type(arg));
  if (written.length === 0) return false;
  const { name, vars } = signature;
  if (vars.length === 0)
    c.report("HARN-TYP-012", node, { text: `Function '${name}' does not declare type parameters` });
  else if (vars.length !== written.length)
    c.report("HARN-TYP-012", node, {
      text: `Function '${name}' expects ${vars.length} type arguments, got ${written.length}`,
    });
  else {
    vars.forEach((variable, index) => {
      unified.fix(variable, written[index]!);
    });
    return true;
  }
  return false;
}

/** `name` is "" for parameters without one. */
function checkCallArgument(
  c: Checker,
  arg: Expr,
  actual: Type,
  expected: Type,
  index: number,
  name: string,
): void {
  if (accepts(c, arg, actual, expected)) {
    checkVariantText(c, arg, expected);
    return;
  }
  if (checkClosure(c, arg, actual, expected)) return;
  c.report("HARN-TYP-006", arg, {
    index: index + 1,
    name,
    ...mismatchOf(arg, actual, expected),
    why: interfaceReason(actual, expected),
  });
}

const plural = (count: number): string => `${count} argument${count === 1 ? "" : "s"}`;

/**
 * The number of arguments of a call. Functions of the library say themselves what is missing, as builtins do, and a script
 * may catch it; elsewhere nobody would notice a nil.
 */
function checkCount(c: Checker, node: Node, got: number, signature: FnSignature, standard: boolean): void {
  const count = countOf(signature.params.map((param) => ({ ...param, optional: mayBeLeftOut(param) })));
  const text = `Function '${signature.name}' expects ${count.words}, got ${got}`;
  if (got < count.min) c.report(standard ? "HARN-STD-004" : "HARN-ORC-002", node, { text });
  else if (got > count.max) c.report(standard ? "HARN-STD-003" : "HARN-ORC-005", node, { text });
}

/** A missing argument is nil: where the declared type names nil, nobody is wrong to leave it out. */
const mayBeLeftOut = (param: CallableParam): boolean =>
  param.optional || includesNil(resolvedAlias(param.type));

interface Count {
  readonly min: number;
  readonly max: number;
  /** As messages say it: `2 arguments`, `1-2 arguments`, `at least 1 argument`. */
  readonly words: string;
}

function countOf(params: readonly { readonly optional: boolean; readonly rest: boolean }[]): Count {
  const plain = params.filter((param) => !param.rest);
  const min = plain.findLastIndex((param) => !param.optional) + 1;
  if (plain.length < params.length)
    return { min, max: Number.POSITIVE_INFINITY, words: `at least ${plural(min)}` };
  const max = plain.length;
  return { min, max, words: min === max ? plural(max) : `${min}-${max} arguments` };
}

/** `where T: I`: what T stands for must have the methods of I. */
function checkWhere(
  c: Checker,
  node: Call,
  signature: FnSignature,
  unified: Unification,
  at: ReadonlyMap<string, Expr>,
): void {
  for (const { type: variable, bounds } of signature.where) {
    const value = unified.valueOf(variable);
    const type = value === undefined ? undefined : resolvedAlias(value);
    if (type === undefined || !isDefinite(type)) continue;
    for (const bound of bounds) {
      const decl = signature.scope.declaration(bound.text);
      const reason =
        decl?.node.kind === "InterfaceDecl"
          ? whyNotFitting(type, { kind: "name", name: bound.text, args: [], decl })
          : signature.scope.module.complete
            ? `interface '${bound.text}' not found`
            : undefined;
      if (reason === undefined) continue;
      c.report("HARN-TYP-013", at.get(variable.name) ?? node, {
        type: showType(type),
        interface: bound.text,
        reason,
        variable: variable.name,
      });
    }
  }
}

const isDefinite = (type: Type): boolean =>
  type.kind === "name" || type.kind === "shape" || type.kind === "literal" || type.kind === "fn";

function warnDeprecated(c: Checker, node: Call, signature: FnSignature): void {
  const attribute = (signature.node as FnDecl).attributes.find((one) => one.name.text === "deprecated");
  if (attribute === undefined) return;
  const text = (name: string): string | undefined => {
    const value = attribute.args.find((arg) => arg.name?.text === name)?.value;
    return value?.kind === "StringLit" ? value.value : value?.kind === "Identifier" ? value.name : undefined;
  };
  c.report("HARN-DEP-001", node.callee, { name: signature.name, since: text("since"), use: text("use") });
}

// ---------------------------------------------------------------- builtins

/** A variable that holds no function; a builtin of its name would be called instead. */
function checkCallable(c: Checker, node: Call, { name, variable, builtin }: CallRef): void {
  if (variable === undefined || builtin) return;
  if (variable.kind === "tool") {
    const args = node.args.map((arg) => c.source.slice(arg)).join(", ");
    const help = `models call it; write what it does as a \`fn\` that both call, or \`${name}.tools[0].handler(${args})\``;
    c.report("HARN-ORC-015", node.callee, { name, what: "a tool", help });
    return;
  }
  const type = resolvedAlias(c.certainType(node.callee, c.typeOfVariable(variable)));
  if (choices(type).every((one) => isNoFunction(widened(one))))
    c.report("HARN-ORC-015", node.callee, {
      name,
      what: showType(type),
      help: "call a function, or leave the parentheses out",
    });
}

const isNoFunction = (type: Type): boolean =>
  type.kind === "shape" ||
  (type.kind === "name" &&
    (type.decl === undefined
      ? builtinNames.has(type.name) && type.name !== "closure" && type.name !== "builtin"
      : type.decl.node.kind !== "InterfaceDecl"));

function callOfBuiltin(c: Checker, node: Call, name: string, types: readonly Type[]): Type {
  if (name === "unreachable") return unreachable(c, node, types);
  if (node.typeArgs.length > 0)
    c.report("HARN-TYP-012", node, { text: `Builtin function '${name}' does not declare type parameters` });
  if (name === "Ok") return resultOf(widened(types[0] ?? hole), hole);
  if (name === "Err") return resultOf(hole, widened(types[0] ?? hole));
  const signature = builtinSignature(c, name);
  if (signature === undefined) return hole;
  checkOptions(c, node, name);
  checkTexts(c, node, name, signature.params);
  checkTaken(c, node, name, types);
  checkSchemas(c, node, name, signature.params);
  if (name === "tool_define") checkToolHandler(c, node);
  if (arePlainArguments(node.args)) checkBuiltin(c, node, name, signature, types);
  const { returns } = signature;
  if (returns.kind === "never") {
    checkNeverSite(c, node, `${name}()`);
    return never;
  }
  if (hasTrait(c.builtinSpec(name), "resultVaries")) return hole;
  if (name === "iter") {
    return iteratorOver(resolvedAlias(types[0] ?? hole));
  }
  // Which of several types a builtin gives depends on its arguments: `to_float(1)` is never nil.
  return returns.kind === "union" ? hole : returns;
}

function checkBuiltin(
  c: Checker,
  node: Call,
  name: string,
  signature: NonNullable<ReturnType<typeof builtinSignature>>,
  types: readonly Type[],
): void {
  const { params } = signature;
  const { min, max, words } = countOf(params);
  const got = node.args.length;
  const text = `Builtin function '${name}' expects ${words}, got ${got}`;
  if (got < min) c.report("HARN-STD-004", node, { text });
  else if (got > max) c.report("HARN-STD-003", node, { text });
  checkRefused(c, node, name, params, types);
  if (!c.strict) return;
  node.args.forEach((arg, index) => {
    const param = params[Math.min(index, params.length - 1)];
    if (param === undefined || (index >= params.length && param.rest !== true)) return;
    // An explicit nil for an optional argument means its default.
    const actual = resolvedAlias(types[index]!);
    if (!param.optional || param.rest || !includesNil(actual))
      checkCallArgument(c, arg as Expr, types[index]!, param.type, index, param.name);
    else if (actual.kind === "union")
      checkCallArgument(c, arg as Expr, withoutNil(actual), param.type, index, param.name);
  });
}

/** `unreachable(x)` says that all cases of x are handled (language.md §12.4, §17.6). */
function unreachable(c: Checker, node: Call, types: readonly Type[]): Type {
  const arg = node.args[0];
  const variable = arg === undefined ? undefined : c.variableOf(expressionOf(arg));
  const type = types[0] === undefined ? hole : resolvedAlias(types[0]);
  if (variable !== undefined && type.kind !== "hole" && type.kind !== "any" && !isExhausted(type)) {
    // A variable that never had alternatives is only part of a message.
    const declared = resolvedAlias(c.vars.get(variable)?.declared ?? hole);
    if (declared.kind === "union" && type.kind !== "unknown")
      c.report("HARN-TYP-016", arg!, { type: showType(types[0]!) });
  }
  checkNeverSite(c, node, "unreachable()");
  return never;
}

/** A place that should only be reached when every type of an `unknown` was handled. */
export function checkNeverSite(
  c: Checker,
  node: { readonly start: number; readonly end: number },
  site: string,
): void {
  for (const [binding, type] of c.flow.entries()) {
    if (type.kind !== "unknown" || type.ruledOut.length === 0) continue;
    const left = concreteTypes.filter((name) => !type.ruledOut.includes(name));
    if (left.length > 0) c.report("HARN-TYP-019", node, { site, name: binding.name, types: left.join(", ") });
  }
}

// ---------------------------------------------------------------- methods

/** `receiver.name(…)`; the receiver's type is given when a chain has already read it. */
export function inferMethodCall(c: Checker, node: MethodCall, receiver: Type | undefined): Type {
  const { receiver: object } = node;
  const ref = object.kind === "Identifier" ? c.module.refs.get(object) : undefined;
  if (isEnumRef(ref)) {
    const types = argumentTypes(c, node);
    return enumType(c, ref.name, node.name.text, { node, types }, node.name);
  }
  const type = receiver ?? c.visit.infer(c, object);
  argumentTypes(c, node);
  return methodType(c, node, type);
}

/** Before the arguments are looked at. */
function noteCallbacks(c: Checker, node: Call, name: string): void {
  const spec = c.builtinSpec(name);
  if (spec === undefined || (spec.calledWith === undefined && spec.fields === undefined)) return;
  const { params } = parseSignature(spec.sig);
  for (const [index, arg] of node.args.entries()) {
    if (arg.kind === "Spread") return;
    const param = arg.kind === "NamedArg" ? arg.name.text : (params[index]?.name ?? "");
    const value = arg.kind === "NamedArg" ? arg.value : arg;
    if (value.kind === "Closure") noteCallback(c, value, `${name}'s \`${param}\``, spec.calledWith?.[param]);
    else if (value.kind === "DictLit") noteOptions(c, value, name, param);
  }
}

function noteOptions(c: Checker, dict: Expr & { kind: "DictLit" }, name: string, param: string): void {
  const table = c.fieldsOf(name, param);
  for (const entry of dict.entries) {
    if (entry.kind === "Spread" || typeof entry.key !== "string" || entry.value.kind !== "Closure") continue;
    noteCallback(c, entry.value, `\`${entry.key}\``, table?.get(entry.key)?.calledWith);
  }
}

function noteCallback(c: Checker, node: Expr, by: string, calledWith: (() => CalledWith) | undefined): void {
  const [param] = node.kind === "Closure" ? node.params : [];
  const binding = param === undefined || param.rest ? undefined : c.bindingOf(param.name);
  if (calledWith !== undefined && binding !== undefined && !binding.assigned)
    c.calledWith.set(binding, { by, dict: calledWith() });
}
