/** Counts of shape: folders, circles of imports, functions, lines. */
import { dirname } from "node:path";
import { importsOf, isNode, nameOf, type Source, type SyntaxNode, walk } from "./sources.ts";

/** The folders that hold more than `most` files side by side, READMEs not counted: `[folder, files]`. */
export function crowdedFolders(sources: readonly Source[], max: number): [string, number][] {
  const sizes = new Map<string, number>();
  for (const { path } of sources) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
  return [...sizes].filter(([, files]) => files > max).sort((a, b) => b[1] - a[1]);
}

/** Groups of files that import each other in a circle, type imports counted, the largest first (Tarjan). */
export function importCircles(sources: readonly Source[]): string[][] {
  const graph = new Map<string, string[]>();
  for (const source of sources)
    graph.set(
      source.path,
      importsOf(source).map((edge) => edge.to),
    );
  return circles(graph).sort((a, b) => b.length - a.length);
}

function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (name: string): void => {
    const own = order.size;
    order.set(name, own);
    low.set(name, own);
    open.push(name);
    for (const next of graph.get(name) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) {
        visit(next);
        low.set(name, Math.min(low.get(name) ?? own, low.get(next) ?? own));
      } else if (open.includes(next)) low.set(name, Math.min(low.get(name) ?? own, order.get(next) ?? own));
    }
    if (low.get(name) !== own) return;
    const group = open.splice(open.indexOf(name));
    if (group.length > 1 || graph.get(name)?.includes(name) === true) found.push(group.sort());
  };
  for (const name of graph.keys()) if (!order.has(name)) visit(name);
  return found;
}

export interface FunctionShape {
  readonly path: string;
  /** `""` of one without a name. */
  readonly name: string;
  /** From its first line to its last. */
  readonly lines: number;
  /** Declared at the top of its module: `function f() {}` or `const f = () => …`. */
  readonly top: boolean;
}

const functionTypes = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** Every function that has a body: declarations, methods, arrows. */
export function functionsOf(sources: readonly Source[]): FunctionShape[] {
  return sources.flatMap((source) => {
    const found: FunctionShape[] = [];
    walk(source.root, (node, parents) => {
      if (!functionTypes.has(node.type) || !isNode(node.body)) return;
      const parent = parents.at(-1);
      found.push({
        path: source.path,
        name: functionName(node, parent) ?? "",
        lines: source.text.slice(node.start, node.end).split("\n").length,
        top: isTop(node, parents),
      });
    });
    return found;
  });
}

function functionName(node: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  if (node.id !== null && node.id !== undefined) return nameOf(node.id);
  if (parent === undefined) return undefined;
  if (parent.type === "VariableDeclarator") return nameOf(parent.id);
  return nameOf(parent.key);
}

function isTop(node: SyntaxNode, parents: readonly SyntaxNode[]): boolean {
  const outer = parents.filter(
    ({ type }) => !["ExportNamedDeclaration", "VariableDeclaration", "VariableDeclarator"].includes(type),
  );
  const named = node.type === "FunctionDeclaration" || parents.at(-1)?.type === "VariableDeclarator";
  return named && outer.length === 1;
}

/** Names of functions at the top of modules that more than one file defines. */
export function sharedNames(functions: readonly FunctionShape[]): string[] {
  const files = new Map<string, Set<string>>();
  for (const { name, path, top } of functions) {
    if (!top || name === "") continue;
    const seen = files.get(name) ?? new Set();
    files.set(name, seen.add(path));
  }
  return [...files].filter(([, paths]) => paths.size > 1).map(([name]) => name);
}

export const lineCount = (sources: readonly Source[]): number =>
  sources.reduce((sum, { text }) => sum + text.split("\n").length - (text.endsWith("\n") ? 1 : 0), 0);
