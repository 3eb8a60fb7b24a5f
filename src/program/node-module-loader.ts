/**
 * Where imports are found on disk (language.md §20.2): the standard library that ships with the runtime, a path
 * relative to the importing file, a package under `.harn/packages` of a folder above it.
 */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type ShippedFolder, shippedFolder, textOfModule } from "../host/command/index.ts";
import { nodeLibraries } from "../host/index.ts";
import { hooksModule, hooksSpecifier, hooksText, isHooksModule } from "../manifest/index.ts";
import { ownProcess } from "../process/index.ts";
import type { ModuleLoader } from "../resolve/index.ts";
import { SourceFile } from "../source/index.ts";

export class NodeModuleLoader implements ModuleLoader {
  /** The library that ships with the runtime. */
  readonly library: ShippedFolder = shippedFolder("stdlib");
  private readonly cwd: string;

  constructor(cwd: string = ownProcess().cwd()) {
    this.cwd = cwd;
  }

  resolve(specifier: string, fromFile: string): { readonly path: string } | { readonly missing: string } {
    if (specifier.startsWith("std/")) return this.standard(specifier);
    if (specifier.startsWith(hooksSpecifier)) {
      const path = hooksModule(specifier, resolve(this.cwd, fromFile));
      return path === undefined ? { missing: specifier } : { path };
    }
    const folder = dirname(resolve(this.cwd, fromFile));
    const base = isAbsolute(specifier) ? specifier : join(folder, specifier);
    const found = firstFile([base, `${base}.harn`]) ?? this.inPackages(specifier, folder);
    return found === undefined
      ? { missing: base.endsWith(".harn") ? base : `${base}.harn` }
      : { path: realpathSync(found) };
  }

  read(path: string): SourceFile {
    if (isHooksModule(path))
      return new SourceFile(
        this.shown(path),
        hooksText(path, (specifier) => this.resolve(specifier, path)),
        path,
      );
    return new SourceFile(this.shown(path), textOfModule(path).replace(/^\uFEFF/, ""), path);
  }

  /** Does a path belong to that library? */
  isStandard(path: string): boolean {
    return path.startsWith(this.library.path + sep);
  }

  /** `std/a/b` is `stdlib/a/b.harn`; nothing outside that folder is reachable by this name. */
  private standard(specifier: string): { readonly path: string } | { readonly missing: string } {
    const path = resolve(this.library.path, `${specifier.slice("std/".length)}.harn`);
    const isThere = this.isStandard(path) && this.library.has(relative(this.library.path, path));
    return isThere ? { path } : { missing: specifier };
  }

  private inPackages(specifier: string, from: string): string | undefined {
    if (isAbsolute(specifier) || specifier.split("/").includes("..")) return undefined;
    for (let folder = from; ; folder = dirname(folder)) {
      const base = join(folder, ".harn", "packages", specifier);
      const found = firstFile([base, `${base}.harn`, join(base, "lib.harn")]) ?? exported(folder, specifier);
      if (found !== undefined) return found;
      // The walk ends at the root of the repository, or of the file system.
      if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return undefined;
    }
  }

  /** What messages call a file: relative to the working directory when it lies below it. */
  private shown(path: string): string {
    const short = relative(this.cwd, path);
    return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
  }
}

/** `package/export` through the `[exports]` table of the package's manifest. */
function exported(folder: string, specifier: string): string | undefined {
  const slash = specifier.indexOf("/");
  if (slash === -1) return undefined;
  const root = join(folder, ".harn", "packages", specifier.slice(0, slash));
  const file = manifestExports(join(root, "harn.toml")).get(specifier.slice(slash + 1));
  if (file === undefined) return undefined;
  const path = resolve(root, file);
  return path.startsWith(root + sep) ? firstFile([path]) : undefined;
}

/** The `[exports]` table of a manifest; empty when there is none. The TOML reader is loaded for the first package. */
function manifestExports(manifest: string): Map<string, string> {
  if (firstFile([manifest]) === undefined) return new Map();
  const table = nodeLibraries.toml().parse(readFileSync(manifest, "utf8")).exports;
  if (typeof table !== "object" || table === null) return new Map();
  return new Map(
    Object.entries(table).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}

function firstFile(paths: readonly string[]): string | undefined {
  return paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}
