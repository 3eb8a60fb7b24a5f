/** The sources as the counters of `npm run measure` see them: text, code without comments, syntax tree. */
import { dirname, posix } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** A node of the tree (ESTree with TypeScript); what a counter reads of it, it checks. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface Source {
  /** Path below `src/`, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly root: SyntaxNode;
}

/** Parses the texts of a tree of sources: path below `src/` to text. */
export function sourcesOf(texts: Readonly<Record<string, string>>): Source[] {
  return Object.entries(texts).map(([path, text]) => ({
    path,
    text,
    root: parseAst(text, { lang: "ts" }, path) as unknown as SyntaxNode,
  }));
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";

/** Every node below `root`, parents first, with the nodes that it lies in (nearest last). */
export function walk(
  root: SyntaxNode,
  visit: (node: SyntaxNode, parents: readonly SyntaxNode[]) => void,
): void {
  const parents: SyntaxNode[] = [];
  const into = (node: SyntaxNode): void => {
    visit(node, parents);
    parents.push(node);
    for (const [field, value] of Object.entries(node)) {
      if (field === "type") continue;
      if (isNode(value)) into(value);
      else if (Array.isArray(value)) for (const item of value) if (isNode(item)) into(item);
    }
    parents.pop();
  };
  into(root);
}

/** The value of a string literal, or of a template without holes; undefined for anything else. */
export function stringOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral") return undefined;
  const quasis = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined;
}

/** The texts of a literal or of a template's pieces. */
export function textsOf(node: SyntaxNode): string[] {
  if (node.type === "TemplateLiteral")
    return (node.quasis as readonly { readonly value: { readonly cooked: string } }[]).map(
      (quasi) => quasi.value.cooked,
    );
  const text = stringOf(node);
  return text === undefined ? [] : [text];
}

/** The name of an identifier, or of a key that is one or a string. */
export function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  return node.type === "Identifier" ? (node.name as string) : stringOf(node);
}

export interface Import {
  readonly from: string;
  /** Path below `src/`. */
  readonly to: string;
  readonly typeOnly: boolean;
}

/** What a source imports or re-exports of other sources, by `import`, `export … from` and `import("…")`. */
export function importsOf(source: Source): Import[] {
  const found: Import[] = [];
  const add = (specifier: string | undefined, typeOnly: boolean): void => {
    if (specifier?.startsWith(".") !== true) return;
    found.push({
      from: source.path,
      to: posix.normalize(posix.join(dirname(source.path), specifier)),
      typeOnly,
    });
  };
  walk(source.root, (node) => {
    if (node.type === "ImportDeclaration") add(stringOf(node.source), node.importKind === "type");
    else if (node.type === "ExportNamedDeclaration" || node.type === "ExportAllDeclaration")
      add(stringOf(node.source), node.exportKind === "type");
    else if (node.type === "ImportExpression") add(stringOf(node.source), false);
    else if (node.type === "TSImportType") add(stringOf(node.source ?? node.argument), true);
  });
  return found;
}
