/**
 * Functions that a manifest names: `module::function` (language.md §20.5). One rule for everything in `harn.toml` that names one:
 * the last `::` divides; the module is the manifest's own package (`lib.harn` beside it), else one of its `[exports]`, else
 * an import path as a file beside the manifest would write it.
 */
import { statSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { textOfModule } from "../host/command/index.ts";

/** Where an import path leads, as seen from the manifest's folder. */
export type ResolveImport = (specifier: string) => { readonly path: string } | { readonly missing: string };

export interface PackageManifest {
  /** Its path. */
  readonly file: string;
  /** The parsed text. */
  readonly tables: { readonly package?: unknown; readonly exports?: unknown };
}

export interface NamedFunction {
  readonly module: string;
  readonly name: string;
}

/** The two parts of `module::function`; `undefined` for anything else. */
export function namedFunction(text: unknown): NamedFunction | undefined {
  const parts = typeof text === "string" ? /^(.+)::([A-Za-z_]\w*)$/.exec(text) : null;
  return parts === null ? undefined : { module: parts[1]!, name: parts[2]! };
}

/** The import path of a module, for a file beside the manifest. Throws an `Error` in words for people. */
export function modulePath(
  { file, tables }: PackageManifest,
  module: string,
  resolve: ResolveImport,
): string {
  const folder = dirname(file);
  if (module === entryOf(tables.package, "name")) {
    const path = join(folder, "lib.harn");
    if (!isExistingFile(path))
      throw new Error(`module '${module}' resolves to local lib.harn, but ${path} is missing`);
    return "./lib.harn";
  }
  const exported = entryOf(tables.exports, module);
  if (exported !== undefined) {
    const path = isAbsolute(exported) ? exported : join(folder, exported);
    if (!isExistingFile(path))
      throw new Error(`export '${module}' resolves to ${path}, but that path does not exist`);
    return `./${relative(folder, path)}`;
  }
  if (!("path" in resolve(module)))
    throw new Error(`module '${module}' could not be resolved from ${folder}`);
  return module;
}

/** Whether a file certainly does not export a function: what it hands on from others is not looked into. */
export function exportsNot(path: string, name: string): boolean {
  const text = textOfModule(path);
  if (/^\s*pub\s+import\b/m.test(text)) return false;
  const pub = /^\s*pub\s+(?:gen\s+)?fn\b/m.test(text) ? "pub\\s+" : "";
  return !new RegExp(`(?:^|[;}])\\s*${pub}(?:gen\\s+)?fn\\s+${name}\\b`, "m").test(text);
}

function entryOf(table: unknown, key: string): string | undefined {
  if (typeof table !== "object" || table === null || !Object.hasOwn(table, key)) return undefined;
  const value = (table as { readonly [key: string]: unknown })[key];
  return typeof value === "string" ? value : undefined;
}

const isExistingFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;
