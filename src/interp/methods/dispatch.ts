/**
 * Method calls: which method a receiver has, and calling it (language.md §8.4, §22). A method that there is not is an error.
 *
 * `findMethod` depends only on the receiver's type for everything but dicts and structs, so a call site may keep
 * `methodsOf(receiver)` by receiver class. A dict may hide a built-in method behind `_namespace: "stream"`, and calls
 * its own entries; a struct has the methods of its type.
 */
import {
  Callable,
  checkItems,
  Dict,
  display,
  HandleValue,
  hasNo,
  Iter,
  inRange,
  invoke,
  iterOf,
  List,
  type MaybePromise,
  Pullable,
  Range,
  runtimeError,
  type ScriptError,
  SetValue,
  StructValue,
  typeOf,
  unknownMethod,
  type Value,
} from "../../values/index.ts";
import { BuiltinFunction } from "../builtin-call.ts";
import type { Task } from "../task.ts";
import { dictMethods } from "./dict.ts";
import { iterMethods } from "./iter.ts";
import { listMethods } from "./list.ts";
import { type Method, type MethodRun, type MethodTable, methodTable } from "./method.ts";
import { pullableMethods } from "./pullable.ts";
import { setMethods } from "./set.ts";
import { stringMethods } from "./string.ts";

/** Methods of ranges (language.md §22.6); every other name is a method of an iterator over the range. */
type RangeMethod = MethodRun<Range>;

const count: RangeMethod = (_task, range) => range.length;

/** The numbers of a range. Its length is known, so one that is too long fails before it has begun. */
function rangeNumbersOf({ from, length }: Range): Value[] {
  checkItems(length);
  const numbers = new Array<Value>(length);
  for (let i = 0; i < length; i++) numbers[i] = from + i;
  return numbers;
}

const own = methodTable<Range>({
  never: {
    len: count,
    count,
    empty: (_task, range) => range.length === 0,
    contains: (_task, range, [value]) => value !== undefined && inRange(range, value),
    first: (_task, range) => (range.length === 0 ? null : range.from),
    last: (_task, range) => (range.length === 0 ? null : range.end - 1),
    to_string: (_task, range) => display(range),
    to_list: (_task, range) => new List(rangeNumbersOf(range)),
  },
});

/** A range never waits, so sinks over it suspend only through their callbacks. */
function overIterator(method: Method): Method {
  const suspends = method.suspends === "may" ? "callback" : method.suspends;
  return { name: method.name, suspends, run: (task, range, args) => method.run(task, iterOf(range), args) };
}

export const rangeMethods: MethodTable = new Map([
  ...[...iterMethods].map(([name, method]) => [name, overIterator(method)] as const),
  ...own,
]);

const NO_METHODS: MethodTable = new Map();

/** The native methods of a value's type; entries of dicts and methods of structs and handles not included. */
export function methodsOf(receiver: Value): MethodTable {
  if (typeof receiver === "string") return stringMethods;
  if (receiver instanceof List) return listMethods;
  if (receiver instanceof Dict) return dictMethods;
  if (receiver instanceof Iter) return iterMethods;
  if (receiver instanceof SetValue) return setMethods;
  if (receiver instanceof Range) return rangeMethods;
  if (receiver instanceof Pullable) return receiver.type === "channel" ? CHANNEL_METHODS : pullableMethods;
  return NO_METHODS;
}

/** A channel can be iterated; everything else about it is functions. */
const CHANNEL_METHODS: MethodTable = new Map([["iter", pullableMethods.get("iter") as Method]]);

/** The native method that a call would run; `undefined` for none, and for what `callMethod` finds in the value. */
export function findMethod(receiver: Value, name: string): Method | undefined {
  if (receiver instanceof Dict && isStreamNamespace(receiver) && receiver.get(name) instanceof Callable) {
    return undefined;
  }
  return methodsOf(receiver).get(name);
}

/** Dicts that are namespaces of operators answer with their entries first. */
const isStreamNamespace = (dict: Dict): boolean =>
  (dict.shape === null || dict.shape.namespaced) && dict.get("_namespace") === "stream";

/** `receiver.name(args)`. */
export function callMethod(
  task: Task,
  receiver: Value,
  name: string,
  args: readonly Value[],
): MaybePromise<Value> {
  const method = findMethod(receiver, name);
  if (method !== undefined) return method.run(task, receiver, args);
  if (receiver instanceof StructValue) return callStructMethod(task, receiver, name, args);
  if (receiver instanceof Dict) {
    const entry = receiver.get(name);
    if (entry instanceof Callable) return invoke(task, entry, args);
    throw noSuchMethod(task, receiver, name);
  }
  if (receiver instanceof HandleValue) {
    const own = receiver.method(name);
    if (own !== undefined) return own.call(task, args);
  }
  if (receiver instanceof BuiltinFunction) return callFamilyMember(task, receiver, name, args);
  throw noSuchMethod(task, receiver, name);
}

/** The error of a method that a value does not have, with what was probably meant. */
export function noSuchMethod(task: Task, receiver: Value, name: string): ScriptError {
  return unknownMethod(receiver, name, methodNames(receiver), insteadOf(task, receiver, name));
}

function* methodNames(receiver: Value): Iterable<string> {
  yield* methodsOf(receiver).keys();
  if (receiver instanceof StructValue) yield* receiver.struct.methods.keys();
  if (!(receiver instanceof Dict)) return;
  for (const key of receiver.keys()) if (receiver.get(key) instanceof Callable) yield key;
}

/** An entry that is no function, a field that holds one, or a function of that name. */
function insteadOf(task: Task, receiver: Value, name: string): string | undefined {
  if (receiver instanceof Dict && receiver.get(name) !== undefined)
    return `its entry '${name}' is ${typeOf(receiver.get(name) as Value)}, not a function`;
  if (receiver instanceof StructValue && receiver.get(name) instanceof Callable)
    return `to call the function in its field, put it in a variable first: let f = value.${name}`;
  return task.runtime.builtins.has(name) ? `did you mean the function ${name}(…)?` : undefined;
}

/** A builtin is the namespace of its family: `transcript.inject_reminder(…)` is `transcript_inject_reminder(…)`. */
function callFamilyMember(
  task: Task,
  family: BuiltinFunction,
  name: string,
  args: readonly Value[],
): MaybePromise<Value> {
  const prefix = `${family.name}_`;
  const { builtins } = task.runtime;
  const spec = builtins.get(prefix + name);
  if (spec !== undefined) return new BuiltinFunction(spec).call(task, args);
  const members = [...builtins.keys()].flatMap((one) =>
    one.startsWith(prefix) ? one.slice(prefix.length) : [],
  );
  if (members.length === 0) throw noSuchMethod(task, family, name);
  throw runtimeError(hasNo(family.name, "method", name, members));
}

/** A method of an `impl` block gets the struct as its first argument. */
function callStructMethod(
  task: Task,
  receiver: StructValue,
  name: string,
  args: readonly Value[],
): MaybePromise<Value> {
  const method = receiver.struct.methods.get(name);
  if (method instanceof Callable) return invoke(task, method, [receiver, ...args]);
  throw noSuchMethod(task, receiver, name);
}
