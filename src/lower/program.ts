/** Programs (language.md §19, §20.4): compiling an entry file with its imports, and running it. */
import { byFile, type Diagnostic } from "../diagnostics/index.ts";
import {
  ExitProgram,
  exitCodeOf,
  InternalError,
  Interruption,
  notifyPerson,
  ownError,
  type Run,
  type Runtime,
  ScriptClosure,
  Task,
} from "../interp/index.ts";
import {
  type ModuleInfo,
  type ModuleLoader,
  noModules,
  type Parse,
  type ResolvedProgram,
  resolveProgram,
} from "../resolve/index.ts";
import type { SourceFile } from "../source/index.ts";
import type { Item, Statement } from "../syntax/index.ts";
import { isDeclaration } from "../syntax/nodes.ts";
import { type BuiltinTable, hasTrait, type Trait } from "../table/index.ts";
import {
  displayAnyway,
  isErr,
  type MaybePromise,
  payload,
  runtimeError,
  ScriptError,
  type StructType,
  uncaughtText,
  type Value,
} from "../values/index.ts";
import { Coverage } from "./coverage.ts";
import { lowerEvalPack } from "./declarations/declarations.ts";
import { codeOf } from "./declarations/functions.ts";
import { structTypeOf } from "./declarations/structs.ts";
import { catchingExits } from "./expressions/operand.ts";
import { lowerStatements } from "./flow/control.ts";
import { withDefers } from "./flow/deferred.ts";
import { sequence } from "./flow/sequence.ts";
import type { Unit } from "./instance.ts";
import { coreGlobals, type Globals, Instance } from "./instance.ts";
import { lowering } from "./lower.ts";
import { Ctx, type St } from "./node.ts";

interface KnownBuiltin {
  readonly suspends: "never" | "callback" | "may";
  readonly effect: string;
  readonly traits?: readonly Trait[];
}

/** What the compiler asks of a builtin table. */
interface KnownBuiltins {
  get(name: string): KnownBuiltin | undefined;
  keys(): Iterable<string>;
}

export interface CompileOptions {
  readonly builtins: KnownBuiltins;
  /** Parses a file; the place for a cache of syntax trees. */
  readonly parse: Parse;
  /** Where imports come from; without one there are none. */
  readonly loader?: ModuleLoader;
  /** The entry's canonical path, which imports are relative to. Default: its name. */
  readonly path?: string;
  /** Run this pipeline (a test) instead of the default one. */
  readonly pipeline?: string;
  /** An input of an interactive session: a `main` in it is only declared. */
  readonly interactive?: boolean;
  /** More values that every program has (`harness`, `stream`). */
  readonly globals?: Globals;
  /** Count how often each statement runs: `program.coverage`. */
  readonly coverage?: boolean;
  /** The type checker (`types/`), bound to its options; without one, `withFindings` may add its diagnostics later. */
  readonly check?: (program: ResolvedProgram) => readonly Diagnostic[];
}

/** A program ready to run, any number of times. */
export interface ExecutableProgram {
  readonly resolved: ResolvedProgram;
  readonly globals: Globals;
  /** Counters over all runs of the program, when asked for. */
  readonly coverage?: Coverage;
}

export interface Compiled {
  /** Absent when there are errors. */
  readonly program: ExecutableProgram | undefined;
  /** Of the entry file, then of the others, in source order: errors stop the run, of the rest it warns. */
  readonly diagnostics: readonly Diagnostic[];
  /** Imports that lead nowhere, for `check`; a run raises them where the import stands. */
  readonly preflight: readonly Diagnostic[];
  /** What the type checker reads; absent when the entry file does not parse. */
  readonly resolved?: ResolvedProgram;
}

/** A compiled program with more diagnostics of its entry file. An error among them means that it cannot run. */
export function withFindings(compiled: Compiled, findings: readonly Diagnostic[]): Compiled {
  if (findings.length === 0) return compiled;
  const all = [...compiled.diagnostics, ...findings];
  const entry = compiled.resolved?.entry.source;
  const diagnostics = entry === undefined ? all : byFile(all, entry);
  const failed = findings.some((one) => one.severity === "error");
  return { ...compiled, diagnostics, program: failed ? undefined : compiled.program };
}

/** Parses, resolves, and finds everything that can be said before the run. */
export function compileProgram(entry: SourceFile, options: CompileOptions): Compiled {
  const parsed = options.parse(entry);
  if (parsed.diagnostics.some((one) => one.severity === "error"))
    return { program: undefined, diagnostics: parsed.diagnostics, preflight: [] };
  const globals: Globals = new Map([...coreGlobals, ...(options.globals ?? [])]);
  const resolved = resolveProgram(entry, parsed.program, {
    known: {
      suspends: (name) => {
        const spec = options.builtins.get(name);
        if (spec === undefined) return undefined;
        // Effects may have to wait for their turn.
        return spec.effect === "pure" || spec.effect === "state" ? spec.suspends : "may";
      },
      isSpecialForm: (name) => hasTrait(options.builtins.get(name), "specialForm"),
      builtins: () => options.builtins.keys(),
      isGlobal: (name) => globals.has(name),
      globals: () => globals.keys(),
    },
    loader: options.loader ?? noModules,
    parse: options.parse,
    path: options.path ?? entry.name,
    pipeline: options.pipeline,
    interactive: options.interactive === true,
  });
  const diagnostics = byFile([...parsed.diagnostics, ...resolved.diagnostics], entry);
  const failed = diagnostics.some((one) => one.severity === "error");
  const compiled: Compiled = {
    program: failed ? undefined : executable(resolved, globals, options.coverage === true),
    diagnostics,
    preflight: resolved.entry.preflight,
    resolved,
  };
  return options.check === undefined ? compiled : withFindings(compiled, options.check(resolved));
}

function executable(resolved: ResolvedProgram, globals: Globals, coverage: boolean): ExecutableProgram {
  return coverage ? { resolved, globals, coverage: new Coverage(resolved.modules) } : { resolved, globals };
}

/** How a run ended. */
export interface RunOutcome {
  /** What the program returned; nil when it failed. */
  readonly value: Value;
  readonly exitCode: number;
  /** An error that nobody caught, with position, trace and the text of language.md §28.2. */
  readonly error?: { readonly error: ScriptError; readonly text: string };
  /** The run was stopped from outside. */
  readonly interruption?: Interruption;
  /** A bug of ours. */
  readonly internal?: InternalError;
}

export interface RunOptions {
  /** Values of the entry pipeline's parameters, the others stay unknown names; without it the run's arguments, in order. */
  readonly params?: ReadonlyMap<string, Value>;
  /** The program's own task; made when absent. */
  readonly task?: Task;
  /**
   * Called with the entry's top level before anything of it runs. An interactive session puts the struct types of
   * earlier inputs into `structs` and reads the variables out of `frame` when the run is over.
   */
  readonly attach?: (top: {
    readonly module: ModuleInfo;
    readonly frame: readonly unknown[];
    readonly structs: Map<string, StructType>;
  }) => void;
  /** What a run before this one has lowered of the same program. */
  readonly code?: LoweredCode;
}

/**
 * What lowering has made of a program, for one run after another and never for two at once: of many runs of a program the first
 * lowers it. The next one may begin when none of the last one's tasks can go on.
 */
export class LoweredCode {
  private instance: Instance | undefined;

  /** For `runProgram`. */
  instanceFor(runtime: Runtime, program: ExecutableProgram): Instance {
    if (this.instance?.fits(runtime) === true) this.instance.beginAgain(runtime);
    else {
      this.instance = newInstance(runtime, program);
      declareStructs(this.instance, program.resolved.modules);
    }
    return this.instance;
  }
}

/**
 * All struct types of a program in the order of its modules, whichever of them a run lowers: what one run finds by name
 * (`structNamed`) must not depend on the runs before.
 */
function declareStructs(instance: Instance, modules: readonly ModuleInfo[]): void {
  for (const module of modules)
    for (const name of module.structs.keys()) structTypeOf(instance.unitOf(module), name);
}

const newInstance = (runtime: Runtime, { globals, coverage }: ExecutableProgram): Instance =>
  new Instance(runtime, globals, (unit, fn) => new ScriptClosure(codeOf(unit, fn, lowering), []), coverage);

/** Runs a program to its end. Synchronous when nothing in it waits. Never throws. */
export function runProgram(
  runtime: Runtime,
  program: ExecutableProgram,
  options: RunOptions = {},
): MaybePromise<RunOutcome> {
  const task = options.task ?? new Task(runtime, undefined, "task_root", runtime.effects.root);
  const end = (outcome: RunOutcome): RunOutcome => {
    // Requests that it serves from now on, and the next input of a session, are under what it left in force.
    runtime.locals = task.locals;
    task.end();
    return outcome;
  };
  try {
    const instance = options.code?.instanceFor(runtime, program) ?? newInstance(runtime, program);
    runtime.program = loweredProgramName(program.resolved.entry);
    runtime.entry = program.resolved.entry.path;
    runtime.structs = (name, fields) => instance.structNamed(name, fields);
    runtime.names = (trait) =>
      instance.names(trait, () => namesBuiltin(program.resolved.modules, runtime.builtins, trait));
    const result = runEntry(instance, program.resolved.entry, task, options);
    if (!(result instanceof Promise)) return end(finishedProgram(runtime, result as Value));
    return result.then(
      (value) => end(finishedProgram(runtime, value as Value)),
      (error) => end(failedOutcome(runtime, error)),
    );
  } catch (error) {
    return end(failedOutcome(runtime, error));
  }
}

/** Whether a file of the program names a builtin of this trait. */
const namesBuiltin = (modules: readonly ModuleInfo[], builtins: BuiltinTable, trait: Trait): boolean =>
  modules.some(
    ({ calls, refs }) =>
      [...calls.values()].some(({ builtin, name }) => builtin && hasTrait(builtins.get(name), trait)) ||
      [...refs.values()].some((ref) => ref.kind === "builtin" && hasTrait(builtins.get(ref.name), trait)),
  );

/** What files that a program leaves behind are named after. */
function loweredProgramName(entry: ModuleInfo): string {
  if (entry.entry !== undefined) return entry.entry.decl.name.text;
  const file = entry.source.name.replace(/^.*[\\/]/, "").replace(/\.harn$/, "");
  return /^[\w.-]+$/.test(file) ? file : "program";
}

function finishedProgram(runtime: Runtime, value: Value): RunOutcome {
  if (isErr(value)) {
    notifyPerson(runtime, `${displayAnyway(payload(value))}\n`);
    return { value, exitCode: 1 };
  }
  return { value, exitCode: exitCodeOf(value) };
}

function failedOutcome(runtime: Runtime, error: unknown): RunOutcome {
  const own = ownError(error);
  if (own instanceof ExitProgram) return { value: null, exitCode: own.code };
  if (own instanceof ScriptError)
    return { value: null, exitCode: 1, error: { error: own, text: uncaughtText(own) } };
  if (own instanceof Interruption && own.cause instanceof ScriptError)
    return { value: null, exitCode: 124, error: { error: own.cause, text: uncaughtText(own.cause) } };
  if (own instanceof Interruption) return { value: null, exitCode: 1, interruption: own };
  const internal = own instanceof InternalError ? own : new InternalError(own);
  runtime.effects.broke?.(internal);
  return { value: null, exitCode: 1, internal };
}

function runEntry(instance: Instance, module: ModuleInfo, task: Task, options: RunOptions): unknown {
  const unit = instance.unitOf(module);
  instance.started.add(module);
  options.attach?.({ module, frame: unit.frame, structs: unit.structs });
  instance.structs.push(...unit.structs.values());
  unit.frame[0] = task;
  const { entry } = module;
  const inputs = options.params ?? argumentsByName(entry, instance.runtime.args);
  for (const binding of entry?.params ?? []) {
    const input = inputs.get(binding.name);
    if (input !== undefined) unit.frame[binding.slot] = input;
  }
  const imports = runImports(instance, module, task, 0);
  unit.body ??= lowerEntry(unit);
  const { body } = unit;
  const orNil = (result: unknown): unknown => (result === undefined ? null : result);
  const go = (): unknown => {
    const result = body(unit.frame);
    return result instanceof Promise ? result.then(orNil) : orNil(result);
  };
  return imports instanceof Promise ? imports.then(go) : go();
}

/** The entry pipeline's own parameters, in order; those that it inherits have their values by name. */
const argumentsByName = (entry: ModuleInfo["entry"], args: readonly string[]): ReadonlyMap<string, Value> =>
  new Map((entry?.decl.params ?? []).slice(0, args.length).map(({ text }, at) => [text, args[at] as string]));

const moduleStatements = (module: ModuleInfo): Statement[] =>
  module.ast.items.filter((item): item is Exclude<Item, { kind: "Import" }> => item.kind !== "Import");

/** Script form runs everything; pipeline form the variables, the declarations, then the entry's bodies. */
function lowerEntry(unit: Unit): Run {
  const { module } = unit;
  const { main } = module;
  const ctx = new Ctx(unit, main, lowering);
  const { entry } = module;
  const hasPipeline = module.ast.items.some((item) => item.kind === "PipelineDecl");
  const parts: St[] = [];
  if (!hasPipeline) {
    const last = module.mainCall === undefined ? [] : [module.mainCall];
    parts.push(lowerStatements(ctx, [...moduleStatements(module), ...last], "stmt"));
  } else {
    parts.push(lowerTopLevel(ctx, unit));
    const statements = entry?.chain.flatMap((pipeline) => pipeline.body.statements) ?? [];
    parts.push(lowerStatements(ctx, statements, "return"));
  }
  const { run } = sequence(parts);
  return main.hasDefer ? withDefers(run, main.deferSlot) : run;
}

/** Variables in source order, then declarations; of eval packs only the manifest (language.md §19.2). */
function lowerTopLevel(ctx: Ctx, unit: Unit): St {
  const items = moduleStatements(unit.module);
  const lets = items.filter((item) => item.kind === "Let");
  const rest = items.filter((item) => isDeclaration(item) && item.kind !== "EvalPackDecl");
  const packs = items.filter((item) => item.kind === "EvalPackDecl");
  return sequence([
    lowerStatements(ctx, lets, "stmt"),
    lowerStatements(ctx, rest, "stmt"),
    ...packs.map((pack) => catchingExits(ctx, () => lowerEvalPack(ctx, pack, false))),
  ]);
}

/** Each imported module's top level runs once, in the order of imports; a module that is in progress is skipped. */
function runImports(instance: Instance, module: ModuleInfo, task: Task, from: number): unknown {
  for (let i = from; i < module.imports.length; i++) {
    const ref = module.imports[i]!;
    const broken = ref.module?.compileError;
    const fault = ref.error ?? (broken === undefined ? undefined : `Import parse error: ${broken}`);
    if (fault !== undefined || ref.module === undefined) {
      const error = runtimeError(fault ?? `Import error: cannot read '${ref.node.path}'`);
      error.source = module.source;
      error.span = ref.node;
      throw error;
    }
    const waiting = startModule(instance, ref.module, task);
    if (waiting instanceof Promise) return waiting.then(() => runImports(instance, module, task, i + 1));
  }
  return undefined;
}

function startModule(instance: Instance, module: ModuleInfo, task: Task): unknown {
  if (instance.started.has(module)) return undefined;
  instance.started.add(module);
  const unit = instance.unitOf(module);
  unit.frame[0] = task;
  const imports = runImports(instance, module, task, 0);
  unit.body ??= lowerTopLevel(new Ctx(unit, module.main, lowering), unit).run;
  const { body } = unit;
  return imports instanceof Promise ? imports.then(() => body(unit.frame)) : body(unit.frame);
}
