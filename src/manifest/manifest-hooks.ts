/**
 * What the project's manifest has done before the program begins: servers of `[[mcp]]` that are not lazy are connected, then
 * handlers of `[[hooks]]` (agents.md §8.5) and `[[triggers]]` registered. They become modules that the entry file imports
 * without saying so, hence journals hold them and replays need no file:
 *
 *   harn:hooks     imports one module for the servers, one per module with hooks, then one per trigger
 *   harn:hooks/N   connects the servers, or imports its handlers and registers them
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodeLibraries } from "../host/index.ts";
import type { Import, Program } from "../syntax/index.ts";
import { firstLine } from "../values/index.ts";
import {
  exportsNot,
  modulePath,
  type NamedFunction,
  namedFunction,
  type PackageManifest,
  type ResolveImport,
} from "./manifest-functions.ts";
import { quotedLiteral, triggersOf } from "./manifest-triggers.ts";

/** By this name the entry file imports them. */
export const hooksSpecifier = "harn:hooks";
const mark = "#hooks";

/** What an entry file means by `harn:hooks`; `undefined` when it is another specifier, or there are no hooks. */
export function hooksModule(wanted: string, from: string): string | undefined {
  if (wanted === hooksSpecifier) {
    const manifest = manifestAbove(dirname(from));
    return manifest !== undefined && beginsSomething(manifest) ? `${manifest}${mark}.harn` : undefined;
  }
  return wanted.startsWith(`${hooksSpecifier}/`) && isHooksModule(from)
    ? from.replace(/\.harn$/, `-${wanted.slice(hooksSpecifier.length + 1)}.harn`)
    : undefined;
}

/** No reader of TOML for manifests that do not speak of such things. */
function beginsSomething(manifest: string): boolean {
  const text = readFileSync(manifest, "utf8");
  if (/hooks|triggers/.test(text)) return true;
  if (!text.includes("mcp")) return false;
  try {
    return eagerServers(manifestTables(manifest).mcp).length > 0;
  } catch {
    // A text that can't be read is reported by whoever checks the manifest.
    return false;
  }
}

export function isHooksModule(path: string): boolean {
  return /harn\.toml#hooks(-\d+)?\.harn$/.test(path);
}

/** The text of such a module. What is wrong with the manifest is an error of the program, before anything of it runs. */
export function hooksText(path: string, resolve: ResolveImport): string {
  const at = path.lastIndexOf(mark);
  const manifest = path.slice(0, at);
  const number = /^-(\d+)/.exec(path.slice(at + mark.length))?.[1];
  try {
    const tables = manifestTables(manifest);
    const all = registrations({ file: manifest, tables });
    if (number === undefined)
      return all.map((_, index) => `import {} from "${hooksSpecifier}/${index}"\n`).join("");
    const one = all[Number(number)];
    return one === undefined ? "" : registering(one, { file: manifest, tables }, resolve);
  } catch (error) {
    return failingProgram(`${manifest}: ${failureReason(error)}`);
  }
}

/** Why a program under this manifest does not begin: the first handler of `[[hooks]]` or `[[triggers]]` that is not there. */
export function hooksFailure(manifest: PackageManifest, resolve: ResolveImport): string | undefined {
  try {
    for (const one of registrations(manifest)) registering(one, manifest, resolve);
    return undefined;
  } catch (error) {
    return failureReason(error);
  }
}

const failureReason = (error: unknown): string =>
  firstLine(error instanceof Error ? error.message : String(error));

/** An entry file's tree with the import that brings the hooks; the given one stays as it is. */
export function withHooks(program: Program): Program {
  const nowhere = { start: 0, end: 0 };
  const node: Import = {
    kind: "Import",
    ...nowhere,
    pub: false,
    path: hooksSpecifier,
    pathSpan: nowhere,
    names: [],
  };
  return { ...program, items: [node, ...program.items] };
}

function manifestAbove(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, "harn.toml");
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return path;
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return undefined;
  }
}

interface ManifestHook {
  readonly event: string;
  readonly pattern: string | undefined;
  readonly module: string;
  readonly name: string;
}

type ManifestTables = PackageManifest["tables"] & {
  readonly hooks?: unknown;
  readonly triggers?: unknown;
  readonly mcp?: unknown;
};

/** What one module registers. */
interface Registration {
  /** `hook handler` or `trigger function`, for what is said when one is missing; servers name no functions. */
  readonly what: string;
  readonly functions: readonly NamedFunction[];
  readonly calls: readonly string[];
}

function registrations(manifest: { readonly file: string; readonly tables: ManifestTables }): Registration[] {
  const names = eagerServers(manifest.tables.mcp);
  const servers = names.length === 0 ? [] : [{ what: "", functions: [], calls: [startingServers(names)] }];
  const hooks = handlersByModule(manifestHooks(manifest.tables.hooks)).map(([, handlers]) => ({
    what: "hook handler",
    functions: handlers,
    calls: handlers.map(registration),
  }));
  const triggers = triggersOf(manifest.tables.triggers, manifest).map(({ functions, call }) => ({
    what: "trigger function",
    functions,
    calls: [call],
  }));
  return [...servers, ...hooks, ...triggers];
}

function manifestTables(manifest: string): ManifestTables {
  return nodeLibraries.toml().parse(readFileSync(manifest, "utf8")) as ManifestTables;
}

/** What a module is imported as. All functions that the manifest names must be there before anything runs. */
function importPath(
  manifest: PackageManifest,
  module: string,
  { what, functions }: Registration,
  resolve: ResolveImport,
): string {
  const path = modulePath(manifest, module, resolve);
  const found = resolve(path);
  for (const one of functions)
    if (one.module === module && "path" in found && exportsNot(found.path, one.name))
      throw new Error(`${what} '${one.name}' is not exported by module '${module}'`);
  return path;
}

function manifestHooks(hooks: unknown): ManifestHook[] {
  if (hooks === undefined) return [];
  if (!Array.isArray(hooks)) throw new Error("hooks: expected tables, [[hooks]]");
  return hooks.map((one: unknown, index) => hookOf(one, `[[hooks]] ${index + 1}`));
}

function hookOf(value: unknown, where: string): ManifestHook {
  if (typeof value !== "object" || value === null) throw new Error(`${where}: expected a table`);
  const { event, pattern, handler, ...others } = value as { readonly [key: string]: unknown };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`${where}: unknown key \`${unknown}\``);
  if (typeof event !== "string" || event === "") throw new Error(`${where}: event: expected a string`);
  if (pattern !== undefined && typeof pattern !== "string")
    throw new Error(`${where}: pattern: expected a string`);
  const named = namedFunction(handler);
  if (named === undefined)
    throw new Error(`invalid hook handler '${String(handler)}': expected <module>::<function>`);
  return { event, pattern, ...named };
}

/** In a module of their own each: handlers of two modules may have the same name. */
function handlersByModule(hooks: readonly ManifestHook[]): [string, readonly ManifestHook[]][] {
  const modules = new Map<string, ManifestHook[]>();
  for (const hook of hooks) modules.set(hook.module, [...(modules.get(hook.module) ?? []), hook]);
  return [...modules];
}

function registering(one: Registration, manifest: PackageManifest, resolve: ResolveImport): string {
  const imports = [...new Set(one.functions.map(({ module }) => module))].map((module) => {
    const names = new Set(one.functions.filter((of) => of.module === module).map(({ name }) => name));
    return `import { ${[...names].join(", ")} } from ${quotedLiteral(importPath(manifest, module, one, resolve))}\n`;
  });
  const calls = one.calls.map((call, index) => `let registered_${index} = ${call}\n`);
  return `${imports.join("")}${calls.join("")}`;
}

function registration({ event, pattern, name }: ManifestHook): string {
  const when = event === "PreToolUse" ? "pre" : event === "PostToolUse" ? "post" : undefined;
  if (when !== undefined)
    return `register_tool_hook({pattern: ${quotedLiteral(pattern ?? "*")}, ${when}: ${name}})`;
  const which = pattern === undefined ? "" : `${quotedLiteral(pattern)}, `;
  return `register_session_hook(${quotedLiteral(event)}, ${which}${name})`;
}

function failingProgram(message: string): string {
  return `fn fail() {\n  throw ${quotedLiteral(message)}\n}\nlet failed = fail()\n`;
}

/**
 * Names of the servers of `[[mcp]]` that are not lazy: a call in a module that runs before the program connects all at once, and they
 * stand in the global `mcp` from then on. One that can't be started costs a line on standard error, not the run. Entries that their
 * reader would refuse for the name are left out.
 */
function eagerServers(servers: unknown): string[] {
  if (!Array.isArray(servers)) return [];
  const names = servers.flatMap((one: unknown) => {
    const { name, lazy } = (one ?? {}) as { readonly name?: unknown; readonly lazy?: unknown };
    return typeof name === "string" && lazy !== true ? [name] : [];
  });
  return [...new Set(names)];
}

/** The call, as text of the language. Nobody holds the servers then: they are the run's, and end with it. */
const startingServers = (
  names: readonly string[],
): string => `parallel each [${names.map(quotedLiteral).join(", ")}] { name ->
  try {
    mcp_ensure_active(name)
    mcp_release(name)
  } catch (e) {
    eprintln("warning: \${e}; it is missing in \`mcp\`")
  }
}`;
