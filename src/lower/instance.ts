/** One run of a program: its modules with their frames and functions, and what names outside of them stand for. */
import {
  BuiltinFunction,
  type FunctionCode,
  newFrame,
  type Run,
  type Runtime,
  type ScriptClosure,
  type Task,
} from "../interp/index.ts";
import type { FunctionInfo, ModuleInfo } from "../resolve/index.ts";
import type { Trait } from "../table/index.ts";
import { Callable, Float, List, type MaybePromise, type StructType, type Value } from "../values/index.ts";
import type { Coverage } from "./coverage.ts";
import { constructStruct } from "./declarations/struct-values.ts";
import { undefinedBuiltin } from "./undefined-names.ts";

/** Makes a value that every program has, when it is first read. `waits`: it may have to be waited for. */
export type GlobalMaker = ((runtime: Runtime, task: Task) => MaybePromise<Value>) & { readonly waits?: true };

/** By name. */
export type Globals = ReadonlyMap<string, GlobalMaker>;

/** What the language itself provides. */
export const coreGlobals: Globals = new Map<string, (runtime: Runtime) => Value>([
  ["argv", (runtime) => new List([...runtime.args])],
  ["pi", () => new Float(Math.PI)],
  ["e", () => new Float(Math.E)],
]);

/** A struct's name used as a function. */
class StructConstructor extends Callable {
  readonly name: string;
  readonly params: readonly string[] = [];
  private readonly struct: StructType;

  constructor(struct: StructType) {
    super();
    this.name = struct.name;
    this.struct = struct;
  }
  call(_task: Task, args: readonly Value[]): Value {
    return constructStruct(this.struct, args[0]);
  }
}
Object.defineProperty(StructConstructor.prototype, "type", { value: "builtin" });

export class Instance {
  private current: Runtime;
  /** All struct types made so far. */
  readonly structs: StructType[] = [];
  /** Functions under names that some call finds only while running (language.md §8.3). */
  readonly late = new Map<string, ScriptClosure>();
  /** Modules whose top level has run, or is running. */
  readonly started = new Set<ModuleInfo>();
  /** Counts statements as they run, when that was asked for. */
  readonly coverage: Coverage | undefined;
  private readonly units = new Map<ModuleInfo, Unit>();
  private readonly builtins = new Map<string, BuiltinFunction>();
  private readonly traits = new Map<Trait, boolean>();
  private readonly globals: Globals;
  private readonly globalValues = new Map<string, Value>();
  private readonly staticClosure: (unit: Unit, fn: FunctionInfo) => ScriptClosure;

  constructor(
    runtime: Runtime,
    globals: Globals,
    staticClosure: (unit: Unit, fn: FunctionInfo) => ScriptClosure,
    coverage?: Coverage,
  ) {
    this.coverage = coverage;
    this.current = runtime;
    this.globals = globals;
    this.staticClosure = staticClosure;
  }

  get runtime(): Runtime {
    return this.current;
  }

  /** Whether what was lowered for the last run is right for this one. */
  fits({ builtins, limits }: Runtime): boolean {
    const { current } = this;
    return (
      builtins === current.builtins &&
      limits.depth === current.limits.depth &&
      limits.steps === current.limits.steps
    );
  }

  /** Of the last run nothing is left but what was lowered for it: nodes, functions, struct types without their methods. */
  beginAgain(runtime: Runtime): void {
    this.current = runtime;
    this.late.clear();
    this.started.clear();
    this.globalValues.clear();
    for (const { frame } of this.units.values()) {
      frame.fill(undefined);
      frame[1] = 0;
    }
    for (const type of this.structs) type.methods = new Map();
  }

  /** Whether the program names a builtin of a trait; `look` finds out, once. */
  names(trait: Trait, look: () => boolean): boolean {
    const known = this.traits.get(trait) ?? look();
    this.traits.set(trait, known);
    return known;
  }

  unitOf(module: ModuleInfo): Unit {
    let unit = this.units.get(module);
    if (unit === undefined) {
      // The task is put in when the module's top level runs.
      const frame = newFrame(module.main.frameSize, undefined as unknown as Task, 0);
      unit = {
        instance: this,
        module,
        frame,
        codes: new Map(),
        closures: new Map(),
        structs: new Map(),
        body: undefined,
      };
      this.units.set(module, unit);
    }
    return unit;
  }

  /** A builtin as a value. Raises when the table has none of that name. */
  builtin(name: string): BuiltinFunction {
    let fn = this.builtins.get(name);
    if (fn === undefined) {
      const spec = this.runtime.builtins.get(name);
      if (spec === undefined) throw undefinedBuiltin(name);
      fn = new BuiltinFunction(spec);
      this.builtins.set(name, fn);
    }
    return fn;
  }

  global(name: string, task: Task): MaybePromise<Value> {
    const known = this.globalValues.get(name);
    if (known !== undefined) return known;
    const made = this.globals.get(name)?.(this.runtime, task) ?? null;
    const keep = (value: Value): Value => {
      this.globalValues.set(name, value);
      return value;
    };
    return made instanceof Promise ? made.then(keep) : keep(made);
  }

  /** Whether the first look at a global may have to wait. */
  globalWaits(name: string): boolean {
    return this.globals.get(name)?.waits === true;
  }

  /** The function or builtin of a name given as a string (`v |> "f"`). */
  functionNamed(unit: Unit, name: string): Callable | undefined {
    const late = this.late.get(name);
    if (late !== undefined) return late;
    const fn = unit.module.functions.get(name);
    if (fn?.isStatic === true) return this.staticClosure(unit, fn);
    return this.runtime.builtins.has(name) ? this.builtin(name) : undefined;
  }

  /** The struct type of a value that was stored: by name and fields, whichever module declared it. */
  structNamed(name: string, fields: readonly string[]): StructType | undefined {
    const sameFields = (type: StructType): boolean =>
      type.fields.length === fields.length && type.fields.every((field, i) => field === fields[i]);
    return this.structs.find((type) => type.name === name && sameFields(type));
  }

  structConstructor(type: StructType): Callable {
    return new StructConstructor(type);
  }
}

/** One module of a running program. */
export interface Unit {
  readonly instance: Instance;
  readonly module: ModuleInfo;
  /** The frame of the module's top level: what its functions share, when it is imported. */
  // biome-ignore lint/suspicious/noExplicitAny: a frame, see interp/frame.ts.
  frame: any[];
  readonly codes: Map<FunctionInfo, FunctionCode>;
  readonly closures: Map<FunctionInfo, ScriptClosure>;
  readonly structs: Map<string, StructType>;
  /** Its top level, or of the entry all that it runs; lowered by the first run. */
  body: Run | undefined;
}
