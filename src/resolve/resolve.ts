/**
 * Resolution: what every name of a program means, before it runs.
 *
 * Pass 1, the graph (`modules.ts`). All files that the program imports are parsed once; their file-level functions and
 * exports are read off the syntax. Circular imports end here.
 *
 * Pass 2, the walk (`walk*.ts`). Each file is walked once in the order in which it will run, with a chain of scopes. A
 * declaration takes the next slot of its function's frame (slots of a closed scope are used again); a name is looked up
 * through the scopes as they are *at that point of the text*, because a closure sees a snapshot of what was visible when
 * it was made (language.md §8.3). Functions are the exception: a block's functions are visible from its beginning.
 * A name found in an outer function is noted as free in every function between.
 *
 * Two kinds of top level differ. The entry file's variables are locals of its main function, so its functions take
 * snapshots like any closure. An imported file's variables are cells of the module, shared by reference (§20.4).
 *
 * Pass 3, captures (`captures.ts`). Free names that must be copied become captures with slots of their own after the
 * locals. What needs no copy: constants (`let` of a literal) and functions that themselves capture nothing; so most
 * functions end up static, one closure for the whole run. A function that does capture and is referred to by others
 * lives in a cell, which makes recursion and any order of declaration work.
 *
 * Pass 4, suspension: which functions can wait. The others, and all expressions that call only them, are lowered to
 * code that never looks for a promise.
 *
 * Nothing is written into the AST; everything is in the tables of `ModuleInfo`. Certain failures are reported here, in all
 * files: names that mean nothing, and assignments to what never changes.
 */
import { type Diagnostic, diagnostic } from "../diagnostics/index.ts";
import type { SourceFile } from "../source/index.ts";
import type { Import, Item, Name, PipelineDecl, Program } from "../syntax/index.ts";
import { isDeclaration } from "../syntax/nodes.ts";
import { settleCaptures, settleSuspension } from "./captures.ts";
import { callOfMain, isEntryMain, mainOf, unusedMainOf } from "./entry-main.ts";
import { Binding, type KnownNames, type ModuleInfo } from "./model.ts";
import {
  collision,
  declaresType,
  importedNames,
  ModuleGraph,
  type ModuleLoader,
  type Parse,
} from "./modules.ts";
import { Walk } from "./walk.ts";
import { hoist } from "./walk-functions.ts";
import { namesOf, visit, walkBlock, walkStatement, walkStatements } from "./walk-statements.ts";

interface ResolveOptions {
  readonly known: KnownNames;
  readonly loader: ModuleLoader;
  readonly parse: Parse;
  /** The entry's canonical path; imports are relative to it. */
  readonly path: string;
  /** Run this pipeline instead of the default one. */
  readonly pipeline?: string | undefined;
  /** An input of an interactive session: a `main` in it is only declared. */
  readonly interactive?: boolean;
}

export interface ResolvedProgram {
  readonly entry: ModuleInfo;
  /** All files, the entry first. */
  readonly modules: readonly ModuleInfo[];
  /** Of the entry file; then those of imported files that make the program fail. */
  readonly diagnostics: readonly Diagnostic[];
}

export function resolveProgram(source: SourceFile, ast: Program, options: ResolveOptions): ResolvedProgram {
  const graph = new ModuleGraph(options.loader, options.parse);
  const main = options.interactive === true ? undefined : mainOf(ast);
  const entry = graph.add(options.path, source, ast, true);
  if (main !== undefined) entry.mainCall = callOfMain(main);
  if (main !== undefined && !isEntryMain(main))
    entry.diagnostics.push(diagnostic("HARN-CMP-009", source, main.name, undefined as never));
  const unused = options.interactive === true ? undefined : unusedMainOf(ast);
  if (unused !== undefined)
    entry.diagnostics.push(
      diagnostic("HARN-ORC-013", source, unused.name, { takesNothing: unused.params.length === 0 }),
    );
  for (const module of graph.modules) resolveModule(module, options);
  settleSuspension(graph.modules);
  const diagnostics = [...entry.diagnostics, ...graph.modules.flatMap(certainFailures)];
  return { entry, modules: graph.modules, diagnostics };
}

/** What makes an imported file fail: a program that has one is refused. What keeps it from compiling its import raises. */
function certainFailures(module: ModuleInfo): readonly Diagnostic[] {
  if (module.isEntry) return [];
  return module.diagnostics.filter((one) => one.severity === "error" && !one.code.startsWith("HARN-CMP"));
}

function resolveModule(module: ModuleInfo, options: ResolveOptions): void {
  const walk = new Walk(module, options.known, module.main, visit);
  walk.functions.push(module.main);
  bindImports(walk);
  const pipelines = module.ast.items.filter((item) => item.kind === "PipelineDecl");
  const items = module.ast.items.filter((item): item is Exclude<Item, Import> => item.kind !== "Import");
  for (const pipeline of pipelines) walk.declared.add(pipeline.name.text);
  hoist(walk, items);
  if (module.isEntry && pipelines.length === 0) for (const item of items) walkStatement(walk, item);
  else walkByPhase(walk, items, pipelines, options.pipeline);
  if (module.mainCall !== undefined) walkStatement(walk, module.mainCall);
  reportUnresolved(walk, options.interactive === true);
  settleCaptures(walk.functions);
}

/** Pipeline form and imported files: variables, then declarations, then the entry (language.md §19.2). */
function walkByPhase(
  walk: Walk,
  items: readonly Exclude<Item, Import>[],
  pipelines: readonly PipelineDecl[],
  wanted: string | undefined,
): void {
  for (const item of items) if (item.kind === "Let") walkStatement(walk, item);
  for (const item of items) if (isDeclaration(item)) walkStatement(walk, item);
  const chain = walk.module.isEntry ? entryChain(pipelines, wanted) : [];
  if (chain.length > 0) walkEntry(walk, chain);
  for (const pipeline of pipelines) if (!chain.includes(pipeline)) walkPipeline(walk, pipeline, pipelines);
  // Never executed here, but their names are checked all the same.
  walk.scoped(() => {
    for (const item of items) if (item.kind !== "Let" && !isDeclaration(item)) walkStatement(walk, item);
  });
}

/** The entry pipeline after its parents (`extends`), outermost first; a cycle ends the chain. */
function entryChain(pipelines: readonly PipelineDecl[], wanted: string | undefined): PipelineDecl[] {
  const named = (name: string) => pipelines.find((pipeline) => pipeline.name.text === name);
  let at = wanted === undefined ? (named("default") ?? pipelines[0]) : named(wanted);
  const chain: PipelineDecl[] = [];
  while (at !== undefined && !chain.includes(at)) {
    chain.unshift(at);
    at = at.extends === undefined ? undefined : named(at.extends.text);
  }
  return chain;
}

/** The bodies run in the main frame, in one scope. */
function walkEntry(walk: Walk, chain: readonly PipelineDecl[]): void {
  const own = chain.at(-1)!;
  walk.inFunction = true;
  walk.scoped(() => {
    const params = chain.flatMap((pipeline) => pipelineParams(walk, pipeline));
    walk.scoped(() => {
      for (const pipeline of chain) walkStatements(walk, pipeline.body.statements);
    });
    walk.module.entry = { decl: own, chain, params };
  });
  walk.inFunction = false;
}

function walkPipeline(walk: Walk, pipeline: PipelineDecl, all: readonly PipelineDecl[]): void {
  walk.inFunction = true;
  walk.inherited = inheritedNames(pipeline, all);
  walk.scoped(() => {
    pipelineParams(walk, pipeline);
    walkBlock(walk, pipeline.body);
  });
  walk.inherited = new Set();
  walk.inFunction = false;
}

/** What the pipelines that this one extends declare in their bodies: it runs after them, in one scope. */
function inheritedNames(pipeline: PipelineDecl, all: readonly PipelineDecl[]): Set<string> {
  const names = new Set<string>();
  for (const parent of entryChain(all, pipeline.name.text)) {
    if (parent === pipeline) continue;
    for (const param of parent.params) names.add(param.text);
    for (const node of parent.body.statements)
      if (node.kind === "Let") for (const { text } of namesOf(node.pattern)) names.add(text);
      else if ("name" in node && node.kind.endsWith("Decl")) names.add((node.name as Name).text);
  }
  return names;
}

function pipelineParams(walk: Walk, pipeline: PipelineDecl): Binding[] {
  return pipeline.params.flatMap((param) => {
    const binding = walk.declare(param, "param", false);
    if (binding === undefined) return [];
    binding.unset = true;
    return [binding];
  });
}

/** Imported functions are names of the file's top scope. Faults are raised where the import runs. */
function bindImports(walk: Walk): void {
  const module = walk.module;
  module.imports = module.imports.map((ref) => {
    const error = ref.error ?? ref.module?.failure;
    if (ref.module === undefined || error !== undefined) return importFault(walk, ref.node, error);
    const missing = ref.node.names?.find(
      ({ text }) =>
        !ref.module!.exports.has(text) &&
        !ref.module!.functions.has(text) &&
        !declaresType(ref.module!, text),
    );
    if (missing !== undefined) {
      const near = walk.nearestOf(missing.text, ref.module.exports.keys());
      return importFault(
        walk,
        ref.node,
        `Import error: '${missing.text}' is not defined in ${ref.node.path}`,
        near,
      );
    }
    for (const [name, fn] of importedNames(ref.node, ref.module)) {
      if (ref.module === module) continue;
      if (walk.scope.names.has(name)) return importFault(walk, ref.node, collision(name, ref.node.path));
      const binding = new Binding(name, "import", false, walk.fn, walk.takeSlot(), ref.node);
      binding.fn = fn;
      walk.declared.add(name);
      walk.scope.names.set(name, binding);
    }
    return ref;
  });
}

function importFault(
  walk: Walk,
  node: Import,
  error: string | undefined,
  near?: string,
): ModuleInfo["imports"][number] {
  const text = error ?? `Import error: cannot read '${node.path}'`;
  if (text.startsWith("Import error: cannot read") || text.startsWith("Unknown stdlib"))
    walk.module.preflight.push(
      diagnostic("HARN-MOD-001", walk.module.source, node.pathSpan, { path: node.path }),
    );
  else
    walk.module.preflight.push(diagnostic("HARN-MOD-002", walk.module.source, node.pathSpan, { text, near }));
  return { node, module: undefined, error: text };
}

/** Calls of names that exist nowhere in the file are errors, provided that all imports are known (§17.4). */
function reportUnresolved(walk: Walk, interactive: boolean): void {
  const complete = !walk.module.hasOpenImport;
  const missing = walk.module.missingNames;
  if (complete) reportUndefined(walk, interactive);
  for (const { call, at, name, near } of walk.unresolved) {
    if (walk.declared.has(name)) {
      walk.module.lateNames.add(name);
      walk.module.calls.set(call, { ...walk.module.calls.get(call)!, late: true });
    } else if (complete && !missing.has(name) && !mayBeHost(name))
      walk.report("HARN-NAM-002", at, { name, near });
  }
}

/**
 * Names that were read and mean nothing: certain failures, as soon as all imports are known. In an interactive session the
 * variables of a function may be declared by a later input.
 */
function reportUndefined(walk: Walk, interactive: boolean): void {
  // Names of a pattern that cannot be compiled bind nothing.
  if (walk.module.diagnostics.some((one) => one.code === "HARN-CMP-008")) return;
  const missing = walk.module.missingNames;
  for (const { at, fn, name, near } of walk.undefinedNames) {
    if (missing.has(name) || (mayBeHost(name) && name !== "None") || (interactive && fn !== walk.module.main))
      continue;
    const below = walk.module.topLevel.find((one) => one.name === name && (one.at?.start ?? 0) > at.start);
    const line = below?.at === undefined ? undefined : walk.line(below.at);
    walk.report("HARN-NAM-001", at, { name, near, below: line });
  }
}

function mayBeHost(name: string): boolean {
  return name.startsWith("__") || name.startsWith("hostlib_") || ["Ok", "Err", "Some", "None"].includes(name);
}
