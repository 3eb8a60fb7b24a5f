/** Calls a builtin's implementation from TypeScript, without a script. */
import { builtinTable } from "../../src/builtins/index.ts";
import type { Task } from "../../src/interp/index.ts";
import { type Dict, fromJson, ScriptError, type Value } from "../../src/values/index.ts";

/** Arguments are values or plain data; plain data is converted. */
export async function callBuiltin(task: Task, name: string, ...args: unknown[]): Promise<Value> {
  const spec = builtinTable().get(name);
  if (spec === undefined) throw new Error(`no builtin ${name}`);
  return await spec.run(task, ...args.map(asValue));
}

/** The same where a dict comes back. */
export const callForDict = async (task: Task, name: string, ...args: unknown[]): Promise<Dict> =>
  (await callBuiltin(task, name, ...args)) as Dict;

/** What the call throws. */
export async function thrownBy(task: Task, name: string, ...args: unknown[]): Promise<Value> {
  try {
    await callBuiltin(task, name, ...args);
  } catch (error) {
    if (error instanceof ScriptError) return error.value;
    throw error;
  }
  throw new Error(`${name} did not throw`);
}

function asValue(data: unknown): unknown {
  const plain =
    Array.isArray(data) ||
    (typeof data === "object" && data !== null && Object.getPrototypeOf(data) === Object.prototype);
  return plain || typeof data === "number" ? fromJson(data) : data;
}
