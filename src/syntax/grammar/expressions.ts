/**
 * Expressions (language.md §2, §3). The operator chain is flat (`expression`), its operands are a primary with its
 * suffixes (`postfix`); everything that begins with a word and has a block is in controls.ts.
 *
 * Notes of the specification that decide here: only bare names, parenthesised expressions and members can be called;
 * `{` is a closure when a `->` stands directly inside it; `?` is a ternary, an optional index or a propagation,
 * depending on what follows. The recursion per bracket is two rules, which keeps 256 nested brackets on a small stack.
 */
import { type IToken, tokenMatcher } from "chevrotain";
import type {
  Arg,
  Block,
  Closure,
  DictEntry,
  DictLit,
  Expr,
  Identifier,
  Interpolation,
  ListLit,
  NamedArg,
  NamedExpr,
  Param,
  Spread,
  Statement,
  StructLit,
} from "../ast.ts";
import { OperatorChain } from "../precedence.ts";
import { type BracketInfo, T, tokenSet } from "../tokens.ts";
import { expecting, type Rule } from "./base.ts";
import { PatternGrammar } from "./patterns.ts";

/** The builtins whose calls may name their arguments (language.md §13.10). */
const NAMED_ARGUMENT_CALLS = new Set(["ask_user", "request_approval", "dual_control", "escalate_to"]);

const prefixes = tokenSet(T.Bang, T.Minus);
const operators = tokenSet(T.BinaryOperator, T.Not, T.To, T.Exclusive, T.Question);
const suffixes = tokenSet(T.Dot, T.QuestionDot, T.LSquare, T.LParen, T.Question, T.Less);
/** What can begin the middle of a ternary (language.md §2, "`?` after an expression"). */
const ternaryStarts = tokenSet(
  T.Identifier,
  T.Int,
  T.Float,
  T.Duration,
  T.Str,
  T.RawStr,
  T.StrStart,
  T.True,
  T.False,
  T.Nil,
  T.LParen,
  T.LCurly,
  T.Bang,
  T.Minus,
  T.Fn,
);
/** What may stand between `<` and `>` of explicit type arguments. */
const inTypeArgs = tokenSet(
  T.Identifier,
  T.Comma,
  T.Bar,
  T.Amp,
  T.Question,
  T.LSquare,
  T.RSquare,
  T.LCurly,
  T.RCurly,
  T.Colon,
  T.Str,
  T.Int,
  T.Nil,
  T.True,
  T.False,
  T.Fn,
  T.LParen,
  T.RParen,
  T.Arrow,
);
const TYPE_ARGS_WINDOW = 64;
const EXPRESSION = "expression";
const PROPERTY = expecting("property name");

export abstract class ExpressionGrammar extends PatternGrammar {
  abstract readonly block: Rule<Block>;
  abstract readonly statements: Rule<Statement[], [what?: string]>;
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
    if (chain.length > this.longestChain) this.longestChain = chain.length;
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

  /** At a `?`: does a ternary begin here? */
  private startsTernary(): boolean {
    const after = this.LA(2);
    if (ternaryStarts[after.tokenTypeIdx] === 1) return true;
    // `c ? [] : [1]`, blanks on both sides: nobody spaces an optional index like that.
    const blanks = !this.adjacent(this.LA(0), this.LA(1)) && !this.adjacent(this.LA(1), after);
    return blanks && after.tokenTypeIdx === T.LSquare.tokenTypeIdx;
  }

  // ------------------------------------------------- primary and suffixes

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
        callable = false;
        links++;
      },
    });
    if (links > this.longestChain) this.longestChain = links;
    return node;
  });

  // Built once: the alternatives read nothing but the parser itself.
  private readonly primaries = {
    ERR_MSG: EXPRESSION,
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

  private identifier(): Expr {
    const token = this.CONSUME(T.Identifier);
    return { kind: "Identifier", start: token.startOffset, end: token.endOffset! + 1, name: token.image };
  }

  private literal(type: typeof T.Int, kind: "IntLit" | "FloatLit" | "DurationLit"): Expr {
    const token = this.CONSUME(type);
    const start = token.startOffset;
    const end = token.endOffset! + 1;
    const value = this.payload(token) as number;
    return kind === "DurationLit" ? { kind, start, end, ms: value } : { kind, start, end, value };
  }

  private stringLiteral(type: typeof T.Str, raw: boolean): Expr {
    const token = this.CONSUME(type);
    const value = this.payload(token) as string;
    return { kind: "StringLit", start: token.startOffset, end: token.endOffset! + 1, value, raw };
  }

  private bool(type: typeof T.True, value: boolean): Expr {
    const token = this.CONSUME(type);
    return { kind: "BoolLit", start: token.startOffset, end: token.endOffset! + 1, value };
  }

  private nil(): Expr {
    const token = this.CONSUME(T.Nil);
    return { kind: "NilLit", start: token.startOffset, end: token.endOffset! + 1 };
  }

  private parenthesised(): Expr {
    this.CONSUME(T.LParen);
    const header = this.enterBrackets();
    const node = this.SUBRULE(this.expression);
    this.CONSUME(T.RParen);
    this.inHeader = header;
    return node;
  }

  /** Inside brackets `{` is an ordinary expression again; gives what to restore after them. */
  protected enterBrackets(): boolean {
    const { inHeader } = this;
    this.inHeader = false;
    return inHeader;
  }

  readonly interpolation = this.RULE("interpolation", (): Interpolation => {
    const start = this.offset();
    const header = this.enterBrackets();
    const parts: (string | Expr)[] = [this.payload(this.CONSUME(T.StrStart)) as string];
    parts.push(this.SUBRULE(this.expression));
    this.MANY(() => {
      parts.push(this.payload(this.CONSUME(T.StrMid)) as string);
      parts.push(this.SUBRULE1(this.expression));
    });
    parts.push(this.payload(this.CONSUME(T.StrEnd)) as string);
    this.inHeader = header;
    return { kind: "Interpolation", start, end: this.end(), parts };
  });

  readonly listLiteral = this.RULE("listLiteral", (): ListLit => {
    const start = this.offset();
    const elements: (Expr | Spread)[] = [];
    this.CONSUME(T.LSquare);
    const header = this.enterBrackets();
    this.lenientList(T.RSquare, () => {
      elements.push(this.SUBRULE(this.spreadable));
    });
    this.CONSUME(T.RSquare);
    this.inHeader = header;
    return { kind: "ListLit", start, end: this.end(), elements };
  });

  readonly spreadable = this.RULE("spreadable", (): Expr | Spread => {
    const start = this.offset();
    const spread = this.OPTION(() => this.CONSUME(T.Ellipsis)) !== undefined;
    const value = this.SUBRULE(this.expression);
    return spread ? { kind: "Spread", start, end: this.end(), value } : value;
  });

  readonly dictLiteral = this.RULE("dictLiteral", (): DictLit => {
    const start = this.offset();
    const entries: (DictEntry | Spread)[] = [];
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    this.lenientList(T.RCurly, () => {
      entries.push(this.SUBRULE(this.dictEntry));
    });
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    return { kind: "DictLit", start, end: this.end(), entries };
  });

  readonly dictEntry = this.RULE("dictEntry", (): DictEntry | Spread => {
    const start = this.offset();
    let key: string | Expr = "";
    let keySpan = { start, end: start };
    let spread = false;
    this.OR({
      ERR_MSG: "dict key",
      DEF: [
        { ALT: () => (spread = this.CONSUME(T.Ellipsis) !== undefined) },
        {
          ALT: () => {
            key = this.SUBRULE(this.dictKey);
            keySpan = { start, end: this.end() };
            this.CONSUME(T.Colon);
          },
        },
      ],
    });
    const value = this.SUBRULE1(this.expression);
    const end = this.end();
    return spread
      ? { kind: "Spread", start, end, value }
      : { kind: "DictEntry", start, end, key, keySpan, value };
  });

  readonly dictKey = this.RULE("dictKey", (): string | Expr =>
    this.OR({
      ERR_MSG: "dict key",
      DEF: [
        { ALT: () => this.CONSUME(T.AnyName).image },
        { ALT: () => this.payload(this.CONSUME(T.Str)) as string },
        { ALT: () => this.payload(this.CONSUME(T.RawStr)) as string },
        // A string with holes is a computed key.
        { ALT: () => this.SUBRULE(this.interpolation) },
        {
          ALT: () => {
            this.CONSUME(T.LSquare);
            const computed = this.SUBRULE(this.expression);
            this.CONSUME(T.RSquare);
            return computed;
          },
        },
      ],
    }),
  );

  readonly structLiteral = this.RULE("structLiteral", (): StructLit => {
    const name = this.nameOf(this.CONSUME(T.Identifier));
    const fields: NamedExpr[] = [];
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    this.lenientList(T.RCurly, () => {
      const token = this.OR({
        ERR_MSG: "field name",
        DEF: [{ ALT: () => this.CONSUME(T.AnyName) }, { ALT: () => this.CONSUME(T.Str) }],
      });
      this.CONSUME(T.Colon);
      const value = this.SUBRULE(this.expression);
      fields.push({ name: this.fieldName(token), value, start: token.startOffset, end: this.end() });
    });
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    return { kind: "StructLit", start: name.start, end: this.end(), name, fields };
  });

  /** A name, or a string that stands for one. */
  private fieldName(token: IToken): { text: string; start: number; end: number } {
    const name = this.nameOf(token);
    return token.tokenTypeIdx === T.Str.tokenTypeIdx
      ? { ...name, text: this.payload(token) as string }
      : name;
  }

  readonly braceClosure = this.RULE("braceClosure", (): Closure => {
    const start = this.offset();
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    const params = this.SUBRULE(this.closureParams);
    const bodyStart = this.offset();
    const statements = this.SUBRULE(this.statements);
    const bodyEnd = Math.max(this.end(), bodyStart);
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    const body: Block = { kind: "Block", start: bodyStart, end: bodyEnd, statements };
    return { kind: "Closure", start, end: this.end(), form: "brace", params, body };
  });

  readonly fnClosure = this.RULE("fnClosure", (): Closure => {
    const start = this.offset();
    this.CONSUME(T.Fn);
    const params: Param[] = this.SUBRULE(this.params);
    const body = this.SUBRULE(this.block);
    return { kind: "Closure", start, end: this.end(), form: "fn", params, body };
  });

  readonly spawnExpr = this.RULE("spawnExpr", (): Expr => {
    const start = this.offset();
    this.CONSUME(T.Spawn);
    const body = this.SUBRULE(this.block);
    return { kind: "Spawn", start, end: this.end(), body };
  });

  // -------------------------------------------------------------- gates

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

  /** Does the next token go on with a postfix expression? */
  private hasSuffix(callable: boolean): boolean {
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

  // ------------------------------------------------------------ suffixes

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
      NAMED_ARGUMENT_CALLS.has((callee as Identifier).name);
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
          { ALT: () => args.push(this.SUBRULE(this.spreadable)) },
        ],
      });
    });
    this.CONSUME(T.RParen);
    this.inHeader = header;
    return args;
  });

  readonly namedArg = this.RULE("namedArg", (): NamedArg => {
    const name = this.nameOf(this.CONSUME(T.AnyName));
    this.CONSUME(T.Colon);
    const value = this.SUBRULE(this.expression);
    return { kind: "NamedArg", start: name.start, end: this.end(), name, value };
  });
}
