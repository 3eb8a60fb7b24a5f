/** What builtins of papers, library and notes have in common: their effects, and how their arguments are read. */
import type { Task } from "../../interp/index.ts";
import { isInt, jsonStringify, thrown } from "../../values/index.ts";
import { type Argument, typeName } from "../arguments.ts";

export const reading = { effect: "read", capability: "fs.read", suspends: "may" } as const;
/** Under `RUN#STEP`: done again it changes nothing, and gives what it gave. */
export const writing = {
  effect: "write",
  inDoubt: "repeat",
  capability: "fs.read fs.write",
  suspends: "may",
} as const;

export function intOf(caller: string, name: string, value: Argument): number {
  if (value !== undefined && isInt(value)) return Number(value);
  throw thrown(`${caller}: ${name} must be an int; got ${typeName(value)}`);
}

/** The version that the caller saw; null: whichever there is. A wrong one is refused, since who names it relies on it. */
export const versionArgument = (caller: string, value: Argument): number | null =>
  value === undefined || value === null ? null : intOf(caller, "version", value);

export function needText(caller: string, name: string, value: Argument): string {
  if (typeof value === "string") return value;
  throw thrown(`${caller}: ${name} must be a text; got ${typeName(value)}`);
}

/** A text that is kept: secrets in it stand by their names. */
export const keptWords = (task: Task, caller: string, name: string, value: Argument): string =>
  task.runtime.secrets.hide(needText(caller, name, value));

/** A text with something in it, without the blanks around it. */
export function keptTitle(task: Task, caller: string, name: string, value: Argument): string {
  if (typeof value === "string" && value.trim() !== "") return task.runtime.secrets.hide(value).trim();
  throw thrown(`${caller}: ${name} must be a text that is not empty`);
}

/** A dict or list as JSON, secrets by their names. */
export const keptJson = <T>(task: Task, value: Argument): T =>
  JSON.parse(task.runtime.secrets.hide(jsonStringify(value ?? null))) as T;
