/**
 * Which statements of a program ran (`harn test --coverage`).
 *
 * A statement list that is lowered for a program with coverage gets a counting node before each statement; without
 * coverage nothing is added, so it costs nothing when off. What exists to be run is read off the syntax tree, because
 * functions that are never called are never lowered.
 */
import type { ModuleInfo } from "../resolve/index.ts";
import type { SourceFile } from "../source/index.ts";
import type { Item, Node, Program } from "../syntax/index.ts";

/** One statement and how often it began to run. */
export interface CountedStatement {
  readonly start: number;
  hits: number;
}

export interface CoveredFile {
  /** Canonical path. */
  readonly path: string;
  readonly source: SourceFile;
  readonly ast: Program;
  /** By the offset at which the statement begins, in source order. */
  readonly statements: ReadonlyMap<number, CountedStatement>;
}

/** The counters of one program. */
export class Coverage {
  readonly files: readonly CoveredFile[];
  private readonly byModule = new Map<ModuleInfo, ReadonlyMap<number, CountedStatement>>();

  constructor(modules: readonly ModuleInfo[]) {
    this.files = modules.map((module) => {
      const statements = statementsOf(module.ast);
      this.byModule.set(module, statements);
      return { path: module.path, source: module.source, ast: module.ast, statements };
    });
  }

  /** The counter of a statement; `undefined` for declarations, which have nothing of their own to run. */
  counterOf(module: ModuleInfo, node: Node): CountedStatement | undefined {
    return this.byModule.get(module)?.get(node.start);
  }
}

/** In pipeline form loose top-level statements never run, so nobody can be asked to cover them. */
function statementsOf(ast: Program): Map<number, CountedStatement> {
  const found = new Map<number, CountedStatement>();
  const pipelineForm = ast.items.some((item) => item.kind === "PipelineDecl");
  for (const item of ast.items) {
    if (pipelineForm && !isCoveredLine(item)) continue;
    collectStatements([item], found);
  }
  return found;
}

const isCoveredLine = (item: Item): boolean => item.kind === "Let" || item.kind.endsWith("Decl");

function collectStatements(nodes: readonly Node[], found: Map<number, CountedStatement>): void {
  for (const node of nodes) {
    if (!node.kind.endsWith("Decl") && node.kind !== "Import")
      found.set(node.start, { start: node.start, hits: 0 });
    statementsInside(node, found);
  }
}

/** Statement lists anywhere below: in blocks, closures, declarations, operands. Nesting is bounded by the parser. */
function statementsInside(value: unknown, found: Map<number, CountedStatement>): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const element of value) statementsInside(element, found);
    return;
  }
  for (const [key, part] of Object.entries(value)) {
    if (key === "statements") collectStatements(part as readonly Node[], found);
    else statementsInside(part, found);
  }
}
