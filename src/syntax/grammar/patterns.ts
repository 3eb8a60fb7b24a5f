/** Binding patterns and parameters (language.md §7.4, §8.2). */
import type { DictPattern, Expr, ListPattern, Name, PairPattern, Param, Pattern } from "../ast.ts";
import { T } from "../tokens.ts";
import { expecting, type Rule } from "./base.ts";
import { TypeGrammar } from "./types.ts";

const VARIABLE = expecting("variable name or destructuring pattern");
const PARAMETER = expecting("parameter name");

type Writable<X> = { -readonly [K in keyof X]: X[K] };

export abstract class PatternGrammar extends TypeGrammar {
  abstract readonly expression: Rule<Expr>;

  /** What `let` and `var` bind. */
  readonly pattern = this.RULE(
    "pattern",
    (): Pattern =>
      this.OR({
        ERR_MSG: VARIABLE.ERR_MSG,
        DEF: [
          { ALT: () => this.namePattern() },
          { ALT: () => this.SUBRULE(this.dictPattern) },
          { ALT: () => this.SUBRULE(this.listPattern) },
        ],
      }),
  );

  /** What `for` binds: also `(a, b)`. */
  readonly loopPattern = this.RULE(
    "loopPattern",
    (): Pattern =>
      this.OR({
        ERR_MSG: VARIABLE.ERR_MSG,
        DEF: [{ ALT: () => this.SUBRULE(this.pattern) }, { ALT: () => this.SUBRULE(this.pairPattern) }],
      }),
  );

  private namePattern(): Pattern {
    const name = this.nameOf(this.CONSUME(T.Identifier, VARIABLE));
    return { kind: "NamePattern", start: name.start, end: name.end, name };
  }

  readonly dictPattern = this.RULE("dictPattern", (): DictPattern => {
    const start = this.offset();
    const entries: Writable<DictPattern["entries"][number]>[] = [];
    let rest: Name | undefined;
    this.CONSUME(T.LCurly);
    this.commaList(T.RCurly, () => {
      this.OR({
        ERR_MSG: "field name",
        DEF: [
          { ALT: () => (rest = this.restName()) },
          // A reserved word may be a key when it is renamed: `{type: kind}`.
          {
            GATE: () => this.peek(2) === T.Colon.tokenTypeIdx,
            ALT: () => {
              const key = this.nameOf(this.CONSUME(T.AnyName));
              this.CONSUME(T.Colon);
              const alias = this.nameOf(this.CONSUME1(T.Identifier, VARIABLE));
              entries.push({ key, alias, default: this.defaultValue() });
            },
          },
          {
            ALT: () => {
              const key = this.nameOf(this.CONSUME2(T.Identifier, expecting("field name")));
              const value = this.OPTION4(() => {
                this.CONSUME1(T.Equals);
                return this.SUBRULE1(this.expression);
              });
              entries.push({ key, alias: undefined, default: value });
            },
          },
        ],
      });
    });
    this.CONSUME(T.RCurly);
    return { kind: "DictPattern", start, end: this.end(), entries, rest };
  });

  readonly listPattern = this.RULE("listPattern", (): ListPattern => {
    const start = this.offset();
    const elements: Writable<ListPattern["elements"][number]>[] = [];
    let rest: Name | undefined;
    this.CONSUME(T.LSquare);
    this.commaList(T.RSquare, () => {
      this.OR({
        ERR_MSG: "variable name",
        DEF: [
          { ALT: () => (rest = this.restName()) },
          {
            ALT: () => {
              const name = this.nameOf(this.CONSUME2(T.Identifier, expecting("variable name")));
              elements.push({ name, default: this.defaultValue() });
            },
          },
        ],
      });
    });
    this.CONSUME(T.RSquare);
    return { kind: "ListPattern", start, end: this.end(), elements, rest };
  });

  private restName(): Name {
    this.CONSUME(T.Ellipsis);
    return this.nameOf(this.CONSUME3(T.Identifier, expecting("variable name")));
  }

  /** `= expr` of a pattern entry or a parameter. */
  private defaultValue(): Expr | undefined {
    return this.OPTION3(() => {
      this.CONSUME(T.Equals);
      return this.SUBRULE(this.expression);
    });
  }

  readonly pairPattern = this.RULE("pairPattern", (): PairPattern => {
    const start = this.offset();
    this.CONSUME(T.LParen);
    const first = this.nameOf(this.CONSUME(T.Identifier, expecting("variable name")));
    this.CONSUME(T.Comma);
    const second = this.nameOf(this.CONSUME1(T.Identifier, expecting("variable name")));
    this.CONSUME(T.RParen);
    return { kind: "PairPattern", start, end: this.end(), first, second };
  });

  /** `( param, … )`, with the two rules about order. */
  readonly params = this.RULE("params", (): Param[] => {
    const params: Param[] = [];
    this.CONSUME(T.LParen);
    this.commaList(T.RParen, () => this.addParam(params));
    this.CONSUME(T.RParen);
    return params;
  });

  /** `p, q ->` of a brace closure. */
  readonly closureParams = this.RULE("closureParams", (): Param[] => {
    const params: Param[] = [];
    this.commaList(T.Arrow, () => this.addParam(params));
    this.CONSUME(T.Arrow);
    return params;
  });

  private addParam(params: Param[]): void {
    const token = this.LA(1).tokenTypeIdx === T.Ellipsis.tokenTypeIdx ? this.LA(2) : this.LA(1);
    const last = params.at(-1);
    const param = this.SUBRULE(this.param);
    if (this.RECORDING_PHASE) return;
    if (last?.rest === true) {
      this.fail("nothing", { at: token, instead: `'...${last.name.text}' must be the last parameter` });
    }
    if (last?.default !== undefined && param.default === undefined && !param.rest) {
      const earlier = this.text.slice(last.start, last.end);
      const instead = `'${param.name.text}' needs a default, or must stand before '${earlier}'`;
      this.fail("a default", { at: token, instead });
    }
    params.push(param);
  }

  readonly param = this.RULE("param", (): Param => {
    const start = this.offset();
    const rest = this.OPTION(() => this.CONSUME(T.Ellipsis)) !== undefined;
    const name = this.nameOf(this.CONSUME(T.Identifier, PARAMETER));
    const type = this.OPTION1(() => {
      this.CONSUME(T.Colon);
      return this.SUBRULE(this.typeExpr);
    });
    const value = this.defaultValue();
    return { name, rest, type, default: value, start, end: this.end() };
  });
}
