/**
 * What may follow an operand: members, calls, subscripts, `?` (language.md §2, "Calls only on bare names" and "`?` after
 * an expression"). Beyond the spec, what a call gives may be called at once: `compose([…])(caller)`.
 */
import type { Arg, Expr, Identifier, NamedArg } from "../ast.ts";
import { T, tokenSet } from "../tokens.ts";
import { expecting } from "./base.ts";
import { LiteralGrammar } from "./literals.ts";

/** The builtins whose calls may name their arguments (language.md §13.10): part of the grammar, and a trait in the table. */
export const namedArgumentCalls: ReadonlySet<string> = new Set([
  "ask_user",
  "request_approval",
  "dual_control",
  "escalate_to",
]);

/** What can begin the middle of a ternary (language.md §2, "`?` after an expression"). */
// biome-ignore format: a list of words
const ternaryStarts = tokenSet(
  T.Identifier, T.Int, T.Float, T.Duration, T.Str, T.RawStr, T.StrStart, T.True, T.False, T.Nil, T.LParen,
  T.LCurly, T.Bang, T.Minus, T.Fn,
);
/** What may stand between `<` and `>` of explicit type arguments. */
// biome-ignore format: a list of words
const inTypeArgs = tokenSet(
  T.Identifier, T.Comma, T.Bar, T.Amp, T.Question, T.LSquare, T.RSquare, T.LCurly, T.RCurly, T.Colon, T.Str,
  T.Int, T.Nil, T.True, T.False, T.Fn, T.LParen, T.RParen, T.Arrow,
);
const TYPE_ARGS_WINDOW = 64;
const EXPRESSION = "expression";
const PROPERTY = expecting("property name");

export abstract class SuffixGrammar extends LiteralGrammar {
  /** One suffix of `node`, which begins at `start` (its parentheses included). */
  readonly suffix = this.RULE(
    "suffix",
    (node: Expr, start: number): Expr =>
      this.OR([
        { ALT: () => this.member(node, start, T.Dot) },
        { ALT: () => this.member(node, start, T.QuestionDot) },
        { ALT: () => this.subscript(node, start) },
        { ALT: () => this.call(node, start) },
        {
          GATE: () => this.peek(2) === T.LSquare.tokenTypeIdx && !this.startsTernary(),
          ALT: () => this.optionalIndex(node, start),
        },
        { ALT: () => this.propagate(node, start) },
      ]),
  );

  private member(object: Expr, start: number, dot: typeof T.Dot): Expr {
    // Two call sites, one for `.` and one for `?.`: each needs occurrence numbers of its own.
    const optional = dot === T.QuestionDot;
    const n = optional ? 1 : 0;
    this.consume(n, dot);
    const name = this.nameOf(this.consume(n, T.AnyName, PROPERTY));
    let args: Arg[] | undefined;
    if (this.RECORDING_PHASE || this.isNext(T.LParen)) {
      args = this.option(n, () => this.subrule(n, this.callArgs, { ARGS: [false] }));
    }
    const end = this.end();
    return args === undefined
      ? { kind: "Member", start, end, object, name, optional }
      : { kind: "MethodCall", start, end, receiver: object, name, optional, args };
  }

  private call(callee: Expr, start: number): Expr {
    const typeArgs = this.OPTION2(() => this.SUBRULE(this.typeArgs)) ?? [];
    const named =
      !this.RECORDING_PHASE &&
      callee.kind === "Identifier" &&
      namedArgumentCalls.has((callee as Identifier).name);
    const args = this.SUBRULE2(this.callArgs, { ARGS: [named] });
    return { kind: "Call", start, end: this.end(), callee, typeArgs, args };
  }

  private optionalIndex(object: Expr, start: number): Expr {
    this.CONSUME3(T.Question);
    this.CONSUME3(T.LSquare);
    const header = this.enterBrackets();
    const index = this.SUBRULE3(this.expression);
    this.CONSUME3(T.RSquare);
    this.inHeader = header;
    return { kind: "Index", start, end: this.end(), object, index, optional: true };
  }

  private propagate(value: Expr, start: number): Expr {
    this.CONSUME4(T.Question);
    return { kind: "Propagate", start, end: this.end(), value };
  }

  /** `[i]`, `[a:b]`, `[a:]`, `[:b]`, `[:]`. */
  private subscript(object: Expr, start: number): Expr {
    let from: Expr | undefined;
    let to: Expr | undefined;
    let slice = false;
    this.CONSUME5(T.LSquare);
    const header = this.enterBrackets();
    this.OPTION5({
      GATE: () => !this.isNext(T.Colon),
      DEF: () => {
        from = this.SUBRULE5(this.expression);
      },
    });
    this.OPTION6(() => {
      this.CONSUME5(T.Colon);
      slice = true;
      this.OPTION7(() => {
        to = this.SUBRULE6(this.expression);
      });
    });
    if (!this.RECORDING_PHASE && from === undefined && !slice) this.fail(EXPRESSION);
    this.CONSUME5(T.RSquare);
    this.inHeader = header;
    const end = this.end();
    return slice
      ? { kind: "Slice", start, end, object, from, to }
      : { kind: "Index", start, end, object, index: from!, optional: false };
  }

  /** `( args )`; `named`: may arguments have names? */
  readonly callArgs = this.RULE("callArgs", (named: boolean): Arg[] => {
    const args: Arg[] = [];
    this.CONSUME(T.LParen);
    const header = this.enterBrackets();
    this.lenientList(T.RParen, () => {
      this.OR({
        ERR_MSG: EXPRESSION,
        DEF: [
          {
            GATE: () => named && this.peek(2) === T.Colon.tokenTypeIdx,
            ALT: () => args.push(this.SUBRULE(this.namedArg)),
          },
          { ALT: () => args.push(this.plainArg()) },
        ],
      });
    });
    this.CONSUME(T.RParen);
    this.inHeader = header;
    return args;
  });

  private plainArg(): Arg {
    const arg = this.SUBRULE(this.spreadable);
    if (!this.RECORDING_PHASE) this.refuseGluedMinus(arg);
    return arg;
  }

  readonly namedArg = this.RULE("namedArg", (): NamedArg => {
    const name = this.nameOf(this.CONSUME(T.AnyName));
    this.CONSUME(T.Colon);
    const value = this.SUBRULE(this.expression);
    return { kind: "NamedArg", start: name.start, end: this.end(), name, value };
  });

  // -------------------------------------------------------------- gates

  /**
   * `f(x)(y)`: is what a call gave called in turn? Only without a blank between the parentheses: `[f(1) (2)]` has two
   * elements, and a `(` on the next line begins a statement.
   */
  protected isCallAgain(node: Expr): boolean {
    const isCall = node.kind === "Call" || node.kind === "MethodCall";
    return isCall && this.isNext(T.LParen) && this.adjacent(this.LA(0), this.LA(1));
  }

  /** Does the next token go on with a postfix expression? */
  protected hasSuffix(callable: boolean): boolean {
    const next = this.peek(1);
    if (next === T.LParen.tokenTypeIdx) return callable;
    if (next === T.Less.tokenTypeIdx) return callable && this.startsTypeArgs();
    if (next === T.Question.tokenTypeIdx) return !this.startsTernary();
    return true;
  }

  /** `name<…>(` without blanks, with only type syntax between: explicit type arguments, not two comparisons. */
  private startsTypeArgs(): boolean {
    if (!this.adjacent(this.LA(0), this.LA(1))) return false;
    let depth = 1;
    for (let i = 2; i < TYPE_ARGS_WINDOW; i++) {
      const token = this.LA(i);
      if (token.tokenTypeIdx === T.Less.tokenTypeIdx) depth++;
      else if (token.tokenTypeIdx === T.Greater.tokenTypeIdx) {
        depth--;
        if (depth === 0)
          return this.peek(i + 1) === T.LParen.tokenTypeIdx && this.adjacent(token, this.LA(i + 1));
      } else if (inTypeArgs[token.tokenTypeIdx] !== 1) return false;
    }
    return false;
  }

  /** At a `?`: does a ternary begin here? */
  protected startsTernary(): boolean {
    const after = this.LA(2);
    if (ternaryStarts[after.tokenTypeIdx] === 1) return true;
    // `c ? [] : [1]`, blanks on both sides: nobody spaces an optional index like that.
    const blanks = !this.adjacent(this.LA(0), this.LA(1)) && !this.adjacent(this.LA(1), after);
    return blanks && after.tokenTypeIdx === T.LSquare.tokenTypeIdx;
  }
}
