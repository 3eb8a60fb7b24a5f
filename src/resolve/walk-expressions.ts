/**
 * Expressions. Left-nested chains (`a + b + …`, `x.a.b…`, `v |> f |> …`) and `else if` are walked in loops, so that
 * their length is bounded by memory only; other nesting is bounded by `Walk.nested`.
 */
import type { Arg, Call, Expr, Identifier, If, Match, MatchArm, Pipe, Spread, Try } from "../syntax/index.ts";
import { leftOfLink } from "../syntax/nodes.ts";
import type { CallRef, Ref } from "./model.ts";
import type { Walk } from "./walk.ts";

/** Part of a larger expression: a `yield` inside would not be a statement of the function. */
export function walkExpr(walk: Walk, node: Expr): void {
  const outer = walk.yieldPlace;
  walk.yieldPlace = false;
  walkNested(walk, node);
  walk.yieldPlace = outer;
}

/** Keeps `yieldPlace` as it is. */
export function walkNested(walk: Walk, node: Expr): void {
  const spine: Expr[] = [];
  let base = node;
  for (let left = leftOf(base); left !== undefined; left = leftOf(base)) {
    spine.push(base);
    base = left;
  }
  walkBase(walk, base);
  for (let i = spine.length - 1; i >= 0; i--) walkLink(walk, spine[i]!);
}

/** What a chain's link, or an operator, continues on its left. */
const leftOf = (node: Expr): Expr | undefined => (node.kind === "Binary" ? node.left : leftOfLink(node));

/** A link's own parts, its left side being done. */
function walkLink(walk: Walk, node: Expr): void {
  switch (node.kind) {
    case "Binary":
      walkExpr(walk, node.right);
      return;
    case "Index":
      walkExpr(walk, node.index);
      return;
    case "Slice":
      if (node.from !== undefined) walkExpr(walk, node.from);
      if (node.to !== undefined) walkExpr(walk, node.to);
      return;
    case "MethodCall":
      walk.fn.suspends = true;
      walkArgs(walk, node.args);
      return;
    case "Pipe":
      walkPipe(walk, node);
      return;
    default:
      return;
  }
}

function walkBase(walk: Walk, node: Expr): void {
  switch (node.kind) {
    case "Identifier":
      walk.module.refs.set(node, resolveName(walk, node));
      return;
    case "Call":
      walkCall(walk, node);
      return;
    case "Interpolation":
      for (const part of node.parts) if (typeof part !== "string") walkExpr(walk, part);
      return;
    case "ListLit":
      for (const element of node.elements)
        walkExpr(walk, element.kind === "Spread" ? element.value : element);
      return;
    case "DictLit":
      for (const entry of node.entries) {
        if (entry.kind === "DictEntry" && typeof entry.key !== "string") walkExpr(walk, entry.key);
        walkExpr(walk, entry.value);
      }
      return;
    case "StructLit":
      if (!walk.module.structs.has(node.name.text)) {
        const near = nearStruct(walk, node.name.text);
        walk.report("HARN-NAM-005", node.name, { name: node.name.text, near });
      }
      for (const field of node.fields) walkExpr(walk, field.value);
      return;
    case "Closure":
      walk.visit.functionBody(walk, node);
      return;
    case "Unary": {
      let operand: Expr = node;
      while (operand.kind === "Unary") operand = operand.operand;
      walkExpr(walk, operand);
      return;
    }
    case "Ternary": {
      let at: Expr = node;
      for (; at.kind === "Ternary"; at = at.else) {
        walkExpr(walk, at.condition);
        walkExpr(walk, at.then);
      }
      walkExpr(walk, at);
      return;
    }
    case "RangeExpr":
      walkExpr(walk, node.from);
      walkExpr(walk, node.to);
      return;
    case "If":
      walkIf(walk, node);
      return;
    case "Match":
      walkMatch(walk, node);
      return;
    case "Try":
      walkTry(walk, node);
      return;
    case "TryStar":
      if (!walk.inFunction) walk.report("HARN-CMP-005", node, undefined as never);
      walkExpr(walk, node.value);
      return;
    case "Retry":
      walkExpr(walk, node.count);
      walk.visit.block(walk, node.body);
      return;
    case "Deadline":
      walk.fn.suspends = true;
      walkExpr(walk, node.duration);
      inExpression(walk, () => walk.visit.block(walk, node.body));
      return;
    case "Scope":
    case "CostRoute":
      walk.fn.suspends = true;
      inExpression(walk, () => walk.visit.block(walk, node.body));
      return;
    case "Parallel":
      walk.fn.suspends = true;
      walkExpr(walk, node.subject);
      if (node.maxConcurrent !== undefined) walkExpr(walk, node.maxConcurrent);
      walk.visit.taskBody(walk, node.body, node.param);
      return;
    case "Spawn":
      walk.visit.taskBody(walk, node.body, undefined);
      return;
    default:
      return;
  }
}

function inExpression(walk: Walk, body: () => void): void {
  const outer = walk.yieldPlace;
  walk.yieldPlace = false;
  body();
  walk.yieldPlace = outer;
}

function nearStruct(walk: Walk, name: string): string | undefined {
  return walk.nearestOf(name, walk.module.structs.keys());
}

/** What an identifier means where a value is wanted (language.md §7.1). */
function resolveName(walk: Walk, node: Identifier): Ref {
  const name = node.name;
  const binding = walk.scope.find(name);
  if (binding !== undefined) return walk.use(binding);
  if (walk.module.enums.has(name) || name === "Result") return { kind: "enum", name };
  if (walk.module.structs.has(name)) return { kind: "struct", name };
  if (walk.known.suspends(name) !== undefined) return { kind: "builtin", name };
  if (walk.known.isGlobal(name)) return { kind: "global", name };
  const alias = walk.module.aliases.get(name);
  if (alias !== undefined) return { kind: "alias", decl: alias };
  const near = walk.suggestVariable(name);
  if (!walk.inherited.has(name)) walk.undefinedNames.push({ at: node, fn: walk.fn, name, near });
  return { kind: "unknown", name, near };
}

function walkCall(walk: Walk, node: Call): void {
  if (node.callee.kind === "Identifier") {
    const ref = callTarget(walk, node, node.callee);
    walk.module.calls.set(node, ref);
    noteSuspendingCall(walk, node, ref);
  } else {
    walkExpr(walk, node.callee);
    walk.fn.suspends = true;
  }
  walkArgs(walk, node.args);
}

function callTarget(walk: Walk, node: Call, callee: Identifier): CallRef {
  const name = callee.name;
  const none = {
    name,
    variable: undefined,
    fn: undefined,
    struct: undefined,
    builtin: false,
    late: false,
    near: undefined,
  };
  if (walk.known.isSpecialForm(name)) return { ...none, builtin: true };
  const found = walk.scope.find(name);
  const variable = found === undefined || found.fn !== undefined ? undefined : walk.use(found);
  const fn = variable === undefined ? found : walk.scope.findFunction(name);
  if (fn !== undefined) return { ...none, variable, fn: walk.use(fn) };
  const struct = walk.module.structs.get(name);
  if (struct !== undefined) return { ...none, variable, struct };
  if (walk.known.suspends(name) !== undefined) return { ...none, variable, builtin: true };
  const near = walk.suggestCall(name);
  if (variable === undefined)
    walk.unresolved.push({ call: node, at: callee, name, near: walk.suggestTarget(name) });
  return { ...none, variable, near };
}

/** A call by name is as synchronous as what it calls; calls of unknown closures may always wait. */
function noteSuspendingCall(walk: Walk, node: Call, ref: CallRef): void {
  const fn = walk.fn;
  if (ref.variable !== undefined) fn.suspends = true;
  else if (ref.fn?.fn !== undefined) fn.callees.add(ref.fn.fn);
  else if (ref.builtin) {
    const suspends = walk.known.suspends(ref.name);
    if (suspends === "may" || (suspends === "callback" && node.args.some(mayHoldCallback)))
      fn.suspends = true;
  } else if (ref.struct === undefined) fn.suspends = true;
}

/** Could the argument be a function? Literals cannot. */
export function mayHoldCallback(arg: Arg): boolean {
  return !["IntLit", "FloatLit", "StringLit", "BoolLit", "NilLit", "DurationLit", "Interpolation"].includes(
    arg.kind,
  );
}

function walkArgs(walk: Walk, args: readonly (Arg | Spread)[]): void {
  for (const arg of args) walkExpr(walk, arg.kind === "Spread" || arg.kind === "NamedArg" ? arg.value : arg);
}

/** `v |> f`: with the placeholder the right side is an expression over `_`, bound in the frame itself. */
function walkPipe(walk: Walk, node: Pipe): void {
  walk.fn.suspends = true;
  if (!hasPlaceholder(node.into)) {
    walkExpr(walk, node.into);
    return;
  }
  walk.scoped(() => {
    const binding = walk.newBinding({ text: "_", start: node.start, end: node.start }, "pipe", false);
    walk.scope.names.set("_", binding);
    walk.module.placeholders.set(node, binding);
    walkExpr(walk, node.into);
  });
}

function walkIf(walk: Walk, node: If): void {
  for (let at: If = node; ; ) {
    walkExpr(walk, at.condition);
    walk.visit.block(walk, at.then);
    if (at.else === undefined) return;
    if (at.else.kind === "Block") {
      walk.visit.block(walk, at.else);
      return;
    }
    at = at.else;
  }
}

function walkTry(walk: Walk, node: Try): void {
  walk.visit.block(walk, node.body);
  const handler = node.catch;
  if (handler !== undefined) {
    walk.scoped(() => {
      if (handler.name !== undefined) walk.declare(handler.name, "catch", false);
      walk.visit.block(walk, handler.body);
    });
  }
  if (node.finally !== undefined) walk.visit.block(walk, node.finally);
}

function walkMatch(walk: Walk, node: Match): void {
  walkExpr(walk, node.subject);
  for (const arm of node.arms) {
    walk.scoped(() => {
      walkArmPatterns(walk, arm);
      if (arm.guard !== undefined) walkExpr(walk, arm.guard);
      walk.visit.block(walk, arm.body);
    });
  }
}

function walkArmPatterns(walk: Walk, arm: MatchArm): void {
  if (arm.patterns.length > 1) {
    const bad = arm.patterns.find((pattern) => !isLiteralPattern(pattern));
    if (bad !== undefined) walk.report("HARN-CMP-003", bad, undefined as never);
  }
  for (const pattern of arm.patterns) walkMatchPattern(walk, pattern);
}

function isLiteralPattern(node: Expr): boolean {
  if (node.kind === "Identifier") return node.name === "_";
  if (node.kind === "Unary") return node.op === "-" && isLiteralPattern(node.operand);
  return ["IntLit", "FloatLit", "StringLit", "BoolLit", "NilLit", "DurationLit"].includes(node.kind);
}

/** Patterns are expressions read by language.md §11: names bind, enum variants and literals are compared. */
function walkMatchPattern(walk: Walk, node: Expr): void {
  switch (node.kind) {
    case "Identifier":
      bindPatternName(walk, node);
      return;
    case "MethodCall":
      if (isKnownEnum(walk, node.receiver)) {
        walk.module.refs.set(node.receiver, { kind: "enum", name: (node.receiver as Identifier).name });
        for (const arg of node.args) if (arg.kind === "Identifier") bindPatternName(walk, arg);
        return;
      }
      break;
    case "DictLit":
      for (const entry of node.entries) {
        if (entry.kind === "Spread") spreadError(walk, entry);
        else walkElementPattern(walk, entry.value);
      }
      return;
    case "ListLit":
      for (const element of node.elements) {
        if (element.kind === "Spread") spreadError(walk, element);
        else walkElementPattern(walk, element);
      }
      return;
    default:
      break;
  }
  walkExpr(walk, node);
}

function walkElementPattern(walk: Walk, node: Expr): void {
  if (node.kind === "Identifier") bindPatternName(walk, node);
  else if (node.kind === "ListLit" || node.kind === "DictLit")
    walk.report("HARN-CMP-008", node, { line: walk.line(node) });
  else walkExpr(walk, node);
}

function spreadError(walk: Walk, node: Spread): void {
  walk.report("HARN-CMP-002", node, { line: walk.line(node) });
}

function bindPatternName(walk: Walk, node: Identifier): void {
  const name = { text: node.name, start: node.start, end: node.end };
  const binding = walk.declare(name, "match", false);
  if (binding !== undefined) walk.module.bindings.set(node, binding);
}

/** The name of an enum, not hidden by a variable. */
function isKnownEnum(walk: Walk, node: Expr): boolean {
  if (node.kind !== "Identifier" || walk.scope.find(node.name) !== undefined) return false;
  return walk.module.enums.has(node.name) || node.name === "Result";
}

/**
 * The pipe placeholder: does the right side of `|>` contain `_` where language.md §8.7 looks for it? (Calls, method
 * receivers and arguments, operators, list elements, property access, indexing; not closures, not dict literals.)
 */
function hasPlaceholder(root: Expr): boolean {
  const pending: (Arg | Spread | undefined)[] = [root];
  while (pending.length > 0) {
    const node = pending.pop();
    switch (node?.kind) {
      case "Identifier":
        if (node.name === "_") return true;
        break;
      case "Call":
        pending.push(node.callee, ...node.args);
        break;
      case "MethodCall":
        pending.push(node.receiver, ...node.args);
        break;
      case "Spread":
      case "NamedArg":
      case "Propagate":
      case "TryStar":
        pending.push(node.value);
        break;
      case "Unary":
        pending.push(node.operand);
        break;
      case "Binary":
        pending.push(node.left, node.right);
        break;
      case "Ternary":
        pending.push(node.condition, node.then, node.else);
        break;
      case "RangeExpr":
        pending.push(node.from, node.to);
        break;
      case "ListLit":
        pending.push(...node.elements);
        break;
      case "Member":
        pending.push(node.object);
        break;
      case "Index":
        pending.push(node.object, node.index);
        break;
      case "Slice":
        pending.push(node.object, node.from, node.to);
        break;
      default:
        break;
    }
  }
  return false;
}
