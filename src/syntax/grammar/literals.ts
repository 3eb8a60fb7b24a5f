/**
 * Values written out: literals, strings with holes, lists, dicts, struct literals, closures (language.md §2). A rule that
 * has brackets takes its content out of the header of an `if` or loop around it (`enterBrackets`).
 */
import type { IToken } from "chevrotain";
import type {
  Block,
  Closure,
  DictEntry,
  DictLit,
  Expr,
  Interpolation,
  ListLit,
  NamedExpr,
  Param,
  Spread,
  Statement,
  StructLit,
} from "../ast.ts";
import { T } from "../tokens.ts";
import type { Rule } from "./base.ts";
import { PatternGrammar } from "./patterns.ts";

export abstract class LiteralGrammar extends PatternGrammar {
  abstract readonly block: Rule<Block>;
  abstract readonly statements: Rule<Statement[], [what?: string]>;

  protected identifier(): Expr {
    const token = this.CONSUME(T.Identifier);
    return { kind: "Identifier", start: token.startOffset, end: token.endOffset! + 1, name: token.image };
  }

  protected literal(type: typeof T.Int, kind: "IntLit" | "FloatLit" | "DurationLit"): Expr {
    const token = this.CONSUME(type);
    const start = token.startOffset;
    const end = token.endOffset! + 1;
    const value = this.payload(token) as number;
    return kind === "DurationLit" ? { kind, start, end, ms: value } : { kind, start, end, value };
  }

  protected stringLiteral(type: typeof T.Str, raw: boolean): Expr {
    const token = this.CONSUME(type);
    const value = this.payload(token) as string;
    return { kind: "StringLit", start: token.startOffset, end: token.endOffset! + 1, value, raw };
  }

  protected bool(type: typeof T.True, value: boolean): Expr {
    const token = this.CONSUME(type);
    return { kind: "BoolLit", start: token.startOffset, end: token.endOffset! + 1, value };
  }

  protected nil(): Expr {
    const token = this.CONSUME(T.Nil);
    return { kind: "NilLit", start: token.startOffset, end: token.endOffset! + 1 };
  }

  protected parenthesised(): Expr {
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
      const element = this.SUBRULE(this.spreadable);
      if (!this.RECORDING_PHASE) this.refuseGluedMinus(element);
      elements.push(element);
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
}
