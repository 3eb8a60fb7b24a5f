/** What builtins of papers, library and notes have in common: their effects, and how their arguments are read. */

import type { Task } from "../../interp/index.ts";
import { at, refusal } from "../../table/index.ts";
import { jsonStringify } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";

export const reading = { effect: "read", capability: "fs.read", suspends: "may" } as const;
/** Under `RUN#STEP`: done again it changes nothing, and gives what it gave. */
export const writing = {
  effect: "write",
  inDoubt: "repeat",
  capability: "fs.read fs.write",
  suspends: "may",
} as const;

/** A text that is kept: secrets in it stand by their names. */
export const keptWords = (task: Task, text: string): string => task.runtime.secrets.hide(text);

/** A text with something in it, without the blanks around it. */
export function keptTitle(task: Task, caller: string, name: string, value: Argument): string {
  if (typeof value === "string" && value.trim() !== "") return task.runtime.secrets.hide(value).trim();
  throw refusal(at(caller, name), "a text that is not blank", value);
}

/** A dict or list as JSON, secrets by their names. */
export const keptJson = <T>(task: Task, value: Argument): T =>
  JSON.parse(task.runtime.secrets.hide(jsonStringify(value ?? null))) as T;
