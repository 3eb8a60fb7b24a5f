/** A program that is about to run: read, compiled, checked; what is wrong with it has been reported. */
import type { ExecutableProgram } from "../lower/index.ts";
import { type DiagnosticsReport, refusedManifest } from "../manifest/index.ts";
import type { ModuleLoader } from "../resolve/index.ts";
import type { SourceFile } from "../source/index.ts";
import { checkTypes } from "./check-types.ts";
import { canonicalPath, compileToRun, report } from "./compile.ts";
import { NodeModuleLoader } from "./node-module-loader.ts";
import { readProgram } from "./read-program.ts";

/** What an import in a file meant. */
export interface FoundModule {
  readonly from: string;
  readonly specifier: string;
  readonly path: string;
}

/** A program without errors; `undefined` when they have been reported. */
export async function checked(
  source: SourceFile,
  path: string,
  loader: ModuleLoader,
  say: DiagnosticsReport = report,
  /** It was found to be without errors when it was put into an executable. */
  isChecked = false,
): Promise<ExecutableProgram | undefined> {
  const compiled = await compileToRun(source, path, loader);
  if (isChecked && compiled.program !== undefined) return compiled.program;
  const { program, diagnostics } = await checkTypes(compiled, false);
  if (say(diagnostics) || program === undefined) return undefined;
  return (await refusedManifest(path, say)) ? undefined : program;
}

/** The same of a file, read and looked for as `harn run` does. */
export async function checkedFile(file: string): Promise<ExecutableProgram | undefined> {
  const text = readProgram(file, undefined);
  return await checked(text.source, canonicalPath(text), new NodeModuleLoader());
}

/** Remembers which file each import meant, for the journal; asked again, it knows. */
export class NotingLoader implements ModuleLoader {
  private readonly loader: ModuleLoader;
  private readonly known = new Map<string, FoundModule>();

  constructor(loader: ModuleLoader) {
    this.loader = loader;
  }

  get found(): FoundModule[] {
    return [...this.known.values()];
  }

  resolve(specifier: string, from: string): ReturnType<ModuleLoader["resolve"]> {
    const key = `${from}\0${specifier}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const result = this.loader.resolve(specifier, from);
    if ("path" in result) this.known.set(key, { from, specifier, path: result.path });
    return result;
  }

  read(path: string): ReturnType<ModuleLoader["read"]> {
    return this.loader.read(path);
  }
}
