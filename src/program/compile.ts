/** From a program's text to something that runs: parser (or the cache of syntax trees), modules, resolver. */

import { realpathSync } from "node:fs";
import { join } from "node:path";
import { builtinGlobals, builtinTable } from "../builtins/index.ts";
import { type Diagnostic, renderDiagnostics } from "../diagnostics/index.ts";
import { colourOnStderr, reportPaintedError } from "../host/command/index.ts";
import { type Compiled, type CompileOptions, compileProgram } from "../lower/index.ts";
import { hooksSpecifier, isHooksModule, withHooks } from "../manifest/index.ts";
import { ownPath, ownProcess } from "../process/index.ts";
import type { ModuleLoader } from "../resolve/index.ts";
import type { SourceFile } from "../source/index.ts";
import type { ParseResult, Program } from "../syntax/index.ts";
import { AstCache, astCacheFolder } from "./ast-cache.ts";
import { astShape } from "./ast-shape.ts";
import type { ProgramText } from "./read-program.ts";

/** The path that a program's imports are relative to. */
export function canonicalPath(text: ProgramText): string {
  return text.path === undefined
    ? join(ownProcess().cwd(), text.source.name)
    : realpathSync(ownPath(text.path));
}

/**
 * Compiles an entry file. At first with trees from the cache alone; the parser (a third of a cold start) is loaded when a
 * file is met whose tree is not there. So `loader` may be asked twice.
 */
export async function compile(source: SourceFile, path: string, loader: ModuleLoader): Promise<Compiled> {
  return compileAs(source, { path, loader, around: (program) => program });
}

/** The same for a run: with the hooks of the project's manifest, which begin before the program. */
export async function compileToRun(
  source: SourceFile,
  path: string,
  loader: ModuleLoader,
): Promise<Compiled> {
  const hooks = "path" in loader.resolve(hooksSpecifier, path);
  return compileAs(source, { path, loader, around: hooks ? withHooks : (program) => program });
}

interface CompileEntry {
  readonly path: string;
  readonly loader: ModuleLoader;
  /** What becomes of the entry file's tree. */
  readonly around: (program: Program) => Program;
}

async function compileAs(source: SourceFile, { path, loader, around }: CompileEntry): Promise<Compiled> {
  const cache = new AstCache<Program>(astCacheFolder(), astShape());
  const options = { builtins: builtinTable(), globals: builtinGlobals, loader, path };
  const entry = (file: SourceFile, program: Program): Program =>
    file === source ? around(program) : program;
  return compileCached(source, cache, entry, options) ?? compileParsing(source, cache, entry, options);
}

/** Thrown through the compiler when a tree is not in the cache. */
const notCached = Symbol("not cached");

function compileCached(
  source: SourceFile,
  cache: AstCache<Program>,
  entry: (file: SourceFile, program: Program) => Program,
  options: Omit<CompileOptions, "parse">,
): Compiled | undefined {
  try {
    return compileProgram(source, {
      ...options,
      parse: (file) => {
        const program = cache.get(file.text);
        if (program === undefined) throw notCached;
        return { program: entry(file, program), diagnostics: [] };
      },
    });
  } catch (error) {
    if (error !== notCached) throw error;
    return undefined;
  }
}

/** Only trees without any finding are kept. */
async function compileParsing(
  source: SourceFile,
  cache: AstCache<Program>,
  entry: (file: SourceFile, program: Program) => Program,
  options: Omit<CompileOptions, "parse">,
): Promise<Compiled> {
  const { parse } = await import("../syntax/index.ts");
  const parseAndKeep = (file: SourceFile): ParseResult => {
    const kept = cache.get(file.text);
    if (kept !== undefined) return { program: entry(file, kept), diagnostics: [] };
    const parsed = parse(file);
    if (parsed.diagnostics.length === 0) cache.set(file.text, parsed.program);
    return { ...parsed, program: entry(file, parsed.program) };
  };
  return compileProgram(source, { ...options, parse: parseAndKeep });
}

/** Shows findings on standard error: errors, and the warnings of the type checker. True when one of them stops the run. */
export function report(found: readonly Diagnostic[]): boolean {
  // What registers the manifest's hooks stands in no file: what is wrong there it says itself when it runs.
  const diagnostics = found.filter(
    ({ severity, source }) => severity === "error" || !isHooksModule(source.path ?? ""),
  );
  if (diagnostics.length > 0)
    reportPaintedError(`${renderDiagnostics(diagnostics, { colour: colourOnStderr() })}
`);
  return diagnostics.some((one) => one.severity === "error");
}
