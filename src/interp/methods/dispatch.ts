/**
 * Method calls: which method a receiver has, and calling it (language.md §8.4, §22). Unknown methods are nil.
 *
 * `findMethod` depends only on the receiver's type for everything but dicts and structs, so a call site may keep
 * `methodsOf(receiver)` by receiver class. A dict may hide a built-in method behind `_namespace: "stream"`, and calls
 * its own entries; a struct has the methods of its type.
 */
import {
  asUncaught,
  Callable,
  Dict,
  HandleValue,
  Iter,
  invoke,
  List,
  type MaybePromise,
  Pullable,
  Range,
  rethrowIsolated,
  ScriptError,
  SetValue,
  StructValue,
  type Value,
} from "../../values/index.ts";
import { BuiltinFunction } from "../builtin-call.ts";
import type { Task } from "../task.ts";
import { dictMethods } from "./dict.ts";
import { iterMethods } from "./iter.ts";
import { listMethods } from "./list.ts";
import type { Method, MethodTable } from "./method.ts";
import { pullableMethods } from "./pullable.ts";
import { rangeMethods } from "./range.ts";
import { setMethods } from "./set.ts";
import { stringMethods } from "./string.ts";

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
    return entry instanceof Callable ? invoke(task, entry, args) : null;
  }
  if (receiver instanceof HandleValue) {
    const own = receiver.method(name);
    if (own !== undefined) return own.call(task, args);
  }
  if (receiver instanceof BuiltinFunction) return callFamilyMember(task, receiver, name, args);
  return null;
}

/** A builtin is the namespace of its family: `transcript.inject_reminder(…)` is `transcript_inject_reminder(…)`. */
function callFamilyMember(
  task: Task,
  family: BuiltinFunction,
  name: string,
  args: readonly Value[],
): MaybePromise<Value> {
  const spec = task.runtime.builtins.get(`${family.name}_${name}`);
  return spec === undefined ? null : new BuiltinFunction(spec).call(task, args);
}

/** A method of an `impl` block gets the struct as its first argument. */
function callStructMethod(
  task: Task,
  receiver: StructValue,
  name: string,
  args: readonly Value[],
): MaybePromise<Value> {
  const method = receiver.struct.methods.get(name);
  return method instanceof Callable ? invoke(task, method, [receiver, ...args]) : null;
}

/** For lowerings that call struct and dict methods directly: marks errors as leaving an isolated body. */
export function isolated(body: () => MaybePromise<Value>): MaybePromise<Value> {
  let result: MaybePromise<Value>;
  try {
    result = body();
  } catch (error) {
    throw error instanceof ScriptError ? asUncaught(error) : error;
  }
  return result instanceof Promise ? result.catch(rethrowIsolated) : result;
}
