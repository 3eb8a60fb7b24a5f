/** What builtins of papers, library and notes have in common: their effects, and how their arguments are read. */
import type { Task } from "../../interp/index.ts";
import { isInt, jsonStringify, thrown } from "../../values/index.ts";
import { type Argument, typeName } from "../arguments.ts";

export const reading = { effect: "read", capability: "fs.read", suspends: "may" } as const;
/** Under `RUN#STEP`: done again it changes nothing, and gives what it gave. */
export const writing = {
  effect: "write",
  doubtful: "repeat",
  capability: "fs.read fs.write",
  suspends: "may",
} as const;

export function intOf(caller: string, name: string, given: Argument): number {
  if (given !== undefined && isInt(given)) return Number(given);
  throw thrown(`${caller}: ${name} must be an int; got ${typeName(given)}`);
}

/** The version that the caller saw; null: whichever there is. A wrong one is refused, since who names it relies on it. */
export const versionArgument = (caller: string, given: Argument): number | null =>
  given === undefined || given === null ? null : intOf(caller, "version", given);

export function needText(caller: string, name: string, given: Argument): string {
  if (typeof given === "string") return given;
  throw thrown(`${caller}: ${name} must be a text; got ${typeName(given)}`);
}

/** A text that is kept: secrets in it stand by their names. */
export const keptWords = (task: Task, caller: string, name: string, given: Argument): string =>
  task.runtime.secrets.hide(needText(caller, name, given));

/** A text with something in it, without the blanks around it. */
export function keptTitle(task: Task, caller: string, name: string, given: Argument): string {
  if (typeof given === "string" && given.trim() !== "") return task.runtime.secrets.hide(given).trim();
  throw thrown(`${caller}: ${name} must be a text that is not empty`);
}

/** A dict or list as JSON, secrets by their names. */
export const keptJson = <T>(task: Task, given: Argument): T =>
  JSON.parse(task.runtime.secrets.hide(jsonStringify(given ?? null))) as T;
