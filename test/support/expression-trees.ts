/** Expressions of every kind, as trees: what printer and formatter are tested with. */
import fc from "fast-check";
import type { Block, Expr } from "../../src/syntax/index.ts";

const at = { start: 0, end: 0 };
const named = (text: string) => ({ ...at, text });

const leaf: fc.Arbitrary<Expr> = fc.oneof(
  fc.nat().map((value): Expr => ({ ...at, kind: "IntLit", value })),
  fc
    .double({ noNaN: true, min: 0, max: 1e30 })
    .map((value): Expr => ({ ...at, kind: "FloatLit", value: Object.is(value, -0) ? 0 : value })),
  fc.nat(1e9).map((ms): Expr => ({ ...at, kind: "DurationLit", ms })),
  fc.string({ maxLength: 8 }).map((value): Expr => ({ ...at, kind: "StringLit", value, raw: false })),
  fc
    .constantFrom("a", "b", "Point", "not", "with", "scope", "each")
    .map((name): Expr => ({ ...at, kind: "Identifier", name })),
  fc.constantFrom<Expr>(
    { ...at, kind: "NilLit" },
    { ...at, kind: "BoolLit", value: true },
    { ...at, kind: "ListLit", elements: [] },
  ),
);

export const { expr } = fc.letrec<{ expr: Expr; block: Block }>((tie) => ({
  block: fc.array(tie("expr"), { maxLength: 2 }).map(
    (list): Block => ({
      ...at,
      kind: "Block",
      statements: list.map((one) => ({ ...at, kind: "ExprStatement", expr: one })),
    }),
  ),
  expr: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    leaf,
    fc
      .tuple(
        fc.constantFrom(
          "||",
          "&&",
          "==",
          "!=",
          "<",
          ">",
          "<=",
          ">=",
          "in",
          "not in",
          "+",
          "-",
          "??",
          "*",
          "/",
          "%",
          "**",
        ),
        tie("expr"),
        tie("expr"),
      )
      .map(([op, left, right]): Expr => ({ ...at, kind: "Binary", op: op as "+", opSpan: at, left, right })),
    fc
      .tuple(fc.constantFrom("!", "-"), tie("expr"))
      .map(([op, operand]): Expr => ({ ...at, kind: "Unary", op: op as "!", operand })),
    fc
      .tuple(tie("expr"), tie("expr"), tie("expr"))
      // biome-ignore lint/suspicious/noThenProperty: the tree's own word
      .map(([condition, yes, no]): Expr => ({ ...at, kind: "Ternary", condition, then: yes, else: no })),
    fc
      .tuple(tie("expr"), tie("expr"), fc.boolean())
      .map(([from, to, exclusive]): Expr => ({ ...at, kind: "RangeExpr", from, to, exclusive })),
    fc.tuple(tie("expr"), tie("expr")).map(([value, into]): Expr => ({ ...at, kind: "Pipe", value, into })),
    tie("expr").map((value): Expr => ({ ...at, kind: "Propagate", value })),
    tie("expr").map((value): Expr => ({ ...at, kind: "TryStar", value })),
    fc
      .tuple(tie("expr"), fc.boolean())
      .map(([object, optional]): Expr => ({ ...at, kind: "Member", object, name: named("if"), optional })),
    fc
      .tuple(tie("expr"), tie("expr"), fc.boolean())
      .map(([object, index, optional]): Expr => ({ ...at, kind: "Index", object, index, optional })),
    fc
      .tuple(
        tie("expr"),
        fc.option(tie("expr"), { nil: undefined }),
        fc.option(tie("expr"), { nil: undefined }),
      )
      .map(([object, from, to]): Expr => ({ ...at, kind: "Slice", object, from, to })),
    fc.tuple(tie("expr"), fc.array(tie("expr"), { maxLength: 2 })).map(
      ([receiver, args]): Expr => ({
        ...at,
        kind: "MethodCall",
        receiver,
        name: named("m"),
        optional: false,
        args,
      }),
    ),
    fc
      .tuple(
        fc.option(tie("expr"), { nil: { ...at, kind: "Identifier", name: "f" } as Expr, freq: 2 }),
        fc.array(tie("expr"), { maxLength: 3 }),
      )
      .map(([callee, args]): Expr => ({ ...at, kind: "Call", callee, typeArgs: [], args })),
    fc.array(tie("expr"), { maxLength: 3 }).map((elements): Expr => ({ ...at, kind: "ListLit", elements })),
    fc.tuple(fc.constantFrom("a", "if", "two words"), tie("expr")).map(
      ([key, value]): Expr => ({
        ...at,
        kind: "DictLit",
        entries: [{ ...at, kind: "DictEntry", key, keySpan: at, value }],
      }),
    ),
    tie("expr").map((part): Expr => ({ ...at, kind: "Interpolation", parts: ["x\n", part, '"${'] })),
    tie("block").map(
      (body): Expr => ({
        ...at,
        kind: "Closure",
        form: "brace",
        params: [{ ...at, name: named("x"), rest: false, type: undefined, default: undefined }],
        body,
      }),
    ),
    tie("block").map((body): Expr => ({ ...at, kind: "Closure", form: "fn", params: [], body })),
    fc
      .tuple(tie("expr"), tie("block"), tie("block"))
      // biome-ignore lint/suspicious/noThenProperty: the tree's own word
      .map(([condition, yes, no]): Expr => ({ ...at, kind: "If", condition, then: yes, else: no })),
    tie("block").map((body): Expr => ({ ...at, kind: "Try", body, catch: undefined, finally: undefined })),
    fc.tuple(tie("expr"), tie("block")).map(([count, body]): Expr => ({ ...at, kind: "Retry", count, body })),
    fc.tuple(tie("expr"), tie("block")).map(
      ([subject, body]): Expr => ({
        ...at,
        kind: "Parallel",
        mode: "each",
        subject,
        maxConcurrent: undefined,
        param: undefined,
        body,
        asStream: false,
      }),
    ),
    tie("block").map((body): Expr => ({ ...at, kind: "Scope", body })),
  ),
}));
