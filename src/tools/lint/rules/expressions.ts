/** Rules about expressions that say more than they mean. */
import type { Arg, BoolLit, Expr } from "../../../syntax/index.ts";
import { sameTree } from "../../format/same-tree.ts";
import { type Edit, type LintContext, rule } from "../rule.ts";
import { certainType, isPure, operandText } from "../values.ts";
import { removal } from "./flow.ts";

type BinaryExpr = Extract<Expr, { kind: "Binary" }>;
type MethodCallExpr = Extract<Expr, { kind: "MethodCall" }>;

export const comparisonToBool = rule(
  "comparison-to-bool",
  "HARN-LNT-004",
  "`x == true` instead of `x`",
  (ctx) => {
    for (const node of ctx.tree.all("Binary")) {
      const { op, left, right } = node;
      const literal = right.kind === "BoolLit" ? right : left.kind === "BoolLit" ? left : undefined;
      if (literal === undefined || (op !== "==" && op !== "!=")) continue;
      // An option that may be missing is told from one that is false: `options.quiet != false`.
      const other = literal === right ? left : right;
      if (other.kind !== "Identifier" && certainType(ctx, other) !== "bool") continue;
      const params = { op, literal: String(literal.value) };
      ctx.report("HARN-LNT-004", node, params, withoutLiteral(ctx, node, literal));
    }
  },
  { fixes: true },
);

/** Only a bool equals `true` exactly when it holds: other values are truthy too. */
function withoutLiteral(ctx: LintContext, node: BinaryExpr, literal: BoolLit): Edit[] | undefined {
  const onRight = literal === node.right;
  const other = onRight ? node.left : node.right;
  if (certainType(ctx, other) !== "bool") return undefined;
  // Parentheses belong to what is around a node: they are kept with the operand.
  const [start, end] = onRight ? [node.start, node.opSpan.start] : [node.opSpan.end, node.end];
  const kept = ctx.text.slice(start, end).trim();
  if (ctx.hasComments(node.start, node.end)) return undefined;
  if ((node.op === "==") === literal.value) return [{ start: node.start, end: node.end, text: kept }];
  const isOperand = kept.startsWith("(") || operandText(ctx, other) === kept;
  return [{ start: node.start, end: node.end, text: isOperand ? `!${kept}` : `!(${kept})` }];
}

const ARITHMETIC: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%", "**"]);

export const invalidBinaryOpLiteral = rule(
  "invalid-binary-op-literal",
  "HARN-LNT-011",
  "arithmetic with `true`, `false` or `nil`",
  (ctx) => {
    for (const node of ctx.tree.all("Binary")) {
      if (!ARITHMETIC.has(node.op)) continue;
      const literal = [node.left, node.right].find((one) => one.kind === "BoolLit" || one.kind === "NilLit");
      if (literal === undefined) continue;
      const other = literal === node.left ? node.right : node.left;
      const isText = node.op === "+" && (other.kind === "StringLit" || other.kind === "Interpolation");
      const text = `"\${${ctx.source.slice(literal)}}"`;
      ctx.report(
        "HARN-LNT-011",
        node,
        { op: node.op },
        isText ? [{ start: literal.start, end: literal.end, text }] : undefined,
      );
    }
  },
  { fixes: true },
);

const SHARES =
  /(?:^|_)(?:share|rate|ratio|fraction|percent|percentage|pct|average|avg|mean|accuracy|precision|recall)$/;

export const integerDivision = rule(
  "integer-division",
  "HARN-LNT-038",
  "a share that ints can't hold: `17 / 20`",
  (ctx) => {
    for (const node of ctx.tree.all("Binary")) {
      const { op, left, right } = node;
      if (op !== "/" || certainType(ctx, left) !== "int" || certainType(ctx, right) !== "int") continue;
      const quotient = quotientOf(left, right);
      if (quotient === undefined ? !isShare(ctx, node) : quotient.exact) continue;
      const [above, below] = [ctx.source.slice(left), ctx.source.slice(right)];
      const code = ctx.source.slice(node);
      const instead = left.kind === "IntLit" ? `${above}.0 / ${below}` : `to_float(${above}) / ${below}`;
      ctx.report("HARN-LNT-038", node, { code, value: quotient?.text, instead });
    }
  },
);

/** From here on a number is believed to count milliseconds. */
const fewMilliseconds = 60n;

export const bareMilliseconds = rule(
  "bare-milliseconds",
  "HARN-LNT-040",
  "`sleep(1)`, which is one millisecond",
  (ctx) => {
    const look = (node: Arg | undefined, shown: string): void => {
      const ms = node?.kind === "IntLit" ? BigInt(node.value) : 0n;
      if (node === undefined || ms === 0n || ms > fewMilliseconds) return;
      ctx.report("HARN-LNT-040", node, { code: shown, ms: String(ms) });
    };
    for (const call of ctx.tree.all("Call")) {
      const at = ctx.timeParamOf(call);
      if (at !== undefined) look(call.args[at], ctx.source.slice(call));
    }
    for (const { duration } of ctx.tree.all("Deadline"))
      look(duration, `deadline ${ctx.source.slice(duration)}`);
    for (const { timeout } of ctx.tree.all("Select"))
      if (timeout !== undefined) look(timeout.duration, `timeout ${ctx.source.slice(timeout.duration)}`);
  },
);

/** A number alone after code on its line; a word alone may be a note: `5 // seconds`. */
const DIVISOR = /^\/\/\s*\d[\d_.]*\s*$/;

export const commentForDivision = rule(
  "comment-for-division",
  "HARN-LNT-039",
  "`7 // 2`, which is 7",
  (ctx) => {
    for (const comment of ctx.lexed.comments) {
      if (!DIVISOR.test(ctx.source.slice(comment))) continue;
      const before = ctx.text.slice(ctx.text.lastIndexOf("\n", comment.start - 1) + 1, comment.start);
      const value = /[\w)\]]\s*$/.test(before) ? before.trim().split(/\s/).at(-1) : undefined;
      if (value !== undefined)
        ctx.report("HARN-LNT-039", comment, { text: `${value} ${ctx.source.slice(comment).trim()}` });
    }
  },
);

/** Of two literals; `undefined` for anything else, and for zero, which has an error of its own. */
function quotientOf(left: Expr, right: Expr): { readonly exact: boolean; readonly text: string } | undefined {
  if (left.kind !== "IntLit" || right.kind !== "IntLit") return undefined;
  const [above, below] = [BigInt(left.value), BigInt(right.value)];
  return below === 0n ? undefined : { exact: above % below === 0n, text: String(above / below) };
}

/** Is a quotient used as one that may lie between two ints? */
function isShare(ctx: LintContext, node: BinaryExpr): boolean {
  const parent = ctx.tree.parent(node);
  switch (parent?.kind) {
    case "Binary": {
      const other = parent.left === node ? parent.right : parent.left;
      return (
        other.kind === "FloatLit" ||
        (parent.op === "*" && other.kind === "IntLit" && Number(other.value) === 100)
      );
    }
    case "Call":
      return parent.callee.kind === "Identifier" && ctx.isBuiltinCall(parent, "to_float");
    case "Let":
      return parent.pattern.kind === "NamePattern" && SHARES.test(parent.pattern.name.text);
    case "DictEntry":
      return typeof parent.key === "string" && SHARES.test(parent.key);
    default:
      return false;
  }
}

const RELATIONS: ReadonlySet<string> = new Set(["==", "!=", "<", ">", "<=", ">="]);
/** Values that equal themselves; a float may be NaN, and lists may hold one. */
const REFLEXIVE: ReadonlySet<unknown> = new Set(["string", "int", "bool", "nil"]);

export const pointlessComparison = rule(
  "pointless-comparison",
  "HARN-LNT-018",
  "comparisons with one possible result",
  (ctx) => {
    for (const node of ctx.tree.all("Binary")) {
      if (!RELATIONS.has(node.op) || !isSteady(node.left) || !sameTree(node.left, node.right)) continue;
      const known =
        REFLEXIVE.has(certainType(ctx, node.left)) &&
        isPure(ctx, node.left) &&
        !ctx.hasComments(node.start, node.end);
      const text = String(node.op === "==" || node.op === "<=" || node.op === ">=");
      ctx.report(
        "HARN-LNT-018",
        node,
        { op: node.op },
        known ? [{ start: node.start, end: node.end, text }] : undefined,
      );
    }
    for (const node of ctx.tree.all("If"))
      if (node.condition.kind === "BoolLit")
        ctx.report("HARN-LNT-018", node.condition, { value: node.condition.value });
  },
  { fixes: true },
);

/** Gives the same value each time it is evaluated. */
function isSteady(expr: Expr): boolean {
  let at = expr;
  while (at.kind === "Member") at = at.object;
  return (
    at.kind === "Identifier" ||
    at.kind === "StringLit" ||
    at.kind === "IntLit" ||
    at.kind === "BoolLit" ||
    at.kind === "NilLit"
  );
}

export const redundantNilTernary = rule(
  "redundant-nil-ternary",
  "HARN-LNT-023",
  "`x == nil ? y : x` instead of `x ?? y`",
  (ctx) => {
    for (const node of ctx.tree.all("Ternary")) {
      const { condition } = node;
      if (condition.kind !== "Binary" || (condition.op !== "==" && condition.op !== "!=")) continue;
      const tested =
        condition.right.kind === "NilLit"
          ? condition.left
          : condition.left.kind === "NilLit"
            ? condition.right
            : undefined;
      if (tested === undefined || tested.kind === "NilLit" || !isSteady(tested)) continue;
      const [whenNil, otherwise] = condition.op === "==" ? [node.then, node.else] : [node.else, node.then];
      if (!sameTree(tested, otherwise)) continue;
      const name = ctx.source.slice(tested);
      const text = `${name} ?? ${operandText(ctx, whenNil)}`;
      const fix = ctx.hasComments(node.start, node.end)
        ? undefined
        : [{ start: node.start, end: node.end, text }];
      ctx.report("HARN-LNT-023", node, { name }, fix);
    }
  },
  { fixes: true },
);

export const unnecessaryCast = rule(
  "unnecessary-cast",
  "HARN-LNT-022",
  "conversions of what needs none",
  (ctx) => {
    for (const call of ctx.tree.all("Call")) {
      const name = ctx.builtinWith(call, "converts");
      const argument = call.args[0];
      if (name === undefined || call.args.length !== 1) continue;
      const type = name.slice("to_".length);
      if (argument === undefined || argument.kind === "Spread" || argument.kind === "NamedArg") continue;
      if (certainType(ctx, argument) !== type) continue;
      const fix = ctx.hasComments(call.start, call.end)
        ? undefined
        : [{ start: call.start, end: call.end, text: operandText(ctx, argument) }];
      ctx.report("HARN-LNT-022", call, { name, type: type === "int" ? "an int" : `a ${type}` }, fix);
    }
  },
  { fixes: true },
);

const COPIED: ReadonlySet<unknown> = new Set([
  "list",
  "dict",
  "set",
  "string",
  "int",
  "float",
  "bool",
  "nil",
]);

export const redundantClone = rule(
  "redundant-clone",
  "HARN-LNT-021",
  "copies of what nobody can change",
  (ctx) => {
    for (const call of ctx.tree.all("Call")) {
      const argument = call.args[0];
      const isClone = ctx.isBuiltinCall(call, "clone") || ctx.isBuiltinCall(call, "deep_clone");
      if (!isClone || argument === undefined || argument.kind === "Spread" || argument.kind === "NamedArg")
        continue;
      const parent = ctx.tree.parent(call);
      const isPassed =
        (parent?.kind === "Call" || parent?.kind === "MethodCall") &&
        (parent.args as readonly unknown[]).includes(call);
      // Handles (channels, atomics) are no values: only certain ones are known not to be.
      const sure = COPIED.has(certainType(ctx, argument)) && !ctx.hasComments(call.start, call.end);
      if (isPassed)
        ctx.report(
          "HARN-LNT-021",
          call,
          { use: "passed by value" },
          sure ? [{ start: call.start, end: call.end, text: operandText(ctx, argument) }] : undefined,
        );
      else if (parent?.kind === "ExprStatement" && isValueDropped(ctx, parent))
        ctx.report(
          "HARN-LNT-021",
          call,
          { use: "dropped" },
          isPure(ctx, argument) ? removal(ctx, parent) : undefined,
        );
    }
  },
  { fixes: true },
);

/** Is the value of a statement certainly not that of the block around it? */
export function isValueDropped(ctx: LintContext, statement: Expr | import("../tree.ts").AnyNode): boolean {
  const holder = ctx.tree.parent(statement);
  if (holder?.kind === "Program") return true;
  if (holder?.kind !== "Block") return false;
  return holder.statements.at(-1) !== (statement as unknown) || ctx.tree.parent(holder)?.kind === "FnDecl";
}

const COLLECTIONS: ReadonlySet<string> = new Set(["list", "set", "dict"]);

export const eagerCollectionConversion = rule(
  "eager-collection-conversion",
  "HARN-LNT-008",
  "iterators where collections are declared",
  (ctx) => {
    const expect = (value: Expr, type: import("../../../syntax/index.ts").TypeExpr | undefined): void => {
      const expected = type?.kind === "ListType" ? "list" : type?.kind === "NamedType" ? type.name.text : "";
      if (!COLLECTIONS.has(expected) || certainType(ctx, value) !== "iter") return;
      const text = `${operandText(ctx, value)}.to_${expected}()`;
      ctx.report("HARN-LNT-008", value, { expected }, [{ start: value.start, end: value.end, text }]);
    };
    for (const node of ctx.tree.all("Let")) expect(node.value, node.type);
    for (const call of ctx.tree.all("Call")) {
      const decl = ctx.names.of(call.callee)?.node;
      if (decl?.kind !== "FnDecl") continue;
      const { params } = decl as import("../../../syntax/index.ts").FnDecl;
      call.args.forEach((argument, index) => {
        const spread = call.args.slice(0, index + 1).some((one) => one.kind === "Spread");
        if (!spread && argument.kind !== "NamedArg") expect(argument as Expr, params[index]?.type);
      });
    }
    for (const node of ctx.tree.all("Return")) {
      if (node.value === undefined) continue;
      for (const at of ctx.tree.around(node)) {
        if (at.kind === "FnDecl" || at.kind === "ToolDecl") expect(node.value, at.returns);
        if (at.kind === "FnDecl" || at.kind === "ToolDecl" || at.kind === "Closure") break;
      }
    }
  },
  { fixes: true },
);

export const lazyValueDropped = rule(
  "lazy-value-dropped",
  "HARN-LNT-041",
  "lazy chains that nobody goes through",
  (ctx) => {
    for (const call of ctx.tree.all("MethodCall")) {
      const parent = ctx.tree.parent(call);
      if (parent?.kind !== "ExprStatement" || certainType(ctx, call) !== "iter") continue;
      if (isValueDropped(ctx, parent)) ctx.report("HARN-LNT-041", call, { name: call.name.text });
    }
  },
);

export const spawnInLazyChain = rule(
  "spawn-in-lazy-chain",
  "HARN-LNT-042",
  "tasks that a lazy chain would start later",
  (ctx) => {
    for (const node of ctx.tree.all("Spawn")) {
      const chain = chainAround(ctx, node);
      if (chain === undefined || certainType(ctx, chain) !== "iter") continue;
      const parent = ctx.tree.parent(chain);
      const isKept = parent?.kind === "MethodCall" && certainType(ctx, parent) !== "iter";
      if (!isKept) ctx.report("HARN-LNT-042", node, { name: chain.name.text });
    }
  },
);

/** The method call whose callback a node stands in directly. */
function chainAround(ctx: LintContext, node: Expr): MethodCallExpr | undefined {
  for (const at of ctx.tree.around(node)) {
    if (at.kind === "FnDecl" || at.kind === "ToolDecl" || at.kind === "Spawn") return undefined;
    if (at.kind !== "Closure") continue;
    const call = ctx.tree.parent(at);
    return call?.kind === "MethodCall" && (call.args as readonly unknown[]).includes(at) ? call : undefined;
  }
  return undefined;
}
