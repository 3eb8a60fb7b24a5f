/**
 * Statements, their separators, and recovery. A failed statement is dropped and reading goes on at the next plausible
 * one (language.md §2.1), so a file shows several errors at once; the first is the one that `run` reports.
 */
import { type IToken, isRecognitionException, tokenMatcher } from "chevrotain";
import type { Assign, Block, Declaration, Expr, Let, Select, Statement } from "../ast.ts";
import { T, tokenSet } from "../tokens.ts";
import { expecting, type Rule } from "./base.ts";
import { ControlGrammar } from "./controls.ts";

/** After an error a line that begins with one of these is a new statement. */
// biome-ignore format: a list of words
const statementWords = tokenSet(
  T.Let, T.Var, T.If, T.For, T.While, T.Match, T.Retry, T.Parallel, T.Return, T.Import, T.Try, T.Throw, T.Fn,
  T.Type, T.Enum, T.EvalPack, T.Struct, T.Interface, T.Emit, T.Pub, T.Tool, T.Guard, T.Require, T.Deadline,
  T.Defer, T.Yield, T.Mutex, T.Break, T.Continue, T.Select, T.Impl, T.Skill, T.Pipeline, T.Override, T.At,
);
/** Occurrence number of the separator's parts. */
const SEPARATOR = 30;
/** Enough messages for one file. */
const maxFailures = 20;

export abstract class StatementGrammar extends ControlGrammar {
  abstract readonly declaration: Rule<Declaration>;

  readonly block: Rule<Block> = this.RULE("block", (): Block => {
    const start = this.offset();
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    const statements = this.SUBRULE(this.statements);
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    return { kind: "Block", start, end: this.end(), statements };
  });

  /** Statements up to `}`; `what` names the separator in messages. */
  readonly statements: Rule<Statement[], [what?: string]> = this.RULE(
    "statements",
    (what?: string): Statement[] => {
      const statements: Statement[] = [];
      this.untilClosed(T.RCurly, () => {
        this.recovering(() => {
          statements.push(this.SUBRULE(this.statement));
          this.separator(what ?? "statement separator");
        });
      });
      return statements;
    },
  );

  /** `;` or a line end; nothing before the end of the list. */
  protected separator(what: string, occurrence = 0): void {
    const n = SEPARATOR + occurrence;
    const taken = this.option(n, () =>
      this.or(n, [{ ALT: () => this.consume(n, T.Newline) }, { ALT: () => this.consume(n, T.Semicolon) }]),
    );
    if (taken === undefined && !this.endsStatement()) this.fail(`${what} (\`;\` or newline)`);
  }

  /** Runs one item of a list; when it fails, goes on after it. */
  protected recovering(item: () => void): void {
    const from = this.cursor;
    const header = this.inHeader;
    try {
      item();
    } catch (failure) {
      if (!isRecognitionException(failure as Error) || this.RECORDING_PHASE) throw failure;
      this.inHeader = header;
      this.cursor = this.errors.length >= maxFailures ? this.count - 1 : this.resumeAt(from);
    }
  }

  /**
   * The token after which to go on after a failure in the item that began after `from`: a `;`, a line end before a
   * statement word, or the token before the list's own `}`. What stands in brackets is passed over, unless the bracket
   * is never closed. Always beyond `from`, so that every list ends.
   */
  private resumeAt(from: number): number {
    const at = this.cursor;
    const open = new Set<number>();
    for (let i = from + 1; i <= at; i++) if (this.closeOf(i) > at) open.add(this.closeOf(i));
    for (let i = at + 1; i < this.count; i++) {
      if (open.delete(i)) continue;
      const token = this.tokens[i]!;
      if (open.size === 0 && token.tokenTypeIdx === T.RCurly.tokenTypeIdx && i > from + 1) return i - 1;
      if (this.closeOf(i) > i) open.add(this.closeOf(i));
      if (this.startsAfresh(token, i + 1, open.size)) return i;
    }
    return this.count - 1;
  }

  /** Index of the token that closes the bracket opened by a token; -1 for other tokens. */
  private closeOf(index: number): number {
    const value = this.payload(this.tokens[index]!);
    return typeof value === "object" ? value.close : -1;
  }

  private startsAfresh(token: IToken, next: number, depth: number): boolean {
    if (token.tokenTypeIdx === T.Semicolon.tokenTypeIdx) return depth === 0;
    if (token.tokenTypeIdx !== T.Newline.tokenTypeIdx || next >= this.count) return false;
    const nextToken = this.tokens[next]!;
    // At the left margin a new one begins even when a bracket before it is still open.
    return statementWords[nextToken.tokenTypeIdx] === 1 && (depth === 0 || this.atMargin(nextToken));
  }

  // --------------------------------------------------------- statements

  readonly statement: Rule<Statement> = this.RULE("statement", (): Statement => this.OR(this.statementKinds));

  // Built once: the alternatives read nothing but the parser itself.
  private readonly statementKinds = {
    ERR_MSG: "expression",
    DEF: [
      { GATE: () => this.startsDeclaration(), ALT: () => this.SUBRULE(this.declaration) },
      { GATE: () => this.startsConst(), ALT: () => this.SUBRULE(this.constStatement) },
      { ALT: () => this.SUBRULE(this.letStatement) },
      { ALT: () => this.SUBRULE(this.forStatement) },
      { ALT: () => this.SUBRULE(this.whileStatement) },
      { ALT: () => this.SUBRULE(this.selectStatement) },
      { ALT: () => this.SUBRULE(this.returnStatement) },
      { ALT: () => this.SUBRULE(this.throwStatement) },
      { ALT: () => this.jump(T.Break, "Break") },
      { ALT: () => this.jump(T.Continue, "Continue") },
      { ALT: () => this.SUBRULE(this.guardStatement) },
      { ALT: () => this.SUBRULE(this.requireStatement) },
      { ALT: () => this.SUBRULE(this.deferStatement) },
      { ALT: () => this.SUBRULE(this.mutexStatement) },
      { ALT: () => this.SUBRULE(this.yieldStatement) },
      { ALT: () => this.SUBRULE(this.emitStatement) },
      // The next ones are expressions too; as statements nothing may follow their block (language.md §2).
      { IGNORE_AMBIGUITIES: true, ALT: () => this.alone(this.SUBRULE(this.ifExpr)) },
      { IGNORE_AMBIGUITIES: true, ALT: () => this.alone(this.SUBRULE(this.matchExpr)) },
      { IGNORE_AMBIGUITIES: true, ALT: () => this.alone(this.SUBRULE(this.tryExpr)) },
      { IGNORE_AMBIGUITIES: true, ALT: () => this.alone(this.SUBRULE(this.retryExpr)) },
      { IGNORE_AMBIGUITIES: true, ALT: () => this.alone(this.SUBRULE(this.parallelExpr)) },
      { IGNORE_AMBIGUITIES: true, ALT: () => this.alone(this.SUBRULE(this.deadlineExpr)) },
      { ALT: () => this.SUBRULE(this.expressionStatement) },
    ] as { GATE?: () => boolean; IGNORE_AMBIGUITIES?: boolean; ALT: () => Statement }[],
  };

  private alone(expr: Expr): Statement {
    return { kind: "ExprStatement", start: expr.start, end: expr.end, expr };
  }

  private jump(type: typeof T.Break, kind: "Break" | "Continue"): Statement {
    const token = this.CONSUME(type);
    return { kind, start: token.startOffset, end: token.endOffset! + 1 };
  }

  /** `fn (` is a closure and `gen` without `fn` a variable; the other words always declare. */
  private startsDeclaration(): boolean {
    const next = this.peek(1);
    if (next === T.Fn.tokenTypeIdx) return this.peek(2) !== T.LParen.tokenTypeIdx;
    if (next === T.Gen.tokenTypeIdx) return this.peek(2) === T.Fn.tokenTypeIdx;
    return true;
  }

  /** `const` is an ordinary name unless a pattern follows it. */
  private startsConst(): boolean {
    const after = this.LA(2);
    if (after.tokenTypeIdx === T.LSquare.tokenTypeIdx) return !this.adjacent(this.LA(1), after);
    return after.tokenTypeIdx === T.LCurly.tokenTypeIdx || tokenMatcher(after, T.Identifier);
  }

  readonly letStatement = this.RULE("letStatement", (): Let => {
    const token = this.OR([{ ALT: () => this.CONSUME(T.Let) }, { ALT: () => this.CONSUME(T.Var) }]);
    return this.SUBRULE(this.binding, { ARGS: [token.image as "let" | "var", token.startOffset] });
  });

  readonly constStatement = this.RULE("constStatement", (): Let => {
    const token = this.CONSUME(T.Const);
    return this.SUBRULE(this.binding, { ARGS: ["const", token.startOffset] });
  });

  readonly binding = this.RULE("binding", (keyword: Let["keyword"], start: number): Let => {
    const pattern = this.SUBRULE(this.pattern);
    const type = this.OPTION(() => {
      this.CONSUME(T.Colon);
      return this.SUBRULE(this.typeExpr);
    });
    this.CONSUME(T.Equals);
    const value = this.SUBRULE(this.expression);
    return { kind: "Let", start, end: this.end(), keyword, pattern, type, value };
  });

  readonly forStatement = this.RULE("forStatement", (): Statement => {
    const start = this.offset();
    this.CONSUME(T.For);
    const pattern = this.SUBRULE(this.loopPattern);
    this.CONSUME(T.In);
    const iterable = this.SUBRULE(this.header);
    const body = this.SUBRULE(this.block);
    return { kind: "For", start, end: this.end(), pattern, iterable, body };
  });

  readonly whileStatement = this.RULE("whileStatement", (): Statement => {
    const start = this.offset();
    this.CONSUME(T.While);
    const condition = this.SUBRULE(this.header);
    const body = this.SUBRULE(this.block);
    return { kind: "While", start, end: this.end(), condition, body };
  });

  readonly selectStatement = this.RULE("selectStatement", (): Select => {
    const start = this.offset();
    const cases: Select["cases"][number][] = [];
    let timeout: Select["timeout"];
    let fallback: Block | undefined;
    this.CONSUME(T.Select);
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    this.untilClosed(T.RCurly, () => {
      const first = this.LA(1);
      this.OR({
        ERR_MSG: "at least one select case",
        DEF: [
          {
            GATE: () => this.peek(2) !== T.From.tokenTypeIdx,
            ALT: () => {
              timeout = this.SUBRULE(this.selectTimeout);
            },
          },
          {
            GATE: () => this.peek(2) === T.LCurly.tokenTypeIdx,
            ALT: () => {
              this.CONSUME(T.Default);
              fallback = this.SUBRULE(this.block);
            },
          },
          { ALT: () => cases.push(this.SUBRULE(this.selectCase)) },
        ],
      });
      this.OPTION(() => this.CONSUME(T.Newline));
      if (!this.RECORDING_PHASE && timeout !== undefined && fallback !== undefined) {
        this.fail("select cannot have both timeout and default", { at: first });
      }
    });
    const empty = cases.length === 0 && timeout === undefined && fallback === undefined;
    if (empty && !this.RECORDING_PHASE && this.isNext(T.RCurly)) this.fail("at least one select case");
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    return { kind: "Select", start, end: this.end(), cases, timeout, default: fallback };
  });

  readonly selectCase = this.RULE("selectCase", (): Select["cases"][number] => {
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("variable name")));
    this.CONSUME(T.From);
    const channel = this.SUBRULE(this.header);
    const body = this.SUBRULE(this.block);
    return { name, channel, body };
  });

  readonly selectTimeout = this.RULE("selectTimeout", (): NonNullable<Select["timeout"]> => {
    this.CONSUME(T.Timeout);
    const duration = this.SUBRULE(this.header);
    const body = this.SUBRULE(this.block);
    return { duration, body };
  });

  readonly returnStatement = this.RULE("returnStatement", (): Statement => {
    const start = this.offset();
    this.CONSUME(T.Return);
    const value = this.optionalValue();
    return { kind: "Return", start, end: this.end(), value };
  });

  readonly yieldStatement = this.RULE("yieldStatement", (): Statement => {
    const start = this.offset();
    this.CONSUME(T.Yield);
    const value = this.optionalValue();
    return { kind: "Yield", start, end: this.end(), value };
  });

  private optionalValue(): Expr | undefined {
    return this.OPTION({ GATE: () => !this.endsStatement(), DEF: () => this.SUBRULE(this.expression) });
  }

  readonly throwStatement = this.RULE("throwStatement", (): Statement => {
    const start = this.offset();
    this.CONSUME(T.Throw);
    const value = this.SUBRULE(this.expression);
    return { kind: "Throw", start, end: this.end(), value };
  });

  readonly emitStatement = this.RULE("emitStatement", (): Statement => {
    const start = this.offset();
    this.CONSUME(T.Emit);
    const value = this.SUBRULE(this.expression);
    return { kind: "Emit", start, end: this.end(), value };
  });

  readonly guardStatement = this.RULE("guardStatement", (): Statement => {
    const start = this.offset();
    this.CONSUME(T.Guard);
    const condition = this.SUBRULE(this.expression);
    this.CONSUME(T.Else);
    const otherwise = this.SUBRULE(this.block);
    return { kind: "Guard", start, end: this.end(), condition, else: otherwise };
  });

  readonly requireStatement = this.RULE("requireStatement", (): Statement => {
    const start = this.offset();
    this.CONSUME(T.Require);
    const condition = this.SUBRULE(this.expression);
    const message = this.OPTION(() => {
      this.CONSUME(T.Comma);
      return this.SUBRULE1(this.expression);
    });
    return { kind: "Require", start, end: this.end(), condition, message };
  });

  readonly deferStatement = this.RULE("deferStatement", (): Statement => {
    const start = this.offset();
    this.CONSUME(T.Defer);
    const body = this.SUBRULE(this.block);
    return { kind: "Defer", start, end: this.end(), body };
  });

  readonly mutexStatement = this.RULE("mutexStatement", (): Statement => {
    const start = this.offset();
    this.CONSUME(T.Mutex);
    const key = this.OPTION(() => {
      this.CONSUME(T.LParen);
      const value = this.SUBRULE(this.expression);
      this.CONSUME(T.RParen);
      return value;
    });
    const body = this.SUBRULE(this.block);
    return { kind: "Mutex", start, end: this.end(), key, body };
  });

  /** An expression, or an assignment when an assignment operator follows it. */
  readonly expressionStatement = this.RULE("expressionStatement", (): Statement => {
    const start = this.offset();
    const expr = this.SUBRULE(this.expression);
    const exprEnd = this.end();
    let assign: Assign | undefined;
    this.OPTION(() => {
      const op = this.CONSUME(T.AssignOperator).image as Assign["op"];
      const value = this.SUBRULE1(this.expression);
      if (this.RECORDING_PHASE) return;
      if (!isAssignable(expr)) this.rejectTarget({ start, end: exprEnd });
      assign = { kind: "Assign", start, end: this.end(), target: expr as Assign["target"], op, value };
    });
    return assign ?? { kind: "ExprStatement", start, end: exprEnd, expr };
  });
}

/** A variable, or a path of members and subscripts that begins with one. */
function isAssignable(target: Expr): boolean {
  let node = target;
  while (node.kind === "Member" || node.kind === "Index") {
    if (node.optional) return false;
    node = node.object;
  }
  return node.kind === "Identifier";
}
