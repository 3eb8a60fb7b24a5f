/**
 * An interactive session: inputs that see each other's variables, functions, types and imports.
 *
 * Variables are kept as values between inputs and handed to the next one (`program-text.ts`); functions and types are
 * kept as syntax, so a function calls the newest version of another one and reads the newest value of a variable, as if
 * the file had been edited. A name may be declared again at any time. Nothing of an earlier input runs twice.
 */
import type { Diagnostic } from "../../diagnostics/index.ts";
import {
  type Compiled,
  compileProgram,
  type ExecutableProgram,
  type GlobalMaker,
  type Globals,
  type RunOptions,
  type RunOutcome,
} from "../../lower/index.ts";
import type { ModuleLoader, Parse } from "../../resolve/index.ts";
import { SourceFile, type Span } from "../../source/index.ts";
import type { Import, Item, Let, Program, TypeExpr } from "../../syntax/index.ts";
import type { BuiltinTable } from "../../table/index.ts";
import { showType, typeChecker, variableType } from "../../types/index.ts";
import {
  Dict,
  EnumValue,
  Float,
  List,
  type StructType,
  StructValue,
  typeOf,
  type Value,
} from "../../values/index.ts";
import {
  doneName,
  globalName,
  identifier,
  isKept,
  letOf,
  patternNames,
  programOf,
  type ReplDeclaration,
  realName,
  registered,
  valueName,
  withFreshNames,
} from "./program-text.ts";
import { Transcript } from "./transcript.ts";

/** Elements looked at; a longer list says nothing about the rest. */
const SAMPLE = 200;
const maxDepth = 4;
const plain = new Set(["string", "bool", "duration", "bytes", "set", "range"]);

/** `undefined` where the language has no words for it: then nothing is said about the variable. */
function typeOfValue(value: Value, at: Span, depth = 0): TypeExpr | undefined {
  const named = (name: string, args: readonly TypeExpr[] = []): TypeExpr => ({
    kind: "NamedType",
    name: { text: name, ...at },
    args,
    ...at,
  });
  if (typeof value === "number" || typeof value === "bigint") return named("int");
  if (value instanceof Float) return named("float");
  if (value instanceof StructValue) return named(value.struct.name);
  if (value instanceof EnumValue) return named(value.enumName);
  if (value instanceof List) {
    const element = depth < maxDepth ? elementType(value, at, depth + 1) : undefined;
    return named("list", element === undefined ? [] : [element]);
  }
  if (value instanceof Dict && depth < maxDepth && value.keys().length <= SAMPLE) {
    const keys = value.keys();
    const types = value.sortedValues().map((part) => typeOfValue(part, at, depth + 1));
    if (keys.length > 0 && keys.every((key) => /^[A-Za-z_]\w*$/.test(key)) && types.every(Boolean))
      return {
        kind: "ShapeType",
        fields: keys.map((key, i) => ({ name: { text: key, ...at }, optional: false, type: types[i]! })),
        ...at,
      };
    return named("dict");
  }
  const name = typeOf(value);
  return plain.has(name) ? named(name) : undefined;
}

/** The one type of all elements, told apart by how they are written. */
function elementType(list: List, at: Span, depth: number): TypeExpr | undefined {
  if (list.length === 0 || list.length > SAMPLE) return undefined;
  const types = [...list].map((element) => typeOfValue(element, at, depth));
  const [first] = types;
  const text = JSON.stringify(first);
  return types.every((type) => JSON.stringify(type) === text) ? first : undefined;
}

interface SessionVariable {
  readonly value: Value;
  readonly mutable: boolean;
}

export interface ReplPorts {
  readonly builtins: BuiltinTable;
  readonly globals: Globals;
  readonly parse: Parse;
  readonly loader: ModuleLoader;
  /** Runs a program to whatever end; `undefined`: it was interrupted and had to be given up. */
  run(program: ExecutableProgram, options: RunOptions): Promise<RunOutcome | undefined>;
}

/** What became of an input. */
export type Evaluation =
  | { readonly kind: "incomplete" }
  | { readonly kind: "refused"; readonly diagnostics: readonly Diagnostic[] }
  /** `exit(n)` was called. */
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly outcome: RunOutcome }
  | {
      readonly kind: "done";
      /** Of the last statement, when it is an expression. */
      readonly value: Value | undefined;
      /** The last statement is a call: its nil is no news. */
      readonly isCall: boolean;
      readonly notes: readonly string[];
    };

export interface InputOptions {
  /** What messages call it. */
  readonly name: string;
  /** The canonical path that its imports are relative to. */
  readonly path: string;
  /** Nothing follows: an incomplete input is an error. */
  readonly last: boolean;
}

/** A kept declaration's place in the table: functions and types have names of their own. */
const keyOf = (item: ReplDeclaration): string =>
  item.kind === "FnDecl"
    ? `fn ${item.name.text}`
    : item.kind === "ImplDecl"
      ? `impl ${item.target.text} ${item.start}`
      : `type ${item.name.text}`;

export class Session {
  readonly transcript = new Transcript();
  readonly variables = new Map<string, SessionVariable>();
  private readonly kept = new Map<string, ReplDeclaration>();
  private readonly structs = new Map<string, StructType>();
  private readonly ports: ReplPorts;

  constructor(ports: ReplPorts) {
    this.ports = ports;
  }

  /** Declarations of functions and types, in the order in which they were made. */
  declarations(): readonly ReplDeclaration[] {
    return [...this.kept.values()];
  }

  declaration(name: string): ReplDeclaration | undefined {
    return this.kept.get(`fn ${name}`) ?? this.kept.get(`type ${name}`);
  }

  /** Compiles and runs an input, and keeps what it declares. */
  async evaluate(text: string, options: InputOptions): Promise<Evaluation> {
    const padded = this.transcript.padded(text);
    const { program, diagnostics } = this.ports.parse(padded);
    if (diagnostics.some((one) => one.severity === "error")) {
      if (!options.last && needsMore(diagnostics, padded.text)) return { kind: "incomplete" };
      // Texts of syntax errors name places: those of the input by itself.
      const own = this.ports.parse(new SourceFile(options.name, text));
      return { kind: "refused", diagnostics: own.diagnostics };
    }
    const source = this.transcript.add(options.name, text);
    return new Input(this, this.ports, source, options, program).evaluate();
  }

  /**
   * The static type of an expression, which is not run: `any` when nothing can be said before a run. Without a type
   * `diagnostics` say why; when there are none, the text is no expression.
   */
  typeOf(text: string): { readonly type: string | undefined; readonly diagnostics: readonly Diagnostic[] } {
    const source = this.transcript.padded(text);
    const own = new SourceFile("<:type>", text);
    const refused = (found: readonly Diagnostic[]) => ({
      type: undefined,
      diagnostics: found
        .filter((one) => one.severity === "error")
        .map((one) => this.transcript.diagnostic(one, own)),
    });
    const parsed = this.ports.parse(source);
    if (parsed.diagnostics.some((one) => one.severity === "error"))
      return refused(this.ports.parse(own).diagnostics);
    const last = parsed.program.items.at(-1);
    if (last?.kind !== "ExprStatement") return { type: undefined, diagnostics: [] };
    const start = parsed.program.items[0]!.start;
    const items = [
      ...this.preamble(start, true),
      ...this.declarations(),
      ...parsed.program.items.slice(0, -1),
      letOf(valueName, last.expr),
    ];
    const compiled = this.compile(source, programOf(items, source.text.length), "<:type>");
    const found = refused(compiled.diagnostics.filter((one) => one.span.start >= start));
    if (compiled.resolved === undefined || found.diagnostics.length > 0) return found;
    const type = variableType(compiled.resolved, valueName, { builtins: this.ports.builtins });
    return { type: type === undefined ? "any" : showType(type), diagnostics: [] };
  }

  /** The variables as bindings at the head of a program; `typed`: with the types that their values have now. */
  preamble(start: number, typed = false): Let[] {
    const at = { start, end: start };
    return [...this.variables].map(([name, { mutable, value }]) => {
      const node = letOf(name, identifier(globalName(name), at), mutable);
      const type = typed ? typeOfValue(value, at) : undefined;
      return type === undefined ? node : { ...node, type };
    });
  }

  /** Compiles a program whose entry is `source`; the parser is asked for imports only. */
  compile(source: SourceFile, program: Program, path: string): Compiled {
    const globals = new Map<string, GlobalMaker>([...this.ports.globals, [globalName(doneName), () => true]]);
    for (const [name, { value }] of this.variables) globals.set(globalName(name), () => value);
    return compileProgram(source, {
      builtins: this.ports.builtins,
      loader: this.ports.loader,
      path,
      globals,
      interactive: true,
      parse: (file) => (file === source ? { program, diagnostics: [] } : this.ports.parse(file)),
      check: typeChecker({ builtins: this.ports.builtins }),
    });
  }

  /** Takes a declaration over; what had its name before is gone. */
  keep(item: ReplDeclaration): void {
    if (item.kind === "FnDecl") this.variables.delete(item.name.text);
    if (item.kind === "StructDecl" || item.kind === "EnumDecl") {
      this.structs.delete(item.name.text);
      for (const [key, other] of this.kept)
        if (other.kind === "ImplDecl" && other.target.text === item.name.text) this.kept.delete(key);
    }
    const key = keyOf(item);
    this.kept.delete(key);
    this.kept.set(key, item);
  }

  /** Takes a variable over. */
  bind(name: string, variable: SessionVariable): void {
    this.kept.delete(`fn ${name}`);
    this.variables.set(name, variable);
  }

  isFunction(name: string): boolean {
    return this.kept.has(`fn ${name}`);
  }

  /** Gives up declarations in which errors were found; their names. */
  forget(spans: readonly Span[]): string[] {
    const names: string[] = [];
    for (const [key, item] of this.kept) {
      if (!spans.some((span) => item.start <= span.start && span.start < item.end)) continue;
      this.kept.delete(key);
      names.push(item.kind === "ImplDecl" ? `impl ${item.target.text}` : item.name.text);
    }
    return names;
  }

  /** What an input that is refused has to leave as it was; gives the function that puts it back. */
  savepoint(): () => void {
    const tables = [this.kept, this.variables, this.structs] as Map<string, unknown>[];
    const before = tables.map((table) => [...table]);
    return () => {
      for (const [i, table] of tables.entries()) {
        table.clear();
        for (const [key, value] of before[i]!) table.set(key, value);
      }
    };
  }

  /** For `attach` of a run: the struct types that exist already, by declaration. */
  shareStructs(types: Map<string, StructType>): void {
    for (const [name, type] of this.structs) types.set(name, type);
  }
  takeStructs(types: ReadonlyMap<string, StructType>): void {
    for (const [name, type] of types) if (this.kept.has(`type ${name}`)) this.structs.set(name, type);
  }
}

/** One stretch of statements that can be compiled together. */
interface Stretch {
  readonly items: Item[];
  readonly isImport: boolean;
}

/** What a run left behind. */
interface Ran {
  readonly evaluation: Evaluation | undefined;
  readonly value: Value | undefined;
}

class Input {
  private readonly session: Session;
  private readonly ports: ReplPorts;
  private readonly source: SourceFile;
  private readonly options: InputOptions;
  private readonly items: readonly Item[];
  private readonly start: number;
  private readonly notes: string[] = [];

  constructor(
    session: Session,
    ports: ReplPorts,
    source: SourceFile,
    options: InputOptions,
    program: Program,
  ) {
    this.session = session;
    this.ports = ports;
    this.source = source;
    this.options = options;
    this.items = program.items;
    this.start = program.items[0]?.start ?? source.text.length;
  }

  async evaluate(): Promise<Evaluation> {
    const undo = this.session.savepoint();
    for (const item of this.items) if (isKept(item)) this.session.keep(item);
    const pipelines = this.items.filter(
      (item) => item.kind === "PipelineDecl" || item.kind === "OverrideDecl",
    );
    if (pipelines.length > 0)
      this.notes.push("pipelines are not run here: `harn run FILE` runs a file's default pipeline");
    const rest = this.items.filter((item) => !isKept(item) && !pipelines.includes(item as never));
    let value: Value | undefined;
    let count = 0;
    for (const { items, isImport } of this.stretches(rest)) {
      const ran = isImport ? await this.runImports(items as Import[]) : await this.run(items);
      if (ran.evaluation !== undefined) {
        if (ran.evaluation.kind === "refused" && count === 0) undo();
        return ran.evaluation;
      }
      count++;
      value = ran.value;
    }
    for (const item of rest) if (item.kind === "FnDecl") this.session.keep(registered(item));
    return { kind: "done", value, isCall: this.endsInCall(), notes: this.notes };
  }

  /**
   * A binding of a name that exists already ends its stretch: until then the old one is meant. Each stretch is worked out
   * when the ones before it have run and their names are known. Without statements there is one empty stretch, because
   * declarations have to be checked too.
   */
  private *stretches(items: readonly Item[]): Generator<Stretch> {
    let open: Item[] = [];
    let declared = new Set<string>();
    for (const item of items) {
      const names = item.kind === "Let" ? patternNames(item.pattern).map((name) => name.text) : [];
      if (open.length > 0 && (item.kind === "Import" || names.some((name) => declared.has(name)))) {
        yield { items: open, isImport: false };
        open = [];
        declared = new Set();
      }
      if (item.kind === "Import") yield { items: [item], isImport: true };
      else if (item.kind === "Let" && names.some((name) => this.exists(name))) {
        yield { items: [...open, withFreshNames(item)], isImport: false };
        open = [];
        declared = new Set();
      } else {
        open.push(item);
        for (const name of names) declared.add(name);
      }
    }
    if (open.length > 0 || items.length === 0) yield { items: open, isImport: false };
  }

  private exists(name: string): boolean {
    return this.session.variables.has(name) || this.session.isFunction(name);
  }

  private endsInCall(): boolean {
    const last = this.items.at(-1);
    return (
      last?.kind === "ExprStatement" &&
      ["Call", "MethodCall", "Pipe", "If", "Match", "Try"].includes(last.expr.kind)
    );
  }

  /** Imports run alone: a module's top level must run once, not with every later input. */
  private async runImports(imports: readonly Import[]): Promise<Ran> {
    const first = this.compile(imports);
    if (first.program === undefined) return this.refused(first.diagnostics);
    const names = first.program.resolved.entry.imports.flatMap(({ node, module }) =>
      module === undefined ? [] : (node.names?.map((name) => name.text) ?? [...module.exports.keys()]),
    );
    const at = imports[0]!;
    const items = [...imports, ...names.map((name) => letOf(globalName(name), identifier(name, at)))];
    return this.execute(items, [], false);
  }

  private async run(items: readonly Item[]): Promise<Ran> {
    const last = items.at(-1);
    const isValue = last?.kind === "ExprStatement" && last === this.items.at(-1);
    const body = isValue
      ? [...items.slice(0, -1), letOf(valueName, (last as { expr: Let["value"] }).expr)]
      : items;
    // A `tool`, `skill` or function with attributes is declared anew.
    for (const item of items) if ("name" in item && typeof item.name === "object") this.drop(item.name.text);
    return this.execute(body, [...this.session.preamble(this.start), ...this.session.declarations()], true);
  }

  private drop(name: string): void {
    this.session.variables.delete(name);
    this.session.forget(
      [this.session.declaration(name)].filter((one) => one !== undefined && one.kind === "FnDecl") as Span[],
    );
  }

  private async execute(body: readonly Item[], before: readonly Item[], retry: boolean): Promise<Ran> {
    const at = { start: this.source.text.length, end: this.source.text.length };
    const compiled = this.compile([
      ...before,
      ...body,
      letOf(doneName, identifier(globalName(doneName), at)),
    ]);
    if (compiled.program === undefined) return this.refusedBy(compiled.diagnostics, body, retry);
    let top: Parameters<NonNullable<RunOptions["attach"]>>[0] | undefined;
    const outcome = await this.ports.run(compiled.program, {
      attach: (attached) => {
        top = attached;
        this.session.shareStructs(attached.structs as Map<string, StructType>);
      },
    });
    if (top === undefined) {
      const evaluation: Evaluation =
        outcome === undefined ? { kind: "interrupted" } : { kind: "failed", outcome };
      return { evaluation, value: undefined };
    }
    const values = this.takeOver(top);
    this.session.takeStructs(top.structs);
    if (outcome === undefined || outcome.interruption !== undefined)
      return { evaluation: { kind: "interrupted" }, value: undefined };
    if (outcome.error !== undefined || outcome.internal !== undefined)
      return { evaluation: { kind: "failed", outcome }, value: undefined };
    if (!values.has(doneName) && outcome.value === null)
      return { evaluation: { kind: "exit", code: outcome.exitCode }, value: undefined };
    return { evaluation: undefined, value: values.get(valueName) };
  }

  /** The names bound at the end of a run, with their values; the session keeps them. */
  private takeOver(top: Parameters<NonNullable<RunOptions["attach"]>>[0]): Map<string, Value> {
    const values = new Map<string, Value>();
    for (const { name, slot, mutable, fn, kind } of top.module.topLevel) {
      const value = top.frame[slot] as Value | undefined;
      if (value === undefined || kind === "fn" || fn !== undefined) continue;
      values.set(name, value);
      if (name === valueName || name === doneName) continue;
      const imported = name.startsWith("\u0000") && realName(name) === undefined;
      this.session.bind(realName(name) ?? (imported ? name.slice(1) : name), { value, mutable });
    }
    return values;
  }

  private compile(items: readonly Item[]): Compiled {
    const program = programOf(items, this.source.text.length);
    return this.session.compile(this.source, program, this.options.path);
  }

  private refused(diagnostics: readonly Diagnostic[]): Ran {
    const shown = diagnostics
      .filter((one) => one.severity === "error")
      .map((one) => this.session.transcript.diagnostic(one));
    return { evaluation: { kind: "refused", diagnostics: shown }, value: undefined };
  }

  /** An older declaration may not fit what was declared since: then it has to go, or nothing could be entered any more. */
  private async refusedBy(
    diagnostics: readonly Diagnostic[],
    body: readonly Item[],
    retry: boolean,
  ): Promise<Ran> {
    const errors = diagnostics.filter((one) => one.severity === "error");
    const old = errors.filter((one) => one.span.start < this.start);
    if (!retry || old.length === 0 || old.length < errors.length) return this.refused(diagnostics);
    const names = this.session.forget(old.map((one) => one.span));
    if (names.length === 0) return this.refused(diagnostics);
    this.notes.push(`forgotten, because it no longer fits: ${names.join(", ")} (${old[0]!.message})`);
    return this.execute(body, [...this.session.preamble(this.start), ...this.session.declarations()], true);
  }
}

/** An operand, a closer or a name is missing at the end; a comment is open. */
const unfinished = new Set(["HARN-PAR-002", "HARN-PAR-005"]);
/** A string that may go on on the next line; a plain one has to end on its own. */
const longString = /^(?:"""|r#+")/;

/** True when more text may repair the first error. Offsets are those of `text`. */
function needsMore(diagnostics: readonly Diagnostic[], text: string): boolean {
  const first = diagnostics.find((one) => one.severity === "error");
  if (first === undefined) return false;
  if (unfinished.has(first.code)) return true;
  return first.code === "HARN-PAR-004" && longString.test(text.slice(first.span.start));
}
