/**
 * The types of expressions (language.md §17.1), and everything that can be said against an expression by itself. Each
 * expression is inferred once, so each finding is reported once.
 *
 * Chains to the left (`a + b + …`, `x.a.b…`), `else if` and nested ternaries are followed in loops; other nesting ends
 * at `maxDepth` with a hole.
 */
import { Binding } from "../resolve/index.ts";
import type {
  Binary,
  Block,
  Closure,
  DictLit,
  Expr,
  Identifier,
  If,
  ListLit,
  Node,
  Parallel,
  StructLit,
  Ternary,
  Try,
} from "../syntax/index.ts";
import { leftOfLink } from "../syntax/nodes.ts";
import { checkBoundaryAccess } from "./boundaries.ts";
import { inferCall, inferMethodCall } from "./calls.ts";
import { type BlockResult, type Checker, isEnumRef, maxDepth } from "./checker.ts";
import { enumType } from "./enum-variants.ts";
import type { Flow } from "./flow/flow.ts";
import { inferMatch } from "./flow/match.ts";
import { assume } from "./flow/narrow.ts";
import { checkSpread, parallelItem } from "./iteration.ts";
import { checkLiteralOperand, checkTruthTaken } from "./logic.ts";
import { indexType, memberType } from "./members.ts";
import { showType } from "./model/show-type.ts";
import { callableParamOf, fnTypeOf } from "./model/signature-of.ts";
import { assignmentsIn, returnsValue } from "./model/tree.ts";
import {
  bool,
  closure,
  dict,
  float,
  hole,
  int,
  list,
  listOf,
  mixed,
  never,
  nil,
  range,
  type ShapeField,
  shapeOf,
  string,
  type Type,
  task,
  union,
  widened,
} from "./model/type.ts";
import { choices, resolvedAlias } from "./model/type-scope.ts";
import { checkStates } from "./model/vocabularies.ts";
import { operatorType, placeOf, resultOf } from "./operators.ts";
import { checkStructLiteral } from "./structs.ts";
import { checkWhole } from "./taken.ts";

/** The type of an expression; a hole when nothing can be said. */
export function infer(c: Checker, node: Expr): Type {
  if (c.depth >= maxDepth) return hole;
  c.depth++;
  const type = inferChain(c, node);
  c.depth--;
  return type;
}

function inferChain(c: Checker, node: Expr): Type {
  let base = node;
  let left = leftOperand(base);
  if (left === undefined) return inferBase(c, base);
  const spine: Expr[] = [];
  for (; left !== undefined; left = leftOperand(base)) {
    spine.push(base);
    base = left;
  }
  let type = inferBase(c, base);
  for (let i = spine.length - 1; i >= 0; i--) type = inferLink(c, spine[i]!, type);
  return type;
}

/** What a chain continues on its left. `&&` and `||` narrow what is on their right and are followed by themselves. */
function leftOperand(node: Expr): Expr | undefined {
  if (node.kind === "Binary") return node.op === "&&" || node.op === "||" ? undefined : node.left;
  return node.kind === "MethodCall" && isEnumName(node.receiver) ? undefined : leftOfLink(node);
}

/** Only a capital letter can begin the name of an enum; whether it is one, `inferMethodCall` finds out. */
const isEnumName = (node: Expr): boolean => node.kind === "Identifier" && /^[A-Z]/.test(node.name);

function inferLink(c: Checker, node: Expr, left: Type): Type {
  switch (node.kind) {
    case "Binary":
      return binaryType(c, node, left, infer(c, node.right));
    case "Member": {
      const variant = enumVariant(c, node.object, node.name.text);
      if (variant !== undefined) return variant;
      if (c.strict) checkBoundaryAccess(c, node, node.object);
      return memberType(c, node, left);
    }
    case "Index":
      infer(c, node.index);
      if (c.strict) checkBoundaryAccess(c, node, node.object);
      return indexType(c, node, left);
    case "Slice": {
      if (node.from !== undefined) infer(c, node.from);
      if (node.to !== undefined) infer(c, node.to);
      const type = resolvedAlias(left);
      return type.kind === "name" && (type.name === "list" || type.name === "string") ? left : hole;
    }
    case "MethodCall":
      return inferMethodCall(c, node, left);
    case "Propagate": {
      const type = resolvedAlias(left);
      return type.kind === "name" && type.name === "Result" ? (type.args[0] ?? hole) : hole;
    }
    case "Pipe":
      infer(c, node.into);
      return hole;
    default:
      return hole;
  }
}

function binaryType(c: Checker, node: Binary, left: Type, right: Type): Type {
  checkStates(c, node, left, right);
  if ((node.op === "==" || node.op === "!=") && left !== nil && right !== nil) {
    checkWhole(c, node.left, left, "is not compared");
    checkWhole(c, node.right, right, "is not compared");
  }
  return operatorType(c, node.op, left, right, placeOf(node));
}

/** `Shape.Dot`, when the name is an enum's. */
function enumVariant(c: Checker, object: Expr, variant: string): Type | undefined {
  if (object.kind !== "Identifier") return undefined;
  const ref = c.module.refs.get(object);
  if (!isEnumRef(ref)) return undefined;
  return enumType(c, ref.name, variant, undefined, object);
}

function inferBase(c: Checker, node: Expr): Type {
  switch (node.kind) {
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
    case "Interpolation":
      // Of types holes are not judged (language.md §17.1), except where everything is.
      c.inHole(() => {
        for (const part of node.parts)
          if (typeof part !== "string") checkWhole(c, part, infer(c, part), "has no printed form");
      });
      return string;
    case "Identifier":
      return identifierType(c, node);
    case "ListLit":
      return listType(c, node);
    case "DictLit":
      return dictType(c, node);
    case "StructLit":
      return inferredStructType(c, node);
    case "Closure":
      return inferClosure(c, node);
    case "Unary":
      return unaryType(c, node);
    case "Binary":
      return logicType(c, node);
    case "Ternary":
      return ternaryType(c, node);
    case "RangeExpr":
      infer(c, node.from);
      infer(c, node.to);
      return range;
    case "Call":
      return inferCall(c, node);
    case "MethodCall":
      return inferMethodCall(c, node, undefined);
    case "If":
      return inferIf(c, node).type;
    case "Match":
      return inferMatch(c, node).type;
    case "Try":
      return inferTry(c, node).type;
    case "TryStar":
      return infer(c, node.value);
    case "Retry": {
      infer(c, node.count);
      let leaves = false;
      inLoop(c, node, () => {
        leaves = c.visit.block(c, node.body).exits;
      });
      // After the last failure the error is raised again.
      return leaves ? never : hole;
    }
    case "Deadline":
      infer(c, node.duration);
      return c.visit.block(c, node.body).type.kind === "never" ? never : hole;
    case "Scope":
    case "CostRoute":
      return c.visit.block(c, node.body).exits ? never : hole;
    case "Parallel":
      inferParallel(c, node);
      return hole;
    case "Spawn":
      taskBody(c, node.body, () => c.visit.block(c, node.body));
      return task;
    default:
      return hole;
  }
}

function identifierType(c: Checker, node: Identifier): Type {
  const ref = c.module.refs.get(node);
  if (ref instanceof Binding) {
    if (ref.fn === undefined) return c.typeOfVariable(ref);
    const signature = c.signature(ref.fn);
    if (signature === undefined || ref.fn.generator) return closure;
    return signature.vars.length > 0 || signature.node.params.length > 20 ? closure : fnTypeOf(signature);
  }
  if (ref?.kind === "global" && (ref.name === "pi" || ref.name === "e")) return float;
  return hole;
}

/** A list of more different types than this is just a list. */
const maxElementTypes = 16;

function listType(c: Checker, node: ListLit): Type {
  const types: Type[] = [];
  let known = node.elements.length > 0;
  for (const element of node.elements) {
    if (element.kind === "Spread") {
      checkSpread(c, element.value, infer(c, element.value));
      known = false;
      continue;
    }
    const type = widened(infer(c, element));
    if (type.kind === "hole") known = false;
    if (known && type !== types.at(-1)) types.push(type);
  }
  if (!known) return list;
  const element = union(types);
  return element.kind === "union" && element.members.length > maxElementTypes ? list : listOf(mixed(element));
}

function dictType(c: Checker, node: DictLit): Type {
  let plain = node.entries.length > 0;
  const fields: ShapeField[] = [];
  checkSecondKeys(c, node);
  for (const entry of node.entries) {
    if (entry.kind === "Spread") {
      infer(c, entry.value);
      plain = false;
      continue;
    }
    if (typeof entry.key !== "string") {
      infer(c, entry.key);
      plain = false;
    }
    const type = widened(infer(c, entry.value));
    checkTruthTaken(c, entry.value);
    if (typeof entry.key === "string") fields.push({ name: entry.key, optional: false, type });
  }
  return plain ? shapeOf(fields) : dict;
}

/** `{a: 1, a: 2}`: the last one wins, without a word. After a spread the same key is what replaces another. */
function checkSecondKeys(c: Checker, node: DictLit): void {
  const seen = new Set<string>();
  for (const entry of node.entries) {
    if (entry.kind === "Spread") seen.clear();
    else if (typeof entry.key === "string") {
      if (seen.has(entry.key)) c.report("HARN-NAM-017", entry.keySpan, { name: entry.key });
      seen.add(entry.key);
    }
  }
}

function inferredStructType(c: Checker, node: StructLit): Type {
  const values = node.fields.map((field) => infer(c, field.value));
  const decl = c.scope.declaration(node.name.text);
  if (decl === undefined || decl.node.kind !== "StructDecl") return hole;
  return checkStructLiteral(c, node, decl, values);
}

function unaryType(c: Checker, node: Expr): Type {
  let operand = node;
  let negated = false;
  let not = false;
  for (; operand.kind === "Unary"; operand = operand.operand) {
    if (operand.op === "!") not = true;
    else negated = true;
  }
  const type = infer(c, operand);
  if (not) return bool;
  return negated && (resolvedAlias(type) === int || resolvedAlias(type) === float) ? type : hole;
}

/** `a && b && …`: each operand is read under what the ones before it say. */
function logicType(c: Checker, node: Binary): Type {
  const spine: Binary[] = [];
  let at: Expr = node;
  for (; at.kind === "Binary" && (at.op === "&&" || at.op === "||"); at = at.left) spine.push(at);
  infer(c, at);
  const outer = c.flow;
  for (let i = spine.length - 1; i >= 0; i--) {
    const link = spine[i]!;
    const before = spine[i + 1];
    // The same operator goes on: only its last operand is new. Another one: the whole left side counts.
    if (before?.op !== link.op) c.flow = outer.fork();
    assume(c, before?.op === link.op ? before.right : link.left, link.op === "&&");
    infer(c, link.right);
    checkLiteralOperand(c, link);
  }
  c.flow = outer;
  return bool;
}

function ternaryType(c: Checker, node: Ternary): Type {
  const types: Type[] = [];
  const outer = c.flow;
  c.flow = outer.fork();
  let at: Expr = node;
  for (; at.kind === "Ternary"; at = at.else) {
    infer(c, at.condition);
    const { condition, then } = at;
    c.inFlow(c.flow.fork(), () => {
      assume(c, condition, true);
      types.push(infer(c, then));
    });
    assume(c, condition, false);
  }
  types.push(infer(c, at));
  c.flow = outer;
  return union(types.map(widened));
}

/** `if`, `else if` … in a loop. Without `else` the value is not known: usually nobody asks. */
export function inferIf(c: Checker, node: If, options: { readonly returns?: boolean } = {}): BlockResult {
  const types: Type[] = [];
  const ends: Flow[] = [];
  let exits = true;
  let complete = false;
  for (let at: If | undefined = node; at !== undefined; ) {
    infer(c, at.condition);
    const { condition, then }: If = at;
    let result: BlockResult = { type: never, exits: true };
    const end = c.inFlow(c.flow.fork(), () => {
      assume(c, condition, true);
      result = c.visit.block(c, then, options);
    });
    types.push(result.exits ? never : result.type);
    if (!result.exits) ends.push(end);
    exits &&= result.exits;
    assume(c, condition, false);
    const otherwise: If["else"] = at.else;
    if (otherwise?.kind === "Block") {
      complete = true;
      const last = c.visit.block(c, otherwise, options);
      types.push(last.exits ? never : last.type);
      exits &&= last.exits;
      if (last.exits && ends.length > 0) c.flow = ends.shift()!;
      at = undefined;
    } else at = otherwise;
  }
  for (const end of ends) c.flow.meet(end);
  return { type: complete ? union(types) : hole, exits: exits && complete };
}

/** The body may have stopped anywhere: its assignments may or may not have happened. */
export function inferTry(c: Checker, node: Try, options: { readonly returns?: boolean } = {}): BlockResult {
  const before = c.flow.fork();
  forgetAssigned(c, node.body, before);
  const body = c.visit.block(c, node.body, options);
  const handler = node.catch;
  if (handler === undefined) {
    if (node.finally !== undefined) {
      c.visit.block(c, node.finally);
      return body;
    }
    c.flow.meet(before);
    const type = resolvedAlias(body.type);
    if (type.kind === "name" && type.name === "Result") return { type: body.type, exits: false };
    return { type: resultOf(body.exits ? hole : widened(body.type), hole), exits: false };
  }
  let caught: BlockResult = body;
  const end = c.inFlow(before, () => {
    const name = handler.name;
    if (name !== undefined) {
      const named = handler.type === undefined ? hole : c.scope.type(handler.type);
      c.declare(name, named.kind === "name" && named.decl !== undefined ? named : hole, { annotated: true });
    }
    caught = c.visit.block(c, handler.body, options);
  });
  if (body.exits) c.flow = end;
  else if (!caught.exits) c.flow.meet(end);
  if (node.finally !== undefined) c.visit.block(c, node.finally);
  return { type: hole, exits: body.exits && caught.exits };
}

/** Variables assigned below a node: in the given flow nothing is known of them that an assignment may have changed. */
export function forgetAssigned(c: Checker, node: Node, flow: Flow): void {
  for (const { node: assign, target } of assignmentsIn(node)) {
    const binding = c.variableOf(target);
    if (binding === undefined) continue;
    flow.assign(binding, undefined);
    const variable = c.vars.get(binding);
    if (variable === undefined || variable.annotated || variable.declared.kind === "hole") continue;
    if (!keepsType(assign.op, assign.value, variable.declared, target.name)) flow.set(binding, hole);
  }
}

/** An assignment whose value is certainly of the variable's own type. */
function keepsType(op: string, value: Expr, declared: Type, name: string): boolean {
  const type = literalType(value);
  if (type === undefined) {
    // `n = n + 1`
    if (value.kind !== "Binary" || value.left.kind !== "Identifier" || value.left.name !== name) return false;
    return keepsType(`${value.op}=`, value.right, declared, "");
  }
  return type === declared && (op === "=" || (op !== "**=" && !(declared === string && op !== "+=")));
}

function literalType(node: Expr): Type | undefined {
  switch (node.kind) {
    case "IntLit":
      return int;
    case "FloatLit":
      return float;
    case "StringLit":
    case "Interpolation":
      return string;
    case "BoolLit":
      return bool;
    default:
      return undefined;
  }
}

/** A body that runs any number of times: at its beginning nothing holds that its own assignments may have undone. */
export function inLoop(c: Checker, node: Node, body: () => void): void {
  forgetAssigned(c, node, c.flow);
  const end = c.inFlow(c.flow.fork(), body);
  c.flow.meet(end);
}

/** The body of a task: a function without a declared result, over a snapshot of the variables. */
function taskBody(c: Checker, node: Block, body: () => void): void {
  c.inFunction(
    { info: c.module.fnByNode.get(node), returns: undefined, emits: undefined, generator: false },
    c.flow.fork(),
    body,
  );
}

function inferParallel(c: Checker, node: Parallel): void {
  const item = parallelItem(c, node, infer(c, node.subject));
  if (node.maxConcurrent !== undefined) checkMaxConcurrent(c, node.maxConcurrent);
  taskBody(c, node.body, () => {
    if (node.param !== undefined) c.declare(node.param, item);
    c.visit.block(c, node.body);
  });
}

function checkMaxConcurrent(c: Checker, node: Expr): void {
  const members = choices(infer(c, node));
  const possible = members.some((type) => type === int || (type.kind !== "name" && widened(type) !== string));
  if (!possible) c.report("HARN-TYP-015", node, { type: showType(widened(members[0]!)) });
}

/** A closure has a function type only when all parameters are annotated and its value is known. */
function inferClosure(c: Checker, node: Closure): Type {
  const info = c.module.fnByNode.get(node);
  const params = node.params.map((param) => callableParamOf(param, c.scope));
  let result: BlockResult = { type: hole, exits: false };
  c.inFunction({ info, returns: undefined, emits: undefined, generator: false }, c.flow.fork(), () => {
    for (const [index, param] of node.params.entries()) {
      if (param.default !== undefined) infer(c, param.default);
      c.declare(param.name, params[index]!.type, { annotated: true });
    }
    result = c.visit.block(c, node.body);
  });
  const annotated = node.params.every((param) => param.type !== undefined);
  if (!annotated || result.type.kind === "hole" || returnsValue(node.body) || info?.generator) return closure;
  const plain = params.filter((param) => !param.rest);
  return {
    kind: "fn",
    params: plain.map((param) => param.type),
    required: plain.filter((param) => !param.optional).length,
    rest: plain.length < params.length,
    returns: result.exits ? hole : widened(result.type),
  };
}
