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
import { bracketed, type Doc, group, hardLine, indent, join, statementBreak } from "./doc.ts";
import { ExpressionPrinter, type Surroundings } from "./expressions.ts";
import { escapeText } from "./literals.ts";
import { typeParamsText, typeText, whereText } from "./types.ts";

type Prelude = Pick<Declaration, "attributes" | "pub" | "doc">;

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

export class StatementPrinter implements Surroundings {
  private readonly text: string;
  private readonly expressions = new ExpressionPrinter(this);

  /** `text`: the source, from which string literals of several lines are kept; "" for a tree made by a program. */
  constructor(text: string) {
    this.text = text;
  }

  /** A blank line between top-level items, none between imports. */
  program(program: Program): Doc {
    const parts: Doc[] = [];
    program.items.forEach((item, index) => {
      const before = program.items[index - 1];
      if (before !== undefined) parts.push(hardLine);
      if (before !== undefined && !(before.kind === "Import" && item.kind === "Import")) parts.push(hardLine);
      parts.push(this.item(item));
    });
    if (parts.length > 0) parts.push(hardLine);
    return parts;
  }

  private item(item: Item): Doc {
    return item.kind === "Import" ? importText(item) : this.statement(item);
  }

  block(block: Block): Doc {
    if (block.statements.length === 0) return "{}";
    return ["{", indent([hardLine, this.statementList(block.statements)]), hardLine, "}"];
  }

  /** On one line when the body is one simple expression and fits. */
  braces(head: Doc, block: Block): Doc {
    const open = head === "" ? "{" : ["{ ", head];
    const only = block.statements.length === 1 ? block.statements[0]! : undefined;
    if (block.statements.length === 0) return head === "" ? "{}" : [open, " }"];
    if (only?.kind === "ExprStatement" && !NOT_SIMPLE.has(only.expr.kind)) {
      const body = this.statement(only);
      return group([open, indent([{ kind: "line", flat: " " }, body]), { kind: "line", flat: " " }, "}"]);
    }
    return [open, indent([hardLine, this.statementList(block.statements)]), hardLine, "}"];
  }

  verbatim(expr: Expr): Doc | undefined {
    if (!this.text.startsWith('"""', expr.start)) return undefined;
    return { kind: "verbatim", text: this.text.slice(expr.start, expr.end) };
  }

  private statementList(statements: readonly Statement[]): Doc {
    return join(
      statementBreak,
      statements.map((statement) => this.statement(statement)),
    );
  }

  private expr(expr: Expr): Doc {
    return this.expressions.expr(expr);
  }

  private statement(statement: Statement): Doc {
    switch (statement.kind) {
      case "Let": {
        const type = statement.type === undefined ? "" : `: ${typeText(statement.type)}`;
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
        return [prelude(statement), this.declaration(statement)];
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
        );
      }
    }
  }

  private orDefault(value: Expr | undefined): Doc {
    return value === undefined ? "" : [" = ", this.expr(value)];
  }

  private select(select: Select): Doc {
    const cases: Doc[] = select.cases.map((one) => [
      `${one.name.text} from `,
      this.expressions.header(one.channel),
      " ",
      this.block(one.body),
    ]);
    if (select.timeout !== undefined) {
      cases.push([
        "timeout ",
        this.expressions.header(select.timeout.duration),
        " ",
        this.block(select.timeout.body),
      ]);
    }
    if (select.default !== undefined) cases.push(["default ", this.block(select.default)]);
    return ["select ", members(cases)];
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
        const body = decl.body.statements.map((statement) => this.statement(statement));
        return [
          `tool ${decl.name.text}`,
          this.expressions.params(decl.params),
          `${returns(decl)} `,
          members([...description, ...body]),
        ];
      }
      case "SkillDecl":
        return [
          `skill ${decl.name.text} `,
          members(decl.fields.map((field) => [`${field.name.text} `, this.expr(field.value)])),
        ];
      case "EvalPackDecl": {
        const head =
          decl.id === decl.name.text ? decl.name.text : `${decl.name.text} "${escapeText(decl.id)}"`;
        const fields = decl.fields.map((field) => this.namedValue(field));
        const statements = decl.statements.map((statement) => this.statement(statement));
        const summarize = decl.summarize === undefined ? [] : [["summarize ", this.block(decl.summarize)]];
        return [`eval_pack ${head} `, members([...fields, ...statements, ...summarize])];
      }
      case "StructDecl": {
        const fields = decl.fields.map(
          (one) =>
            `${one.name.text}${one.optional ? "?" : ""}${one.type === undefined ? "" : `: ${typeText(one.type)}`}`,
        );
        return [`struct ${decl.name.text}${typeParamsText(decl.typeParams)} `, members(fields)];
      }
      case "EnumDecl": {
        const variants = decl.variants.map((one) => [
          one.name.text,
          one.params.length === 0 ? "" : this.expressions.params(one.params),
        ]);
        return [`enum ${decl.name.text}${typeParamsText(decl.typeParams)} `, members(variants)];
      }
      case "ImplDecl":
        return [
          `impl ${decl.target.text} `,
          members(decl.methods.map((method) => [prelude(method), this.fn(method)])),
        ];
      case "InterfaceDecl":
        return this.interface(decl);
      case "TypeAliasDecl":
        return `type ${decl.name.text}${typeParamsText(decl.typeParams)} = ${typeText(decl.type)}`;
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
    const types = decl.types.map(
      (one) => `type ${one.name.text}${one.type === undefined ? "" : ` = ${typeText(one.type)}`}`,
    );
    const methods = decl.methods.map((one) => [
      `fn ${one.name.text}${typeParamsText(one.typeParams)}`,
      this.expressions.params(one.params),
      returns(one),
    ]);
    return [
      `interface ${decl.name.text}${typeParamsText(decl.typeParams)} `,
      members([...types, ...methods]),
    ];
  }

  private namedValue(field: NamedExpr): Doc {
    return [`${field.name.text}: `, this.expr(field.value)];
  }
}

/** One member for each line between braces. */
function members(lines: readonly Doc[]): Doc {
  if (lines.length === 0) return "{}";
  return ["{", indent([hardLine, join(statementBreak, lines)]), hardLine, "}"];
}

function returns(decl: { readonly returns: FnDecl["returns"] }): string {
  return decl.returns === undefined ? "" : ` -> ${typeText(decl.returns)}`;
}

/** Documentation, attributes and `pub`. */
function prelude(decl: Prelude): Doc {
  const attributes = decl.attributes.map((attribute) => [attributeText(attribute), hardLine]);
  return [decl.doc === "" ? "" : [documentation(decl.doc), hardLine], attributes, decl.pub ? "pub " : ""];
}

function documentation(doc: string): Doc {
  const lines = doc.split("\n");
  if (lines.length === 1) return `/** ${doc} */`;
  return ["/**", lines.map((text) => [hardLine, ` * ${text}`]), hardLine, " */"];
}

function attributeText(attribute: Attribute): Doc {
  const expressions = new ExpressionPrinter(new StatementPrinter(""));
  const args = attribute.args.map((arg) => [
    arg.name === undefined ? "" : `${arg.name.text}: `,
    expressions.expr(arg.value),
  ]);
  return [`@${attribute.name.text}`, args.length === 0 ? "" : bracketed("(", args, ")")];
}

function importText(node: Import): Doc {
  const pub = node.pub ? "pub " : "";
  const path = `"${escapeText(node.path)}"`;
  if (node.names === undefined) return `${pub}import ${path}`;
  return [
    `${pub}import `,
    bracketed(
      "{",
      node.names.map((name) => name.text),
      "}",
    ),
    ` from ${path}`,
  ];
}
