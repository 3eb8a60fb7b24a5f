/**
 * Expressions as documents. Parentheses come from the precedence table alone: the tree has none. Where the text would be
 * read in another way (a propagating `?` before `-`, an `if` as the operand of `+`), they are added although the
 * table would not ask for them. Chains are walked in loops, so their length does not matter.
 */
import type {
  Arg,
  Binary,
  Block,
  Closure,
  DictEntry,
  Expr,
  If,
  MatchArm,
  NamedArg,
  NamedExpr,
  Param,
  Spread,
  Try,
} from "../ast.ts";
import { leftOfLink } from "../nodes.ts";
import { bracketed, type Doc, group, hardLine, indent, join, line, softLine } from "./doc.ts";
import { durationLiteral, escapeText, floatText, isBareKey, rawText } from "./literals.ts";
import { remarkAfter, remarkText } from "./remarks.ts";
import type { Trivia } from "./trivia.ts";
import { printedType } from "./types.ts";

/** How tight an expression binds: that of precedence.ts; operands are above all operators. */
const LEVELS: Readonly<Record<string, number>> = {
  "|>": 1,
  "||": 4,
  "&&": 5,
  "==": 6,
  "!=": 6,
  "<": 7,
  ">": 7,
  "<=": 7,
  ">=": 7,
  in: 7,
  "not in": 7,
  "+": 8,
  "-": 8,
  "??": 9,
  "*": 10,
  "/": 10,
  "%": 10,
  "**": 12,
};
const RANGE = 2;
const TERNARY = 3;
const PREFIX = 11;
const POWER = 12;
const OPERAND = 14;
/** Expressions that begin with a word and end with a block: as operands they stand in parentheses. */
const WORD = 0.5;

/** What an expression needs from the statements around it and from the source. */
export interface PrinterParts {
  block(block: Block): Doc;
  /** `{ params -> statements }` and the like: statements between words of its own. */
  braces(head: Doc, block: Block): Doc;
  /** `match` arms, each on lines of its own. */
  members(owner: object, lines: readonly Doc[]): Doc;
  /** The source text of a string literal of several lines, which is kept as it is. */
  verbatim(expr: Expr): Doc | undefined;
  /** Is there a line break between two offsets of the source? */
  breaksBetween(from: number, to: number): boolean;
  /** A node with the comments beside it. */
  remarked(node: object, doc: Doc): Doc;
  /** The comments after everything in a list; `undefined` when there are none. */
  tail(owner: object, empty: boolean): Doc | undefined;
  readonly trivia: Trivia;
}

/** Operators that cannot begin a line: before them the line is joined with a backslash. */
const JOINED: ReadonlySet<string> = new Set(["-", "in", "not in", "to"]);
const backslash: Doc = { kind: "whenBroken", text: " \\" };

/** An operator and its right operand, as part of a chain. */
interface Link {
  readonly op: string;
  /** What its comments are asked for by. */
  readonly key: object | undefined;
  /** Where the operands to its left and right end and begin in the source. */
  readonly gap: readonly [number, number];
  readonly doc: Doc;
}

export class ExpressionPrinter {
  private readonly around: PrinterParts;

  constructor(around: PrinterParts) {
    this.around = around;
  }

  /** An expression where any may stand. */
  expr(expr: Expr): Doc {
    switch (expr.kind) {
      case "IntLit":
        return String(expr.value);
      case "FloatLit":
        return floatText(expr.value);
      case "DurationLit":
        return durationLiteral(expr.ms);
      case "BoolLit":
        return String(expr.value);
      case "NilLit":
        return "nil";
      case "Identifier":
        return expr.name;
      case "StringLit":
        return this.around.verbatim(expr) ?? (expr.raw ? rawText(expr.value) : `"${escapeText(expr.value)}"`);
      case "Interpolation":
        return this.around.verbatim(expr) ?? this.interpolation(expr.parts);
      case "ListLit":
        return this.list("[", expr, expr.elements, (element) => this.arg(element), "]");
      case "DictLit":
        return this.list("{", expr, expr.entries, (entry) => this.entry(entry), "}");
      case "StructLit":
        return this.list(`${expr.name.text} {`, expr, expr.fields, (field) => this.field(field), "}");
      case "Closure":
        return this.closure(expr);
      case "Unary":
        return [expr.op, this.operand(expr.operand, PREFIX)];
      case "Binary":
        return this.binary(expr);
      case "Pipe":
      case "Propagate":
      case "Member":
      case "MethodCall":
      case "Index":
      case "Slice":
        return this.chain(expr);
      case "Ternary":
        return group([
          this.leftOperand(expr.condition, TERNARY + 1, "?"),
          indent([
            line,
            "? ",
            this.operand(expr.then, TERNARY),
            line,
            ": ",
            this.operand(expr.else, TERNARY),
          ]),
        ]);
      case "RangeExpr": {
        const to = [
          "to ",
          this.leftOperand(expr.to, RANGE + 1, expr.exclusive ? "exclusive" : ""),
          expr.exclusive ? " exclusive" : "",
        ];
        return this.operators(this.leftOperand(expr.from, RANGE + 1, "to"), [
          { op: "to", key: undefined, gap: [expr.from.end, expr.to.start], doc: to },
        ]);
      }
      case "Call":
        return this.call(expr);
      default:
        return this.wordExpr(expr);
    }
  }

  /** An expression before a block: its end must not run into the `{`. */
  header(expr: Expr): Doc {
    const unsafe =
      precedenceOf(expr) === WORD ||
      endsInQuestion(expr) ||
      containsExpression(expr, (one) => one.kind === "Scope" || one.kind === "CostRoute");
    return unsafe ? ["(", this.expr(expr), ")"] : this.expr(expr);
  }

  /** The operand of `retry` and `deadline`. */
  headerOperand(expr: Expr): Doc {
    return precedenceOf(expr) >= OPERAND && !endsInQuestion(expr)
      ? this.header(expr)
      : ["(", this.expr(expr), ")"];
  }

  params(params: readonly Param[]): Doc {
    return bracketed(
      "(",
      params.map((param) => this.around.remarked(param, this.param(param))),
      ")",
      { fromHere: false, tail: this.around.tail(params, params.length === 0) },
    );
  }

  /** A bracketed list whose items may have comments. */
  private list<T extends object>(
    open: string,
    owner: object,
    items: readonly T[],
    show: (item: T) => Doc,
    close: string,
  ): Doc {
    const docs = items.map((item) => this.around.remarked(item, show(item)));
    const tail = this.around.tail(owner, items.length === 0);
    const lines = bracketed(open, docs, close, { tail });
    const last = items.at(-1) as Expr | undefined;
    if (close !== ")" || last?.kind !== "Closure" || tail !== undefined || this.isRemarked(items))
      return lines;
    // A closure at the end of the arguments keeps its braces beside the parentheses.
    const others = group([open, docs.slice(0, -1).map((doc): Doc => [doc, ", "])], true);
    const hugging = [others, docs.at(-1)!, close];
    const beside: Doc = {
      kind: "choice",
      probe: [others, "{"],
      yes: hugging,
      no: lines,
      fromHere: true,
    };
    return { kind: "choice", probe: lines, yes: lines, no: beside, fromHere: true };
  }

  private isRemarked(items: readonly object[]): boolean {
    const { trivia } = this.around;
    return items.some((item) => trivia.before(item).length > 0 || trivia.after(item).length > 0);
  }

  private field(field: NamedExpr): Doc {
    const { text } = field.name;
    return [isBareKey(text) ? text : `"${escapeText(text)}"`, ": ", this.expr(field.value)];
  }

  param(param: Param): Doc {
    const name = `${param.rest ? "..." : ""}${param.name.text}`;
    const type = param.type === undefined ? "" : `: ${printedType(param.type)}`;
    return [name, type, param.default === undefined ? "" : [" = ", this.expr(param.default)]];
  }

  // ---------------------------------------------------------- operators

  /** An operand of an operator that needs at least `level`. */
  private operand(expr: Expr, level: number): Doc {
    return precedenceOf(expr) >= level ? this.expr(expr) : ["(", this.expr(expr), ")"];
  }

  /** An operand with a token after it that could be taken for the middle of a ternary. */
  private leftOperand(expr: Expr, level: number, next: string): Doc {
    const misread = endsInQuestion(expr) && (next === "-" || next === "not in");
    return misread ? ["(", this.expr(expr), ")"] : this.operand(expr, level);
  }

  /** `a + b + c`: the left spine in one loop, broken before the operators. */
  private binary(expr: Binary): Doc {
    const links: Binary[] = [];
    let base: Expr = expr;
    const level = LEVELS[expr.op]!;
    while (base.kind === "Binary" && LEVELS[base.op] === level && (links.length === 0 || level !== POWER)) {
      const misread =
        links.length > 0 &&
        endsInQuestion(base) &&
        (links.at(-1)!.op === "-" || links.at(-1)!.op === "not in");
      if (misread) break;
      links.push(base);
      base = base.left;
    }
    links.reverse();
    const rightLevel = level === POWER ? PREFIX : level + 1;
    const first = links[0]!;
    const mixed = (side: Expr): Expr | undefined => (isMixedLogic(first, side) ? side : undefined);
    const head =
      mixed(base) === undefined
        ? this.leftOperand(base, level === POWER ? POWER + 1 : level, first.op)
        : ["(", this.expr(base), ")"];
    const pieces = links.map((link, index): Link => {
      const right =
        mixed(link.right) === undefined
          ? this.operand(link.right, rightLevel)
          : ["(", this.expr(link.right), ")"];
      const next = links[index + 1]?.op ?? "";
      const guarded =
        endsInQuestion(link.right) && (next === "-" || next === "not in")
          ? ["(", this.expr(link.right), ")"]
          : right;
      const gap = [link.left.end, link.right.start] as const;
      return { op: link.op, key: link.opSpan, gap, doc: [link.op, " ", guarded] };
    });
    return this.operators(head, pieces);
  }

  /**
   * Operands joined by operators. A line breaks before each operator that began a line in the source; what stands between
   * two such breaks is kept on one line if it fits, or else broken before all of its operators.
   */
  private operators(head: Doc, links: readonly Link[]): Doc {
    const rest: Doc[] = [];
    let first: Doc | undefined;
    let segment: Doc[] = [];
    const close = (): void => {
      const body: Doc = { kind: "firstLine", body: first === undefined ? [head, indent(segment)] : segment };
      if (first === undefined) first = body;
      else rest.push(body);
      segment = [];
    };
    for (const { key, op, gap, doc } of links) {
      const lineBefore = this.breakBefore(key, op, gap);
      if (lineBefore === undefined) segment.push([JOINED.has(op) ? backslash : "", line, doc]);
      else {
        close();
        rest.push(lineBefore);
        segment.push(doc);
      }
    }
    close();
    return [first!, indent(rest)];
  }

  /** The line break that the source or a comment asks for before a link of a chain. */
  private breakBefore(key: object | undefined, op: string, gap: readonly [number, number]): Doc | undefined {
    const remarks = key === undefined ? [] : this.around.trivia.before(key);
    if (remarks.length === 0 && !this.around.breaksBetween(...gap)) return undefined;
    const trailing = remarks.filter((remark) => remark.inline);
    const above = remarks.filter((remark) => !remark.inline);
    return [
      trailing.map((remark) => remarkAfter(remark)),
      JOINED.has(op) ? " \\" : "",
      hardLine,
      above.map((remark) => [remarkText(remark), hardLine]),
    ];
  }

  /** Members, calls of members, subscripts, `?` and pipes, from their base outward. */
  private chain(expr: Expr): Doc {
    const links: Expr[] = [];
    let base = expr;
    let wrap = false;
    for (let left = leftOfLink(base); left !== undefined && !wrap; left = leftOfLink(base)) {
      links.push(base);
      wrap = needsParentheses(left, base);
      base = left;
    }
    links.reverse();
    const head = this.operand(base, links[0]!.kind === "Pipe" ? 1 : OPERAND);
    const start: Doc = wrap && precedenceOf(base) >= OPERAND ? ["(", head, ")"] : head;
    const pipes = links.findIndex((link) => link.kind === "Pipe");
    const suffixes = pipes < 0 ? links : links.slice(0, pipes);
    const made = this.suffixes(start, suffixes);
    if (pipes < 0) return made;
    const stages = links.slice(pipes) as Extract<Expr, { kind: "Pipe" }>[];
    return this.operators(
      made,
      stages.map((stage) => ({
        op: "|>",
        key: stage.into,
        gap: [stage.value.end, stage.into.start],
        doc: ["|> ", this.operand(stage.into, RANGE)],
      })),
    );
  }

  /** When several method calls do not fit on the line, each of them begins a line. */
  private suffixes(start: Doc, links: readonly Expr[]): Doc {
    // Both layouts share the documents of the links: making them twice would double the work at each level.
    const docs = links.map((link) => this.link(link));
    const made = [start, indent(links.map((link, index) => this.suffix(link, docs[index]!, false)))];
    if (links.filter((link) => link.kind === "MethodCall").length < 2) return made;
    const broken = [start, indent(links.map((link, index) => this.suffix(link, docs[index]!, true)))];
    return { kind: "choice", probe: made, yes: made, no: broken, fromHere: false };
  }

  /** A link after its receiver; a method call that ends on a later line than its receiver begins a line. */
  private suffix(link: Expr, doc: Doc, broken: boolean): Doc {
    if (link.kind !== "MethodCall" && link.kind !== "Member") return doc;
    const left = link.kind === "Member" ? link.object : link.receiver;
    const end = link.kind === "Member" ? left.end : link.end;
    const lineBefore = this.breakBefore(link.name, "", [left.end, end]);
    if (lineBefore !== undefined) return [lineBefore, doc];
    if (link.kind === "Member") return doc;
    return broken ? [hardLine, doc] : group([softLine, doc]);
  }

  private link(link: Expr): Doc {
    switch (link.kind) {
      case "Member":
        return `${link.optional ? "?." : "."}${link.name.text}`;
      case "MethodCall":
        return this.args(`${link.optional ? "?." : "."}${link.name.text}(`, link);
      case "Index":
        return [link.optional ? "?[" : "[", this.expr(link.index), "]"];
      case "Slice":
        return [
          "[",
          link.from === undefined
            ? ""
            : endsInQuestion(link.from)
              ? ["(", this.expr(link.from), ")"]
              : this.expr(link.from),
          ":",
          link.to === undefined ? "" : this.expr(link.to),
          "]",
        ];
      case "Propagate":
        return "?";
      case "Pipe":
        return ["|> ", this.operand(link.into, RANGE)];
      default:
        throw new Error(`${link.kind} is no link of a chain`);
    }
  }

  // -------------------------------------------------------------- calls

  private call(expr: Extract<Expr, { kind: "Call" }>): Doc {
    const callee = this.callee(expr.callee);
    const typeArgs = expr.typeArgs.length === 0 ? "" : `<${expr.typeArgs.map(printedType).join(", ")}>`;
    if (typeof callee === "string") return this.args(`${callee}${typeArgs}(`, expr);
    return [callee, this.args(`${typeArgs}(`, expr)];
  }

  private callee(expr: Expr): Doc {
    if (expr.kind === "Identifier") return expr.name;
    return isCallExpression(expr) ? this.expr(expr) : ["(", this.expr(expr), ")"];
  }

  private args(open: string, call: object & { readonly args: readonly Arg[] }): Doc {
    return this.list(open, call, call.args, (arg) => this.arg(arg), ")");
  }

  private arg(arg: Expr | Spread | NamedArg): Doc {
    if (arg.kind === "Spread") return ["...", this.expr(arg.value)];
    if (arg.kind === "NamedArg") return [arg.name.text, ": ", this.expr(arg.value)];
    return this.expr(arg);
  }

  private entry(entry: DictEntry | Spread): Doc {
    if (entry.kind === "Spread") return ["...", this.expr(entry.value)];
    return [this.key(entry.key), ": ", this.expr(entry.value)];
  }

  private key(key: string | Expr): Doc {
    if (typeof key !== "string")
      return key.kind === "Interpolation" ? this.expr(key) : ["[", this.expr(key), "]"];
    return isBareKey(key) ? key : `"${escapeText(key)}"`;
  }

  private interpolation(parts: readonly (string | Expr)[]): Doc {
    return [
      '"',
      parts.map((part) => (typeof part === "string" ? escapeText(part) : ["${", this.onOneLine(part), "}"])),
      '"',
    ];
  }

  /** A hole of a string on one line never breaks. */
  private onOneLine(expr: Expr): Doc {
    return { kind: "flat", body: this.expr(expr) };
  }

  private closure(expr: Closure): Doc {
    if (expr.form === "fn") return ["fn", this.params(expr.params), " ", this.around.braces("", expr.body)];
    const params = join(
      ", ",
      expr.params.map((param) => this.param(param)),
    );
    return this.around.braces([params, expr.params.length === 0 ? "->" : " ->"], expr.body);
  }

  // -------------------------------------------------- words with blocks

  private wordExpr(expr: Expr): Doc {
    switch (expr.kind) {
      case "If":
        return this.ifChain(expr);
      case "Match":
        return [
          "match ",
          this.header(expr.subject),
          " ",
          this.around.members(
            expr,
            expr.arms.map((arm) => this.around.remarked(arm, this.arm(arm))),
          ),
        ];
      case "Try":
        return this.tryExpr(expr);
      case "TryStar":
        return [
          "try* ",
          isPlainUnary(expr.value) ? this.expr(expr.value) : ["(", this.expr(expr.value), ")"],
        ];
      case "Retry":
        return ["retry ", this.headerOperand(expr.count), " ", this.around.block(expr.body)];
      case "Deadline":
        return ["deadline ", this.headerOperand(expr.duration), " ", this.around.block(expr.body)];
      case "Spawn":
        return ["spawn ", this.around.block(expr.body)];
      case "Scope":
        return ["scope ", this.around.block(expr.body)];
      case "CostRoute":
        return ["cost_route ", this.around.block(expr.body)];
      case "Parallel":
        return this.parallel(expr);
      default:
        throw new Error(`${expr.kind} cannot be printed`);
    }
  }

  private ifChain(expr: If): Doc {
    const parts: Doc[] = [];
    let link: Block | If | undefined = expr;
    for (; link?.kind === "If"; link = link.else) {
      parts.push([
        parts.length === 0 ? "if " : " else if ",
        this.header(link.condition),
        " ",
        this.around.block(link.then),
      ]);
    }
    return link === undefined ? parts : [parts, " else ", this.around.block(link)];
  }

  private arm(arm: MatchArm): Doc {
    const patterns = join(
      " | ",
      arm.patterns.map((pattern) => this.expr(pattern)),
    );
    const guard = arm.guard === undefined ? "" : [" if ", this.expr(arm.guard)];
    return [patterns, guard, " -> ", this.around.braces("", arm.body)];
  }

  private tryExpr(expr: Try): Doc {
    const parts: Doc[] = ["try ", this.around.block(expr.body)];
    if (expr.catch !== undefined) {
      const { name, type, body } = expr.catch;
      const head =
        name === undefined ? "" : `(${name.text}${type === undefined ? "" : `: ${printedType(type)}`}) `;
      parts.push(" catch ", head, this.around.block(body));
    }
    if (expr.finally !== undefined) parts.push(" finally ", this.around.block(expr.finally));
    return parts;
  }

  private parallel(expr: Extract<Expr, { kind: "Parallel" }>): Doc {
    const mode = expr.mode === "count" ? "" : `${expr.mode} `;
    const options =
      expr.maxConcurrent === undefined
        ? ""
        : [" with { max_concurrent: ", this.expr(expr.maxConcurrent), " }"];
    const head = expr.param === undefined ? "" : `${expr.param.text} ->`;
    // `parallel each { … }` would be a variable called `each` and its block.
    const subject = startsInBrace(expr.subject)
      ? ["(", this.expr(expr.subject), ")"]
      : this.header(expr.subject);
    return [
      "parallel ",
      mode,
      subject,
      options,
      " ",
      this.around.braces(head, expr.body),
      expr.asStream ? " as stream" : "",
    ];
  }
}

function precedenceOf(expr: Expr): number {
  switch (expr.kind) {
    case "Binary":
      return LEVELS[expr.op]!;
    case "Pipe":
      return 1;
    case "RangeExpr":
      return RANGE;
    case "Ternary":
      return TERNARY;
    case "Unary":
      return PREFIX;
    case "If":
    case "Match":
    case "Try":
    case "TryStar":
    case "Retry":
    case "Deadline":
    case "Parallel":
    case "Spawn":
    case "Scope":
    case "CostRoute":
      return WORD;
    default:
      return OPERAND;
  }
}

/** What may be called without parentheses round it, besides a name. */
function isCallExpression(expr: Expr): boolean {
  return expr.kind === "Call" || expr.kind === "MethodCall";
}

/**
 * Must the left part of a chain stand in parentheses? A pipe binds loosest; `?` with `.`, `[` or `?` directly after it
 * would be another token.
 */
function needsParentheses(left: Expr, link: Expr): boolean {
  if (link.kind === "Pipe") return false;
  return left.kind === "Pipe" || left.kind === "Propagate";
}

/** `&&` beside `||` has parentheses although it needs none (language.md §26). */
function isMixedLogic(node: Binary, side: Expr): boolean {
  return (
    side.kind === "Binary" &&
    ((node.op === "||" && side.op === "&&") || (node.op === "&&" && side.op === "||"))
  );
}

/** Is the last token of the text a propagating `?`? */
function endsInQuestion(expr: Expr): boolean {
  let at = expr;
  for (;;) {
    switch (at.kind) {
      case "Propagate":
        return true;
      case "Binary":
        at = at.right;
        break;
      case "Unary":
        at = at.operand;
        break;
      case "Pipe":
        at = at.into;
        break;
      case "Ternary":
        at = at.else;
        break;
      case "RangeExpr":
        if (at.exclusive) return false;
        at = at.to;
        break;
      case "TryStar":
        at = at.value;
        break;
      default:
        return false;
    }
  }
}

/** Prefix operators before an operand: all that `try*` takes. */
function isPlainUnary(expr: Expr): boolean {
  let at = expr;
  while (at.kind === "Unary") at = at.operand;
  return precedenceOf(at) >= OPERAND;
}

/** Is the first token of the text a `{`? */
function startsInBrace(expr: Expr): boolean {
  let at = expr;
  for (;;) {
    const left = leftOfLink(at);
    if (left !== undefined) at = left;
    else if (at.kind === "Call" && isCallExpression(at.callee)) at = at.callee;
    else if (at.kind === "Binary") at = at.left;
    else if (at.kind === "Ternary") at = at.condition;
    else if (at.kind === "RangeExpr") at = at.from;
    else return at.kind === "DictLit" || (at.kind === "Closure" && at.form === "brace");
  }
}

/** Does some node inside satisfy a test? Keeps its own stack: expressions may be deep. */
function containsExpression(expr: Expr, test: (expr: Expr) => boolean): boolean {
  const stack: unknown[] = [expr];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null) continue;
    if ("kind" in value && test(value as Expr)) return true;
    for (const child of Object.values(value)) stack.push(child);
  }
  return false;
}
