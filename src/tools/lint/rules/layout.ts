/** Rules about how a file is laid out: what `harn fmt` would do as well. */
import { isDeclaration } from "../../../syntax/nodes.ts";
import { Brackets } from "../../format/brackets.ts";
import { docLines, fitsBlock } from "../../format/doc-text.ts";
import { compareImports, leadingImports } from "../../format/imports.ts";
import { Places } from "../../format/places.ts";
import { type Edit, type LintContext, rule } from "../rule.ts";

export const blankLineBetweenItems = rule(
  "blank-line-between-items",
  "HARN-LNT-002",
  "a blank line between declarations",
  (ctx) => {
    const { items } = ctx.program;
    for (let i = 1; i < items.length; i++) {
      const [before, item] = [items[i - 1]!, items[i]!];
      if (!isDeclaration(before) && !isDeclaration(item)) continue;
      const between = ctx.text.slice(before.end, item.start);
      if (/\n[ \t\r]*\n/.test(between)) continue;
      const lineEnd = between.indexOf("\n");
      const at = before.end + lineEnd + 1;
      ctx.report(
        "HARN-LNT-002",
        { start: item.start, end: item.start + 1 },
        undefined,
        lineEnd < 0 || ctx.lexed.comments.some((one) => one.start < at && at < one.end)
          ? undefined
          : [{ start: at, end: at, text: "\n" }],
      );
    }
  },
  { fixes: true, layout: true },
);

export const importOrder = rule(
  "import-order",
  "HARN-LNT-010",
  "imports in canonical order",
  (ctx) => {
    const imports = leadingImports(ctx.program);
    const wrong = imports.find((one, i) => i > 0 && compareImports(imports[i - 1]!, one) > 0);
    if (wrong === undefined) return;
    const [start, end] = [imports[0]!.start, imports.at(-1)!.end];
    const sorted = [...imports].sort(compareImports).map((one) => ctx.source.slice(one));
    // Modules that do something when they are loaded do it in the order of their imports.
    const busy = imports.filter((one) => ctx.isInert(one.path) === false).length;
    const kept = ctx.hasComments(start, end) || busy > 1;
    const fix = kept ? undefined : [{ start, end, text: sorted.join("\n") }];
    ctx.report("HARN-LNT-010", wrong, undefined, fix);
  },
  { fixes: true, layout: true },
);

const COMMA_LISTS: ReadonlySet<unknown> = new Set([
  "ListLit",
  "DictLit",
  "StructLit",
  "Call",
  "MethodCall",
  "Import",
  // Parameters: their owner is the list itself.
  undefined,
]);

export const trailingComma = rule(
  "trailing-comma",
  "HARN-LNT-027",
  "a comma behind the last line of a list",
  (ctx) => {
    const { tokens } = ctx.lexed;
    const lists = new Places(ctx.program, new Brackets(tokens)).lists;
    for (const token of tokens) {
      const list = lists.get(token.startOffset);
      if (list === undefined || list.anchors.length === 0 || typeof token.value !== "object") continue;
      if (!COMMA_LISTS.has((list.owner as { kind?: string }).kind)) continue;
      let last = token.value.close - 1;
      while (tokens[last]!.image === "\n") last--;
      const [before, close] = [tokens[last]!, tokens[token.value.close]!];
      const at = before.endOffset + 1;
      if (before.image === "," || !ctx.text.slice(at, close.startOffset).includes("\n")) continue;
      const item = list.anchors.at(-1)!;
      ctx.report("HARN-LNT-027", { start: item.start, end: at }, undefined, [
        { start: at, end: at, text: "," },
      ]);
    }
  },
  { fixes: true, layout: true },
);

export const legacyDocComment = rule(
  "legacy-doc-comment",
  "HARN-LNT-012",
  "documentation as `/** */`",
  (ctx) => {
    const declarations = documented(ctx);
    for (const node of declarations) {
      const { comments } = ctx.lexed;
      let first = comments.findLastIndex((one) => one.end <= node.start);
      const last = comments[first];
      if (last === undefined || !isLegacy(ctx, first) || !touches(ctx, last.end, node.start)) continue;
      while (
        first > 0 &&
        isLegacy(ctx, first - 1) &&
        touches(ctx, comments[first - 1]!.end, comments[first]!.start)
      )
        first--;
      const span = { start: comments[first]!.start, end: last.end };
      ctx.report("HARN-LNT-012", span, undefined, asBlock(ctx, span));
    }
  },
  { fixes: true, layout: true },
);

function documented(ctx: LintContext) {
  const { tree } = ctx;
  return [
    ...tree.all("FnDecl"), ...tree.all("PipelineDecl"), ...tree.all("ToolDecl"), ...tree.all("SkillDecl"),
    ...tree.all("EvalPackDecl"), ...tree.all("StructDecl"), ...tree.all("EnumDecl"), ...tree.all("ImplDecl"),
    ...tree.all("InterfaceDecl"), ...tree.all("TypeAliasDecl"),
  ].filter((node) => node.doc !== ""); // biome-ignore format: a list of kinds
}

const isLegacy = (ctx: LintContext, index: number): boolean => {
  const comment = ctx.lexed.comments[index]!;
  return comment.kind === "doc" && ctx.text.startsWith("///", comment.start);
};

/** Nothing but one line end stands between. */
const touches = (ctx: LintContext, from: number, to: number): boolean =>
  /^[ \t\r]*\n[ \t\r]*$/.test(ctx.text.slice(from, to));

function asBlock(ctx: LintContext, span: { start: number; end: number }): Edit[] | undefined {
  const lines = ctx.source
    .slice(span)
    .split("\n")
    .map((line) => docLines(line.trim())[0]!);
  if (!fitsBlock(lines)) return undefined;
  const indent = " ".repeat(ctx.source.position(span.start).column - 1);
  const text =
    lines.length === 1
      ? `/** ${lines[0]} */`
      : `/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */`;
  return [{ ...span, text }];
}

export const requireFileHeader = rule(
  "require-file-header",
  "HARN-LNT-024",
  "a file begins by saying what it is for",
  (ctx) => {
    const first = ctx.lexed.comments[0];
    const code = ctx.lexed.tokens[0]?.startOffset ?? ctx.text.length;
    const item = ctx.program.items[0];
    const isHead = first !== undefined && first.kind === "doc" && first.start < code;
    const belongsToItem =
      item !== undefined && "doc" in item && item.doc !== "" && touches(ctx, first?.end ?? 0, item.start);
    if (isHead && !belongsToItem) return;
    const start = /^(\uFEFF?#![^\n]*\n|\uFEFF)?/.exec(ctx.text)![0].length;
    const name = ctx.source.name
      .replace(/^.*[/\\]/, "")
      .replace(/\.harn$/, "")
      .replace(/[^\w.-]+/g, " ");
    ctx.report("HARN-LNT-024", { start, end: start }, undefined, [
      { start, end: start, text: `/** ${name} */\n\n` },
    ]);
  },
  { fixes: true, optIn: true },
);
