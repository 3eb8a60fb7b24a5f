/** The state of one walk over a module: where we are, and how names are declared and used. */
import { type Code, diagnostic, nearest, type ParamsOf } from "../diagnostics/index.ts";
import type { Span } from "../source/index.ts";
import type {
  Block,
  Closure,
  Expr,
  FnDecl,
  Name,
  Node,
  Param,
  Program,
  Statement,
  ToolDecl,
} from "../syntax/index.ts";
import {
  Binding,
  type BindingKind,
  FunctionInfo,
  type FunctionKind,
  type KnownNames,
  type ModuleInfo,
} from "./model.ts";
import { HoistingScope } from "./scope.ts";

/** A call whose target was found nowhere; judged at the end, when all declared names are known. */
export interface UnresolvedCall {
  readonly call: Node;
  readonly at: Span;
  readonly name: string;
  readonly near: string | undefined;
}

/** A name that means nothing where it is read; judged at the end, when it is known what is declared below. */
export interface UndefinedName {
  readonly at: Span;
  /** The function that reads it. */
  readonly fn: FunctionInfo;
  readonly name: string;
  readonly near: string | undefined;
}

export class Walk {
  readonly module: ModuleInfo;
  readonly known: KnownNames;
  fn: FunctionInfo;
  scope: HoistingScope;
  /** Loops of the current function around this place. */
  loops = 0;
  /** `try*` and `return` have a function to act on. */
  inFunction = false;
  /** A `yield` here would be a statement of the function's own body, not part of an expression. */
  yieldPlace = false;
  readonly functions: FunctionInfo[] = [];
  readonly unresolved: UnresolvedCall[] = [];
  readonly undefinedNames: UndefinedName[] = [];
  /** Every name declared anywhere in the file. */
  readonly declared = new Set<string>();
  /** Names that a pipeline takes over from the one that it extends, while one is walked that is not the entry. */
  inherited: ReadonlySet<string> = new Set();

  readonly visit: Visit;

  constructor(module: ModuleInfo, known: KnownNames, main: FunctionInfo, visit: Visit) {
    this.module = module;
    this.visit = visit;
    this.known = known;
    this.fn = main;
    this.scope = new HoistingScope(undefined, main);
  }

  report<C extends Code>(code: C, span: Span, params: ParamsOf<C>): void {
    this.module.diagnostics.push(diagnostic(code, this.module.source, span, params));
  }

  line(span: Span): number {
    return this.module.source.line(span.start);
  }

  /** Runs `body` in a scope of its own; its slots are free again afterwards (unless a `defer` may still read them). */
  scoped(body: () => void): void {
    const outer = this.scope;
    const start = this.fn.next;
    this.scope = new HoistingScope(outer, this.fn);
    body();
    this.scope = outer;
    if (!this.fn.hasDefer) this.fn.next = start;
  }

  /** A new binding in the current scope. `_` never binds. */
  declare(name: Name, kind: BindingKind, mutable: boolean): Binding | undefined {
    if (name.text === "_") return undefined;
    const earlier = this.scope.names.get(name.text);
    if (
      earlier !== undefined &&
      !earlier.mutable &&
      !mutable &&
      (kind === "let" || kind === "fn" || kind === "tool")
    ) {
      this.module.redeclared.set(name, name.text);
      this.report("HARN-NAM-015", name, { name: name.text });
    }
    const hoisted = kind === "fn" ? this.scope.hoisted.get(name.text) : undefined;
    const binding = hoisted?.at === (name as object) ? hoisted : this.newBinding(name, kind, mutable);
    if (binding === undefined) return undefined;
    this.scope.names.set(name.text, binding);
    this.module.bindings.set(name, binding);
    return binding;
  }

  newBinding(name: Name, kind: BindingKind, mutable: boolean): Binding {
    this.declared.add(name.text);
    const binding = new Binding(name.text, kind, mutable, this.fn, this.takeSlot(), name as unknown as Node);
    if (this.scope.parent === undefined) {
      this.module.topLevel.push(binding);
      binding.shared = !this.module.isEntry;
    }
    return binding;
  }

  takeSlot(): number {
    const slot = this.fn.next++;
    if (this.fn.next > this.fn.frameSize) this.fn.frameSize = this.fn.next;
    return slot;
  }

  /** Notes that the current function uses a binding: each function between here and its owner has to capture it. */
  use(binding: Binding): Binding {
    for (let fn: FunctionInfo | undefined = this.fn; fn !== undefined && fn !== binding.owner; fn = fn.parent)
      fn.free.add(binding);
    return binding;
  }

  suggestVariable(name: string): string | undefined {
    return nearest(name, this.candidates());
  }

  private *candidates(): Iterable<string> {
    yield* this.scope.visible();
    yield* this.known.builtins();
    yield* this.known.globals();
    yield* this.module.enums.keys();
    yield* this.module.structs.keys();
  }

  nearestOf(name: string, names: Iterable<string>): string | undefined {
    return nearest(name, names);
  }

  /** For run-time errors: the distances of language.md §7.1. */
  suggestCall(name: string): string | undefined {
    return nearest(name, this.callable());
  }

  /** For the check before the run: a distance of 2 (§17.4). */
  suggestTarget(name: string): string | undefined {
    return nearest(name, this.callable(), 2);
  }

  private *callable(): Iterable<string> {
    yield* this.known.builtins();
    yield* this.module.functions.keys();
    for (const name of this.scope.visible()) if (this.scope.findFunction(name) !== undefined) yield name;
  }

  /** Enters a function: its own frame, scope and rules; `body` walks parameters and statements. */
  enter(
    name: string,
    kind: FunctionKind,
    params: readonly Param[],
    node: FnDecl | Closure | ToolDecl | Block | Program,
    body: (info: FunctionInfo) => void,
    known?: FunctionInfo,
  ): FunctionInfo {
    const info = known ?? new FunctionInfo(name, kind, this.module, this.fn, params, node);
    this.module.fnByNode.set(node, info);
    this.functions.push(info);
    const { fn, scope, loops, inFunction, yieldPlace } = this;
    this.fn = info;
    this.scope = new HoistingScope(scope, info);
    this.loops = 0;
    this.inFunction = true;
    this.yieldPlace = true;
    body(info);
    Object.assign(this, { fn, scope, loops, inFunction, yieldPlace });
    return info;
  }
}

/** The parts of the walk that need each other in a circle; joined in `walk-statements.ts`. */
export interface Visit {
  block(walk: Walk, block: Block): void;
  statements(walk: Walk, statements: readonly Statement[]): void;
  functionBody(walk: Walk, node: Closure): FunctionInfo;
  taskBody(walk: Walk, body: Block, param: Name | undefined): FunctionInfo;
}

/** A literal whose value is known before the run. */
export function isLiteral(node: Expr): boolean {
  return (
    node.kind === "IntLit" ||
    node.kind === "FloatLit" ||
    node.kind === "StringLit" ||
    node.kind === "BoolLit" ||
    node.kind === "NilLit"
  );
}
