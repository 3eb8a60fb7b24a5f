/** Spans are exact: a node's own text, parsed alone, gives the node again. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SourceFile } from "../../../src/source/index.ts";
import { type Expr, parse, parseExpression } from "../../../src/syntax/index.ts";
import { nodesOf, parseOk, withoutSpans } from "../../support/syntax-text.ts";

const text = readFileSync(join(import.meta.dirname, "every-construct.harn"), "utf8");
const EXPRESSIONS =
  /^(IntLit|FloatLit|DurationLit|StringLit|Interpolation|BoolLit|NilLit|Identifier|ListLit|DictLit|StructLit|Closure|Unary|Binary|Ternary|RangeExpr|Pipe|Call|MethodCall|Member|Index|Slice|Propagate|If|Match|Try|TryStar|Retry|Parallel|Spawn|Deadline|Scope|CostRoute)$/;
const STATEMENTS =
  /^(Let|Assign|For|While|Select|Return|Throw|Guard|Require|Defer|Mutex|Yield|Emit|\w+Decl|Import)$/;

describe("the file with every construct", () => {
  const source = new SourceFile("every-construct.harn", text);
  const { program, diagnostics } = parse(source);
  const nodes = nodesOf(program);

  test("parses", () => expect(diagnostics).toEqual([]));

  test("has every kind of node", () => {
    const kinds = new Set(nodes.map(({ node }) => node.kind));
    const declared = readFileSync(join(import.meta.dirname, "../../../src/syntax/ast.ts"), "utf8").matchAll(
      /readonly kind: "(\w+)"/g,
    );
    const missing = [...declared]
      .map((match) => match[1]!)
      .filter((kind) => !kinds.has(kind) && kind !== "ErrorExpr");
    expect(missing).toEqual([]);
  });

  test("children stand inside their parents", () => {
    for (const { node, parent } of nodes) {
      expect(node.start).toBeLessThanOrEqual(node.end);
      if (parent === undefined) continue;
      expect(node.start, `${node.kind} in ${parent.kind}`).toBeGreaterThanOrEqual(parent.start);
      expect(node.end, `${node.kind} in ${parent.kind}`).toBeLessThanOrEqual(parent.end);
    }
  });

  test("an expression's text is the expression", () => {
    // Else-if links share the end of their chain and begin at their own `if`.
    const expressions = nodes.filter(
      ({ node, path }) => EXPRESSIONS.test(node.kind) && !/attributes/.test(path),
    );
    expect(expressions.length).toBeGreaterThan(250);
    for (const { node } of expressions) {
      const again = parseExpression(new SourceFile("slice", source.slice(node)));
      expect(
        again.diagnostics.map((one) => one.message),
        source.slice(node),
      ).toEqual([]);
      expect(withoutSpans(again.expr), source.slice(node)).toEqual(withoutSpans(node as Expr));
    }
  });

  test("a statement's text is the statement", () => {
    const statements = nodes.filter(({ node }) => STATEMENTS.test(node.kind));
    expect(statements.length).toBeGreaterThan(60);
    for (const { node, parent } of statements) {
      if (parent?.kind === "ImplDecl") continue;
      const slice = source.slice(node);
      // The documentation stands before the declaration and is not part of its span.
      const wanted = "doc" in node ? { ...node, doc: "" } : node;
      expect(withoutSpans(parseOk(slice).items[0]), slice).toEqual(withoutSpans(wanted));
    }
  });

  test("names are where they say", () => {
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      if ("text" in value && "start" in value && typeof value.text === "string") {
        const slice = source.slice(value as unknown as { start: number; end: number });
        if (!slice.startsWith('"')) expect(slice).toBe(value.text);
      }
      for (const child of Object.values(value)) visit(child);
    };
    visit(program);
  });

  test("operators are where they say", () => {
    for (const { node } of nodes) {
      if (node.kind !== "Binary") continue;
      const binary = node as Extract<Expr, { kind: "Binary" }>;
      expect(source.slice(binary.opSpan).replace(/\s+/g, " ")).toBe(binary.op);
    }
  });
});

test("parentheses belong to the expression around them", () => {
  const program = parseOk("(a + b).c * (d)");
  const spans = nodesOf(program).map(({ node }) => [
    node.kind,
    "(a + b).c * (d)".slice(node.start, node.end),
  ]);
  expect(spans).toEqual([
    ["Program", "(a + b).c * (d)"],
    ["ExprStatement", "(a + b).c * (d)"],
    ["Binary", "(a + b).c * (d)"],
    ["Member", "(a + b).c"],
    ["Binary", "a + b"],
    ["Identifier", "a"],
    ["Identifier", "b"],
    ["Identifier", "d"],
  ]);
});
