/** A whole file: imports and statements (language.md §2 `program`), and the two entry rules. */
import { EOF } from "chevrotain";
import type { Expr, Import, Item, Name, Program } from "../ast.ts";
import { tables } from "../lookahead-tables.ts";
import { T } from "../tokens.ts";
import { expecting } from "./base.ts";
import { DeclarationGrammar } from "./declarations.ts";

const SEPARATOR = "top-level item separator";

export class HarnParser extends DeclarationGrammar {
  readonly program = this.RULE("program", (): Program => {
    const items: Item[] = [];
    this.untilClosed(EOF, () => {
      this.recovering(() => {
        this.OR({
          ERR_MSG: "expression",
          DEF: [
            // A stray `}` at top level is skipped.
            { ALT: () => this.strayBrace() },
            {
              GATE: () => this.startsImport(),
              ALT: () => {
                items.push(this.SUBRULE(this.importDecl));
                this.separator(SEPARATOR);
              },
            },
            {
              ALT: () => {
                items.push(this.SUBRULE(this.statement));
                this.separator(SEPARATOR, 1);
              },
            },
          ],
        });
      });
    });
    return { kind: "Program", start: 0, end: this.text.length, items };
  });

  /** One expression and nothing else: the REPL and templates. */
  readonly loneExpression = this.RULE("loneExpression", (): Expr => {
    this.OPTION(() => this.CONSUME(T.Newline));
    const expr = this.SUBRULE(this.expression);
    this.OPTION1(() => this.CONSUME1(T.Newline));
    return expr;
  });

  /** `"analysed"` records and checks the grammar with Chevrotain; the default runs on the tables made from that. */
  constructor(mode: "tables" | "analysed" = "tables") {
    super(mode === "analysed");
    if (mode === "analysed") this.performSelfAnalysis();
    else this.useTables(tables);
  }

  private strayBrace(): void {
    this.CONSUME(T.RCurly);
    this.OPTION(() => this.CONSUME(T.Newline));
  }

  private startsImport(): boolean {
    return this.isNext(T.Import) || this.peek(2) === T.Import.tokenTypeIdx;
  }

  readonly importDecl = this.RULE("importDecl", (): Import => {
    const start = this.offset();
    const pub = this.OPTION(() => this.CONSUME(T.Pub)) !== undefined;
    this.CONSUME(T.Import);
    const rest = this.OR({
      ERR_MSG: "import path string",
      DEF: [
        { ALT: () => ({ ...this.SUBRULE(this.importPath), names: undefined }) },
        { ALT: () => this.namedImport() },
        {
          GATE: () => this.peek(2) === T.Colon.tokenTypeIdx,
          ALT: () => this.SUBRULE(this.qualifiedImport),
        },
      ],
    });
    return { kind: "Import", start, end: this.end(), pub, ...rest };
  });

  private namedImport(): Pick<Import, "path" | "pathSpan" | "names"> {
    const names = this.SUBRULE(this.importNames);
    this.CONSUME(T.From);
    return { ...this.SUBRULE1(this.importPath), names };
  }

  readonly importPath = this.RULE("importPath", (): Pick<Import, "path" | "pathSpan"> => {
    const token = this.OR({
      ERR_MSG: "import path string",
      DEF: [{ ALT: () => this.CONSUME(T.Str) }, { ALT: () => this.CONSUME(T.RawStr) }],
    });
    const pathSpan = { start: token.startOffset, end: token.endOffset! + 1 };
    return { path: this.payload(token) as string, pathSpan };
  });

  readonly importNames = this.RULE("importNames", (): Name[] => {
    const names: Name[] = [];
    this.CONSUME(T.LCurly);
    this.commaList(T.RCurly, () => {
      names.push(this.nameOf(this.CONSUME(T.Identifier, expecting("import name"))));
    });
    this.CONSUME(T.RCurly);
    return names;
  });

  /** `std::strings::{ a, b }` */
  readonly qualifiedImport = this.RULE("qualifiedImport", (): Pick<Import, "path" | "pathSpan" | "names"> => {
    const start = this.offset();
    const path = [this.CONSUME(T.Identifier, expecting("import path string")).image];
    let pathEnd = this.end();
    this.doubleColon();
    this.MANY(() => {
      path.push(this.CONSUME1(T.Identifier).image);
      pathEnd = this.end();
      this.doubleColon1();
    });
    const names = this.SUBRULE(this.importNames);
    return { path: path.join("/"), pathSpan: { start, end: pathEnd }, names };
  });

  private doubleColon(): void {
    this.CONSUME(T.Colon);
    this.CONSUME1(T.Colon);
  }

  private doubleColon1(): void {
    this.CONSUME2(T.Colon);
    this.CONSUME3(T.Colon);
  }
}
