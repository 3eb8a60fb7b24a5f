/** `harn lint`: questionable code, and its repair (language.md §27). */

import { type Diagnostic, diagnosticToJson, renderDiagnostics } from "../../diagnostics/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  colourOnStderr,
  exitCode,
  print,
  reportAsJson,
  reportError,
  reportFailure,
  reportPaintedError,
  UsageError,
} from "../../host/command/index.ts";
import type { Compiled } from "../../lower/index.ts";
import {
  canonicalPath,
  compile,
  NodeModuleLoader,
  type ProgramText,
  readProgram,
  scriptFiles,
} from "../../program/index.ts";
import { type LintFinding, loadLinter } from "../../tools/index.ts";
import { inertImports, lintCompiled, lintOptions, replaceFile } from "../../tools/local/index.ts";
import type { lintFlags } from "../flags/checking.ts";

export type LintFlags = FlagsOf<typeof lintFlags>;

/** Exits with 1 when a file cannot be read or parsed, or when a finding is an error; warnings do not change the code. */
export async function lintCommand(paths: readonly string[], flags: LintFlags): Promise<number> {
  if (flags.rules === true) return await listRules(flags.json === true);
  if (paths.length === 0) throw new UsageError("name scripts or folders to lint, or ask for --rules");
  if (flags.fix === true && paths.includes("-"))
    throw new UsageError("--fix repairs files; standard input (`-`) has no file to write to");
  let failed = false;
  for (const path of paths.flatMap((one) => (one === "-" ? [one] : scriptFiles([one])))) {
    try {
      failed = (await lintOne(path, flags)) || failed;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      reportFailure(error);
      failed = true;
    }
  }
  return failed ? exitCode.failed : exitCode.ok;
}

/** True when the file has an error. */
async function lintOne(path: string, flags: LintFlags): Promise<boolean> {
  let text = readProgram(path, undefined);
  let compiled = await compiledOf(text);
  const broken = compiled.resolved === undefined ? compiled.diagnostics.filter(isLintError) : [];
  if (broken.length > 0) {
    show(
      text,
      broken.map((diagnostic) => ({ diagnostic, rule: undefined, fix: undefined })),
      flags,
    );
    return true;
  }
  if (flags.fix === true && (await repaired(text, compiled, flags))) {
    text = readProgram(path, undefined);
    compiled = await compiledOf(text);
  }
  const found = await lintCompiled(text, compiled);
  show(text, found, flags);
  return found.some((one) => isLintError(one.diagnostic));
}

const isLintError = (one: Diagnostic): boolean => one.severity === "error";

async function compiledOf(text: ProgramText): Promise<Compiled> {
  return await compile(text.source, canonicalPath(text), new NodeModuleLoader());
}

/** Writes the repaired text, if there was something to repair. */
async function repaired(text: ProgramText, compiled: Compiled, flags: LintFlags): Promise<boolean> {
  const { fix } = await loadLinter();
  const { entry } = compiled.resolved!;
  const fixed = fix(text.source, entry.ast, { ...(await lintOptions(text)), inert: inertImports(entry) });
  if (fixed.count === 0 || text.path === undefined) return false;
  replaceFile(text.path, text.source.text, fixed.text);
  const what = fixed.count === 1 ? "1 finding" : `${fixed.count} findings`;
  if (flags.json !== true) print(`fixed ${what} in ${text.source.name}\n`);
  return true;
}

type LintLine = Pick<LintFinding, "diagnostic" | "fix"> & { readonly rule: string | undefined };

function show(text: ProgramText, found: readonly LintLine[], flags: LintFlags): void {
  if (flags.json === true) {
    for (const { diagnostic, rule, fix } of found) {
      const one = { ...diagnosticToJson(diagnostic), rule: rule ?? null, fixable: fix !== undefined };
      reportAsJson(one);
    }
  } else if (found.length === 0) print(`${text.source.name}: no issues found\n`);
  else {
    const diagnostics = found.map((one) => one.diagnostic);
    reportPaintedError(`${renderDiagnostics(diagnostics, { colour: colourOnStderr() })}\n`);
    const fixable = found.filter((one) => one.fix !== undefined).length;
    if (fixable > 0) reportError(`\n${fixable} of ${found.length} can be repaired with --fix\n`);
  }
}

async function listRules(json: boolean): Promise<number> {
  const { rules } = await loadLinter();
  const width = Math.max(...rules.map((rule) => rule.name.length));
  for (const { name, code, doc, fixes, optIn } of rules) {
    const marks = [fixes ? "--fix" : "", optIn ? "opt-in" : ""].filter((mark) => mark !== "").join(", ");
    const line = `${name.padEnd(width)}  ${code}  ${doc}${marks === "" ? "" : ` (${marks})`}`;
    if (json) reportAsJson({ name, code, doc, fixes, optIn });
    else print(`${line}\n`);
  }
  return exitCode.ok;
}
