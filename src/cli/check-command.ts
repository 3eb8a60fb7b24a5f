/** `harn check`: syntax, names, types and unresolved imports, without running anything. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { bySourceOrder, type Diagnostic, diagnosticToJson, renderDiagnostics } from "../diagnostics/index.ts";
import { checkTypes } from "./check-types.ts";
import { canonicalPath, compile } from "./compile.ts";
import { exitCode } from "./exit-codes.ts";
import { NodeModuleLoader } from "./node-module-loader.ts";
import { readProgram } from "./read-program.ts";
import { colourOnStderr } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

export interface CheckFlags {
  readonly json?: boolean;
  readonly strictTypes?: boolean;
}

/** Checks every file named, and every script below a folder that is named. Warnings do not change the exit code. */
export async function checkCommand(paths: readonly string[], flags: CheckFlags): Promise<number> {
  let failed = false;
  for (const path of paths.flatMap(scripts)) {
    const found = await findings(path, flags.strictTypes === true);
    failed ||= found.some((one) => one.severity === "error");
    show(path, found, flags.json === true);
  }
  return failed ? exitCode.failed : exitCode.ok;
}

async function findings(path: string, strict: boolean): Promise<Diagnostic[]> {
  const text = readProgram(path, undefined);
  const compiled = await compile(text.source, canonicalPath(text), new NodeModuleLoader());
  const { diagnostics, preflight } = await checkTypes(compiled, strict);
  return [...diagnostics, ...preflight].sort(bySourceOrder);
}

function show(path: string, found: readonly Diagnostic[], json: boolean): void {
  if (json) {
    for (const one of found) process.stdout.write(`${JSON.stringify(diagnosticToJson(one))}\n`);
  } else if (found.length === 0) process.stdout.write(`${path}: ok\n`);
  else process.stderr.write(`${renderDiagnostics(found, { colour: colourOnStderr() })}\n`);
}

function scripts(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const found = readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".harn") && !/(^|\/)(node_modules|\.harn|\.git)\//.test(name))
    .sort()
    .map((name) => join(path, name));
  if (found.length === 0) throw new UsageError(`there is no .harn file below ${path}`, exitCode.failed);
  return found;
}
