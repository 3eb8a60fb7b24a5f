/**
 * For whom the machine is touched right now: set around an effect, and kept through everything that the effect waits for.
 * The ports know no tasks; rules that hold for some tasks only find theirs here.
 */
import type { AsyncLocalStorage } from "node:async_hooks";

let storage: AsyncLocalStorage<unknown> | undefined;

/** Runs the work of an effect under its owner. */
export function runOwned<T>(owner: unknown, work: () => T): T {
  storage ??= new (process.getBuiltinModule("node:async_hooks").AsyncLocalStorage)();
  return storage.run(owner, work);
}

/** The owner of the effect that runs now; `undefined` outside of effects. */
export const currentOwner = (): unknown => storage?.getStore();
