/** Which options a model call knows here: those of its rows, and the providers of the run, for bodies of their own. */
import type { Task } from "../../interp/index.ts";
import { checkFields } from "../../table/index.ts";
import type { Dict } from "../../values/index.ts";
import { callFields } from "../model-call/call-fields.ts";
import { modelsOf } from "../model-call/index.ts";

let last: { readonly names: readonly string[]; readonly set: ReadonlySet<string> } | undefined;

/** The names of the run's providers: a manifest may add some, so two runs of one process need not know the same. */
export function providerNames(task: Task): ReadonlySet<string> {
  const names = modelsOf(task).catalogue.providerNames();
  if (last === undefined || !sameNames(last.names, names)) last = { names, set: new Set(names) };
  return last.set;
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, index) => name === b[index]);

/** Whether a model call knows an option of this name. */
export const isCallOption = (task: Task, name: string): boolean =>
  callFields.get(name) !== undefined || providerNames(task).has(name);

/** Names and types of a call's options; what is said in documented words is said before. */
export const checkCallOptions = (task: Task, caller: string, options: Dict): void =>
  checkFields(task, caller, options, callFields, { also: providerNames(task) });
