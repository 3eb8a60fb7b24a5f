/**
 * Expressions (language.md §2, §3). The operator chain is flat (`expression`), its operands are a primary with its
 * suffixes (`postfix`). Literals and closures are in literals.ts, suffixes in suffixes.ts, and what begins with a word
 * and has a block in controls.ts.
 *
 * Notes of the specification that decide here: `{` is a closure when a `->` stands directly inside it; an upper-case name
 * before `{` may begin a struct literal. The recursion per bracket is two rules, which keeps 255 nested brackets on a
 * small stack.
 */
import { tokenMatcher } from "chevrotain";
import type { Expr } from "../ast.ts";
import { OperatorChain } from "../precedence.ts";
import { type BracketInfo, T, tokenSet } from "../tokens.ts";
import type { Rule } from "./base.ts";
import { SuffixGrammar } from "./suffixes.ts";

const prefixes = tokenSet(T.Bang, T.Minus);
const operators = tokenSet(T.BinaryOperator, T.Not, T.To, T.Exclusive, T.Question);
const suffixes = tokenSet(T.Dot, T.QuestionDot, T.LSquare, T.LParen, T.Question, T.Less);

export abstract class ExpressionGrammar extends SuffixGrammar {
  abstract readonly ifExpr: Rule<Expr>;
  abstract readonly matchExpr: Rule<Expr>;
  abstract readonly tryExpr: Rule<Expr>;
  abstract readonly retryExpr: Rule<Expr>;
  abstract readonly parallelExpr: Rule<Expr>;
  abstract readonly deadlineExpr: Rule<Expr>;
  abstract readonly scopeExpr: Rule<Expr>;

  // ------------------------------------------------------ operator chain

  readonly expression: Rule<Expr> = this.RULE("expression", (): Expr => {
    let chain: OperatorChain | undefined;
    if (this.RECORDING_PHASE || prefixes[this.peek(1)] === 1) {
      chain = new OperatorChain();
      this.MANY(() => this.prefixOperator(chain!));
    }
    const start = this.offset();
    const first = this.SUBRULE(this.postfix);
    if (!this.RECORDING_PHASE && operators[this.peek(1)] !== 1) {
      if (chain === undefined) return first;
    } else {
      chain ??= new OperatorChain();
    }
    chain.operand(first, start, this.end());
    this.MANY1({ GATE: () => this.continues(chain), DEF: () => this.link(chain) });
    if (this.RECORDING_PHASE) return first;
    if (chain.length > this.maxChain) this.maxChain = chain.length;
    return chain.result();
  });

  private prefixOperator(chain: OperatorChain): void {
    const token = this.OR([{ ALT: () => this.CONSUME(T.Bang) }, { ALT: () => this.CONSUME(T.Minus) }]);
    chain.prefix(token.image, token.startOffset, token.endOffset! + 1);
  }

  /** May the next token go on with the chain? */
  private continues(chain: OperatorChain): boolean {
    const next = this.peek(1);
    if (next === T.To.tokenTypeIdx) return chain.mayRange;
    if (next === T.Exclusive.tokenTypeIdx) return chain.mayExclude;
    if (next === T.Question.tokenTypeIdx) return !chain.closed && this.startsTernary();
    if (next === T.Not.tokenTypeIdx) return !chain.closed && this.peek(2) === T.In.tokenTypeIdx;
    return !chain.closed || next === T.PipeArrow.tokenTypeIdx;
  }

  /** One operator with its right side. */
  private link(chain: OperatorChain): void {
    this.OR1([
      {
        ALT: () => {
          const token = this.CONSUME(T.BinaryOperator);
          if (!this.RECORDING_PHASE) chain.binary(token.image, token.startOffset, token.endOffset! + 1);
          this.SUBRULE(this.operand, { ARGS: [chain] });
        },
      },
      {
        ALT: () => {
          const not = this.CONSUME(T.Not);
          const token = this.CONSUME(T.In);
          if (!this.RECORDING_PHASE) chain.binary("not in", not.startOffset, token.endOffset! + 1);
          this.SUBRULE1(this.operand, { ARGS: [chain] });
        },
      },
      {
        ALT: () => {
          const token = this.CONSUME(T.To);
          if (!this.RECORDING_PHASE) chain.to(token.startOffset, token.endOffset! + 1);
          this.SUBRULE2(this.operand, { ARGS: [chain] });
        },
      },
      { ALT: () => chain.exclusive(this.CONSUME(T.Exclusive).endOffset! + 1) },
      {
        ALT: () => {
          const token = this.CONSUME(T.Question);
          const middle = this.SUBRULE3(this.expression);
          this.CONSUME(T.Colon);
          if (!this.RECORDING_PHASE) chain.ternary(middle, token.startOffset, token.endOffset! + 1);
          this.SUBRULE4(this.operand, { ARGS: [chain] });
        },
      },
    ]);
  }

  /** The right side of an operator, which may begin on the next line. */
  readonly operand = this.RULE("operand", (chain: OperatorChain): void => {
    this.OPTION(() => this.CONSUME(T.Newline));
    if (this.RECORDING_PHASE || prefixes[this.peek(1)] === 1) {
      this.MANY(() => {
        const token = this.OR([{ ALT: () => this.CONSUME(T.Bang) }, { ALT: () => this.CONSUME(T.Minus) }]);
        if (!this.RECORDING_PHASE) chain.prefix(token.image, token.startOffset, token.endOffset! + 1);
      });
    }
    const start = this.offset();
    const node = this.SUBRULE(this.postfix);
    if (!this.RECORDING_PHASE) chain.operand(node, start, this.end());
  });

  // ------------------------------------------------------------ operands

  readonly postfix: Rule<Expr> = this.RULE("postfix", (): Expr => {
    const first = this.LA(1);
    let node = this.OR(this.primaries);
    if (!this.RECORDING_PHASE && suffixes[this.peek(1)] !== 1) return node;
    const { startOffset: start } = first;
    let callable = node.kind === "Identifier" || first.tokenTypeIdx === T.LParen.tokenTypeIdx;
    let links = 0;
    this.MANY({
      GATE: () => this.hasSuffix(callable),
      DEF: () => {
        node = this.SUBRULE(this.suffix, { ARGS: [node, start] });
        callable = this.isCallAgain(node);
        links++;
      },
    });
    if (links > this.maxChain) this.maxChain = links;
    return node;
  });

  // Built once: the alternatives read nothing but the parser itself.
  private readonly primaries = {
    ERR_MSG: "expression",
    DEF: [
      // Before the identifiers, whose token types these are.
      { GATE: () => this.startsScope(), ALT: () => this.SUBRULE(this.scopeExpr) },
      { GATE: () => this.startsStruct(), ALT: () => this.SUBRULE(this.structLiteral) },
      { ALT: () => this.identifier() },
      { ALT: () => this.literal(T.Int, "IntLit") },
      { ALT: () => this.literal(T.Float, "FloatLit") },
      { ALT: () => this.stringLiteral(T.Str, false) },
      { ALT: () => this.SUBRULE(this.interpolation) },
      { ALT: () => this.parenthesised() },
      { ALT: () => this.SUBRULE(this.listLiteral) },
      { GATE: () => this.startsClosure(), ALT: () => this.SUBRULE(this.braceClosure) },
      { ALT: () => this.SUBRULE(this.dictLiteral) },
      { ALT: () => this.bool(T.True, true) },
      { ALT: () => this.bool(T.False, false) },
      { ALT: () => this.nil() },
      { ALT: () => this.SUBRULE(this.fnClosure) },
      { ALT: () => this.SUBRULE(this.ifExpr) },
      { ALT: () => this.SUBRULE(this.matchExpr) },
      { ALT: () => this.SUBRULE(this.tryExpr) },
      { ALT: () => this.SUBRULE(this.retryExpr) },
      { ALT: () => this.SUBRULE(this.parallelExpr) },
      { ALT: () => this.SUBRULE(this.spawnExpr) },
      { ALT: () => this.SUBRULE(this.deadlineExpr) },
      { ALT: () => this.literal(T.Duration, "DurationLit") },
      { ALT: () => this.stringLiteral(T.RawStr, true) },
    ] as { GATE?: () => boolean; ALT: () => Expr }[],
  };

  /** `scope {` and `cost_route {`, where `{` is not the block of an `if` or a loop. */
  private startsScope(): boolean {
    return !this.inHeader && this.peek(2) === T.LCurly.tokenTypeIdx;
  }

  /** `{` with a `->` directly inside. */
  private startsClosure(): boolean {
    return (this.payload(this.LA(1)) as BracketInfo).arrow;
  }

  /** An upper-case name, `{`, and then `}` or `name:` or `"name":`. */
  private startsStruct(): boolean {
    if (this.peek(2) !== T.LCurly.tokenTypeIdx) return false;
    const { image } = this.LA(1);
    const initial = String.fromCodePoint(image.codePointAt(0)!);
    if (initial === initial.toLowerCase()) return false;
    const third = this.LA(3);
    if (third.tokenTypeIdx === T.RCurly.tokenTypeIdx) {
      // `if Flag {}` has no other block: there the braces are the block.
      return !this.inHeader || this.peek(4) === T.LCurly.tokenTypeIdx;
    }
    const named = third.tokenTypeIdx === T.Str.tokenTypeIdx || tokenMatcher(third, T.AnyName);
    return named && this.peek(4) === T.Colon.tokenTypeIdx;
  }
}
