/** Statements: scopes, declarations in text order, loops, and what may stand where. */

import type {
  Assign,
  Block,
  Expr,
  For,
  Let,
  Name,
  Pattern,
  Select,
  Statement,
  While,
} from "../syntax/index.ts";
import { appendedElement } from "./appends.ts";
import { Binding } from "./model.ts";
import { isLiteral, type Visit, type Walk } from "./walk.ts";
import { walkExpr, walkNested } from "./walk-expressions.ts";
import { hoist, walkDeclaration, walkFunctionBody, walkTaskBody } from "./walk-functions.ts";

export function walkBlock(walk: Walk, block: Block): void {
  walk.scoped(() => walkStatements(walk, block.statements));
}

/** A statement list in the current scope. */
export function walkStatements(walk: Walk, statements: readonly Statement[]): void {
  hoist(walk, statements);
  for (const statement of statements) walkStatement(walk, statement);
}

export function walkStatement(walk: Walk, node: Statement): void {
  switch (node.kind) {
    case "Let":
      walkLet(walk, node);
      return;
    case "Assign":
      walkAssign(walk, node);
      return;
    case "ExprStatement":
      walkPlain(walk, node.expr);
      return;
    case "Return":
      if (node.value !== undefined) walkPlain(walk, node.value);
      return;
    case "Throw":
      walkExpr(walk, node.value);
      return;
    case "For":
      walkFor(walk, node);
      return;
    case "While":
      walkExpr(walk, node.condition);
      withRounds(walk, node, () => walkLoopBody(walk, node.body));
      return;
    case "Break":
    case "Continue":
      if (walk.loops === 0)
        walk.report("HARN-CMP-001", node, {
          line: walk.line(node),
          word: node.kind === "Break" ? "break" : "continue",
        });
      return;
    case "Guard":
      walkExpr(walk, node.condition);
      walkBlock(walk, node.else);
      return;
    case "Require":
      walkExpr(walk, node.condition);
      if (node.message !== undefined) walkExpr(walk, node.message);
      return;
    case "Defer":
      walk.fn.defers++;
      walkDefer(walk, node.body);
      return;
    case "Mutex":
      walk.fn.suspends = true;
      if (node.key !== undefined) walkExpr(walk, node.key);
      walkUnpaused(walk, node.body);
      return;
    case "Select":
      walkSelect(walk, node);
      return;
    case "Yield":
      if (node.value !== undefined) walkExpr(walk, node.value);
      checkYield(walk, node, "yield");
      return;
    case "Emit":
      walkExpr(walk, node.value);
      checkYield(walk, node, "emit");
      return;
    default:
      walkDeclaration(walk, node);
      return;
  }
}

/** An expression that stands alone: blocks inside it may `yield`, because the statement is lowered as one. */
function walkPlain(walk: Walk, expr: Expr): void {
  if (blockForms.has(expr.kind)) walkNested(walk, expr);
  else walkExpr(walk, expr);
}

/** Expressions made of blocks, lowered as statements where they stand alone. */
const blockForms: ReadonlySet<string> = new Set(["If", "Match", "Try", "Retry"]);

/** A block that a generator must not be left in: its consumer would go on while a lock is held or time runs. */
function walkUnpaused(walk: Walk, body: Block): void {
  const { yieldPlace } = walk;
  walk.yieldPlace = false;
  walkBlock(walk, body);
  walk.yieldPlace = yieldPlace;
}

/** A deferred block runs when the function ends: a `break` in it has no loop. */
function walkDefer(walk: Walk, body: Block): void {
  const { loops } = walk;
  walk.loops = 0;
  walkUnpaused(walk, body);
  walk.loops = loops;
}

function walkLet(walk: Walk, node: Let): void {
  walkPlain(walk, node.value);
  const mutable = node.keyword === "var";
  const pattern = node.pattern;
  if (pattern.kind === "NamePattern") {
    const binding = walk.declare(pattern.name, mutable ? "var" : "let", mutable);
    if (binding !== undefined && !mutable && isLiteral(node.value)) binding.constant = node.value;
    return;
  }
  walkPattern(walk, pattern, mutable ? "var" : "let", mutable);
}

export function walkPattern(
  walk: Walk,
  pattern: Pattern,
  kind: "let" | "var" | "loop",
  mutable: boolean,
): void {
  switch (pattern.kind) {
    case "NamePattern":
      walk.declare(pattern.name, kind, mutable);
      return;
    case "DictPattern":
      for (const entry of pattern.entries) {
        if (entry.default !== undefined) walkExpr(walk, entry.default);
        walk.declare(entry.alias ?? entry.key, kind, mutable);
      }
      if (pattern.rest !== undefined) walk.declare(pattern.rest, kind, mutable);
      return;
    case "ListPattern":
      for (const element of pattern.elements) {
        if (element.default !== undefined) walkExpr(walk, element.default);
        walk.declare(element.name, kind, mutable);
      }
      if (pattern.rest !== undefined) walk.declare(pattern.rest, kind, mutable);
      return;
    case "PairPattern":
      walk.declare(pattern.first, kind, mutable);
      walk.declare(pattern.second, kind, mutable);
      return;
  }
}

/** The names that a pattern binds, in order. */
export function namesOf(pattern: Pattern): Name[] {
  switch (pattern.kind) {
    case "NamePattern":
      return [pattern.name];
    case "DictPattern":
      return [
        ...pattern.entries.map((entry) => entry.alias ?? entry.key),
        ...(pattern.rest ? [pattern.rest] : []),
      ];
    case "ListPattern":
      return [...pattern.elements.map((element) => element.name), ...(pattern.rest ? [pattern.rest] : [])];
    case "PairPattern":
      return [pattern.first, pattern.second];
  }
}

function walkAssign(walk: Walk, node: Assign): void {
  if (node.target.kind === "Identifier") {
    walkExpr(walk, node.target);
    const assigned = walk.module.refs.get(node.target);
    if (assigned instanceof Binding) assigned.assigned = true;
  } else walkTarget(walk, node.target);
  checkMutable(walk, node);
  walkPlain(walk, node.value);
  if (appendedElement(node) === undefined) return;
  const ref = walk.module.refs.get(node.target as Expr);
  if (ref instanceof Binding && !ref.shared) walk.fn.tokens.set(ref, -1);
}

/** An assignment to what never changes would end the program. */
function checkMutable(walk: Walk, node: Assign): void {
  let root: Expr = node.target;
  while (root.kind === "Member" || root.kind === "Index") root = root.object;
  if (root.kind !== "Identifier") return;
  const ref = walk.module.refs.get(root);
  if (ref instanceof Binding && !ref.mutable)
    walk.report("HARN-OWN-001", node.target.kind === "Identifier" ? node : root, { name: ref.name });
}

/** `a.b[i].c = v`: the root is written, indices are read. Every link may run nothing but index expressions. */
function walkTarget(walk: Walk, target: Expr): void {
  let at: Expr = target;
  for (;;) {
    if (at.kind === "Member") at = at.object;
    else if (at.kind === "Index") {
      walkExpr(walk, at.index);
      at = at.object;
    } else break;
  }
  walkExpr(walk, at);
  if (at.kind !== "Identifier") return;
  const ref = walk.module.refs.get(at);
  if (!(ref instanceof Binding)) return;
  const owner = ref.shared ? ref.owner : walk.fn;
  owner.tokens.set(ref, -1);
  owner.written.add(ref);
}

function walkFor(walk: Walk, node: For): void {
  walkExpr(walk, node.iterable);
  if (node.iterable.kind !== "RangeExpr") walk.fn.suspends = true;
  withRounds(walk, node, () =>
    walk.scoped(() => {
      walkPattern(walk, node.pattern, "loop", true);
      walkLoopBody(walk, node.body);
    }),
  );
}

/** Notes the slots of a loop whose rounds a deferred block may still read when the function ends. */
function withRounds(walk: Walk, node: For | While, body: () => void): void {
  const { fn } = walk;
  const { defers, next } = fn;
  body();
  if (fn.defers > defers) walk.module.deferringLoops.set(node, [next, fn.next]);
}

function walkLoopBody(walk: Walk, body: Block): void {
  walk.loops++;
  walkBlock(walk, body);
  walk.loops--;
}

function walkSelect(walk: Walk, node: Select): void {
  walk.fn.suspends = true;
  for (const one of node.cases) walkExpr(walk, one.channel);
  for (const one of node.cases) {
    walk.scoped(() => {
      walk.declare(one.name, "match", false);
      walkBlock(walk, one.body);
    });
  }
  if (node.timeout !== undefined) {
    walkExpr(walk, node.timeout.duration);
    walkBlock(walk, node.timeout.body);
  }
  if (node.default !== undefined) walkBlock(walk, node.default);
}

function checkYield(walk: Walk, node: Statement, word: "yield" | "emit"): void {
  const fn = walk.fn;
  const isGen = fn.node.kind === "FnDecl" && fn.node.gen;
  const text =
    word === "emit" && !isGen
      ? "`emit` can only be used inside a `gen fn`"
      : word === "yield" && isGen
        ? "`yield` is not a stream emit; use `emit` inside `gen fn`"
        : fn.kind === "fn" || fn.kind === "closure"
          ? undefined
          : "`yield` can only be used inside a function";
  if (text !== undefined) walk.report("HARN-CMP-006", node, { text });
  else if (!walk.yieldPlace)
    walk.report("HARN-CMP-006", node, {
      text: `\`${word}\` cannot stand inside another expression, \`defer\`, \`mutex\`, \`deadline\` or \`scope\`: write it as a statement of the function's own body`,
    });
  fn.generator = true;
}

export const visit: Visit = {
  block: walkBlock,
  statements: walkStatements,
  functionBody: walkFunctionBody,
  taskBody: walkTaskBody,
};
