/**
 * The program that lies in an executable of `harn build`: its text, its modules and what their imports mean, as in a journal. So it
 * needs no file. Wherever it runs, it is as if its folder were the working directory: messages, templates and `harn.toml` are
 * meant from there, and a run that is resumed keeps the folder that it began in.
 */
import { dirname, posix, relative, sep } from "node:path";
import { importKey } from "../effects/index.ts";
import { ownExecutable } from "../host/command/index.ts";
import type { ModuleLoader } from "../resolve/index.ts";
import { SourceFile } from "../source/index.ts";
import type { FoundModule } from "./checked-program.ts";
import { NodeModuleLoader } from "./node-module-loader.ts";

/** Names are paths from the folder of the entry file, with slashes. Modules of the library are in none of the lists. */
export interface BuiltProgram {
  readonly entry: string;
  readonly modules: readonly { readonly name: string; readonly text: string }[];
  readonly imports: readonly { readonly from: string; readonly specifier: string; readonly to: string }[];
}

/** Where it lies in the executable. */
export const builtProgramFile = "program.json";

/** Takes a program that was compiled apart from the folder that it lies in. */
export function builtProgram(
  entry: string,
  sources: readonly SourceFile[],
  found: readonly FoundModule[],
): BuiltProgram {
  const library = new NodeModuleLoader();
  const nameOf = (path: string): string => relative(dirname(entry), path).replaceAll(sep, "/");
  return {
    entry: nameOf(entry),
    modules: sources
      .filter(({ path = entry }) => !library.isStandard(path))
      .map(({ path = entry, text }) => ({ name: nameOf(path), text })),
    imports: found
      .filter(({ from, path }) => !(library.isStandard(from) || library.isStandard(path)))
      .map(({ from, specifier, path }) => ({ from: nameOf(from), specifier, to: nameOf(path) })),
  };
}

let own: BuiltProgram | undefined;

/** `undefined` where no executable was started. */
export function ownProgram(): BuiltProgram | undefined {
  const bytes = ownExecutable()?.read(builtProgramFile);
  if (bytes !== undefined) own ??= JSON.parse(Buffer.from(bytes).toString("utf8")) as BuiltProgram;
  return own;
}

/** As it is in a folder: its entry file, and where its imports are found. */
export function programIn(
  folder: string,
  { entry, modules, imports }: BuiltProgram,
): { readonly source: SourceFile; readonly path: string; readonly loader: ModuleLoader } {
  // Not normalized: `../lib/x.harn` stays another path than `lib/x.harn`, also in a folder that has none above it.
  const pathOf = (name: string): string => `${folder === posix.sep ? "" : folder}/${name}`;
  const library = new NodeModuleLoader(folder);
  const texts = new Map(
    modules.map(({ name, text }) => [pathOf(name), new SourceFile(name, text, pathOf(name))]),
  );
  const paths = new Map(
    imports.map(({ from, specifier, to }) => [importKey(pathOf(from), specifier), pathOf(to)]),
  );
  const loader: ModuleLoader = {
    resolve: (specifier, from) => {
      if (specifier.startsWith("std/")) return library.resolve(specifier, from);
      const path = paths.get(importKey(from, specifier));
      return path === undefined ? { missing: specifier } : { path };
    },
    read: (path) => texts.get(path) ?? library.read(path),
  };
  const path = pathOf(entry);
  return { source: texts.get(path) ?? new SourceFile(entry, ""), path, loader };
}
