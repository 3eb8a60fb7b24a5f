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

export function settleCaptures(functions: readonly FunctionInfo[]): void {
  // Functions inside others were resolved first, so that their free names have already been passed on to their parents.
  for (let changed = true; changed; ) {
    changed = false;
    for (const fn of functions) {
      if (!fn.isStatic) continue;
      for (const binding of fn.free) {
        if (!needsCapture(binding)) continue;
        fn.isStatic = false;
        changed = true;
        break;
      }
    }
  }
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
  const functions = modules.flatMap((module) => [...module.fnByNode.values()]);
  for (let changed = true; changed; ) {
    changed = false;
    for (const fn of functions) {
      if (fn.suspends) continue;
      for (const callee of fn.callees) {
        // Calling a generator function only makes the generator.
        if (!callee.suspends || callee.generator) continue;
        fn.suspends = true;
        changed = true;
        break;
      }
    }
  }
}
