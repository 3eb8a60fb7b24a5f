/**
 * Functions of the runtime as callables. Builtins: the one place where the table's effect classes meet the effects port. And those
 * that are handed to scripts as values: `next` of middleware and the like.
 */
import { type Json, shape } from "../effects/index.ts";
import {
  type BuiltinSpec,
  type CheckedParam,
  checkedParams,
  checkFieldArguments,
  hasTrait,
  nilIsDefault,
} from "../table/index.ts";
import {
  always,
  Callable,
  displayAnyway,
  encodeValue,
  type MaybePromise,
  type Value,
} from "../values/index.ts";
import { aboutSecrets, isFact } from "./secret-facts.ts";
import type { Task } from "./task.ts";

export class BuiltinFunction extends Callable {
  declare readonly type: "builtin";
  readonly spec: BuiltinSpec;
  /** Nothing about a call is journalled here. */
  readonly direct: boolean;
  /** It may say something about a secret. */
  readonly fact: boolean;
  /** `run` may be called as it is: direct, and no argument has rows. */
  readonly plain: boolean;
  /** Made at the first call. */
  private checked: readonly CheckedParam[] | undefined;
  /** By position: an explicit nil there means the default. Made at the first nil. */
  private omissible: readonly boolean[] | undefined;

  constructor(spec: BuiltinSpec) {
    super();
    this.spec = spec;
    this.fact = isFact(spec);
    this.direct = spec.performs === true || spec.effect === "pure" || spec.effect === "state";
    if (spec.fields === undefined || spec.readsFields === true) this.checked = [];
    this.plain = this.direct && this.checked !== undefined;
  }

  get name(): string {
    return this.spec.name;
  }
  get params(): readonly string[] {
    return [];
  }

  call(task: Task, args: readonly Value[]): MaybePromise<Value> {
    return this.plain && !this.fact && !args.includes(null)
      ? this.spec.run(task, ...args)
      : this.perform(task, args);
  }
  override call1(task: Task, a: Value): MaybePromise<Value> {
    return this.plain && !this.fact && a !== null ? this.spec.run(task, a) : this.perform(task, [a]);
  }
  override call2(task: Task, a: Value, b: Value): MaybePromise<Value> {
    return this.plain && !this.fact && a !== null && b !== null
      ? this.spec.run(task, a, b)
      : this.perform(task, [a, b]);
  }

  /** Whether an explicit nil at a position means what leaving that argument out means. */
  omits(index: number): boolean {
    this.omissible ??= nilIsDefault(this.spec.sig);
    return this.omissible[index] === true;
  }

  /**
   * The arguments as `run` takes them: an explicit nil for an optional parameter is as good as none (issue 12, item 20),
   * unless the signature says that nil is a value there (`nilIsDefault`).
   */
  withDefaults(args: readonly Value[]): readonly Value[] {
    if (!args.includes(null)) return args;
    const filled = args.map((arg, index) =>
      arg === null && this.omits(index) ? (undefined as unknown as Value) : arg,
    );
    while (filled.length > 0 && filled.at(-1) === undefined) filled.pop();
    return filled;
  }

  private perform(task: Task, args: readonly Value[]): MaybePromise<Value> {
    const { around } = this.spec;
    return around === undefined
      ? this.performAlone(task, args)
      : around(task, args, (changed) => this.performAlone(task, changed));
  }

  private performAlone(task: Task, passed: readonly Value[]): MaybePromise<Value> {
    const { spec } = this;
    const args = this.withDefaults(passed);
    this.checked ??= checkedParams(spec);
    // Outside of the journal: a replay warns and refuses as the run did.
    if (this.checked.length > 0) checkFieldArguments(task, spec.name, this.checked, passed);
    if (this.fact) return aboutSecrets(task, spec.name, passed, () => spec.run(task, ...args) as Value);
    if (this.direct) return spec.run(task, ...args);
    const { evidence, inDoubt, onlyReads } = spec;
    return task.perform<Value>({
      effect: spec.effect as Exclude<typeof spec.effect, "pure" | "state">,
      kind: spec.name,
      args: () => passed.map(describeArgument),
      ...(hasTrait(spec, "readsVariable") && typeof passed[0] === "string"
        ? { variable: passed[0] }
        : undefined),
      run: () => spec.run(task, ...args),
      ...(onlyReads === undefined ? undefined : { onlyReads: () => onlyReads(task, ...args) }),
      ...(inDoubt === undefined
        ? undefined
        : { inDoubt: typeof inDoubt === "function" ? () => inDoubt(task, ...args) : inDoubt }),
      ...(spec.deferred === undefined ? undefined : { deferred: spec.deferred }),
      ...(evidence === undefined
        ? undefined
        : {
            evidence: {
              before: () => evidence.before(task, ...args),
              after: (before) => evidence.after(before, task, ...args),
            },
          }),
      result: shape.value(task.runtime.structs),
    });
  }
}

/** For the fingerprint: functions and handles, which have no stored form, count by what they are. */
function describeArgument(arg: Value): Json {
  try {
    return encodeValue(arg);
  } catch {
    return { $: "opaque", v: displayAnyway(arg) };
  }
}

Object.defineProperty(BuiltinFunction.prototype, "type", { value: "builtin" });

/** Wraps a builtin's effects by its class, once. */
export const bindBuiltin = (spec: BuiltinSpec): Callable => new BuiltinFunction(spec);

/** Displayed and called like a closure of the script. */
export class NativeCallable extends Callable {
  readonly name: string;
  readonly params: readonly string[];
  private readonly body: (task: Task, args: readonly Value[]) => MaybePromise<Value>;

  constructor(
    name: string,
    params: readonly string[],
    body: (task: Task, args: readonly Value[]) => MaybePromise<Value>,
  ) {
    super();
    this.name = name;
    this.params = params;
    this.body = body;
  }

  call(task: Task, args: readonly Value[]): MaybePromise<Value> {
    return this.body(task, args);
  }
}
Object.defineProperty(NativeCallable.prototype, "type", { value: "closure" });

/**
 * Runs `body` while the task counts its effects on a new child path: those of a script function that is called are numbered apart
 * from the loop's.
 */
export function onChildPath<T>(task: Task, body: () => MaybePromise<T>): MaybePromise<T> {
  return onScope(task, task.runtime.effects.child(task.scope), body);
}

/** The same, and what is random in it depends on `seed` and `name` alone. */
export function onSeededPath<T>(
  task: Task,
  seed: string,
  name: string,
  body: () => MaybePromise<T>,
): MaybePromise<T> {
  return onScope(task, task.runtime.effects.seededChild(task.scope, seed, name), body);
}

function onScope<T>(task: Task, scope: Task["scope"], body: () => MaybePromise<T>): MaybePromise<T> {
  const outer = task.scope;
  task.scope = scope;
  return always(body, () => {
    task.scope = outer;
  });
}

export const callableOnChild = (
  task: Task,
  callback: Callable,
  args: readonly Value[],
): MaybePromise<Value> => onChildPath(task, () => callback.call(task, args));
