/** From a program's text to something that runs: parser (or the cache of syntax trees), modules, resolver. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { builtinTable } from "../builtins/index.ts";
import { type Diagnostic, renderDiagnostics } from "../diagnostics/index.ts";
import { type Compiled, compileProgram } from "../lower/index.ts";
import type { ModuleLoader } from "../resolve/index.ts";
import type { SourceFile } from "../source/index.ts";
import { type ParseResult, type Program, parse } from "../syntax/index.ts";
import { AstCache, astCacheFolder } from "./ast-cache.ts";
import type { ProgramText } from "./read-program.ts";
import { version } from "./version.ts";

/** Bump when the syntax tree changes its shape without a new version. */
const astFormat = 1;

/** Parses, or takes the tree from the cache. Only trees without any finding are kept. */
export function cachedParse(): (source: SourceFile) => ParseResult {
  const cache = new AstCache<Program>(astCacheFolder(), `${version} ${astFormat} ${process.versions.v8}`);
  return (source) => {
    const known = cache.get(source.text);
    if (known !== undefined) return { program: known, diagnostics: [] } as ParseResult;
    const parsed = parse(source);
    if (parsed.diagnostics.length === 0) cache.set(source.text, parsed.program);
    return parsed;
  };
}

/** The path that a program's imports are relative to. */
export function canonicalPath(text: ProgramText): string {
  return text.path === undefined ? join(process.cwd(), text.source.name) : realpathSync(text.path);
}

/** Compiles an entry file. */
export function compile(source: SourceFile, path: string, loader: ModuleLoader): Compiled {
  return compileProgram(source, { builtins: builtinTable(), parse: cachedParse(), loader, path });
}

/** Shows findings on standard error. True when one of them stops the run. */
export function report(diagnostics: readonly Diagnostic[], colour: boolean): boolean {
  const shown = diagnostics.filter((one) => one.severity === "error");
  if (shown.length > 0) process.stderr.write(`${renderDiagnostics(shown, { colour })}\n`);
  return shown.length > 0;
}
