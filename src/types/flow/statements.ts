/** Statements: bindings, assignments, control flow, and what can never run (language.md §17.3, §17.6). */

import type { Binding, FunctionInfo } from "../../resolve/index.ts";
import type {
  Assign,
  Block,
  Emit,
  Expr,
  ExprStatement,
  For,
  Item,
  Let,
  Name,
  Node,
  Pattern,
  Return,
  Select,
  Statement,
  While,
} from "../../syntax/index.ts";
import { isDeclaration } from "../../syntax/nodes.ts";
import { typeBoundaryOf } from "../boundaries.ts";
import { checkNeverSite } from "../calls.ts";
import type { BlockOptions, BlockResult, Checker, CheckVisit, Variable } from "../checker.ts";
import { checkClosure } from "../closures.ts";
import { checkDeclaration } from "../declarations.ts";
import { infer, inferIf, inferTry, inLoop } from "../infer.ts";
import { checkIterated, checkLoopPattern } from "../iteration.ts";
import { accepts, checkVariantText, contradicts, interfaceReason, mismatchOf } from "../literals.ts";
import { checkTruthTaken } from "../logic.ts";
import { shapeDetails } from "../model/fits.ts";
import { walkType } from "../model/tree.ts";
import { anyType, applied, float, hole, int, never, nil, type Type, union, widened } from "../model/type.ts";
import { choices, resolvedAlias } from "../model/type-scope.ts";
import { checkPatternKeys } from "../model/vocabularies.ts";
import { elementOf, operatorType } from "../operators.ts";
import { checkDropped, checkDroppedEnd } from "./dropped-value.ts";
import { Flow } from "./flow.ts";
import { inferMatch } from "./match.ts";
import { assume } from "./narrow.ts";

export function checkBlock(c: Checker, block: Block, options: BlockOptions = {}): BlockResult {
  return checkStatements(c, block.statements, options);
}

/** A statement list in a scope of its own. */
export function checkStatements(
  c: Checker,
  statements: readonly Statement[],
  options: BlockOptions = {},
): BlockResult {
  return c.inScope(c.scope.ofBlock(statements), () => {
    c.hoist(statements);
    return checkList(c, statements, options);
  });
}

/** The list itself: the value of the last expression, and where control ends. */
export function checkList(c: Checker, statements: readonly Item[], options: BlockOptions): BlockResult {
  let type: Type = nil;
  let exits = false;
  let ended = false;
  let warned = false;
  const last = statements.at(-1);
  for (const node of statements) {
    if (node.kind === "Import") continue;
    // Functions and types are there from the beginning of a block, so where they stand does not matter.
    if (ended && !warned && !node.kind.endsWith("Decl")) {
      warned = true;
      c.report("HARN-ORC-008", node, undefined as never);
    }
    const result = checkStatement(c, node, options);
    if (node.kind === "ExprStatement" && node !== last) checkDropped(c, node);
    type = result.type;
    if (result.exits) exits = true;
    if (alwaysExits(node)) ended = true;
  }
  return { type: exits ? never : type, exits };
}

/** The statements that the warning about unreachable code knows: `return` …, and `if`/`else` that always ends so. */
function alwaysExits(node: Statement): boolean {
  switch (node.kind) {
    case "Return":
    case "Throw":
    case "Break":
    case "Continue":
      return true;
    case "ExprStatement": {
      if (node.expr.kind !== "If") return false;
      for (let at = node.expr; ; ) {
        if (!at.then.statements.some(alwaysExits) || at.else === undefined) return false;
        if (at.else.kind === "Block") return at.else.statements.some(alwaysExits);
        at = at.else;
      }
    }
    default:
      return false;
  }
}

const nothing: BlockResult = { type: nil, exits: false };
const leaves: BlockResult = { type: never, exits: true };

function checkStatement(c: Checker, node: Statement, options: BlockOptions): BlockResult {
  switch (node.kind) {
    case "Let":
      checkLet(c, node);
      return nothing;
    case "Assign":
      checkAssign(c, node);
      return nothing;
    case "ExprStatement":
      return checkExpression(c, node, options);
    case "Return":
      checkReturn(c, node, options);
      return leaves;
    case "Throw":
      infer(c, node.value);
      checkNeverSite(c, node, "throw");
      return leaves;
    case "Break":
    case "Continue":
      return leaves;
    case "For":
      checkFor(c, node, options);
      return nothing;
    case "While":
      infer(c, node.condition);
      inLoop(c, node, () => {
        assume(c, node.condition, true);
        checkBlock(c, node.body, innerScope(c, options));
      });
      checkDroppedEnd(c, node.body);
      return isEndless(node) ? leaves : nothing;
    case "Guard": {
      infer(c, node.condition);
      let exits = false;
      const end = c.inFlow(c.flow.fork(), () => {
        assume(c, node.condition, false);
        exits = checkBlock(c, node.else, innerScope(c, options)).exits;
      });
      assume(c, node.condition, true);
      if (!exits) c.flow.meet(end);
      return nothing;
    }
    case "Require":
      infer(c, node.condition);
      if (node.message !== undefined) infer(c, node.message);
      assume(c, node.condition, true);
      return nothing;
    case "Defer":
      // It runs at the end, when nothing that was found out here need be true any more.
      c.inFlow(new Flow(), () => checkBlock(c, node.body));
      return nothing;
    case "Mutex":
      if (node.key !== undefined) infer(c, node.key);
      return { type: nil, exits: checkBlock(c, node.body, innerScope(c, options)).exits };
    case "Select":
      return { type: hole, exits: checkSelect(c, node, options) };
    case "Yield":
      if (node.value !== undefined) infer(c, node.value);
      return nothing;
    case "Emit":
      checkEmit(c, node);
      return nothing;
    default:
      checkDeclaration(c, node);
      return nothing;
  }
}

/** Under strict types every `return` is judged, not only the outer ones. */
const innerScope = (c: Checker, options: BlockOptions): BlockOptions => (c.strict ? options : {});

function checkExpression(c: Checker, node: ExprStatement, options: BlockOptions): BlockResult {
  switch (node.expr.kind) {
    case "If":
      return inferIf(c, node.expr, options);
    case "Match":
      return inferMatch(c, node.expr, innerScope(c, options));
    case "Try":
      return inferTry(c, node.expr, innerScope(c, options));
    default: {
      const type = infer(c, node.expr);
      return { type, exits: type.kind === "never" };
    }
  }
}

// ---------------------------------------------------------------- bindings

function checkLet(c: Checker, node: Let): void {
  const actual = infer(c, node.value);
  const declared = node.type === undefined ? undefined : c.scope.type(node.type);
  if (declared === undefined) checkTruthTaken(c, node.value);
  if (declared !== undefined) {
    if (accepts(c, node.value, actual, declared)) checkVariantText(c, node.value, declared);
    else reportLet(c, node, actual, declared);
  }
  const pattern = node.pattern;
  if (pattern.kind !== "NamePattern") {
    if (pattern.kind === "DictPattern") checkPatternKeys(c, pattern, node.value);
    bindPattern(c, pattern);
    return;
  }
  const boundary = c.strict && node.type === undefined ? typeBoundaryOf(c, node.value) : undefined;
  const type = declared ?? (actual.kind === "never" ? hole : actual);
  c.declare(pattern.name, type, { annotated: declared !== undefined, boundary });
  c.begins(pattern.name, node.value);
  const binding = c.bindingOf(pattern.name);
  if (binding !== undefined && declared !== undefined) remember(c, binding, actual, declared);
}

function reportLet(c: Checker, node: Let, actual: Type, declared: Type): void {
  if (checkClosure(c, node.value, actual, declared)) return;
  c.report("HARN-TYP-007", node, {
    name: node.pattern.kind === "NamePattern" ? node.pattern.name.text : c.source.slice(node.pattern),
    ...mismatchOf(node.value, actual, declared),
    details: shapeDetails(actual, declared),
    why: interfaceReason(actual, declared),
  });
}

/** What a variable with alternatives holds for now. */
function remember(c: Checker, binding: Binding, actual: Type, declared: Type): void {
  const known = actual.kind !== "hole" && resolvedAlias(declared).kind === "union";
  c.flow.assign(binding, known ? actual : undefined);
}

/** Destructured names are not known (language.md §17.1). */
function bindPattern(c: Checker, pattern: Pattern): void {
  const bind = (name: Name | undefined): void => {
    if (name !== undefined) c.declare(name, hole);
  };
  switch (pattern.kind) {
    case "NamePattern":
      bind(pattern.name);
      return;
    case "DictPattern":
      for (const entry of pattern.entries) {
        if (entry.default !== undefined) infer(c, entry.default);
        bind(entry.alias ?? entry.key);
      }
      bind(pattern.rest);
      return;
    case "ListPattern":
      for (const element of pattern.elements) {
        if (element.default !== undefined) infer(c, element.default);
        bind(element.name);
      }
      bind(pattern.rest);
      return;
    case "PairPattern":
      bind(pattern.first);
      bind(pattern.second);
      return;
  }
}

// ---------------------------------------------------------------- assignment

function checkAssign(c: Checker, node: Assign): void {
  const value = infer(c, node.value);
  checkTruthTaken(c, node.value);
  if (node.target.kind !== "Identifier") {
    checkPath(c, node.target);
    return;
  }
  const binding = c.variableOf(node.target);
  if (binding === undefined) return;
  const variable = c.vars.get(binding);
  // Of an assignment that fails or is lost, its type is the least that is wrong.
  if (!checkMutableTarget(c, node, binding) || variable === undefined) {
    c.flow.assign(binding, undefined);
    if (variable !== undefined && binding.mutable) c.flow.set(binding, hole);
    return;
  }
  let actual = value;
  if (node.op !== "=") {
    const before = c.typeOfVariable(binding);
    const place = { at: node, left: node.target, right: node.value };
    actual = operatorType(c, node.op[0] as "+", before, value, place);
  }
  if (variable.annotated) assignAnnotated(c, node, binding, variable, actual);
  else assignInferred(c, node, binding, variable, widened(actual));
}

function assignAnnotated(c: Checker, node: Assign, binding: Binding, variable: Variable, actual: Type): void {
  if (accepts(c, node.value, actual, variable.declared)) checkVariantText(c, node.value, variable.declared);
  else reportAssign(c, node, actual, variable.declared);
  remember(c, binding, actual, variable.declared);
}

function reportAssign(c: Checker, node: Assign, actual: Type, declared: Type): void {
  c.report("HARN-TYP-005", node, {
    name: (node.target as { name: string }).name,
    ...mismatchOf(node.value, actual, declared),
  });
}

/**
 * A variable without annotation has the type of its first value. Values of another kind are reported; what is only a
 * different number, collection or nil makes the variable uncertain from here on.
 */
function assignInferred(c: Checker, node: Assign, binding: Binding, variable: Variable, actual: Type): void {
  if (variable.isInferred) {
    if (actual === nil || actual.kind === "hole") return;
    variable.declared = union([actual, nil]);
    variable.isInferred = false;
    c.flow.set(binding, hole);
    return;
  }
  const { declared } = variable;
  c.flow.assign(binding, undefined);
  if (declared.kind === "hole") return;
  if (actual.kind === "hole" || actual.kind === "any" || actual === nil) c.flow.set(binding, hole);
  else if (!accepts(c, node.value, actual, declared)) {
    if (families(actual).some((family) => family === undefined || families(declared).includes(family)))
      c.flow.set(binding, hole);
    else reportAssign(c, node, actual, declared);
  } else if (declared.kind === "union") c.flow.set(binding, hole);
}

/** The kind of a type, so far as mixing kinds is a mistake; `undefined` for types that have none. */
function families(type: Type): readonly (string | undefined)[] {
  return choices(type).map((member) => {
    if (member === int || member === float) return "number";
    if (member.kind === "shape") return "dict";
    if (member.kind === "fn") return "closure";
    if (member.kind === "literal") return typeof member.value === "string" ? "string" : "number";
    return member.kind === "name" ? member.name : undefined;
  });
}

/** `a.b[i] = v`: the indices are read, the variable must be one that can be written. */
function checkPath(c: Checker, target: Expr): void {
  let at = target;
  for (;;) {
    if (at.kind === "Member") at = at.object;
    else if (at.kind === "Index") {
      infer(c, at.index);
      at = at.object;
    } else break;
  }
  const binding = c.variableOf(at);
  if (binding === undefined) return;
  if (binding.mutable) checkKept(c, at, binding);
  // What tests found out about its parts may be wrong now.
  c.flow.assign(binding, undefined);
}

/** Warns of assignments that are lost (language.md §17.6; the resolver refuses those that fail); true when it is a good one. */
function checkMutableTarget(c: Checker, node: Assign, binding: Binding): boolean {
  if (!binding.mutable) return false;
  if (!checkKept(c, node, binding)) return false;
  if (binding.kind !== "loop") return true;
  c.report("HARN-OWN-003", node, { name: binding.name });
  return false;
}

/** A function has its own copies of the variables around it: what it assigns to one is lost. */
function checkKept(c: Checker, at: Node, binding: Binding): boolean {
  const fn = c.fn.info;
  if (fn === undefined || binding.owner === fn || binding.shared) return true;
  const isTop = c.module.topLevel.includes(binding);
  // Where the file is imported, its functions share its variables.
  if (isTop && isLibrary(c)) return true;
  c.report(isTop || !isNestedFn(fn, binding) ? "HARN-OWN-004" : "HARN-OWN-002", at, { name: binding.name });
  return false;
}

function isNestedFn(fn: FunctionInfo, binding: Binding): boolean {
  for (let at: FunctionInfo | undefined = fn; at !== undefined && at !== binding.owner; at = at.parent)
    if (at.kind === "fn") return true;
  return false;
}

/** A file that others import: it has public functions, or nothing of it runs by itself. */
function isLibrary(c: Checker): boolean {
  const { items } = c.module.ast;
  if (c.module.mainCall !== undefined || items.some((item) => item.kind === "PipelineDecl")) return false;
  return (
    items.some((item) => item.kind === "FnDecl" && item.pub) ||
    items.every((item) => item.kind === "Import" || item.kind === "Let" || isDeclaration(item))
  );
}

// ---------------------------------------------------------------- leaving

/** Locals mean nothing to the check of a result, unless types are strict (language.md §17.3). */
function checkReturn(c: Checker, node: Return, options: BlockOptions): void {
  if (node.value === undefined) return;
  const value = node.value;
  let actual = infer(c, value);
  if (c.fn.returns === undefined) checkTruthTaken(c, value);
  const expected = c.fn.generator ? applied("Generator", anyType) : c.fn.returns;
  if (expected === undefined || (c.fn.generator && actual === nil)) return;
  // A value that is written out is what it is, wherever it stands.
  if (options.returns !== true && !contradicts(value, expected)) return;
  if (accepts(c, value, actual, expected)) {
    checkVariantText(c, value, expected);
    return;
  }
  if (!c.strict) {
    c.localsHidden = true;
    actual = c.quietly(() => infer(c, value));
    const accepted = accepts(c, value, actual, expected);
    c.localsHidden = false;
    if (accepted) return;
  }
  if (value.kind === "Closure" && checkClosure(c, value, actual, expected)) return;
  c.report("HARN-TYP-004", value, {
    ...mismatchOf(value, actual, expected),
    why: interfaceReason(actual, expected),
  });
}

function checkEmit(c: Checker, node: Emit): void {
  const actual = infer(c, node.value);
  const expected = c.fn.emits;
  if (expected === undefined || accepts(c, node.value, actual, expected)) return;
  c.report("HARN-TYP-003", node.value, mismatchOf(node.value, actual, expected));
}

// ---------------------------------------------------------------- loops and select

function checkFor(c: Checker, node: For, options: BlockOptions): void {
  const over = infer(c, node.iterable);
  const certain = c.certainType(node.iterable, over);
  checkIterated(c, node.iterable, certain, true);
  checkLoopPattern(c, node, certain);
  const element = elementOf(over);
  inLoop(c, node, () => {
    if (node.pattern.kind === "NamePattern") c.declare(node.pattern.name, element, { annotated: true });
    else bindPattern(c, node.pattern);
    checkBlock(c, node.body, innerScope(c, options));
  });
  checkDroppedEnd(c, node.body);
}

/** True when control leaves in every branch. */
function checkSelect(c: Checker, node: Select, options: BlockOptions): boolean {
  for (const one of node.cases) infer(c, one.channel);
  if (node.timeout !== undefined) infer(c, node.timeout.duration);
  const outer = c.flow;
  const ends: Flow[] = [];
  const branch = (block: Block, name?: Name): void => {
    let exits = false;
    const end = c.inFlow(outer.fork(), () => {
      if (name !== undefined) c.declare(name, hole);
      exits = checkBlock(c, block, innerScope(c, options)).exits;
    });
    if (!exits) ends.push(end);
  };
  for (const one of node.cases) branch(one.body, one.name);
  if (node.timeout !== undefined) branch(node.timeout.body);
  if (node.default !== undefined) branch(node.default);
  for (const end of ends) c.flow.meet(end);
  return ends.length === 0;
}

/** `while true` that nothing breaks out of. */
function isEndless(node: While): boolean {
  if (node.condition.kind !== "BoolLit" || !node.condition.value) return false;
  let breaks = false;
  walkType(node.body, (at) => {
    if (at.kind === "Break") breaks = true;
    return at.kind !== "While" && at.kind !== "For" && at.kind !== "Closure" && !at.kind.endsWith("Decl");
  });
  return !breaks;
}

export const visit: CheckVisit = { infer, block: checkBlock, statements: checkStatements };
