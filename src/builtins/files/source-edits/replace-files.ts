/** Several files get new texts, all or none, and only while they are as they were read. */

import type { Task } from "../../../interp/index.ts";
import type { BuiltinSpec } from "../../../table/index.ts";
import { at, refusal } from "../../../table/index.ts";
import { Dict, List, ScriptError, sha256Hex, thrown } from "../../../values/index.ts";
import { type Argument, attempt, hostPath } from "../../arguments.ts";
import { normalizePath } from "../path-text.ts";

const caller = "replace_files";

interface FileReplacement {
  readonly path: string;
  readonly beforeHash: string;
  readonly text: string;
}

export const textHash = (task: Task, text: string): string => sha256Hex(task.runtime.host.crypto, text);

function fileChangesOf(task: Task, input: Argument): FileReplacement[] {
  if (!(input instanceof List)) throw refusal(at(caller, "changes"), "list<dict>", input);
  const changes = input.toArray().map((item, index): FileReplacement => {
    const text = (key: string): string => {
      const value = item instanceof Dict ? item.get(key) : undefined;
      if (typeof value === "string" && (value !== "" || key === "text")) return value;
      throw refusal(at(caller, `changes[${index}].${key}`), "string", value);
    };
    return {
      path: normalizePath(hostPath(task, text("path"))),
      beforeHash: text("before_hash"),
      text: text("text"),
    };
  });
  const paths = changes.map(({ path }) => path);
  const twice = paths.find((path, at) => paths.indexOf(path) < at);
  if (twice !== undefined) throw thrown(`${caller}: ${twice} is there twice; one change holds all of a file`);
  return changes;
}

const readFrom = (task: Task, path: string): string =>
  attempt(`Failed to read file ${path}`, () => task.runtime.host.files.readText(path));

/** Call it inside an effect. */
export function replaceFiles(task: Task, value: Argument): List {
  const changes = fileChangesOf(task, value);
  const before = changes.map(({ path, beforeHash }) => {
    const text = readFrom(task, path);
    if (textHash(task, text) === beforeHash) return text;
    throw thrown(
      `${caller}: ${path} has changed since it was read (expected sha256 ${beforeHash.slice(0, 12)}…); nothing was written. Read it again and repeat the edit`,
    );
  });
  const done: number[] = [];
  try {
    for (const [at, { path, text }] of changes.entries()) {
      attempt(`Failed to write file ${path}`, () => task.runtime.host.files.write(path, text));
      done.push(at);
    }
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw thrown(`${caller}: ${String(error.value)}; ${takeBack(task, changes, before, done)}`);
  }
  return new List(changes.map(({ path, text }) => Dict.of({ path, hash: textHash(task, text) })));
}

/** Those that were written get their old texts again. */
function takeBack(
  task: Task,
  changes: readonly FileReplacement[],
  before: readonly string[],
  done: readonly number[],
): string {
  const stuck: string[] = [];
  for (const at of done) {
    const { path } = changes[at] as FileReplacement;
    try {
      task.runtime.host.files.write(path, before[at] as string);
    } catch {
      stuck.push(path);
    }
  }
  if (stuck.length > 0) return `these have their new text and could not be set back: ${stuck.join(", ")}`;
  return "no file is changed";
}

/** A file that has its new text is done; a mixture is for a person to judge. */
export const replacedEvidence: NonNullable<BuiltinSpec["evidence"]> = {
  before: () => null,
  after: (_before, task, value) => {
    try {
      const states = fileChangesOf(task, value).map(({ path, beforeHash, text }) => {
        const now = textHash(task, readFrom(task, path));
        return now === textHash(task, text) ? "done" : now === beforeHash ? "undone" : "unknown";
      });
      return states.every((state) => state === states[0]) ? (states[0] ?? "done") : "unknown";
    } catch {
      return "unknown";
    }
  },
};
