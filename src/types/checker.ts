/**
 * The state of one walk over a file: where the walk is, what it knows about variables, and what it has found. The parts
 * that need each other in a circle meet in `visit`.
 */
import { type Code, type Diagnostic, diagnostic, type ParamsOf } from "../diagnostics/index.ts";
import { Binding, type FunctionInfo, type ModuleInfo, type Ref } from "../resolve/index.ts";
import type { SourceFile, Span } from "../source/index.ts";
import type { Block, Expr, Name, Statement } from "../syntax/index.ts";
import {
  type BuiltinSpec,
  type CalledWith,
  type FieldTable,
  parseSignature,
  type Signature,
  tableOf,
} from "../table/index.ts";
import { Flow } from "./flow/flow.ts";
import { typeSignatureOf } from "./model/signature-of.ts";
import { dict, hole, simple, type Type } from "./model/type.ts";
import { type FnSignature, ModuleTypes, type TypeScope } from "./model/type-scope.ts";

/** More findings than this are noise. */
const maxFound = 500;

/** Expressions nested deeper are not judged, so that no text can overflow the stack. */
export const maxDepth = 250;

/** What the checker reads of a builtin's declaration. */
type CheckedBuiltin = Pick<
  BuiltinSpec,
  | "sig"
  | "fields"
  | "refuses"
  | "texts"
  | "resultKeys"
  | "resultTexts"
  | "ownStatesBy"
  | "otherKeys"
  | "calledWith"
  | "traits"
>;

/** What is certainly or nearly certainly wrong, wherever it stands: also in `${…}` and in imported files. */
const everywhere: ReadonlySet<Code> = new Set<Code>([
  "HARN-NAM-004",
  "HARN-NAM-009",
  "HARN-NAM-010",
  "HARN-NAM-011",
  "HARN-NAM-012",
  "HARN-NAM-013",
  "HARN-NAM-014",
  "HARN-NAM-016",
  "HARN-NAM-017",
  "HARN-NAM-018",
  "HARN-NAM-019",
  "HARN-NAM-020",
  "HARN-ORC-001",
  "HARN-ORC-002",
  "HARN-ORC-003",
  "HARN-ORC-004",
  "HARN-ORC-005",
  "HARN-ORC-006",
  "HARN-ORC-014",
  "HARN-ORC-015",
  "HARN-OWN-002",
  "HARN-OWN-004",
  "HARN-STD-003",
  "HARN-STD-004",
  "HARN-STD-005",
  "HARN-OPT-001",
  "HARN-OPT-002",
  "HARN-OPT-003",
  "HARN-OPT-005",
  "HARN-OPT-006",
  "HARN-OPT-007",
  "HARN-TYP-026",
  "HARN-TYP-027",
  "HARN-TYP-028",
  "HARN-TYP-029",
  "HARN-TYP-030",
]);

export interface CheckOptions {
  /** The signature texts of all builtins. */
  readonly builtins: { get(name: string): CheckedBuiltin | undefined };
  /** Members of the namespaces that every program can name (`stream`, `harness.fs`), and the names of all builtins. */
  readonly members?: {
    readonly namespaces: ReadonlyMap<string, readonly string[]>;
    builtinNames(): Iterable<string>;
  };
  /** Judge the keys of literal dicts that are given as options too. A run does that itself, when it comes there. */
  readonly fields?: boolean;
  /** The checks of language.md §17.6 (end) and §17.8 too, and types for the file's own variables. */
  readonly strict?: boolean;
}

export interface Variable {
  /** What assignments must fit. */
  declared: Type;
  readonly annotated: boolean;
  /** Began as `nil` without annotation: the first other value decides its type. */
  isInferred: boolean;
  /** The builtin whose unvalidated answer it holds. */
  readonly boundary?: string | undefined;
}

/** The function that is being checked. */
export interface FunctionContext {
  readonly info: FunctionInfo | undefined;
  /** What `return` must give; `undefined`: anything. */
  readonly returns: Type | undefined;
  /** What `emit` must give. */
  readonly emits: Type | undefined;
  /** A plain function with `yield` and no declared result. */
  readonly generator: boolean;
}

export interface BlockResult {
  /** Of the last expression statement; nil without one. */
  readonly type: Type;
  /** Control never reaches the end. */
  readonly exits: boolean;
}

export interface BlockOptions {
  /** `return` here is judged (language.md §17.3: top-level statements of a function, and inside its `if`/`else`). */
  readonly returns?: boolean;
}

/** The parts of the checker that need each other in a circle; joined in `flow/statements.ts`. */
export interface CheckVisit {
  infer(c: Checker, node: Expr): Type;
  block(c: Checker, block: Block, options?: BlockOptions): BlockResult;
  statements(c: Checker, statements: readonly Statement[], options?: BlockOptions): BlockResult;
}

/** The files of a program, as far as the checker has looked at them. */
export class TypeWorld {
  private readonly files = new Map<ModuleInfo, ModuleTypes>();

  typesOf = (info: ModuleInfo): ModuleTypes => {
    let types = this.files.get(info);
    if (types === undefined) {
      types = new ModuleTypes(info, this.typesOf);
      this.files.set(info, types);
    }
    return types;
  };
}

export class Checker {
  readonly module: ModuleInfo;
  readonly source: SourceFile;
  readonly world = new TypeWorld();
  readonly types: ModuleTypes;
  readonly strict: boolean;
  readonly visit: CheckVisit;
  private readonly builtins: CheckOptions["builtins"];
  readonly members: CheckOptions["members"];
  readonly vars = new Map<Binding, Variable>();
  /** What bindings that are never assigned to began as. */
  readonly initial = new Map<Binding, Expr>();
  /** Parameters of functions that are handed to a builtin, which calls them with a dict that is known. */
  readonly calledWith = new Map<Binding, { readonly by: string; readonly dict: CalledWith }>();
  private readonly judgesFields: boolean;
  readonly found: Diagnostic[] = [];
  scope: TypeScope;
  flow = new Flow();
  fn: FunctionContext = { info: undefined, returns: undefined, emits: undefined, generator: false };
  depth = 0;
  /** Names of local variables mean nothing (language.md §17.3, `return`). */
  localsHidden = false;
  private silent = 0;
  private holes = 0;
  private readonly untyped: ReadonlySet<Binding>;
  private readonly written: ReadonlySet<Binding>;
  private readonly scopes = new Map<FunctionInfo, TypeScope>();

  constructor(module: ModuleInfo, options: CheckOptions, visit: CheckVisit) {
    this.module = module;
    this.visit = visit;
    this.source = module.source;
    this.types = this.world.typesOf(module);
    this.scope = this.types.scope;
    this.strict = options.strict === true;
    this.builtins = options.builtins;
    this.members = options.members;
    this.judgesFields = options.fields === true;
    const written = new Set<Binding>();
    for (const fn of [module.main, ...module.fnByNode.values()])
      for (const binding of fn.written) written.add(binding);
    this.untyped = new Set(
      this.strict
        ? []
        : module.topLevel.filter(
            (binding) => binding.kind === "var" && (binding.assigned || written.has(binding)),
          ),
    );
    this.written = written;
  }

  report<C extends Code>(code: C, span: Span, params: ParamsOf<C>): void {
    if (this.silent > 0 || this.found.length >= maxFound) return;
    if ((this.holes > 0 || !this.module.isEntry) && !everywhere.has(code)) return;
    this.found.push(diagnostic(code, this.source, span, params));
  }

  /** Runs without reporting. */
  quietly<T>(body: () => T): T {
    this.silent++;
    const result = body();
    this.silent--;
    return result;
  }

  /** Runs with a flow of its own and gives the flow at its end. */
  inFlow(flow: Flow, body: () => void): Flow {
    const outer = this.flow;
    this.flow = flow;
    body();
    const end = this.flow;
    this.flow = outer;
    return end;
  }

  /** Runs inside `${…}`, where only mistakes are reported that have nothing to do with the types of values. */
  inHole(body: () => void): void {
    if (!this.strict) this.holes++;
    body();
    if (!this.strict) this.holes--;
  }

  /** Runs in another type scope. */
  inScope<T>(scope: TypeScope, body: () => T): T {
    const outer = this.scope;
    this.scope = scope;
    const result = body();
    this.scope = outer;
    return result;
  }

  inFunction(fn: FunctionContext, flow: Flow, body: () => void): void {
    const outer = this.fn;
    this.fn = fn;
    this.inFlow(flow, body);
    this.fn = outer;
  }

  bindingOf(name: Name | Expr): Binding | undefined {
    return this.module.bindings.get(name);
  }

  /** The variable that an expression is, if it is one. */
  variableOf(node: Expr): Binding | undefined {
    if (node.kind !== "Identifier") return undefined;
    const ref = this.module.refs.get(node);
    return ref instanceof Binding && ref.fn === undefined ? ref : undefined;
  }

  declare(
    name: Name,
    type: Type,
    more: { readonly annotated?: boolean; readonly boundary?: string | undefined } = {},
  ): void {
    const binding = this.bindingOf(name);
    if (binding === undefined || this.untyped.has(binding)) return;
    const changes = this.written.has(binding) || binding.assigned;
    const declared = more.annotated === true || !changes ? type : loose(type);
    this.vars.set(binding, {
      declared,
      annotated: more.annotated === true,
      isInferred: binding.kind === "var" && more.annotated !== true && isNil(type),
      boundary: more.boundary,
    });
  }

  /** Remembers what a variable that nobody writes to holds. */
  begins(name: Name, value: Expr): void {
    const binding = this.bindingOf(name);
    if (binding !== undefined && !this.written.has(binding)) this.initial.set(binding, value);
  }

  /**
   * What an expression certainly is. Variables at the top of a file have no type (§17.1); one that nobody writes to is still what
   * it began as.
   */
  certainType(node: Expr, inferred: Type): Type {
    if (inferred.kind !== "hole") return inferred;
    const variable = this.variableOf(node);
    const began = variable === undefined || variable.assigned ? undefined : this.initial.get(variable);
    return began === undefined ? inferred : this.quietly(() => this.visit.infer(this, began));
  }

  /** What a variable may hold here. */
  typeOfVariable(binding: Binding): Type {
    if (this.localsHidden && binding.kind !== "param") return hole;
    const variable = this.vars.get(binding);
    const narrowed = this.flow.get(binding);
    if (narrowed !== undefined) return narrowed;
    return variable === undefined || variable.isInferred ? hole : variable.declared;
  }

  /** Remembers in which scope the functions of a statement list stand: calls may come before the declaration. */
  hoist(statements: readonly Statement[]): void {
    // What is not noted stands at the top of its file.
    if (this.scope === this.types.scope) return;
    for (const node of statements) {
      if (node.kind !== "FnDecl") continue;
      const info = this.module.fnByNode.get(node);
      if (info !== undefined) this.scopes.set(info, this.scope);
    }
  }

  builtinSpec(name: string): CheckedBuiltin | undefined {
    return this.builtins.get(name);
  }

  hasBuiltin(name: string): boolean {
    return this.builtins.get(name) !== undefined;
  }

  /** The signature of a builtin; read when it is first called. */
  builtin(name: string): Signature | undefined {
    const spec = this.builtins.get(name);
    return spec === undefined ? undefined : parseSignature(spec.sig);
  }

  /** Rows of a parameter, whether or not options are judged. */
  fieldsOf(name: string, param: string): FieldTable | undefined {
    return tableOf(this.builtins.get(name)?.fields?.[param]);
  }

  /** The declaration of a builtin with rows, where options are judged. */
  builtinWithFields(name: string): CheckedBuiltin | undefined {
    const spec = this.judgesFields ? this.builtins.get(name) : undefined;
    return spec?.fields === undefined ? undefined : spec;
  }

  /** The signature of a declared function, here or in another file. */
  signature(info: FunctionInfo): FnSignature | undefined {
    const { node } = info;
    if (node.kind !== "FnDecl") return undefined;
    const scope = this.scopes.get(info) ?? this.world.typesOf(info.module).scope;
    return typeSignatureOf(node, scope);
  }
}

const isNil = (type: Type): boolean => type.kind === "name" && type.name === "nil";

/** A collection that is written into keeps its kind, but its parts may become anything. */
function loose(type: Type): Type {
  if (type.kind === "shape") return dict;
  if (type.kind === "name" && (type.name === "list" || type.name === "dict") && type.args.length > 0)
    return simple(type.name);
  return type;
}

/** The name is an enum's, not a variable's. */
export const isEnumRef = (ref: Ref | undefined): ref is Ref & { kind: "enum"; name: string } =>
  ref !== undefined && !(ref instanceof Binding) && ref.kind === "enum";
