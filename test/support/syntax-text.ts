/** Trees as short text, and errors as lines: what the syntax tests compare. */
import { SourceFile } from "../../src/source/index.ts";
import type {
  Arg,
  Block,
  Expr,
  Node,
  Pattern,
  Program,
  Statement,
  TypeExpr,
} from "../../src/syntax/index.ts";
import { parse, parseExpression } from "../../src/syntax/index.ts";

/** Parses text that must be free of errors. */
export function parseOk(text: string): Program {
  const { program, diagnostics } = parse(new SourceFile("test.harn", text));
  if (diagnostics.length > 0) throw new Error(`${diagnostics[0]!.message}\n${text}`);
  return program;
}

/** The one statement of a text. */
export function statementOf(text: string): Statement {
  return parseOk(text).items[0] as Statement;
}

/** An expression as an S-expression. */
export function tree(text: string): string {
  const { expr, diagnostics } = parseExpression(new SourceFile("test.harn", text));
  if (expr === undefined) throw new Error(`${diagnostics[0]?.message}\n${text}`);
  return show(expr);
}

/** All messages of a text, the first one first. */
export function errorsOf(text: string): string[] {
  return parse(new SourceFile("test.harn", text)).diagnostics.map((diagnostic) => diagnostic.message);
}

/** A tree without its positions, for comparisons. */
export function withoutSpans(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSpans);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, field]) => !["start", "end", "opSpan", "keySpan", "pathSpan"].includes(key) && field !== undefined,
  );
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutSpans(field)]));
}

/** Every node of a tree with its parent. */
export function nodesOf(root: Node): { node: Node; parent: Node | undefined; path: string }[] {
  const found: { node: Node; parent: Node | undefined; path: string }[] = [];
  const visit = (value: unknown, parent: Node | undefined, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    const isNode = !Array.isArray(value) && "kind" in value;
    if (isNode) found.push({ node: value as Node, parent, path });
    const below = isNode ? (value as Node) : parent;
    for (const [key, child] of Object.entries(value)) visit(child, below, `${path}.${key}`);
  };
  visit(root, undefined, "");
  return found;
}

const list = (items: readonly unknown[]): string => items.map((item) => ` ${item}`).join("");
const opt = (text: string, value: unknown): string => (value === undefined ? "" : `${text}${value}`);

export function show(expr: Expr): string {
  switch (expr.kind) {
    case "IntLit":
      return String(expr.value);
    case "FloatLit":
      return Number.isInteger(expr.value) ? `${expr.value}.0` : String(expr.value);
    case "DurationLit":
      return `${expr.ms}ms`;
    case "StringLit":
      return JSON.stringify(expr.value);
    case "Interpolation":
      return `(str${list(expr.parts.map((part) => (typeof part === "string" ? JSON.stringify(part) : show(part))))})`;
    case "BoolLit":
      return String(expr.value);
    case "NilLit":
      return "nil";
    case "Identifier":
      return expr.name;
    case "ListLit":
      return `[${expr.elements.map(showArg).join(", ")}]`;
    case "DictLit":
      return `{${expr.entries.map(showArg).join(", ")}}`;
    case "StructLit":
      return `${expr.name.text}{${expr.fields.map((field) => `${field.name.text}: ${show(field.value)}`).join(", ")}}`;
    case "Closure":
      return `(${expr.form}${list(expr.params.map((param) => param.name.text))} -> ${showBlock(expr.body)})`;
    case "Unary":
      return `(${expr.op} ${show(expr.operand)})`;
    case "Binary":
      return `(${expr.op} ${show(expr.left)} ${show(expr.right)})`;
    case "Ternary":
      return `(? ${show(expr.condition)} ${show(expr.then)} ${show(expr.else)})`;
    case "RangeExpr":
      return `(${expr.exclusive ? "to-exclusive" : "to"} ${show(expr.from)} ${show(expr.to)})`;
    case "Pipe":
      return `(|> ${show(expr.value)} ${show(expr.into)})`;
    case "Call":
      return `(${show(expr.callee)}${expr.typeArgs.length > 0 ? `<${expr.typeArgs.map(showType).join(", ")}>` : ""}${list(expr.args.map(showArg))})`;
    case "MethodCall":
      return `(${show(expr.receiver)}${expr.optional ? "?." : "."}${expr.name.text}${list(expr.args.map(showArg))})`;
    case "Member":
      return `${show(expr.object)}${expr.optional ? "?." : "."}${expr.name.text}`;
    case "Index":
      return `${show(expr.object)}${expr.optional ? "?" : ""}[${show(expr.index)}]`;
    case "Slice":
      return `${show(expr.object)}[${expr.from === undefined ? "" : show(expr.from)}:${expr.to === undefined ? "" : show(expr.to)}]`;
    case "Propagate":
      return `(propagate ${show(expr.value)})`;
    case "If":
      return `(if ${show(expr.condition)} ${showBlock(expr.then)}${expr.else === undefined ? "" : ` else ${expr.else.kind === "If" ? show(expr.else) : showBlock(expr.else)}`})`;
    case "Match":
      return `(match ${show(expr.subject)}${list(
        expr.arms.map(
          (arm) =>
            `(${arm.patterns.map(show).join(" | ")}${arm.guard === undefined ? "" : ` if ${show(arm.guard)}`} -> ${showBlock(arm.body)})`,
        ),
      )})`;
    case "Try":
      return `(try ${showBlock(expr.body)}${
        expr.catch === undefined
          ? ""
          : ` catch${opt(" ", expr.catch.name?.text)}${opt(": ", expr.catch.type && showType(expr.catch.type))} ${showBlock(expr.catch.body)}`
      }${expr.finally === undefined ? "" : ` finally ${showBlock(expr.finally)}`})`;
    case "TryStar":
      return `(try* ${show(expr.value)})`;
    case "Retry":
      return `(retry ${show(expr.count)} ${showBlock(expr.body)})`;
    case "Parallel":
      return `(parallel ${expr.mode} ${show(expr.subject)}${opt(" max ", expr.maxConcurrent && show(expr.maxConcurrent))}${opt(" ", expr.param?.text)} ${showBlock(expr.body)}${expr.asStream ? " stream" : ""})`;
    case "Spawn":
      return `(spawn ${showBlock(expr.body)})`;
    case "Deadline":
      return `(deadline ${show(expr.duration)} ${showBlock(expr.body)})`;
    case "Scope":
      return `(scope ${showBlock(expr.body)})`;
    case "CostRoute":
      return `(cost_route ${showBlock(expr.body)})`;
    case "ErrorExpr":
      return "<error>";
  }
}

function showArg(arg: Arg | { kind: "DictEntry"; key: string | Expr; value: Expr }): string {
  switch (arg.kind) {
    case "Spread":
      return `...${show(arg.value)}`;
    case "NamedArg":
      return `${arg.name.text}: ${show(arg.value)}`;
    case "DictEntry":
      return `${typeof arg.key === "string" ? arg.key : `[${show(arg.key)}]`}: ${show(arg.value)}`;
    default:
      return show(arg);
  }
}

export function showBlock(block: Block): string {
  return `{${block.statements.map(showStatement).join("; ")}}`;
}

/** Statements of expressions in full, others by their kind. */
export function showStatement(statement: Statement): string {
  switch (statement.kind) {
    case "ExprStatement":
      return show(statement.expr);
    case "Let":
      return `${statement.keyword} ${showPattern(statement.pattern)}${opt(": ", statement.type && showType(statement.type))} = ${show(statement.value)}`;
    case "Assign":
      return `${show(statement.target)} ${statement.op} ${show(statement.value)}`;
    case "Return":
    case "Yield":
      return `${statement.kind.toLowerCase()}${statement.value === undefined ? "" : ` ${show(statement.value)}`}`;
    case "Throw":
    case "Emit":
      return `${statement.kind.toLowerCase()} ${show(statement.value)}`;
    case "For":
      return `for ${showPattern(statement.pattern)} in ${show(statement.iterable)} ${showBlock(statement.body)}`;
    case "While":
      return `while ${show(statement.condition)} ${showBlock(statement.body)}`;
    case "Guard":
      return `guard ${show(statement.condition)} else ${showBlock(statement.else)}`;
    case "Require":
      return `require ${show(statement.condition)}${statement.message === undefined ? "" : `, ${show(statement.message)}`}`;
    case "Defer":
      return `defer ${showBlock(statement.body)}`;
    case "Mutex":
      return `mutex${statement.key === undefined ? "" : `(${show(statement.key)})`} ${showBlock(statement.body)}`;
    case "Select":
      return `select${statement.cases.map((one) => ` ${one.name.text} from ${show(one.channel)} ${showBlock(one.body)}`).join("")}${
        statement.timeout === undefined
          ? ""
          : ` timeout ${show(statement.timeout.duration)} ${showBlock(statement.timeout.body)}`
      }${statement.default === undefined ? "" : ` default ${showBlock(statement.default)}`}`;
    default:
      return statement.kind;
  }
}

export function showPattern(pattern: Pattern): string {
  switch (pattern.kind) {
    case "NamePattern":
      return pattern.name.text;
    case "PairPattern":
      return `(${pattern.first.text}, ${pattern.second.text})`;
    case "ListPattern": {
      const elements = pattern.elements.map(
        (one) => `${one.name.text}${one.default === undefined ? "" : ` = ${show(one.default)}`}`,
      );
      return `[${[...elements, ...(pattern.rest === undefined ? [] : [`...${pattern.rest.text}`])].join(", ")}]`;
    }
    case "DictPattern": {
      const entries = pattern.entries.map(
        (one) =>
          `${one.key.text}${one.alias === undefined ? "" : `: ${one.alias.text}`}${one.default === undefined ? "" : ` = ${show(one.default)}`}`,
      );
      return `{${[...entries, ...(pattern.rest === undefined ? [] : [`...${pattern.rest.text}`])].join(", ")}}`;
    }
  }
}

export function showType(type: TypeExpr): string {
  switch (type.kind) {
    case "NamedType":
      return `${type.name.text}${type.args.length > 0 ? `<${type.args.map(showType).join(", ")}>` : ""}`;
    case "ListType":
      return `[${showType(type.element)}]`;
    case "FnType":
      return `fn(${type.params.map(showType).join(", ")}) -> ${showType(type.returns)}`;
    case "ShapeType":
      return `{${type.fields.map((field) => `${field.name.text}${field.optional ? "?" : ""}: ${showType(field.type)}`).join(", ")}}`;
    case "LiteralType":
      return typeof type.value === "string"
        ? JSON.stringify(type.value)
        : type.value === null
          ? "nil"
          : String(type.value);
    case "UnionType":
      return `(${type.members.map(showType).join(" | ")})`;
    case "IntersectionType":
      return `(${type.members.map(showType).join(" & ")})`;
    case "OptionalType":
      return `${showType(type.type)}?`;
    case "OwnedType":
      return `owned<${showType(type.type)}>`;
  }
}
