/**
 * What the resolver finds out, as data for lowering, checker and editor: bindings with their slots, functions with their
 * captures, and what each name refers to. The AST itself is never touched.
 */
import type { Diagnostic } from "../diagnostics/index.ts";
import type { SourceFile } from "../source/index.ts";
import type {
  Block,
  Closure,
  EnumDecl,
  Expr,
  FnDecl,
  Import,
  Node,
  Param,
  PipelineDecl,
  Program,
  Return,
  StructDecl,
  ToolDecl,
  TypeAliasDecl,
} from "../syntax/index.ts";

/** Slots 0 and 1 of every frame hold the task and the call depth. */
export const FIRST_SLOT = 2;

export type BindingKind =
  | "let"
  | "var"
  | "param"
  | "loop"
  | "match"
  | "catch"
  | "fn"
  | "tool"
  | "import"
  | "pipe";

/** One declared name. */
export class Binding {
  readonly name: string;
  readonly kind: BindingKind;
  readonly mutable: boolean;
  /** The function whose frame holds it. */
  readonly owner: FunctionInfo;
  readonly slot: number;
  /** Where it was declared. */
  readonly at: Node | undefined;
  /** The function that it names (`fn`, `import`). */
  fn: FunctionInfo | undefined = undefined;
  /** A `let` of a literal: reads become the literal, and no closure has to capture it. */
  constant: Expr | undefined = undefined;
  /** Given another value somewhere: `x = v`. */
  assigned = false;
  /** A function that captures variables and is itself captured: its slot holds a cell, made when its block is entered. */
  cell = false;
  /** Top level of an imported module: lives in the module's frame, shared by reference (language.md §20.4). */
  shared = false;
  /** May be read before it has a value (a pipeline parameter that the host does not give). */
  unset = false;

  constructor(
    name: string,
    kind: BindingKind,
    mutable: boolean,
    owner: FunctionInfo,
    slot: number,
    at: Node | undefined,
  ) {
    this.name = name;
    this.kind = kind;
    this.mutable = mutable;
    this.owner = owner;
    this.slot = slot;
    this.at = at;
  }
}

export type FunctionKind = "fn" | "closure" | "tool" | "body" | "module";

/** A function before it is lowered: frame, captures, and what is known about its calls. */
export class FunctionInfo {
  readonly name: string;
  readonly kind: FunctionKind;
  readonly module: ModuleInfo;
  readonly parent: FunctionInfo | undefined;
  readonly params: readonly Param[];
  readonly node: FnDecl | Closure | ToolDecl | Block | Program;
  /** Slots needed, captures included (they come last). */
  frameSize = FIRST_SLOT;
  /** Outer bindings used here or in functions inside. */
  readonly free = new Set<Binding>();
  /** Set by `captures.ts`: the variables copied in when a closure is made, in slot order from `captureBase`. */
  captures: readonly Binding[] = [];
  captureBase = FIRST_SLOT;
  /** No captures at all: one closure serves the whole run. */
  isStatic = true;
  /** Contains `yield` or `emit` of its own. */
  generator = false;
  /** `defer` statements of its own. */
  defers = 0;
  /** Holds the deferred blocks; -1 without `defer`. */
  deferSlot = -1;
  /** Variables written through: `x[i] = v`, `x.f = v`. */
  readonly written = new Set<Binding>();
  /** Those, and variables that grow their own list, with the slot of their owner token (values/collections/owned-write.ts). */
  readonly tokens = new Map<Binding, number>();
  /** Functions that it calls by name, and whether anything else in it may suspend. */
  readonly callees = new Set<FunctionInfo>();
  suspends = false;
  /** Parameters' bindings in order. */
  paramBindings: Binding[] = [];
  /** Next free slot while resolving. */
  next = FIRST_SLOT;

  constructor(
    name: string,
    kind: FunctionKind,
    module: ModuleInfo,
    parent: FunctionInfo | undefined,
    params: readonly Param[],
    node: FnDecl | Closure | ToolDecl | Block | Program,
  ) {
    this.name = name;
    this.kind = kind;
    this.module = module;
    this.parent = parent;
    this.params = params;
    this.node = node;
  }

  get hasDefer(): boolean {
    return this.defers > 0;
  }

  /** The slot of a binding in this function's own frame. */
  slotOf(binding: Binding): number {
    if (binding.owner === this) return binding.slot;
    return this.captureBase + this.captures.indexOf(binding);
  }
}

/** What an identifier that is no variable stands for. */
export type Ref =
  | Binding
  | { readonly kind: "builtin"; readonly name: string }
  | { readonly kind: "global"; readonly name: string }
  | { readonly kind: "enum"; readonly name: string }
  | { readonly kind: "struct"; readonly name: string }
  | { readonly kind: "alias"; readonly decl: TypeAliasDecl }
  | { readonly kind: "unknown"; readonly name: string; readonly near: string | undefined };

/** How a call of a bare name finds its function (language.md §8.4): the variable if it holds a closure, then the rest. */
export interface CallRef {
  readonly name: string;
  readonly variable: Binding | undefined;
  readonly fn: Binding | undefined;
  readonly struct: StructDecl | undefined;
  readonly builtin: boolean;
  /** Declared somewhere in the file, visible from here only if a caller has it: looked up while running. */
  readonly late: boolean;
  readonly near: string | undefined;
}

/** The entry of a pipeline program: its parents' bodies and its own, in one scope. */
export interface PipelineRef {
  readonly decl: PipelineDecl;
  readonly chain: readonly PipelineDecl[];
  readonly params: readonly Binding[];
}

/** An `import` and where it leads. */
export interface ImportRef {
  readonly node: Import;
  readonly module: ModuleInfo | undefined;
  /** Raised when the import runs: text of a `Runtime error`. */
  readonly error: string | undefined;
}

/** One source file of a program, resolved. */
export class ModuleInfo {
  /** Canonical path; the cache key of the graph. */
  readonly path: string;
  readonly source: SourceFile;
  readonly ast: Program;
  readonly isEntry: boolean;
  imports: ImportRef[] = [];
  /** Of the library that ships with the language: imported as `std/…`, or by such a file. */
  isStandard = false;
  /** Importing this module cannot work: text of the `Import parse error: …`. */
  failure: string | undefined = undefined;
  /** What others get: name to function, re-exports included. */
  readonly exports = new Map<string, FunctionInfo>();
  /** All file-level functions by name (the first declaration of each). */
  readonly functions = new Map<string, FunctionInfo>();
  readonly fnByNode = new Map<Node, FunctionInfo>();
  readonly refs = new Map<Node, Ref>();
  readonly calls = new Map<Node, CallRef>();
  /** Bindings made by a node: patterns, parameters, match arms, `catch`, `for` … keyed by the name's span object. */
  readonly bindings = new Map<object, Binding>();
  /** Loops with a `defer` inside: the slots that each round has for itself, from the first to before the second. */
  readonly deferringLoops = new Map<Node, readonly [number, number]>();
  /** Declarations that must raise "Cannot redeclare" when they run. */
  readonly redeclared = new Map<object, string>();
  /** Pipes whose right side has the placeholder `_`. */
  readonly placeholders = new Map<Node, Binding>();
  /** Slots of `id` and `version` while an eval pack's statements run. */
  readonly packs = new Map<Node, { readonly id: Binding; readonly version: Binding }>();
  readonly structs = new Map<string, StructDecl>();
  readonly enums = new Map<string, EnumDecl>();
  readonly aliases = new Map<string, TypeAliasDecl>();
  /** Names called but found nowhere from the call; those of them that the file declares somewhere are late bound. */
  readonly lateNames = new Set<string>();
  readonly diagnostics: Diagnostic[] = [];
  /** Imports that lead nowhere: `check` reports them; a run raises them where the import stands. */
  readonly preflight: Diagnostic[] = [];
  main!: FunctionInfo;
  entry: PipelineRef | undefined = undefined;
  /** What runs last in an entry file whose entry is `fn main(harness: Harness)`. */
  mainCall: Return | undefined = undefined;
  /** Name bindings of the file's top level, in order. */
  topLevel: Binding[] = [];

  /** Names that imports were to bring which cannot be used: what they are, nobody knows. */
  get missingNames(): ReadonlySet<string> {
    return new Set(
      this.imports.flatMap((ref) =>
        ref.error === undefined ? [] : (ref.node.names ?? []).map(({ text }) => text),
      ),
    );
  }

  /** An import that cannot be used could have brought any name. */
  get hasOpenImport(): boolean {
    return this.imports.some((ref) => ref.error !== undefined && ref.node.names === undefined);
  }

  /** Why the file cannot be compiled, when it cannot (HARN-CMP): importing it raises this. */
  get compileError(): string | undefined {
    return this.diagnostics.find((one) => one.severity === "error" && one.code.startsWith("HARN-CMP"))
      ?.message;
  }

  constructor(path: string, source: SourceFile, ast: Program, isEntry: boolean) {
    this.path = path;
    this.source = source;
    this.ast = ast;
    this.isEntry = isEntry;
  }
}

/** What the early stages know about builtins and globals: they never see the table itself. */
export interface KnownNames {
  /** `undefined`: no builtin of that name. */
  suspends(name: string): "never" | "callback" | "may" | undefined;
  /** A builtin that is recognised by its name before any look-up (language.md §23). */
  isSpecialForm(name: string): boolean;
  builtins(): Iterable<string>;
  /** Values that every program has: `argv`, `pi`, `e`, `harness` … */
  isGlobal(name: string): boolean;
  globals(): Iterable<string>;
}
