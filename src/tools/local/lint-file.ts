/** Linting one file as its project wants it: the `[lint]` table of harn.toml, the builtin table, the resolver's findings. */
import { builtinTable } from "../../builtins/index.ts";
import { type Diagnostic, nearest, type Severity } from "../../diagnostics/index.ts";
import type { Compiled } from "../../lower/index.ts";
import { loadedManifest, Settings } from "../../manifest/index.ts";
import type { ProgramText } from "../../program/index.ts";
import type { ModuleInfo } from "../../resolve/index.ts";
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
