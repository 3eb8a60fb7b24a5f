/**
 * The module graph (language.md §20): which files a program consists of, what each exports, and what every `import`
 * brings. Files come through a `ModuleLoader`, so that tests need no disk and the CLI may cache syntax trees.
 *
 * Exports are read off the syntax before any name is resolved; so circular imports need no care: every file is parsed
 * once, and the names of a file that is "still loading" are known all the same.
 */
import type { Diagnostic } from "../diagnostics/index.ts";
import type { SourceFile } from "../source/index.ts";
import type { FnDecl, Import, Program } from "../syntax/index.ts";
import { FunctionInfo, ModuleInfo } from "./model.ts";

/** Where modules come from. */
export interface ModuleLoader {
  /** The canonical path for an import as written in `fromFile`; `undefined` with the path tried when there is none. */
  resolve(specifier: string, fromFile: string): { readonly path: string } | { readonly missing: string };
  read(path: string): SourceFile;
}

export type Parse = (source: SourceFile) => {
  readonly program: Program;
  readonly diagnostics: readonly Diagnostic[];
};

/** A program without imports of files: only `std/…` can be missing. */
export const noModules: ModuleLoader = {
  resolve: (specifier) => ({ missing: specifier }),
  read: (path) => {
    throw new Error(`no module ${path}`);
  },
};

/** The file-level functions of a syntax tree, by name; the first of equal names counts. */
function declareFunctions(module: ModuleInfo): void {
  for (const item of module.ast.items) {
    if (item.kind !== "FnDecl") continue;
    const info = new FunctionInfo(item.name.text, "fn", module, module.main, item.params, item);
    module.fnByNode.set(item, info);
    if (!module.functions.has(item.name.text)) module.functions.set(item.name.text, info);
  }
}

export class ModuleGraph {
  readonly byPath = new Map<string, ModuleInfo>();
  /** In the order of first import; the entry is first. */
  readonly modules: ModuleInfo[] = [];
  private readonly loader: ModuleLoader;
  private readonly parse: Parse;

  constructor(loader: ModuleLoader, parse: Parse) {
    this.loader = loader;
    this.parse = parse;
  }

  /** Adds a parsed file and everything it imports. */
  add(path: string, source: SourceFile, ast: Program, isEntry: boolean): ModuleInfo {
    const root = this.register(path, source, ast, isEntry);
    const pending = [root];
    for (let module = pending.shift(); module !== undefined; module = pending.shift()) {
      for (const item of module.ast.items) if (item.kind === "Import") this.follow(module, item, pending);
    }
    for (const module of this.modules) this.settleExports(module, new Set());
    return root;
  }

  private register(path: string, source: SourceFile, ast: Program, isEntry: boolean): ModuleInfo {
    const module = new ModuleInfo(path, source, ast, isEntry);
    module.main = new FunctionInfo("", "module", module, undefined, [], ast);
    this.byPath.set(path, module);
    this.modules.push(module);
    declareFunctions(module);
    return module;
  }

  private follow(from: ModuleInfo, node: Import, pending: ModuleInfo[]): void {
    const found = this.loader.resolve(node.path, from.path);
    if ("missing" in found) {
      const error = node.path.startsWith("std/")
        ? `Unknown stdlib module: ${node.path}`
        : `Import error: cannot read '${found.missing}': no such file or folder`;
      from.imports.push({ node, module: undefined, error });
      return;
    }
    let module = this.byPath.get(found.path);
    if (module === undefined) {
      const loaded = this.load(found.path);
      if (typeof loaded === "string") {
        from.imports.push({ node, module: undefined, error: loaded });
        return;
      }
      module = this.register(found.path, loaded.source, loaded.program, false);
      module.failure = loaded.failure;
      module.isStandard = from.isStandard || node.path.startsWith("std/");
      pending.push(module);
    }
    from.imports.push({ node, module, error: module.failure });
  }

  private load(path: string): string | { source: SourceFile; program: Program; failure: string | undefined } {
    let source: SourceFile;
    try {
      source = this.loader.read(path);
    } catch (error) {
      return `Import error: cannot read '${path}': ${messageOf(error)}`;
    }
    const { program, diagnostics } = this.parse(source);
    const failed = diagnostics.find((diagnostic) => diagnostic.severity === "error");
    const failure = failed === undefined ? undefined : `Import parse error: ${failed.message}`;
    return { source, program, failure };
  }

  /** `pub fn`s and re-exports; all functions when nothing is `pub` (language.md §20.3). */
  private settleExports(module: ModuleInfo, visiting: Set<ModuleInfo>): void {
    if (module.exports.size > 0 || visiting.has(module)) return;
    visiting.add(module);
    const functions = [...module.functions.values()];
    const isPub = functions.some((fn) => (fn.node as FnDecl).pub);
    for (const fn of functions) if (!isPub || (fn.node as FnDecl).pub) module.exports.set(fn.name, fn);
    for (const ref of module.imports) {
      if (!ref.node.pub || ref.module === undefined) continue;
      this.settleExports(ref.module, visiting);
      for (const [name, fn] of importedNames(ref.node, ref.module)) {
        const earlier = module.exports.get(name);
        if (earlier !== undefined && earlier !== fn) module.failure ??= collision(name, ref.node.path);
        else module.exports.set(name, fn);
      }
    }
  }
}

/** What an import brings; names that the module does not have are left out. */
export function importedNames(node: Import, module: ModuleInfo): [string, FunctionInfo][] {
  if (node.names === undefined) return [...module.exports];
  const found: [string, FunctionInfo][] = [];
  for (const { text } of node.names) {
    const fn = module.exports.get(text) ?? module.functions.get(text);
    if (fn !== undefined) found.push([text, fn]);
  }
  return found;
}

const typeKinds: ReadonlySet<string> = new Set(["StructDecl", "EnumDecl", "InterfaceDecl", "TypeAliasDecl"]);

/** A type may be named in an import: it binds nothing, for only the checker knows types across files (§20.3). */
export const declaresType = (module: ModuleInfo, name: string): boolean =>
  module.ast.items.some(
    (item) => typeKinds.has(item.kind) && (item as { name?: { text: string } }).name?.text === name,
  );

export const collision = (name: string, path: string): string =>
  `Import collision: '${name}' is already defined when importing ${path}. ` +
  `Use selective imports to disambiguate: import { ${name} } from "..."`;

function messageOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  return String(error);
}
