/** Expressions that begin with a word and have a block: `if`, `match`, `try`, `retry`, `parallel`, `deadline`, `scope`. */
import type { Block, Expr, If, MatchArm, Name, Try } from "../ast.ts";
import { type BracketInfo, T } from "../tokens.ts";
import { expecting } from "./base.ts";
import { ExpressionGrammar } from "./expressions.ts";

export abstract class ControlGrammar extends ExpressionGrammar {
  /** An expression before a block: its own `{` (of a struct literal, say) is not the block's. */
  readonly header = this.RULE("header", (): Expr => {
    const { inHeader } = this;
    this.inHeader = true;
    const node = this.SUBRULE(this.expression);
    this.inHeader = inHeader;
    return node;
  });

  /** The same for the places where only an operand may stand (`retry`, `deadline`). */
  readonly headerOperand = this.RULE("headerOperand", (): Expr => {
    const { inHeader } = this;
    this.inHeader = true;
    const node = this.SUBRULE(this.postfix);
    this.inHeader = inHeader;
    return node;
  });

  /** A chain of `else if` is read in a loop and linked backwards: it may be long. */
  readonly ifExpr = this.RULE("ifExpr", (): If => {
    const links: { start: number; condition: Expr; then: Block }[] = [];
    let last: Block | If | undefined;
    links.push(this.SUBRULE(this.ifLink));
    this.MANY({
      GATE: () => this.peek(2) === T.If.tokenTypeIdx,
      DEF: () => {
        this.CONSUME(T.Else);
        links.push(this.SUBRULE1(this.ifLink));
      },
    });
    this.OPTION(() => {
      this.CONSUME1(T.Else);
      last = this.SUBRULE(this.block);
    });
    const end = this.end();
    if (links.length > this.maxChain) this.maxChain = links.length;
    for (let i = links.length - 1; i >= 0; i--) {
      const link = links[i]!;
      // biome-ignore lint/suspicious/noThenProperty: the tree's own word; it is never a function
      last = { kind: "If", start: link.start, end, condition: link.condition, then: link.then, else: last };
    }
    return last as If;
  });

  readonly ifLink = this.RULE("ifLink", (): { start: number; condition: Expr; then: Block } => {
    const start = this.offset();
    this.CONSUME(T.If);
    const condition = this.SUBRULE(this.header);
    const then = this.SUBRULE(this.block);
    return { start, condition, then };
  });

  readonly matchExpr = this.RULE("matchExpr", (): Expr => {
    const start = this.offset();
    const arms: MatchArm[] = [];
    this.CONSUME(T.Match);
    const subject = this.SUBRULE(this.header);
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    this.untilClosed(T.RCurly, () => {
      arms.push(this.SUBRULE(this.matchArm));
      this.OPTION(() => this.CONSUME(T.Newline));
    });
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    return { kind: "Match", start, end: this.end(), subject, arms };
  });

  readonly matchArm = this.RULE("matchArm", (): MatchArm => {
    const start = this.offset();
    const patterns: Expr[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: T.Bar,
      ERR_MSG: "expression",
      DEF: () => {
        patterns.push(this.SUBRULE(this.expression));
      },
    });
    const guard = this.OPTION(() => {
      this.CONSUME(T.If);
      return this.SUBRULE1(this.expression);
    });
    this.CONSUME(T.Arrow);
    const body = this.SUBRULE(this.block);
    return { kind: "MatchArm", start, end: this.end(), patterns, guard, body };
  });

  readonly tryExpr = this.RULE("tryExpr", (): Expr => {
    const start = this.offset();
    this.CONSUME(T.Try);
    return this.OR({
      ERR_MSG: "{",
      DEF: [{ ALT: () => this.tryStar(start) }, { ALT: () => this.tryBlock(start) }],
    });
  });

  private tryStar(start: number): Expr {
    this.CONSUME(T.Star);
    const value = this.SUBRULE(this.unary);
    return { kind: "TryStar", start, end: this.end(), value };
  }

  /** An operand with its prefix operators. */
  readonly unary = this.RULE("unary", (): Expr => {
    const operators: { op: "!" | "-"; start: number }[] = [];
    this.MANY(() => {
      const token = this.OR([{ ALT: () => this.CONSUME(T.Bang) }, { ALT: () => this.CONSUME(T.Minus) }]);
      operators.push({ op: token.image as "!" | "-", start: token.startOffset });
    });
    let node = this.SUBRULE(this.postfix);
    if (this.RECORDING_PHASE) return node;
    const end = this.end();
    for (const { op, start } of operators.reverse()) node = { kind: "Unary", start, end, op, operand: node };
    if (operators.length > this.maxChain) this.maxChain = operators.length;
    return node;
  });

  private tryBlock(start: number): Try {
    const body = this.SUBRULE1(this.block);
    let caught: Try["catch"];
    this.OPTION(() => {
      this.CONSUME(T.Catch);
      caught = this.SUBRULE(this.catchClause);
    });
    const last = this.OPTION1(() => {
      this.CONSUME(T.Finally);
      return this.SUBRULE2(this.block);
    });
    return { kind: "Try", start, end: this.end(), body, catch: caught, finally: last };
  }

  /** `(e: Type) { … }`, `e { … }` or `{ … }`. */
  readonly catchClause = this.RULE("catchClause", (): NonNullable<Try["catch"]> => {
    let name: Name | undefined;
    let type: NonNullable<Try["catch"]>["type"];
    this.OPTION(() =>
      this.OR([
        {
          ALT: () => {
            this.CONSUME(T.LParen);
            name = this.nameOf(this.CONSUME(T.Identifier, expecting("variable name")));
            type = this.OPTION1(() => {
              this.CONSUME(T.Colon);
              return this.SUBRULE(this.typeExpr);
            });
            this.CONSUME(T.RParen);
          },
        },
        {
          ALT: () => {
            name = this.nameOf(this.CONSUME1(T.Identifier));
          },
        },
      ]),
    );
    const body = this.SUBRULE(this.block);
    return { name, type, body };
  });

  readonly retryExpr = this.RULE("retryExpr", (): Expr => {
    const start = this.offset();
    this.CONSUME(T.Retry);
    const count = this.SUBRULE(this.headerOperand);
    const body = this.SUBRULE(this.block);
    return { kind: "Retry", start, end: this.end(), count, body };
  });

  readonly deadlineExpr = this.RULE("deadlineExpr", (): Expr => {
    const start = this.offset();
    this.CONSUME(T.Deadline);
    const duration = this.SUBRULE(this.headerOperand);
    const body = this.SUBRULE(this.block);
    return { kind: "Deadline", start, end: this.end(), duration, body };
  });

  readonly scopeExpr = this.RULE("scopeExpr", (): Expr => {
    const start = this.offset();
    const kind = this.OR([
      { ALT: () => this.CONSUME(T.Scope) && ("Scope" as const) },
      { ALT: () => this.CONSUME(T.CostRoute) && ("CostRoute" as const) },
    ]);
    const body = this.SUBRULE(this.block);
    return { kind, start, end: this.end(), body };
  });

  readonly parallelExpr = this.RULE("parallelExpr", (): Expr => {
    const start = this.offset();
    this.CONSUME(T.Parallel);
    const mode = this.parallelMode();
    const subject = this.SUBRULE(this.header);
    const maxConcurrent = this.OPTION1(() => this.SUBRULE(this.parallelOptions));
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    const param = this.OPTION2({
      GATE: () => this.peek(2) === T.Arrow.tokenTypeIdx,
      DEF: () => {
        const name = this.nameOf(this.CONSUME(T.Identifier));
        this.CONSUME(T.Arrow);
        return name;
      },
    });
    const bodyStart = this.offset();
    const statements = this.SUBRULE(this.statements);
    const bodyEnd = Math.max(this.end(), bodyStart);
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    const body: Block = { kind: "Block", start: bodyStart, end: bodyEnd, statements };
    const asStream = this.asStream(mode);
    return { kind: "Parallel", start, end: this.end(), mode, subject, maxConcurrent, param, body, asStream };
  });

  /** `each` or `settle` before an expression; alone (`parallel each { … }`) they are the name of a variable. */
  private parallelMode(): "count" | "each" | "settle" {
    const mode = this.OPTION({
      GATE: () => this.startsSubject(),
      DEF: () =>
        this.OR([
          { ALT: () => this.CONSUME(T.Each) && ("each" as const) },
          { ALT: () => this.CONSUME(T.Settle) && ("settle" as const) },
        ]),
    });
    return mode ?? "count";
  }

  /** `parallel each { … }` runs a variable called `each`, unless a block (or `with`) follows the first braces. */
  private startsSubject(): boolean {
    const next = this.LA(2);
    if (next.tokenTypeIdx !== T.LCurly.tokenTypeIdx) return true;
    const after = this.tokens[(this.payload(next) as BracketInfo).close + 1]?.tokenTypeIdx;
    return after === T.LCurly.tokenTypeIdx || after === T.With.tokenTypeIdx;
  }

  private asStream(mode: string): boolean {
    const as = this.OPTION3({
      GATE: () => mode === "each",
      DEF: () => {
        this.CONSUME(T.As);
        return this.CONSUME(T.Stream);
      },
    });
    return as !== undefined;
  }

  readonly parallelOptions = this.RULE("parallelOptions", (): Expr => {
    this.CONSUME(T.With);
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    const key = this.LA(1);
    const known = key.tokenTypeIdx === T.MaxConcurrent.tokenTypeIdx;
    if (!this.RECORDING_PHASE && !known && key.tokenTypeIdx !== T.RCurly.tokenTypeIdx) {
      this.fail(
        `known option (only \`max_concurrent\` is supported in \`parallel ... with { ... }\`; got \`${key.image}\`)`,
        { got: key.image },
      );
    }
    this.CONSUME(T.MaxConcurrent);
    this.CONSUME(T.Colon);
    const value = this.SUBRULE(this.expression);
    this.OPTION(() => this.CONSUME(T.Comma));
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    return value;
  });
}
