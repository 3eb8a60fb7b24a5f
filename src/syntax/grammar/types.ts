/** Type expressions (language.md §2 `type`, with the 0.8 forms `A & B`, `T?`, `owned<T>`). */
import { tokenMatcher } from "chevrotain";
import type { Name, ShapeType, TypeExpr, TypeParam, WhereBound } from "../ast.ts";
import { T } from "../tokens.ts";
import { BaseGrammar, expecting, type Rule } from "./base.ts";

const TYPE_NAME = expecting("type name");

export class TypeGrammar extends BaseGrammar {
  readonly typeExpr: Rule<TypeExpr> = this.RULE("typeExpr", (): TypeExpr => {
    const start = this.offset();
    const first = this.SUBRULE(this.typeIntersection);
    const members = [first];
    this.MANY(() => {
      this.CONSUME(T.Bar);
      members.push(this.SUBRULE1(this.typeIntersection));
    });
    return members.length === 1 ? first : { kind: "UnionType", start, end: this.end(), members };
  });

  readonly typeIntersection = this.RULE("typeIntersection", (): TypeExpr => {
    const start = this.offset();
    const first = this.SUBRULE(this.typeOptional);
    const members = [first];
    this.MANY(() => {
      this.CONSUME(T.Amp);
      members.push(this.SUBRULE1(this.typeOptional));
    });
    return members.length === 1 ? first : { kind: "IntersectionType", start, end: this.end(), members };
  });

  readonly typeOptional = this.RULE("typeOptional", (): TypeExpr => {
    const start = this.offset();
    let type = this.SUBRULE(this.typeAtom);
    this.OPTION(() => {
      this.CONSUME(T.Question);
      type = { kind: "OptionalType", start, end: this.end(), type };
    });
    return type;
  });

  readonly typeAtom = this.RULE("typeAtom", (): TypeExpr => {
    const start = this.offset();
    return this.OR({
      ERR_MSG: "type name",
      DEF: [
        { GATE: () => this.peek(2) === T.Less.tokenTypeIdx, ALT: () => this.ownedType(start) },
        { ALT: () => this.SUBRULE(this.namedType) },
        { ALT: () => this.listType(start) },
        { ALT: () => this.fnType(start) },
        { ALT: () => this.SUBRULE(this.shapeType) },
        { ALT: () => this.SUBRULE(this.literalType) },
      ],
    });
  });

  private ownedType(start: number): TypeExpr {
    this.CONSUME(T.Owned);
    this.CONSUME1(T.Less);
    const type = this.SUBRULE(this.typeExpr);
    this.CONSUME1(T.Greater);
    return { kind: "OwnedType", start, end: this.end(), type };
  }

  private listType(start: number): TypeExpr {
    this.CONSUME(T.LSquare);
    const element = this.SUBRULE1(this.typeExpr);
    this.CONSUME(T.RSquare);
    return { kind: "ListType", start, end: this.end(), element };
  }

  private fnType(start: number): TypeExpr {
    this.CONSUME(T.Fn);
    this.CONSUME(T.LParen);
    const params: TypeExpr[] = [];
    this.commaList(T.RParen, () => {
      params.push(this.SUBRULE2(this.typeExpr));
    });
    this.CONSUME(T.RParen);
    this.CONSUME(T.Arrow);
    const returns = this.SUBRULE3(this.typeExpr);
    return { kind: "FnType", start, end: this.end(), params, returns };
  }

  readonly namedType = this.RULE("namedType", (): TypeExpr => {
    const name = this.nameOf(this.CONSUME(T.Identifier, TYPE_NAME));
    const args = this.OPTION(() => this.SUBRULE(this.typeArgs)) ?? [];
    return { kind: "NamedType", start: name.start, end: this.end(), name, args };
  });

  readonly typeArgs: Rule<TypeExpr[]> = this.RULE("typeArgs", (): TypeExpr[] => {
    const args: TypeExpr[] = [];
    this.CONSUME(T.Less);
    this.AT_LEAST_ONE_SEP({
      SEP: T.Comma,
      ERR_MSG: "type name",
      DEF: () => args.push(this.SUBRULE(this.typeExpr)),
    });
    this.CONSUME(T.Greater);
    return args;
  });

  readonly shapeType = this.RULE("shapeType", (): ShapeType => {
    const start = this.offset();
    const fields: { name: Name; optional: boolean; type: TypeExpr }[] = [];
    this.CONSUME(T.LCurly);
    this.lenientList(T.RCurly, () => {
      const name = this.nameOf(this.CONSUME(T.AnyName, expecting("field name")));
      const optional = this.OPTION2(() => this.CONSUME(T.Question)) !== undefined;
      this.CONSUME(T.Colon);
      const type = this.SUBRULE(this.typeExpr);
      fields.push({ name, optional, type });
    });
    this.CONSUME(T.RCurly);
    return { kind: "ShapeType", start, end: this.end(), fields };
  });

  readonly literalType = this.RULE("literalType", (): TypeExpr => {
    const start = this.offset();
    const value = this.OR([
      { ALT: () => this.payload(this.CONSUME(T.Str)) as string },
      { ALT: () => this.payload(this.CONSUME(T.RawStr)) as string },
      { ALT: () => this.signedInt() },
      { ALT: () => this.word(T.Nil, null) },
      { ALT: () => this.word(T.True, true) },
      { ALT: () => this.word(T.False, false) },
    ]);
    return { kind: "LiteralType", start, end: this.end(), value };
  });

  private signedInt(): number | bigint {
    const negative = this.OPTION(() => this.CONSUME(T.Minus)) !== undefined;
    const value = this.payload(this.CONSUME(T.Int)) as number | bigint;
    return negative ? -value : value;
  }

  private word<V>(type: typeof T.Nil, value: V): V {
    this.CONSUME(type);
    return value;
  }

  readonly typeParams = this.RULE("typeParams", (): TypeParam[] => {
    const params: TypeParam[] = [];
    this.CONSUME(T.Less);
    if (this.isNext(T.Greater)) this.fail("type parameter name");
    this.commaList(T.Greater, () => {
      const start = this.offset();
      const variance = this.OPTION2({
        // `out` is an ordinary name unless another name follows it.
        GATE: () => tokenMatcher(this.LA(2), T.Identifier),
        DEF: () =>
          this.OR([
            { ALT: () => this.word(T.In, "in" as const) },
            { ALT: () => this.word(T.Out, "out" as const) },
          ]),
      });
      const name = this.nameOf(this.CONSUME(T.Identifier, expecting("type parameter name")));
      params.push({ name, variance, start, end: this.end() });
    });
    this.CONSUME(T.Greater);
    return params;
  });

  readonly whereClause = this.RULE("whereClause", (): WhereBound[] => {
    const bounds: WhereBound[] = [];
    this.CONSUME(T.Where);
    this.AT_LEAST_ONE_SEP({
      SEP: T.Comma,
      ERR_MSG: "type parameter name",
      DEF: () => {
        const param = this.nameOf(this.CONSUME(T.Identifier, expecting("type parameter name")));
        const names: Name[] = [];
        this.CONSUME(T.Colon);
        this.AT_LEAST_ONE_SEP1({
          SEP: T.Plus,
          ERR_MSG: "interface name",
          DEF: () => names.push(this.nameOf(this.CONSUME1(T.Identifier, expecting("interface name")))),
        });
        bounds.push({ param, bounds: names, start: param.start, end: this.end() });
      },
    });
    return bounds;
  });
}
