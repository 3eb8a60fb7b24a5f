/** Linting one file as its project wants it: the `[lint]` table of harn.toml, the builtin table, the resolver's findings. */

import { isUtf8 } from "node:buffer";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { builtinTable } from "../../builtins/index.ts";
import { type Diagnostic, nearest, type Severity } from "../../diagnostics/index.ts";
import { UsageError } from "../../host/command/index.ts";
import type { Compiled } from "../../lower/index.ts";
import { loadedManifest, Settings } from "../../manifest/index.ts";
import { ownPath } from "../../process/index.ts";
import type { ProgramText } from "../../program/index.ts";
import type { ModuleInfo } from "../../resolve/index.ts";
import { replaceContent } from "../../store/files/whole-files.ts";
import { type LintFinding, type LintOptions, loadLinter } from "../index.ts";

/** What `[lint]` says, and what the rules may ask about builtins. */
export async function lintOptions(text: ProgramText): Promise<LintOptions> {
  const settings = new Settings(await loadedManifest(text.path ?? "."), "lint");
  const severity = await severities(settings);
  const off = [...severity].filter(([, level]) => level === "off").map(([name]) => name);
  return {
    builtin: (name) => builtinTable().get(name),
    disabled: [...(await ruleNames(settings, "disabled")), ...off],
    enabled: await ruleNames(settings, "enabled"),
    severity: new Map([...severity].filter((pair): pair is [string, Severity] => pair[1] !== "off")),
  };
}

/** Findings of the linter about a compiled file; none when it does not parse. */
export async function lintCompiled(text: ProgramText, compiled: Compiled): Promise<readonly LintFinding[]> {
  if (compiled.resolved === undefined) return [];
  const { lint } = await loadLinter();
  const inert = inertImports(compiled.resolved.entry);
  const undefinedCalls = compiled.diagnostics
    .filter((one) => one.code === "HARN-NAM-002")
    .map((one) => one.span);
  return lint(text.source, compiled.resolved.entry.ast, {
    ...(await lintOptions(text)),
    inert,
    undefinedCalls,
  });
}

/** Which import paths of a file lead to modules that only declare things: leaving them out changes nothing. */
export function inertImports(entry: ModuleInfo): (path: string) => boolean | undefined {
  const known = new Map<ModuleInfo, boolean>();
  const isInert = (module: ModuleInfo | undefined): boolean => {
    if (module === undefined) return false;
    const before = known.get(module);
    if (before !== undefined) return before;
    known.set(module, true);
    const quiet = module.ast.items.every((item) => item.kind !== "Let" || QUIET.has(item.value.kind));
    const inert = quiet && module.imports.every((ref) => ref.error === undefined && isInert(ref.module));
    known.set(module, inert);
    return inert;
  };
  const found = entry.imports.filter((ref) => ref.error === undefined);
  const paths = new Map(found.map((ref) => [ref.node.path, isInert(ref.module)]));
  return (path) => paths.get(path);
}

/** Values whose making is no event. */
const QUIET: ReadonlySet<string> = new Set([
  "StringLit",
  "IntLit",
  "FloatLit",
  "DurationLit",
  "BoolLit",
  "NilLit",
  "Closure",
]);

/** What other stages of `harn check` say in their own words. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set([
  "break-outside-loop",
  "undefined-function",
  "dead-code-after-return",
]);

/** The findings that `harn check` adds to those of the compiler and the type checker. */
export async function lintForCheck(text: ProgramText, compiled: Compiled): Promise<readonly Diagnostic[]> {
  const found = await lintCompiled(text, compiled);
  const { rules } = await loadLinter();
  const layout = new Set(rules.filter((rule) => rule.layout).map(({ name }) => name));
  // A project that made a rule an error wants to hear of it everywhere.
  const wanted = ({ rule, diagnostic }: LintFinding): boolean =>
    !SAID_ELSEWHERE.has(rule) && (!layout.has(rule) || diagnostic.severity === "error");
  return found.filter(wanted).map(({ diagnostic }) => diagnostic);
}

const LEVELS: ReadonlyMap<string, Severity | "off"> = new Map<string, Severity | "off">([
  ["error", "error"],
  ["warning", "lint"],
  ["off", "off"],
]);

async function severities(settings: Settings): Promise<ReadonlyMap<string, Severity | "off">> {
  const found = new Map<string, Severity | "off">();
  for (const [name, text] of settings.texts("severity")) {
    const level = LEVELS.get(text);
    if (level === undefined) throw settings.wrong(`severity.${name}`, '"error", "warning" or "off"');
    await known(settings, "severity", name);
    found.set(name, level);
  }
  return found;
}

async function ruleNames(settings: Settings, key: string): Promise<readonly string[]> {
  const names = settings.names(key);
  for (const name of names) await known(settings, key, name);
  return names;
}

/** A misspelt rule would silently stay on. */
async function known(settings: Settings, key: string, name: string): Promise<void> {
  const { rules } = await loadLinter();
  const all = rules.map((rule) => rule.name);
  if (all.includes(name)) return;
  const near = nearest(name, all);
  throw settings.wrong(
    key,
    `made of rule names; there is no rule ${name}${near === undefined ? "" : ` (did you mean ${near}?)`}`,
  );
}

/**
 * Puts a new text in a file's place: written beside it, then renamed over it, so that nobody ever sees half a file.
 * Permissions stay, and so does a link to the file. `before` is the text that the new one was made from: a file that was
 * changed meanwhile, or whose bytes are no text, is left alone.
 */
export function replaceFile(path: string, before: string, text: string): void {
  const real = realpathSync(ownPath(path));
  const bytes = readFileSync(real);
  if (!isUtf8(bytes)) throw new UsageError(`${path} is not UTF-8; it is left as it was`, "HARN-CLI-006");
  if (bytes.toString("utf8").replace(/^\uFEFF/, "") !== before)
    throw new UsageError(
      `${path} was changed by somebody else meanwhile; it is left as it is`,
      "HARN-CLI-008",
    );
  try {
    replaceContent(real, text, statSync(real).mode & 0o7777);
  } catch (error) {
    throw new UsageError(
      `Error writing ${path}: ${(error as NodeJS.ErrnoException).code ?? error}`,
      "HARN-CLI-007",
    );
  }
}
