/** Counts of shapes that are declared more than once (issue 28): readers of dicts, rows without a type, facades, names of types, small files. */
import { type Find, finds } from "./plurals.ts";
import {
  importsOf,
  isNode,
  nameOf,
  type Source,
  type SyntaxNode,
  stringOf,
  textsOf,
  walk,
} from "./sources.ts";
import { lineCount } from "./structure.ts";

/** Methods that read one key of a dict are named for what they give. */
const kindOfValue =
  /^(?:text|texts|string|strings|bool|flag|count|int|number|numbers|dict|list|closure|oneOf|money|seconds|milliseconds|duration|path|turn|value)$/;

const methodsOf = (type: SyntaxNode): readonly SyntaxNode[] =>
  ((type.body as SyntaxNode).body as readonly SyntaxNode[]).filter(
    (member) => member.type === "MethodDefinition",
  );

function firstParameter(method: SyntaxNode): string | undefined {
  const [first] = (method.value as SyntaxNode).params as readonly SyntaxNode[];
  return nameOf(first);
}

const isNameParameter = (name: string | undefined): boolean => /^(?:name|names|key|field)$/.test(name ?? "");

/** Words that a class refuses a value with. */
function refuses(type: SyntaxNode): boolean {
  let found = false;
  walk(type, (node) => {
    found ||= (node.type === "Literal" || node.type === "TemplateLiteral") && textsOf(node).some(isRefusal);
  });
  return found;
}

const isRefusal = (text: string): boolean => /\bmust (?:not )?be\b/.test(text);

/** A class has a dict of a script's, or the JSON of one; parsers have a text, and readers of the manifest its tables. */
function hasDict(type: SyntaxNode, text: string): boolean {
  const own = text.slice(type.start, type.end);
  return (
    /\b(?:Dict|Plain|Json|JsonObject)\b/.test(own) && !/\breadonly (?:text|source|input): string\b/.test(own)
  );
}

/**
 * Classes outside `table/` that read a dict by names: two methods or more that take a name and are called for what they give, or
 * one that is called a reader and says what a value must be.
 */
export const readerClasses = (sources: readonly Source[]): Find[] =>
  finds(
    sources.filter(({ path }) => !path.startsWith("table/")),
    (node, _, { text }) => {
      if (node.type !== "ClassDeclaration" || !hasDict(node, text)) return undefined;
      const name = nameOf(node.id) ?? "";
      const byName = methodsOf(node).filter(
        (method) => kindOfValue.test(nameOf(method.key) ?? "") && isNameParameter(firstParameter(method)),
      );
      return byName.length >= 2 || (name.endsWith("Reader") && refuses(node)) ? name : undefined;
    },
  );

/** Rows of field tables whose type is `any`: `field("name", "any", …)` without a `why`. */
export const untypedRows = (sources: readonly Source[]): Find[] =>
  finds(sources, (node) => {
    if (node.type !== "CallExpression" || nameOf(node.callee) !== "field") return undefined;
    const [name, type, , more] = node.arguments as readonly SyntaxNode[];
    if (stringOf(type) !== "any") return undefined;
    const keys = ((more?.properties ?? []) as readonly SyntaxNode[]).map(({ key }) => nameOf(key));
    return keys.includes("why") ? undefined : (stringOf(name) ?? "…");
  });

/** What an expression is without `?? …`, `as …`, `await` and brackets around it. */
function bare(node: SyntaxNode): SyntaxNode {
  const inner =
    node.type === "LogicalExpression"
      ? node.left
      : /^(?:TSAsExpression|AwaitExpression|ParenthesizedExpression|TSNonNullExpression)$/.test(node.type)
        ? (node.expression ?? node.argument)
        : undefined;
  return isNode(inner) ? bare(inner) : node;
}

/** The names that a source imports of the durable operations. */
function operationTables(source: Source): ReadonlySet<string> {
  const tables = new Set<string>();
  walk(source.root, (node) => {
    if (node.type !== "ImportDeclaration" || stringOf(node.source)?.includes("durable/") !== true) return;
    for (const { local } of node.specifiers as readonly SyntaxNode[]) tables.add(nameOf(local) ?? "");
  });
  return tables;
}

/**
 * Methods of facades that only delegate: one statement, which runs one durable operation, or one method of a client of a table
 * with the method's own arguments.
 */
export const delegatingMethods = (sources: readonly Source[]): Find[] =>
  sources
    .filter(({ path }) => !path.startsWith("durable/"))
    .flatMap((source) => {
      const tables = operationTables(source);
      if (tables.size === 0) return [];
      return finds([source], (node) => {
        if (node.type !== "MethodDefinition" || node.kind !== "method") return undefined;
        const operation = onlyOperation(node.value as SyntaxNode);
        const delegates =
          (operation !== undefined && tables.has(operation)) ||
          (tables.has("clientOf") && isPassedOn(node.value as SyntaxNode));
        return delegates ? nameOf(node.key) : undefined;
      });
    });

/** The table of the operation that a function consists of. */
function onlyOperation(method: SyntaxNode): string | undefined {
  const [first] = (onlyCall(method)?.arguments ?? []) as readonly SyntaxNode[];
  return first?.type === "MemberExpression" ? nameOf(first.object) : undefined;
}

/** A function that is one call on `this` or a field, of one dict of names: what it got, with names. */
function isPassedOn(method: SyntaxNode): boolean {
  const call = onlyCall(method);
  const [first, second] = (call?.arguments ?? []) as readonly SyntaxNode[];
  if (first?.type !== "ObjectExpression" || second !== undefined) return false;
  const callee = call?.callee as SyntaxNode;
  const of = callee.type === "MemberExpression" ? (callee.object as SyntaxNode) : callee;
  const isOwn =
    of.type === "ThisExpression" || (of.object as SyntaxNode | undefined)?.type === "ThisExpression";
  return (
    isOwn && (first.properties as readonly SyntaxNode[]).every(({ value }) => nameOf(value) !== undefined)
  );
}

/** The call that a function consists of. */
function onlyCall({ body }: SyntaxNode): SyntaxNode | undefined {
  const statements = (isNode(body) ? body.body : []) as readonly SyntaxNode[];
  const [only] = statements;
  if (only === undefined || statements.length > 1) return undefined;
  const value = only.type === "ReturnStatement" ? only.argument : only.expression;
  const call = isNode(value) ? bare(value) : undefined;
  return call?.type === "CallExpression" ? call : undefined;
}

const typeDeclaration = /^(?:TSInterface|TSTypeAlias|Class|TSEnum)Declaration$/;

/** Names of types at the top of modules that more than one file declares, with their files. */
export function sharedTypes(sources: readonly Source[]): string[] {
  const files = new Map<string, Set<string>>();
  for (const { root, path } of sources)
    for (const statement of root.body as readonly SyntaxNode[]) {
      const declared = isNode(statement.declaration) ? statement.declaration : statement;
      if (!typeDeclaration.test(declared.type)) continue;
      const name = nameOf(declared.id) ?? "";
      files.set(name, (files.get(name) ?? new Set()).add(path));
    }
  return [...files]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].join(" ")}`);
}

/** Files of fewer than `lines` lines that exactly one other file imports. */
export function smallFilesOfOne(sources: readonly Source[], lines = 60): string[] {
  const importers = new Map<string, Set<string>>();
  for (const source of sources)
    for (const { from, to } of importsOf(source))
      importers.set(to, (importers.get(to) ?? new Set()).add(from));
  return sources
    .filter((source) => lineCount([source]) < lines && importers.get(source.path)?.size === 1)
    .map(({ path }) => `${path} (${[...(importers.get(path) ?? [])].join("")})`);
}
