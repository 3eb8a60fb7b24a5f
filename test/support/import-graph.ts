/** Reads the imports of `src/`: what the layer test checks. Text only, so that it needs no compiler API. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const sourceRoot = resolve(dirname(fileURLToPath(import.meta.url)), "../../src");

export interface ImportEdge {
  /** Path below `src/`, with slashes. */
  readonly from: string;
  /** Path below `src/` for relative imports, the specifier otherwise. */
  readonly to: string;
  readonly relative: boolean;
  /** `import type` and `export type`: gone at run time. */
  readonly typeOnly: boolean;
  /** `import("…")` */
  readonly dynamic: boolean;
}

export interface SourceText {
  readonly path: string;
  readonly text: string;
  /** Comments replaced by blanks; strings stay. */
  readonly code: string;
}

export function sourceFiles(): SourceText[] {
  return readdirSync(sourceRoot, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => {
      const text = readFileSync(join(sourceRoot, name), "utf8");
      return { path: name.replaceAll("\\", "/"), text, code: withoutComments(text) };
    });
}

/** Comments are blanked; string, template and regular-expression contents are left alone well enough for imports. */
export function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|(^|[^:\\"'/])\/\/[^\n]*/g,
    (_all, literal: string | undefined, before: string | undefined) => literal ?? before ?? " ",
  );
}

const STATIC = /(?:^|[\n;])\s*(import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?["']([^"'\n]+)["']/g;
const DYNAMIC = /(?<!typeof )\bimport\(\s*["']([^"'\n]+)["']\s*\)/g;

export function importsOf(file: SourceText): ImportEdge[] {
  const edges: ImportEdge[] = [];
  const add = (specifier: string, typeOnly: boolean, dynamic: boolean): void => {
    const isRelative = specifier.startsWith(".");
    const to = isRelative
      ? relative(sourceRoot, resolve(sourceRoot, dirname(file.path), specifier)).replaceAll("\\", "/")
      : specifier;
    edges.push({ from: file.path, to, relative: isRelative, typeOnly, dynamic });
  };
  for (const match of file.code.matchAll(STATIC)) add(match[3]!, match[2] !== undefined, false);
  for (const match of file.code.matchAll(DYNAMIC)) add(match[1]!, false, true);
  return edges;
}
