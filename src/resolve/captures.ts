/**
 * After the names are known: which functions capture nothing (and need only one closure in a run), what the others copy
 * in when their closure is made, and which functions may suspend. Each is a fixed point over the functions of a module.
 */
import type { Binding, FunctionInfo, ModuleInfo } from "./model.ts";

/** Does the binding have to be copied into a closure? Constants and static functions are known without. */
function needsCapture(binding: Binding): boolean {
  // An imported function that is not static is one of the entry file, reached in a circle: it cannot be had from there.
  if (binding.shared || binding.constant !== undefined || binding.kind === "import") return false;
  return binding.fn === undefined || !binding.fn.isStatic;
}

/** Spreads a property from functions to those that depend on them, each once. */
function spread(
  start: readonly FunctionInfo[],
  dependents: ReadonlyMap<FunctionInfo, readonly FunctionInfo[]>,
  mark: (fn: FunctionInfo) => boolean,
): void {
  const pending = [...start];
  for (let fn = pending.pop(); fn !== undefined; fn = pending.pop()) {
    for (const other of dependents.get(fn) ?? []) if (mark(other)) pending.push(other);
  }
}

function addTo(map: Map<FunctionInfo, FunctionInfo[]>, key: FunctionInfo, value: FunctionInfo): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** What captures a variable is not static, nor is what refers to such a function. */
function settleStatics(functions: readonly FunctionInfo[]): void {
  const users = new Map<FunctionInfo, FunctionInfo[]>();
  const capturing: FunctionInfo[] = [];
  for (const fn of functions) {
    for (const binding of fn.free) {
      if (binding.fn !== undefined) addTo(users, binding.fn, fn);
      else if (fn.isStatic && needsCapture(binding)) {
        fn.isStatic = false;
        capturing.push(fn);
      }
    }
  }
  spread(capturing, users, (fn) => {
    const changed = fn.isStatic;
    fn.isStatic = false;
    return changed;
  });
}

export function settleCaptures(functions: readonly FunctionInfo[]): void {
  settleStatics(functions);
  for (const fn of functions) {
    if (fn.hasDefer) fn.deferSlot = fn.frameSize++;
    for (const binding of fn.tokens.keys()) fn.tokens.set(binding, fn.frameSize++);
    fn.captureBase = fn.frameSize;
    if (fn.isStatic) continue;
    const captures: Binding[] = [];
    for (const binding of fn.free) {
      if (!needsCapture(binding)) continue;
      captures.push(binding);
      if (binding.fn !== undefined && binding.kind === "fn") binding.cell = true;
    }
    fn.captures = captures;
    fn.frameSize += captures.length;
  }
}

/** Spreads `suspends` from callees to callers, over all modules of a program. */
export function settleSuspension(modules: readonly ModuleInfo[]): void {
  const callers = new Map<FunctionInfo, FunctionInfo[]>();
  const waiting: FunctionInfo[] = [];
  for (const module of modules) {
    for (const fn of module.fnByNode.values()) {
      for (const callee of fn.callees) addTo(callers, callee, fn);
      // Calling a generator function only makes the generator.
      if (fn.suspends && !fn.generator) waiting.push(fn);
    }
  }
  spread(waiting, callers, (fn) => {
    if (fn.suspends) return false;
    fn.suspends = true;
    return !fn.generator;
  });
}
