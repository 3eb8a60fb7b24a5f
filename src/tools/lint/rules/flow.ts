/** Rules about the flow of control. */
import type { Block, Expr, If, Node, Statement } from "../../../syntax/index.ts";
import { printExpression } from "../../../syntax/index.ts";
import { type Edit, type LintContext, rule } from "../rule.ts";
import { FUNCTIONS } from "../tree.ts";
import { certainType, isPure } from "../values.ts";

const LOOPS: ReadonlySet<string> = new Set(["For", "While"]);
/** Bodies that a `break` cannot leave. */
const WALLS: ReadonlySet<string> = new Set([
  ...FUNCTIONS,
  "Spawn",
  "Parallel",
  "Defer",
  "OverrideDecl",
  "EvalPackDecl",
]);

export const breakOutsideLoop = rule(
  "break-outside-loop",
  "HARN-LNT-003",
  "`break` and `continue` need a loop",
  (ctx) => {
    for (const node of [...ctx.tree.all("Break"), ...ctx.tree.all("Continue")])
      if (!isInLoop(ctx, node)) ctx.report("HARN-LNT-003", node, { word: node.kind.toLowerCase() });
  },
);

function isInLoop(ctx: LintContext, node: Node): boolean {
  for (const at of ctx.tree.around(node)) {
    if (LOOPS.has(at.kind)) return true;
    if (WALLS.has(at.kind)) return false;
  }
  return false;
}

/** Does a statement never let the next one run? */
function endsFlow(statement: Statement | undefined): boolean {
  let at = statement;
  for (;;) {
    if (at === undefined) return false;
    if (["Return", "Throw", "Break", "Continue"].includes(at.kind)) return true;
    if (at.kind !== "ExprStatement" || at.expr.kind !== "If") return false;
    const { then, else: other } = at.expr;
    if (other?.kind !== "Block" || !endsFlow(then.statements.at(-1))) return false;
    at = other.statements.at(-1);
  }
}

export const deadCode = rule(
  "dead-code-after-return",
  "HARN-LNT-006",
  "code behind `return`, `throw`, `break`, `continue`",
  (ctx) => {
    for (const { statements } of ctx.tree.all("Block")) {
      const end = statements.findIndex(endsFlow);
      // Functions are visible in their whole block: one after the end may be used.
      const unreachable =
        end < 0 ? undefined : statements.slice(end + 1).find((one) => !one.kind.endsWith("Decl"));
      if (unreachable !== undefined) ctx.report("HARN-LNT-006", unreachable, undefined);
    }
  },
);

export const duplicateMatchArm = rule(
  "duplicate-match-arm",
  "HARN-LNT-007",
  "an arm that an earlier one hides",
  (ctx) => {
    for (const match of ctx.tree.all("Match")) {
      const seen = new Set<string>();
      for (const arm of match.arms) {
        const patterns = arm.patterns.map((pattern) => printExpression(pattern, { width: 1e9 }));
        const guard = arm.guard === undefined ? "" : ` if ${printExpression(arm.guard, { width: 1e9 })}`;
        const first = arm.patterns[0]!;
        if (patterns.every((one) => seen.has(one) || seen.has(one + guard)))
          ctx.report("HARN-LNT-007", { start: first.start, end: arm.patterns.at(-1)!.end }, undefined);
        for (const pattern of patterns) seen.add(pattern + guard);
      }
    }
  },
);

export const emptyBlock = rule(
  "empty-block",
  "HARN-LNT-009",
  "blocks without anything in them",
  (ctx) => {
    const isEmpty = (block: Block): boolean =>
      block.statements.length === 0 && !ctx.hasComments(block.start, block.end);
    for (const node of ctx.tree.all("If")) {
      const removable = node.else === undefined && isPure(ctx, node.condition);
      if (isEmpty(node.then))
        ctx.report(
          "HARN-LNT-009",
          node.then,
          { what: "if block" },
          removable ? removal(ctx, node) : undefined,
        );
      if (node.else?.kind === "Block" && isEmpty(node.else))
        ctx.report("HARN-LNT-009", node.else, { what: "else block" });
    }
    for (const node of ctx.tree.all("For"))
      if (isEmpty(node.body))
        ctx.report(
          "HARN-LNT-009",
          node.body,
          { what: "for loop" },
          isPlainExpression(ctx, node.iterable) ? removal(ctx, node) : undefined,
        );
    for (const node of ctx.tree.all("While"))
      if (isEmpty(node.body)) ctx.report("HARN-LNT-009", node.body, { what: "while loop" });
    for (const node of ctx.tree.all("Try"))
      if (isEmpty(node.body)) ctx.report("HARN-LNT-009", node.body, { what: "try block" });
  },
  { fixes: true },
);

/** A collection that going through leaves as it is. */
function isPlainExpression(ctx: LintContext, expr: Expr): boolean {
  if (expr.kind === "ListLit") return expr.elements.every((one) => one.kind !== "Spread" && isPure(ctx, one));
  const type = certainType(ctx, expr);
  return isPure(ctx, expr) && (type === "list" || type === "dict" || type === "string");
}

/** Takes a statement out, if its value is not that of a block around it. */
export function removal(ctx: LintContext, node: Node): Edit[] | undefined {
  const statement = node.kind.endsWith("Statement") || node.kind === "For" ? node : ctx.tree.parent(node);
  if (statement === undefined || !(statement.kind === "ExprStatement" || statement.kind === "For"))
    return undefined;
  const holder = ctx.tree.parent(statement);
  const list = holder?.kind === "Block" ? holder.statements : holder?.kind === "Program" ? holder.items : [];
  if (list.length === 0 || list.at(-1) === statement) return undefined;
  if (ctx.hasComments(statement.start, statement.end)) return undefined;
  // The whole line, if nothing else stands on it.
  const { text } = ctx;
  const lineStart = text.lastIndexOf("\n", statement.start - 1) + 1;
  const lineEnd = text.indexOf("\n", statement.end);
  const alone =
    lineEnd >= 0 &&
    text.slice(lineStart, statement.start).trim() === "" &&
    text.slice(statement.end, lineEnd).trim() === "";
  if (alone) return [{ start: lineStart, end: lineEnd + 1, text: "" }];
  const separator = /^[ \t]*;[ \t]*/.exec(text.slice(statement.end))?.[0].length;
  return separator === undefined
    ? undefined
    : [{ start: statement.start, end: statement.end + separator, text: "" }];
}

export const letThenReturn = rule(
  "let-then-return",
  "HARN-LNT-013",
  "a name for what is returned at once",
  (ctx) => {
    for (const { statements } of ctx.tree.all("Block")) {
      const [binding, last] = statements.slice(-2);
      if (binding?.kind !== "Let" || binding.keyword === "var" || binding.pattern.kind !== "NamePattern")
        continue;
      if (last?.kind !== "Return" || last.value?.kind !== "Identifier") continue;
      const { text: name } = binding.pattern.name;
      if (last.value.name !== name) continue;
      const equals = ctx.text.indexOf("=", (binding.type ?? binding.pattern).end);
      const value = ctx.text.slice(equals + 1, binding.end).trim();
      const region = { start: binding.start, end: last.end };
      const kept = ctx.hasComments(binding.start, equals) || ctx.hasComments(binding.end, last.end);
      ctx.report(
        "HARN-LNT-013",
        binding,
        { name },
        kept ? undefined : [{ ...region, text: `return ${value}` }],
      );
    }
  },
  { fixes: true },
);

export const unnecessaryElseReturn = rule(
  "unnecessary-else-return",
  "HARN-LNT-030",
  "`else` behind a branch that returns",
  (ctx) => {
    for (const node of ctx.tree.all("If")) {
      if (node.else?.kind !== "Block" || ctx.tree.parent(node)?.kind !== "ExprStatement") continue;
      if (node.then.statements.at(-1)?.kind !== "Return" || node.else.statements.at(-1)?.kind !== "Return")
        continue;
      ctx.report("HARN-LNT-030", node.else, undefined, withoutElse(ctx, node, node.else));
    }
  },
  { fixes: true },
);

/** The statements of the `else` after the `if`, where their names meet no others. */
function withoutElse(ctx: LintContext, node: If, other: Block): Edit[] | undefined {
  const holder = ctx.tree.parent(ctx.tree.parent(node)!);
  const around =
    holder?.kind === "Block" ? holder.statements : holder?.kind === "Program" ? holder.items : undefined;
  if (around === undefined || ctx.hasComments(node.then.end, other.start)) return undefined;
  const movable = other.statements.every((one) => {
    if (one.kind.endsWith("Decl") || one.kind === "Defer") return false;
    return one.kind !== "Let" || one.pattern.kind === "NamePattern";
  });
  if (!movable) return undefined;
  const declared = new Set(
    other.statements.flatMap((one) =>
      one.kind === "Let" && one.pattern.kind === "NamePattern" ? [one.pattern.name.text] : [],
    ),
  );
  const inner = ctx.names.bindings.filter((one) => one.at.start >= other.start && one.at.end <= other.end);
  const scopes = new Set(inner.map((one) => one.scope.parent));
  const clash = ctx.names.bindings.some(
    (one) => declared.has(one.name) && (scopes.has(one.scope) || one.kind === "fn"),
  );
  if (clash) return undefined;
  const indent = /^[ \t]*/.exec(ctx.text.slice(ctx.text.lastIndexOf("\n", node.start - 1) + 1))![0];
  const body = ctx.text.slice(other.start + 1, other.end - 1).trim();
  const end = /^[ \t]*(\n|$)/.test(ctx.text.slice(other.end)) ? "" : "\n";
  return [{ start: node.then.end, end: other.end, text: `\n${indent}${body}${end}` }];
}

/** Above this, a function is too complex. */
const LIMIT = 25;

export const cyclomaticComplexity = rule(
  "cyclomatic-complexity",
  "HARN-LNT-005",
  "functions with too many ways through",
  (ctx) => {
    const counts = new Map<Node, number>();
    const add = (node: Node, count = 1): void => {
      const decl = ctx.tree.declAround(node);
      if (decl !== undefined) counts.set(decl, (counts.get(decl) ?? 1) + count);
    };
    for (const node of ctx.tree.all("If")) add(node);
    for (const node of ctx.tree.all("For")) add(node);
    for (const node of ctx.tree.all("While")) add(node);
    for (const node of ctx.tree.all("Ternary")) add(node);
    for (const node of ctx.tree.all("Guard")) add(node);
    for (const node of ctx.tree.all("Match")) add(node, Math.max(0, node.arms.length - 1));
    for (const node of ctx.tree.all("Select")) add(node, Math.max(0, node.cases.length - 1));
    for (const node of ctx.tree.all("Try")) if (node.catch !== undefined) add(node);
    for (const node of ctx.tree.all("Binary")) if (["&&", "||", "??"].includes(node.op)) add(node);
    for (const [node, count] of counts) {
      const decl = node as import("../../../syntax/index.ts").FnDecl;
      const allowed = decl.attributes.some(
        ({ name, args }) =>
          name.text === "complexity" &&
          args.some(({ value }) => value.kind === "Identifier" && value.name === "allow"),
      );
      if (count > LIMIT && !allowed)
        ctx.report("HARN-LNT-005", decl.name, { name: decl.name.text, count, limit: LIMIT });
    }
  },
);
