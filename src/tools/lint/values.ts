/**
 * What rules know about the value of an expression without running it. Only what is certain: annotations of variables are
 * not enforced when a program runs, and a missing argument is `nil`, so neither counts.
 */
import type { Expr } from "../../syntax/index.ts";
import type { LintContext } from "./rule.ts";

export type Certain =
  | "string"
  | "int"
  | "float"
  | "bool"
  | "nil"
  | "list"
  | "dict"
  | "set"
  | "range"
  | "iter";

const COMPARING: ReadonlySet<string> = new Set([
  "==",
  "!=",
  "<",
  ">",
  "<=",
  ">=",
  "in",
  "not in",
  "&&",
  "||",
]);
const LAZY: ReadonlySet<string> = new Set([
  "map", "filter", "flat_map", "take", "skip", "take_while", "skip_while", "zip", "enumerate", "chain", "chunks", "windows",
]); // biome-ignore format: a list of methods
const SINKS: ReadonlyMap<string, Certain> = new Map([
  ["to_list", "list"],
  ["to_set", "set"],
  ["to_dict", "dict"],
]);
const RESULTS: ReadonlySet<string> = new Set(["string", "int", "float", "bool", "set", "iter", "range"]);
const ITERABLE: ReadonlySet<Certain> = new Set<Certain>(["list", "dict", "set", "range", "iter", "string"]);

/** The type of an expression, where it cannot be another one. */
export function certainType(ctx: LintContext, expr: Expr, depth = 8): Certain | undefined {
  if (depth === 0) return undefined;
  switch (expr.kind) {
    case "StringLit":
    case "Interpolation":
      return "string";
    case "IntLit":
      return "int";
    case "FloatLit":
      return "float";
    case "BoolLit":
      return "bool";
    case "NilLit":
      return "nil";
    case "ListLit":
      return "list";
    case "DictLit":
      return "dict";
    case "RangeExpr":
      return "range";
    case "Unary":
      return expr.op === "!" ? "bool" : expr.operand.kind === "IntLit" ? "int" : undefined;
    case "Binary":
      if (COMPARING.has(expr.op)) return "bool";
      return expr.op === "+" && bothStrings(ctx, expr, depth) ? "string" : undefined;
    case "Identifier": {
      const binding = ctx.names.of(expr);
      if (binding?.kind !== "let" || binding.node.kind !== "Let") return undefined;
      const { pattern, value } = binding.node as import("../../syntax/index.ts").Let;
      return pattern.kind === "NamePattern" ? certainType(ctx, value, depth - 1) : undefined;
    }
    case "Call": {
      const name = expr.callee.kind === "Identifier" ? expr.callee.name : "";
      const result = ctx.isBuiltinCall(expr, name) ? ctx.resultOf(name) : undefined;
      return result !== undefined && RESULTS.has(result) ? (result as Certain) : undefined;
    }
    case "MethodCall": {
      if (expr.optional) return undefined;
      const { text } = expr.name;
      const over = certainType(ctx, expr.receiver, depth - 1);
      if (text === "iter" && over !== undefined && ITERABLE.has(over)) return "iter";
      if (over !== "iter" && over !== "range") return undefined;
      return LAZY.has(text) ? "iter" : SINKS.get(text);
    }
    default:
      return undefined;
  }
}

function bothStrings(ctx: LintContext, expr: Extract<Expr, { kind: "Binary" }>, depth: number): boolean {
  return (
    certainType(ctx, expr.left, depth - 1) === "string" &&
    certainType(ctx, expr.right, depth - 1) === "string"
  );
}

/** Has evaluating it neither effects nor errors? */
export function isPure(ctx: LintContext, expr: Expr): boolean {
  const rest = [expr];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    switch (one.kind) {
      case "StringLit":
      case "IntLit":
      case "FloatLit":
      case "DurationLit":
      case "BoolLit":
      case "NilLit":
        break;
      case "Identifier": {
        const binding = ctx.names.of(one);
        if (binding === undefined || binding.kind === "import" || binding.kind === "other") return false;
        break;
      }
      case "Unary":
        if (one.op !== "!") return false;
        rest.push(one.operand);
        break;
      case "Binary":
        if (!COMPARING.has(one.op) && one.op !== "??") return false;
        rest.push(one.left, one.right);
        break;
      default:
        return false;
    }
  }
  return true;
}

const OPERANDS: ReadonlySet<string> = new Set([
  "StringLit", "Interpolation", "IntLit", "FloatLit", "DurationLit", "BoolLit", "NilLit", "Identifier", "ListLit",
  "DictLit", "StructLit", "Call", "MethodCall", "Member", "Index", "Slice",
]); // biome-ignore format: a list of kinds

/** The source of an expression as an operand of any operator: in parentheses where it needs them. */
export function operandText(ctx: LintContext, expr: Expr): string {
  const text = ctx.source.slice(expr);
  return OPERANDS.has(expr.kind) ? text : `(${text})`;
}
