/** Declarations (language.md §2, §15, §18, §19.1, §21). */
import type {
  AssociatedType,
  Attribute,
  AttributeArg,
  Block,
  Declaration,
  EvalPackDecl,
  FieldDecl,
  FnDecl,
  InterfaceMethod,
  Name,
  NamedExpr,
  Param,
  Statement,
  TypeExpr,
  TypeParam,
  VariantDecl,
  WhereBound,
} from "../ast.ts";
import { isReserved, T } from "../tokens.ts";
import { expecting, type Rule } from "./base.ts";
import { StatementGrammar } from "./statements.ts";

/** What stands before a declaration. */
interface Prelude {
  readonly attributes: readonly Attribute[];
  readonly pub: boolean;
  readonly doc: string;
  readonly start: number;
}

const AFTER_ATTRIBUTE =
  "fn/tool/skill/eval_pack/pipeline/struct/enum/type/interface/impl declaration after `@attr`";

export abstract class DeclarationGrammar extends StatementGrammar {
  readonly declaration: Rule<Declaration> = this.RULE("declaration", (): Declaration => {
    const start = this.offset();
    const attributes: Attribute[] = [];
    this.MANY(() => {
      attributes.push(this.SUBRULE(this.attribute));
      this.OPTION(() => this.CONSUME(T.Newline));
    });
    const at = this.offset();
    const pub = this.OPTION1(() => this.CONSUME(T.Pub)) !== undefined;
    const doc = this.docAt(start) || this.docAt(at);
    const prelude: Prelude = { attributes, pub, doc, start };
    if (!this.RECORDING_PHASE && attributes.length > 0 && !pub) this.checkAttributed();
    return this.OR({
      ERR_MSG: pub ? "declaration after `pub`" : "declaration",
      DEF: [
        { ALT: () => this.SUBRULE(this.fnDecl, { ARGS: [prelude] }) },
        { ALT: () => this.SUBRULE(this.toolDecl, { ARGS: [prelude] }) },
        { ALT: () => this.SUBRULE(this.skillDecl, { ARGS: [prelude] }) },
        { ALT: () => this.SUBRULE(this.evalPackDecl, { ARGS: [prelude] }) },
        { ALT: () => this.SUBRULE(this.pipelineDecl, { ARGS: [prelude] }) },
        { ALT: () => this.SUBRULE(this.enumDecl, { ARGS: [prelude] }) },
        { ALT: () => this.SUBRULE(this.structDecl, { ARGS: [prelude] }) },
        { ALT: () => this.SUBRULE(this.typeAlias, { ARGS: [prelude] }) },
        { GATE: () => !pub, ALT: () => this.SUBRULE(this.interfaceDecl, { ARGS: [prelude] }) },
        { GATE: () => !pub, ALT: () => this.SUBRULE(this.implDecl, { ARGS: [prelude] }) },
        { GATE: () => !pub, ALT: () => this.SUBRULE(this.overrideDecl, { ARGS: [prelude] }) },
      ],
    });
  });

  /** After `@attr` only a declaration may stand. */
  private checkAttributed(): void {
    const next = this.LA(1);
    const fn = next.tokenTypeIdx === T.Fn.tokenTypeIdx && this.peek(2) !== T.LParen.tokenTypeIdx;
    const gen = next.tokenTypeIdx === T.Gen.tokenTypeIdx && this.peek(2) === T.Fn.tokenTypeIdx;
    const others = [
      T.Tool,
      T.Skill,
      T.EvalPack,
      T.Pipeline,
      T.Enum,
      T.Struct,
      T.Type,
      T.Interface,
      T.Impl,
      T.Override,
    ];
    if (fn || gen || others.some((type) => type.tokenTypeIdx === next.tokenTypeIdx)) return;
    this.fail(AFTER_ATTRIBUTE, { got: "non-declaration statement" });
  }

  readonly attribute = this.RULE("attribute", (): Attribute => {
    const start = this.offset();
    const args: AttributeArg[] = [];
    this.CONSUME(T.At);
    const name = this.nameOf(this.CONSUME(T.AnyName, expecting("attribute name")));
    this.OPTION1(() => {
      this.CONSUME(T.LParen);
      this.commaList(T.RParen, () => {
        args.push(this.SUBRULE(this.attributeArg));
      });
      this.CONSUME(T.RParen);
    });
    return { name, args, start, end: this.end() };
  });

  readonly attributeArg = this.RULE("attributeArg", (): AttributeArg => {
    const start = this.offset();
    const name = this.OPTION({
      GATE: () => this.peek(2) === T.Colon.tokenTypeIdx,
      DEF: () => {
        const token = this.CONSUME(T.AnyName);
        this.CONSUME(T.Colon);
        return this.nameOf(token);
      },
    });
    const value = this.SUBRULE(this.expression);
    return { name, value, start, end: this.end() };
  });

  // ---------------------------------------------------------- functions

  readonly fnDecl = this.RULE("fnDecl", (prelude: Prelude): FnDecl => {
    const gen = this.OPTION(() => this.CONSUME(T.Gen)) !== undefined;
    this.CONSUME(T.Fn);
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("function name")));
    const typeParams: TypeParam[] = this.OPTION1(() => this.SUBRULE(this.typeParams)) ?? [];
    const params: Param[] = this.SUBRULE(this.params);
    const returns = this.OPTION2(() => this.SUBRULE(this.returnType));
    const where: WhereBound[] = this.OPTION3(() => this.SUBRULE(this.whereClause)) ?? [];
    const body = this.SUBRULE(this.block);
    return {
      kind: "FnDecl",
      ...prelude,
      end: this.end(),
      name,
      gen,
      typeParams,
      params,
      returns,
      where,
      body,
    };
  });

  readonly returnType = this.RULE("returnType", (): TypeExpr => {
    this.CONSUME(T.Arrow);
    return this.SUBRULE(this.typeExpr);
  });

  readonly pipelineDecl = this.RULE("pipelineDecl", (prelude: Prelude): Declaration => {
    this.CONSUME(T.Pipeline);
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("pipeline name")));
    const params = this.SUBRULE(this.nameParams);
    const returns = this.OPTION(() => this.SUBRULE(this.returnType));
    const parent = this.OPTION1(() => {
      this.CONSUME(T.Extends);
      return this.nameOf(this.CONSUME1(T.Identifier, expecting("pipeline name")));
    });
    const body = this.SUBRULE(this.block);
    return {
      kind: "PipelineDecl",
      ...prelude,
      end: this.end(),
      name,
      params,
      returns,
      extends: parent,
      body,
    };
  });

  readonly overrideDecl = this.RULE("overrideDecl", (prelude: Prelude): Declaration => {
    this.CONSUME(T.Override);
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("override name")));
    const params = this.SUBRULE(this.nameParams);
    const body = this.SUBRULE(this.block);
    return { kind: "OverrideDecl", ...prelude, end: this.end(), name, params, body };
  });

  /** `(a, b)`: names only. */
  readonly nameParams = this.RULE("nameParams", (): Name[] => {
    const names: Name[] = [];
    this.CONSUME(T.LParen);
    this.commaList(T.RParen, () => {
      names.push(this.nameOf(this.CONSUME(T.Identifier, expecting("parameter name"))));
    });
    this.CONSUME(T.RParen);
    return names;
  });

  // ------------------------------------------------- tool, skill, eval_pack

  readonly toolDecl = this.RULE("toolDecl", (prelude: Prelude): Declaration => {
    this.CONSUME(T.Tool);
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("tool name")));
    const params = this.SUBRULE(this.params);
    const returns = this.OPTION(() => this.SUBRULE(this.returnType));
    const start = this.offset();
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    const description = this.OPTION1({
      // Otherwise `description` is a variable of the body.
      GATE: () => this.peek(2) === T.Str.tokenTypeIdx || this.peek(2) === T.RawStr.tokenTypeIdx,
      DEF: () => this.SUBRULE(this.toolDescription),
    });
    const statements = this.SUBRULE(this.statements, { ARGS: ["tool body item"] });
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    const end = this.end();
    const body: Block = { kind: "Block", start, end, statements };
    return { kind: "ToolDecl", ...prelude, end, name, description, params, returns, body };
  });

  readonly toolDescription = this.RULE("toolDescription", (): string => {
    this.CONSUME(T.Description);
    const token = this.OR1([{ ALT: () => this.CONSUME(T.Str) }, { ALT: () => this.CONSUME(T.RawStr) }]);
    this.separator("tool body item");
    return this.payload(token) as string;
  });

  readonly skillDecl = this.RULE("skillDecl", (prelude: Prelude): Declaration => {
    const fields: NamedExpr[] = [];
    this.CONSUME(T.Skill);
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("skill name")));
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    this.untilClosed(T.RCurly, () => {
      this.recovering(() => {
        const field = this.nameOf(this.CONSUME(T.AnyName, expecting("skill field name")));
        this.OPTION(() => this.CONSUME(T.Newline));
        const value = this.SUBRULE(this.expression);
        fields.push({ name: field, value, start: field.start, end: this.end() });
        this.separator("skill field");
      });
    });
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    return { kind: "SkillDecl", ...prelude, end: this.end(), name, fields };
  });

  readonly evalPackDecl = this.RULE("evalPackDecl", (prelude: Prelude): Declaration => {
    this.CONSUME(T.EvalPack);
    const { name, id } = this.SUBRULE(this.evalPackHead);
    const fields: NamedExpr[] = [];
    const statements: Statement[] = [];
    let summarize: EvalPackDecl["summarize"];
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    this.untilClosed(T.RCurly, () => {
      this.recovering(() => {
        this.OR({
          ERR_MSG: "expression",
          DEF: [
            {
              GATE: () => this.peek(2) === T.Colon.tokenTypeIdx,
              ALT: () => {
                fields.push(this.SUBRULE(this.evalPackField));
                this.separator("eval_pack field");
              },
            },
            {
              GATE: () => this.peek(2) === T.LCurly.tokenTypeIdx,
              ALT: () => {
                if (summarize !== undefined && !this.RECORDING_PHASE)
                  this.fail("at most one summarize block");
                this.CONSUME(T.Summarize);
                summarize = this.SUBRULE(this.block);
                this.separator("eval_pack item", 1);
              },
            },
            {
              ALT: () => {
                statements.push(this.SUBRULE(this.statement));
                this.separator("eval_pack item", 2);
              },
            },
          ],
        });
      });
    });
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    return { kind: "EvalPackDecl", ...prelude, end: this.end(), name, id, fields, statements, summarize };
  });

  readonly evalPackHead = this.RULE("evalPackHead", (): { name: Name; id: string } =>
    this.OR({
      ERR_MSG: "eval_pack name",
      DEF: [
        {
          ALT: () => {
            const name = this.nameOf(this.CONSUME(T.Identifier));
            const id = this.OPTION(() => this.payload(this.CONSUME(T.Str)) as string);
            return { name, id: id ?? name.text };
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME1(T.Str);
            const id = this.payload(token) as string;
            return { name: { ...this.nameOf(token), text: evalPackVariable(id) }, id };
          },
        },
      ],
    }),
  );

  readonly evalPackField = this.RULE("evalPackField", (): NamedExpr => {
    const name = this.nameOf(this.CONSUME(T.AnyName));
    this.CONSUME(T.Colon);
    const value = this.SUBRULE(this.expression);
    return { name, value, start: name.start, end: this.end() };
  });

  // ------------------------------------------------------------- types

  readonly structDecl = this.RULE("structDecl", (prelude: Prelude): Declaration => {
    const fields: FieldDecl[] = [];
    this.CONSUME(T.Struct);
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("struct name")));
    const typeParams = this.OPTION(() => this.SUBRULE(this.typeParams)) ?? [];
    this.CONSUME(T.LCurly);
    this.lenientList(T.RCurly, () => {
      fields.push(this.SUBRULE(this.fieldDecl));
    });
    this.CONSUME(T.RCurly);
    return { kind: "StructDecl", ...prelude, end: this.end(), name, typeParams, fields };
  });

  readonly fieldDecl = this.RULE("fieldDecl", (): FieldDecl => {
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("field name")));
    const optional = this.OPTION(() => this.CONSUME(T.Question)) !== undefined;
    const type = this.OPTION1(() => {
      this.CONSUME(T.Colon);
      return this.SUBRULE(this.typeExpr);
    });
    return { name, optional, type, start: name.start, end: this.end() };
  });

  readonly enumDecl = this.RULE("enumDecl", (prelude: Prelude): Declaration => {
    const variants: VariantDecl[] = [];
    this.CONSUME(T.Enum);
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("enum name")));
    const typeParams = this.OPTION(() => this.SUBRULE(this.typeParams)) ?? [];
    this.CONSUME(T.LCurly);
    this.lenientList(T.RCurly, () => {
      const variant = this.nameOf(this.CONSUME1(T.Identifier, expecting("variant name")));
      const params = this.OPTION1(() => this.SUBRULE(this.params)) ?? [];
      variants.push({ name: variant, params, start: variant.start, end: this.end() });
    });
    this.CONSUME(T.RCurly);
    return { kind: "EnumDecl", ...prelude, end: this.end(), name, typeParams, variants };
  });

  readonly implDecl = this.RULE("implDecl", (prelude: Prelude): Declaration => {
    const methods: FnDecl[] = [];
    this.CONSUME(T.Impl);
    const target = this.nameOf(this.CONSUME(T.Identifier, expecting("type name")));
    this.CONSUME(T.LCurly);
    const header = this.enterBrackets();
    this.untilClosed(T.RCurly, () => {
      this.recovering(() => {
        methods.push(this.SUBRULE(this.implMethod));
        this.OPTION(() => this.CONSUME(T.Newline));
      });
    });
    this.CONSUME(T.RCurly);
    this.inHeader = header;
    return { kind: "ImplDecl", ...prelude, end: this.end(), target, methods };
  });

  readonly implMethod = this.RULE("implMethod", (): FnDecl => {
    const start = this.offset();
    const pub = this.OPTION(() => this.CONSUME(T.Pub)) !== undefined;
    if (!this.RECORDING_PHASE && !this.isNext(T.Fn) && !this.isNext(T.Gen)) this.fail("fn");
    const prelude: Prelude = { attributes: [], pub, doc: this.docAt(start), start };
    return this.SUBRULE(this.fnDecl, { ARGS: [prelude] });
  });

  readonly interfaceDecl = this.RULE("interfaceDecl", (prelude: Prelude): Declaration => {
    const types: AssociatedType[] = [];
    const methods: InterfaceMethod[] = [];
    this.CONSUME(T.Interface);
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("interface name")));
    const typeParams = this.OPTION(() => this.SUBRULE(this.typeParams)) ?? [];
    this.CONSUME(T.LCurly);
    this.lenientList(T.RCurly, () => {
      this.OR({
        ERR_MSG: "interface item (fn or type)",
        DEF: [
          { ALT: () => types.push(this.SUBRULE(this.associatedType)) },
          { ALT: () => methods.push(this.SUBRULE(this.interfaceMethod)) },
        ],
      });
      this.OPTION1(() => this.CONSUME(T.Semicolon));
    });
    this.CONSUME(T.RCurly);
    return { kind: "InterfaceDecl", ...prelude, end: this.end(), name, typeParams, types, methods };
  });

  readonly associatedType = this.RULE("associatedType", (): AssociatedType => {
    const start = this.offset();
    this.CONSUME(T.Type);
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("type name")));
    const type = this.OPTION(() => {
      this.CONSUME(T.Equals);
      return this.SUBRULE(this.typeExpr);
    });
    return { name, type, start, end: this.end() };
  });

  readonly interfaceMethod = this.RULE("interfaceMethod", (): InterfaceMethod => {
    const start = this.offset();
    this.CONSUME(T.Fn);
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("method name")));
    const typeParams = this.OPTION(() => this.SUBRULE(this.typeParams)) ?? [];
    const params = this.SUBRULE(this.params);
    const returns = this.OPTION1(() => this.SUBRULE(this.returnType));
    return { name, typeParams, params, returns, start, end: this.end() };
  });

  readonly typeAlias = this.RULE("typeAlias", (prelude: Prelude): Declaration => {
    this.CONSUME(T.Type);
    const name = this.nameOf(this.CONSUME(T.Identifier, expecting("type name")));
    const typeParams = this.OPTION(() => this.SUBRULE(this.typeParams)) ?? [];
    this.CONSUME(T.Equals);
    const type = this.SUBRULE(this.typeExpr);
    return { kind: "TypeAliasDecl", ...prelude, end: this.end(), name, typeParams, type };
  });
}

/** The variable that `eval_pack "some id" { … }` binds (language.md §21). */
function evalPackVariable(id: string | undefined): string {
  const name = (id ?? "").toLowerCase().replace(/[^\p{Alphabetic}\p{N}_]+/gu, "_");
  return isReserved(name) || /^\d/.test(name) || name === "" ? `eval_pack_${name}` : name;
}
