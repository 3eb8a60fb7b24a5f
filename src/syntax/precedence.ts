/**
 * Folds the flat operator chain of the expression rule into a tree by the table of language.md §3.
 *
 * The grammar knows one rule for all binary operators (nine nested rules would cost start-up and nine calls for each
 * operand); this is the usual two-stack algorithm behind it. It never recurses, so a chain may have any length.
 * A prefix operator stands between `*` and `**`: `-2 ** 2` is `-(2 ** 2)`.
 */
import type { Span } from "../source/index.ts";
import type { BinaryOp, Expr } from "./ast.ts";

const RANGE = 2;
const TERNARY = 3;
const PREFIX = 11;
const POWER = 12;

const LEVELS = new Map<string, number>([
  ["|>", 1],
  ["||", 4],
  ["&&", 5],
  ["==", 6],
  ["!=", 6],
  ["<", 7],
  [">", 7],
  ["<=", 7],
  [">=", 7],
  ["in", 7],
  ["not in", 7],
  ["+", 8],
  ["-", 8],
  ["??", 9],
  ["*", 10],
  ["/", 10],
  ["%", 10],
  ["**", POWER],
]);

interface Operand extends Span {
  readonly node: Expr;
}

interface PrecedenceOperator extends Span {
  readonly level: number;
  readonly text: string;
  /** Of `c ? middle : b`. */
  readonly middle: Expr | undefined;
  /** Of `a to b exclusive`: where the word ends; -1 for other operators. */
  exclusive: number;
}

export class OperatorChain {
  private readonly operands: Operand[] = [];
  private readonly operators: PrecedenceOperator[] = [];
  /** Links met: the depth that the tree may have. */
  length = 0;
  /** The range of the current pipe stage, of which there may be one. */
  private range: PrecedenceOperator | undefined;

  /** Adds an operand; its span includes parentheses around it. */
  operand(node: Expr, start: number, end: number): void {
    this.operands.push({ node, start, end });
  }

  prefix(text: string, start: number, end: number): void {
    this.length++;
    this.operators.push({ level: PREFIX, text, middle: undefined, exclusive: -1, start, end });
  }

  binary(text: string, start: number, end: number): void {
    if (text === "|>") this.range = undefined;
    this.push({ level: LEVELS.get(text)!, text, middle: undefined, exclusive: -1, start, end });
  }

  ternary(middle: Expr, start: number, end: number): void {
    this.push({ level: TERNARY, text: "?", middle, exclusive: -1, start, end });
  }

  to(start: number, end: number): void {
    this.range = { level: RANGE, text: "to", middle: undefined, exclusive: -1, start, end };
    this.push(this.range);
  }

  exclusive(end: number): void {
    if (this.range !== undefined) this.range.exclusive = end;
    this.reduceAbove(RANGE - 1);
  }

  /** May a `to` follow? A range is not associative. */
  get mayRange(): boolean {
    return this.range === undefined;
  }

  /** May `exclusive` follow? */
  get mayExclude(): boolean {
    return this.range !== undefined && this.range.exclusive < 0;
  }

  /** Is the current stage a finished `a to b exclusive`, after which only `|>` may follow? */
  get closed(): boolean {
    return this.range !== undefined && this.range.exclusive >= 0;
  }

  result(): Expr {
    this.reduceAbove(0);
    return this.operands[0]!.node;
  }

  private push(operator: PrecedenceOperator): void {
    this.length++;
    const rightAssociative = operator.level === POWER || operator.level === TERNARY;
    this.reduceAbove(rightAssociative ? operator.level : operator.level - 1);
    this.operators.push(operator);
  }

  /** Applies the operators that bind tighter than `level`. */
  private reduceAbove(level: number): void {
    while (this.operators.length > 0 && this.operators.at(-1)!.level > level)
      this.reduce(this.operators.pop()!);
  }

  private reduce(operator: PrecedenceOperator): void {
    const right = this.operands.pop()!;
    if (operator.level === PREFIX) {
      const { start } = operator;
      const { end } = right;
      const op = operator.text as "!" | "-";
      this.operands.push({ node: { kind: "Unary", start, end, op, operand: right.node }, start, end });
      return;
    }
    const left = this.operands.pop()!;
    const { start } = left;
    const end = operator.exclusive < 0 ? right.end : operator.exclusive;
    this.operands.push({ node: join(operator, left, right, start, end), start, end });
  }
}

function join(operator: PrecedenceOperator, left: Operand, right: Operand, start: number, end: number): Expr {
  switch (operator.text) {
    case "|>":
      return { kind: "Pipe", start, end, value: left.node, into: right.node };
    case "to":
      return {
        kind: "RangeExpr",
        start,
        end,
        from: left.node,
        to: right.node,
        exclusive: operator.exclusive >= 0,
      };
    case "?":
      // biome-ignore lint/suspicious/noThenProperty: the tree's own word; it is never a function
      return { kind: "Ternary", start, end, condition: left.node, then: operator.middle!, else: right.node };
    default:
      return {
        kind: "Binary",
        start,
        end,
        op: operator.text as BinaryOp,
        opSpan: { start: operator.start, end: operator.end },
        left: left.node,
        right: right.node,
      };
  }
}
