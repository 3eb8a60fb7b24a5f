/** Statements and declarations as documents (language.md §26). */
import type {
  Attribute,
  Block,
  Declaration,
  Expr,
  FnDecl,
  Import,
  InterfaceDecl,
  Item,
  NamedExpr,
  Pattern,
  Program,
  Select,
  Statement,
} from "../ast.ts";
import { isDeclaration } from "../nodes.ts";
import { bracketed, type Doc, group, hardLine, indent, join, statementBreak } from "./doc.ts";
import { ExpressionPrinter, type PrinterParts } from "./expressions.ts";
import { escapeText } from "./literals.ts";
import { documentation, remarkAfter, remarksAbove, remarkText } from "./remarks.ts";
import { noTrivia, type Remark, type Trivia } from "./trivia.ts";
import { printedType, typeParamsText, whereText } from "./types.ts";

type DeclarationPrelude = Pick<Declaration, "attributes" | "pub" | "doc">;

/** Expressions that may stand as the whole of a block on one line. */
const NOT_SIMPLE = new Set([
  "If",
  "Match",
  "Try",
  "Retry",
  "Parallel",
  "Deadline",
  "Spawn",
  "Scope",
  "CostRoute",
]);

export class StatementPrinter implements PrinterParts {
  readonly trivia: Trivia;
  private readonly text: string;
  private readonly expressions = new ExpressionPrinter(this);

  /** `text`: the source, from which string literals of several lines are kept; "" for a tree made by a program. */
  constructor(text: string, trivia: Trivia = noTrivia) {
    this.text = text;
    this.trivia = trivia;
  }

  /**
   * A blank line round imports and declarations, none between the imports at the head; between other statements one where the author
   * had one or more.
   */
  program(program: Program): Doc {
    const head = this.trivia.before(program);
    const parts: Doc[] = [remarksAbove(head, true)];
    let inImports = true;
    program.items.forEach((item, index) => {
      if (index > 0) parts.push(hardLine);
      const isImport = item.kind === "Import";
      const before = program.items[index - 1];
      if (before !== undefined && !(inImports && isImport) && this.isSeparated(before, item))
        parts.push(hardLine);
      inImports &&= isImport;
      parts.push(this.remarked(item, this.item(item), true));
    });
    const last = this.trivia.inside(program);
    if (program.items.length > 0 && last.length > 0) parts.push(hardLine);
    if (program.items.length > 0 && last[0]?.blankBefore) parts.push(hardLine);
    parts.push(remarkLines(last, true));
    if (last.length > 0 || program.items.length > 0) parts.push(hardLine);
    return parts;
  }

  private isSeparated(before: Item, item: Item): boolean {
    if ([before, item].some((one) => one.kind === "Import" || isDeclaration(one))) return true;
    const [remark] = this.trivia.before(item);
    // A bar divides a file.
    if (remark !== undefined && /^\/\/ -{4,}$/.test(remark.text)) return true;
    return remark?.blankBefore ?? /\n[ \t\r]*\n/.test(this.text.slice(before.end, item.start));
  }

  remarked(node: object, doc: Doc, blanks = false): Doc {
    const before = this.trivia.before(node);
    const after = this.trivia.after(node);
    if (before.length === 0 && after.length === 0) return doc;
    return [remarksAbove(before, blanks), doc, after.map(remarkAfter)];
  }

  /** Nodes of a list whose members may carry documentation. */
  private listed<T extends object>(nodes: readonly T[], show: (node: T) => Doc): Doc[] {
    return nodes.map((node, index) => {
      const doc = this.remarked(node, show(node));
      const trailing = this.trivia.after(node).at(-1);
      // Documentation after one member, with a blank line below, belongs to nothing; without that line it would
      // belong to the next member.
      const loose =
        trailing?.endsLine === true && trailing.blankAfter && /^\/(\/\/|\*\*)/.test(trailing.text);
      return loose && index < nodes.length - 1 ? [doc, hardLine] : doc;
    });
  }

  tail(owner: object, empty: boolean): Doc | undefined {
    const remarks = this.trivia.inside(owner);
    if (remarks.length === 0) return undefined;
    if (!empty) return remarkLines(remarks, false);
    if (remarks.length === 1 && remarks[0]!.inline && !remarks[0]!.endsLine) return remarkText(remarks[0]!);
    return [indent([hardLine, remarkLines(remarks, false)]), hardLine];
  }

  breaksBetween(from: number, to: number): boolean {
    return this.text.slice(from, to).includes("\n");
  }

  private item(item: Item): Doc {
    return item.kind === "Import" ? this.import(item) : this.statement(item);
  }

  block(block: Block): Doc {
    return this.members(block, this.statements(block.statements));
  }

  /** On one line when the body is one simple expression and fits. */
  braces(head: Doc, block: Block): Doc {
    const open = head === "" ? "{" : ["{ ", head];
    const only = block.statements.length === 1 ? block.statements[0]! : undefined;
    if (block.statements.length === 0 && this.trivia.inside(block).length === 0)
      return head === "" ? "{}" : [open, " }"];
    if (only?.kind === "ExprStatement" && !NOT_SIMPLE.has(only.expr.kind) && !this.hasRemarks(block, only)) {
      const body = this.statement(only);
      return group([open, indent([{ kind: "line", flat: " " }, body]), { kind: "line", flat: " " }, "}"]);
    }
    return this.members(block, this.statements(block.statements), open);
  }

  private hasRemarks(block: Block, only: Statement): boolean {
    return [this.trivia.before(only), this.trivia.after(only), this.trivia.inside(block)].some(
      (remarks) => remarks.length > 0,
    );
  }

  verbatim(expr: Expr): Doc | undefined {
    if (!this.text.startsWith('"""', expr.start) && !this.trivia.keeps(expr)) return undefined;
    return { kind: "verbatim", text: this.text.slice(expr.start, expr.end).replaceAll("\r\n", "\n") };
  }

  /** One member for each line between braces, comments after them last. */
  members(owner: object, lines: readonly Doc[], open: Doc = "{"): Doc {
    const inside = this.trivia.inside(owner);
    if (lines.length === 0 && inside.length === 0) return [open, "}"];
    const tail = inside.length === 0 ? [] : [remarkLines(inside, false)];
    return [open, indent([hardLine, join(statementBreak, [...lines, ...tail])]), hardLine, "}"];
  }

  private statements(statements: readonly Statement[]): Doc[] {
    return this.listed(statements, (statement) => this.statement(statement));
  }

  private expr(expr: Expr): Doc {
    return this.expressions.expr(expr);
  }

  private statement(statement: Statement): Doc {
    switch (statement.kind) {
      case "Let": {
        const type = statement.type === undefined ? "" : `: ${printedType(statement.type)}`;
        return [
          statement.keyword,
          " ",
          this.pattern(statement.pattern),
          type,
          " = ",
          this.expr(statement.value),
        ];
      }
      case "Assign":
        return [this.expr(statement.target), ` ${statement.op} `, this.expr(statement.value)];
      case "ExprStatement":
        return this.expr(statement.expr);
      case "For":
        return [
          "for ",
          this.pattern(statement.pattern),
          " in ",
          this.expressions.header(statement.iterable),
          " ",
          this.block(statement.body),
        ];
      case "While":
        return ["while ", this.expressions.header(statement.condition), " ", this.block(statement.body)];
      case "Select":
        return this.select(statement);
      case "Return":
      case "Yield":
        return [
          statement.kind.toLowerCase(),
          statement.value === undefined ? "" : [" ", this.expr(statement.value)],
        ];
      case "Throw":
      case "Emit":
        return [statement.kind.toLowerCase(), " ", this.expr(statement.value)];
      case "Break":
      case "Continue":
        return statement.kind.toLowerCase();
      case "Guard":
        return ["guard ", this.expr(statement.condition), " else ", this.block(statement.else)];
      case "Require":
        return [
          "require ",
          this.expr(statement.condition),
          statement.message === undefined ? "" : [", ", this.expr(statement.message)],
        ];
      case "Defer":
        return ["defer ", this.block(statement.body)];
      case "Mutex":
        return [
          "mutex",
          statement.key === undefined ? " " : ["(", this.expr(statement.key), ") "],
          this.block(statement.body),
        ];
      default:
        return [this.prelude(statement), this.declaration(statement)];
    }
  }

  private pattern(pattern: Pattern): Doc {
    switch (pattern.kind) {
      case "NamePattern":
        return pattern.name.text;
      case "PairPattern":
        return `(${pattern.first.text}, ${pattern.second.text})`;
      case "ListPattern": {
        const elements = pattern.elements.map((one) => [one.name.text, this.orDefault(one.default)]);
        return bracketed(
          "[",
          pattern.rest === undefined ? elements : [...elements, `...${pattern.rest.text}`],
          "]",
          { fromHere: false },
        );
      }
      case "DictPattern": {
        const entries = pattern.entries.map((one) => [
          one.key.text,
          one.alias === undefined ? "" : `: ${one.alias.text}`,
          this.orDefault(one.default),
        ]);
        return bracketed(
          "{",
          pattern.rest === undefined ? entries : [...entries, `...${pattern.rest.text}`],
          "}",
          { fromHere: false },
        );
      }
    }
  }

  private orDefault(value: Expr | undefined): Doc {
    return value === undefined ? "" : [" = ", this.expr(value)];
  }

  private select(select: Select): Doc {
    const cases: Doc[] = select.cases.map((one) =>
      this.remarked(one.name, [
        `${one.name.text} from `,
        this.expressions.header(one.channel),
        " ",
        this.block(one.body),
      ]),
    );
    if (select.timeout !== undefined) {
      const { duration, body } = select.timeout;
      const timeout = ["timeout ", this.expressions.header(duration), " ", this.block(body)];
      cases.push(this.remarked(select.timeout, timeout));
    }
    if (select.default !== undefined)
      cases.push(this.remarked(select.default, ["default ", this.block(select.default)]));
    return ["select ", this.members(select, cases)];
  }

  // -------------------------------------------------------- declarations

  private declaration(decl: Declaration): Doc {
    switch (decl.kind) {
      case "FnDecl":
        return this.fn(decl);
      case "PipelineDecl": {
        const params = decl.params.map((one) => one.text).join(", ");
        const parent = decl.extends === undefined ? "" : ` extends ${decl.extends.text}`;
        return [`pipeline ${decl.name.text}(${params})${returns(decl)}${parent} `, this.block(decl.body)];
      }
      case "OverrideDecl":
        return [
          `override ${decl.name.text}(${decl.params.map((one) => one.text).join(", ")}) `,
          this.block(decl.body),
        ];
      case "ToolDecl": {
        const description =
          decl.description === undefined ? [] : [`description "${escapeText(decl.description)}"`];
        return [
          `tool ${decl.name.text}`,
          this.expressions.params(decl.params),
          `${returns(decl)} `,
          this.members(decl.body, [...description, ...this.statements(decl.body.statements)]),
        ];
      }
      case "SkillDecl":
        return [
          `skill ${decl.name.text} `,
          this.members(
            decl,
            decl.fields.map((field) => this.remarked(field, [`${field.name.text} `, this.expr(field.value)])),
          ),
        ];
      case "EvalPackDecl": {
        const head =
          decl.id === decl.name.text ? decl.name.text : `${decl.name.text} "${escapeText(decl.id)}"`;
        const fields = decl.fields.map((field) => this.remarked(field, this.namedValue(field)));
        const summarize =
          decl.summarize === undefined
            ? []
            : [this.remarked(decl.summarize, ["summarize ", this.block(decl.summarize)])];
        const lines = [...fields, ...this.statements(decl.statements), ...summarize];
        return [`eval_pack ${head} `, this.members(decl, lines)];
      }
      case "StructDecl": {
        const fields = decl.fields.map((one) => {
          const type = one.type === undefined ? "" : `: ${printedType(one.type)}`;
          return this.remarked(one, `${one.name.text}${one.optional ? "?" : ""}${type}`);
        });
        return [`struct ${decl.name.text}${typeParamsText(decl.typeParams)} `, this.members(decl, fields)];
      }
      case "EnumDecl": {
        const variants = decl.variants.map((one) =>
          this.remarked(one, [
            one.name.text,
            one.params.length === 0 ? "" : this.expressions.params(one.params),
          ]),
        );
        return [`enum ${decl.name.text}${typeParamsText(decl.typeParams)} `, this.members(decl, variants)];
      }
      case "ImplDecl":
        return [
          `impl ${decl.target.text} `,
          this.members(
            decl,
            this.listed(decl.methods, (method) => [this.prelude(method), this.fn(method)]),
          ),
        ];
      case "InterfaceDecl":
        return this.interface(decl);
      case "TypeAliasDecl":
        return `type ${decl.name.text}${typeParamsText(decl.typeParams)} = ${printedType(decl.type)}`;
    }
  }

  private fn(decl: FnDecl): Doc {
    return [
      `${decl.gen ? "gen " : ""}fn ${decl.name.text}${typeParamsText(decl.typeParams)}`,
      this.expressions.params(decl.params),
      `${returns(decl)}${whereText(decl.where)} `,
      this.block(decl.body),
    ];
  }

  private interface(decl: InterfaceDecl): Doc {
    const types = decl.types.map((one) =>
      this.remarked(
        one,
        `type ${one.name.text}${one.type === undefined ? "" : ` = ${printedType(one.type)}`}`,
      ),
    );
    const methods = decl.methods.map((one) =>
      this.remarked(one, [
        `fn ${one.name.text}${typeParamsText(one.typeParams)}`,
        this.expressions.params(one.params),
        returns(one),
      ]),
    );
    return [
      `interface ${decl.name.text}${typeParamsText(decl.typeParams)} `,
      this.members(decl, [...types, ...methods]),
    ];
  }

  /** Documentation (unless it comes with the comments), attributes and `pub`. */
  private prelude(decl: DeclarationPrelude): Doc {
    const attributes = decl.attributes.map((attribute) => [this.attribute(attribute), hardLine]);
    const doc =
      decl.doc === "" || this.trivia !== noTrivia ? "" : [documentation(decl.doc.split("\n")), hardLine];
    return [doc, attributes, decl.pub ? "pub " : ""];
  }

  private attribute(attribute: Attribute): Doc {
    const args = attribute.args.map((arg) => [
      arg.name === undefined ? "" : `${arg.name.text}: `,
      this.expr(arg.value),
    ]);
    return [`@${attribute.name.text}`, args.length === 0 ? "" : bracketed("(", args, ")")];
  }

  private import(node: Import): Doc {
    const pub = node.pub ? "pub " : "";
    const path = `"${escapeText(node.path)}"`;
    if (node.names === undefined) return `${pub}import ${path}`;
    const names = node.names.map((name) => this.remarked(name, name.text));
    const style = { fromHere: false, blanks: true, tail: this.tail(node, names.length === 0) };
    return [`${pub}import `, bracketed("{", names, "}", style), ` from ${path}`];
  }

  private namedValue(field: NamedExpr): Doc {
    return [`${field.name.text}: `, this.expr(field.value)];
  }
}

function returns(decl: { readonly returns: FnDecl["returns"] }): string {
  return decl.returns === undefined ? "" : ` -> ${printedType(decl.returns)}`;
}

/** Comments on lines of their own; the last line break is left to what follows. */
function remarkLines(remarks: readonly Remark[], blanks: boolean): Doc {
  return remarks.map((remark, index) => {
    const last = index === remarks.length - 1;
    const blank = remark.blankAfter && (blanks || remark.doc !== undefined);
    return [remarkText(remark), last ? "" : hardLine, blank && !last ? hardLine : ""];
  });
}
