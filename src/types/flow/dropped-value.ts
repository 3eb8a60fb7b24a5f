/**
 * Statements that only compute a value, which nothing takes: `xs.push(1)` gives a longer list and leaves `xs` as it is, `a == b`
 * asserts nothing, `f` calls nothing (language.md §8.1).
 */
import type { Block, Call, Expr, ExprStatement, If, MethodCall } from "../../syntax/index.ts";
import { hasTrait, onlyGives } from "../../table/index.ts";
import type { Checker } from "../checker.ts";

/** Reports an expression statement whose value is dropped and that does nothing else. */
export function checkDropped(c: Checker, node: ExprStatement): void {
  report(c, [node], "give it a name, or remove it");
}

/** The same for the end of a declared function or of a loop's body, which drop what they end with. */
export function checkDroppedEnd(c: Checker, { statements }: Block, isFunction = false): void {
  report(c, statements, isFunction ? "write `return` before it" : "give it a name, or remove it");
}

function report(c: Checker, statements: Block["statements"], otherwise: string): void {
  const { values, isPartly } = endsOf(statements, { tried: false });
  const dropped = values.filter((one) => one.kind !== "NilLit" && onlyComputes(c, one));
  // Where other ways do something, a literal says that this one does not.
  const isPlaceholder = (one: Expr): boolean =>
    (isPartly || dropped.length < values.length) && literals.has(one.kind);
  for (const one of dropped) if (!isPlaceholder(one)) c.report("HARN-ORC-006", one, said(c, one, otherwise));
}

const literals: ReadonlySet<Expr["kind"]> = new Set([
  "IntLit",
  "FloatLit",
  "DurationLit",
  "StringLit",
  "BoolLit",
]);

function said(c: Checker, node: Expr, otherwise: string): { text: string; instead: string } {
  const written = (one: Expr): string => c.source.text.slice(one.start, one.end);
  if (node.kind === "MethodCall") {
    const { receiver, name } = node;
    const text = `\`${name.text}\` gives a new value and changes nothing, and its value is not used`;
    if (c.variableOf(receiver) === undefined) return { text, instead: otherwise };
    return { text, instead: `write \`${written(receiver)} = ${written(node)}\`` };
  }
  if (node.kind === "Call") {
    const first = node.args[0]?.kind === "Identifier" ? node.args[0].name : undefined;
    return {
      text: `\`${written(node.callee)}\` gives a new value and changes nothing, and its value is not used`,
      instead: first === undefined ? otherwise : `write \`${first} = ${written(node.callee)}(${first}, …)\``,
    };
  }
  if (node.kind === "Binary" && node.op === "==")
    return { text: "the result of `==` is not used", instead: "`=` assigns; `assert_eq(a, b)` tests" };
  if (namesFunction(c, node)) {
    const name = written(node);
    return { text: `\`${name}\` is named, not called`, instead: `write \`${name}()\`` };
  }
  return { text: "this statement only computes a value, which is not used", instead: otherwise };
}

function namesFunction(c: Checker, node: Expr): boolean {
  if (node.kind !== "Identifier") return false;
  const type = c.quietly(() => c.visit.infer(c, node));
  return type.kind === "fn" || (c.hasBuiltin(node.name) && c.variableOf(node) === undefined);
}

/**
 * The expressions that stand last on some way through a block, where control goes on after it, and whether other ways end
 * otherwise. What stands in a `try` may be there to fail: `tried: false` leaves it out.
 */
export function endsOf(
  body: Block["statements"],
  { tried = true } = {},
): { readonly values: readonly Expr[]; readonly isPartly: boolean } {
  const values: Expr[] = [];
  let isPartly = false;
  const pending = [body];
  for (let statements = pending.pop(); statements !== undefined; statements = pending.pop()) {
    const last = statements.at(-1);
    if (last?.kind === "Mutex") pending.push(last.body.statements);
    else if (last?.kind !== "ExprStatement" || statements.some(leavesFunction)) isPartly = true;
    else if (!tried && (last.expr.kind === "Try" || last.expr.kind === "Retry")) isPartly = true;
    else {
      const inner = valueBlocks(last.expr);
      if (inner === undefined) values.push(last.expr);
      else pending.push(...inner.map((one) => one.statements));
    }
  }
  return { values: values.sort((a, b) => a.start - b.start), isPartly };
}

const leavesFunction = (node: Block["statements"][number]): boolean =>
  node.kind === "Return" || node.kind === "Throw" || node.kind === "Break" || node.kind === "Continue";

/** The blocks that an expression ends with; `undefined` when it is a value by itself. */
function valueBlocks(node: Expr): Block[] | undefined {
  switch (node.kind) {
    case "If": {
      const blocks: Block[] = [];
      for (let at: If | undefined = node; at !== undefined; ) {
        blocks.push(at.then);
        if (at.else?.kind === "Block") blocks.push(at.else);
        at = at.else?.kind === "If" ? at.else : undefined;
      }
      return blocks;
    }
    case "Match":
      return node.arms.map((arm) => arm.body);
    case "Try":
      return node.catch === undefined ? [node.body] : [node.body, node.catch.body];
    case "Retry":
    case "Deadline":
    case "Scope":
    case "CostRoute":
      return [node.body];
    default:
      return undefined;
  }
}

/** Evaluating it does nothing but give its value, or fail. */
function onlyComputes(c: Checker, node: Expr): boolean {
  const pending = [node];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const parts = partsOf(c, at);
    if (parts === undefined) return false;
    pending.push(...parts);
  }
  return true;
}

/** What a computation is made of; `undefined` for what may do more than compute. */
function partsOf(c: Checker, node: Expr): readonly Expr[] | undefined {
  switch (node.kind) {
    case "IntLit":
    case "FloatLit":
    case "DurationLit":
    case "StringLit":
    case "BoolLit":
    case "NilLit":
    case "Identifier":
    case "Closure":
      return [];
    case "Interpolation":
      return node.parts.filter((part) => typeof part !== "string");
    case "ListLit":
      return node.elements.map((one) => (one.kind === "Spread" ? one.value : one));
    case "DictLit":
      return node.entries.flatMap((one) => {
        if (one.kind === "Spread") return [one.value];
        return typeof one.key === "string" ? [one.value] : [one.key, one.value];
      });
    case "StructLit":
      return node.fields.map(({ value }) => value);
    case "Unary":
      return [node.operand];
    case "Binary":
      return [node.left, node.right];
    case "Ternary":
      return [node.condition, node.then, node.else];
    case "RangeExpr":
      return [node.from, node.to];
    case "Member":
      return [node.object];
    case "Index":
      return [node.object, node.index];
    case "Slice":
      return [node.object, node.from, node.to].filter((one) => one !== undefined);
    case "MethodCall":
      return partsOfCall(c, node);
    case "Call":
      return isDroppedCall(c, node) ? [] : undefined;
    default:
      return undefined;
  }
}

/** `tool_define(registry, …)`: what it is given stays as it was. */
function isDroppedCall(c: Checker, node: Call): boolean {
  const ref = c.module.calls.get(node);
  return ref?.builtin === true && hasTrait(c.builtinSpec(ref.name), "onlyGives");
}

/** A method that gives a value, without a callback that could do more. */
function partsOfCall(c: Checker, { receiver, name, args }: MethodCall): readonly Expr[] | undefined {
  if (!onlyGives(collectionOf(c, receiver), name.text)) return undefined;
  return [
    receiver,
    ...args.map((arg) => (arg.kind === "Spread" || arg.kind === "NamedArg" ? arg.value : arg)),
  ];
}

/** `list`, `dict` …; empty when that is not known. */
function collectionOf(c: Checker, node: Expr): string {
  const type = c.certainType(
    node,
    c.quietly(() => c.visit.infer(c, node)),
  );
  if (type.kind === "shape") return "dict";
  if (type.kind === "literal") return typeof type.value === "string" ? "string" : "";
  return type.kind === "name" && type.decl === undefined ? type.name : "";
}
