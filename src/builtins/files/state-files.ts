/** JSON files in the state folder, read and written whole. Call these inside an effect. */
import { keptFiles, type Task } from "../../interp/index.ts";
import { Dict, jsonParse, ScriptError, thrown, type Value } from "../../values/index.ts";
import { attempt, textOf } from "../arguments.ts";
import { stateDirectory } from "../process/environment.ts";
import { joinPaths } from "./path-text.ts";

/** The path of a file in the state folder. */
export const stateFile = (task: Task, ...parts: string[]): string =>
  joinPaths([stateDirectory(task), ...parts]);

/** The dict in a JSON file; empty when there is no file. */
export function readStateDict(task: Task, what: string, path: string): Dict {
  const files = keptFiles(task.runtime);
  const text = attempt(`${what}: cannot read ${path}`, () =>
    files.stat(path) === undefined ? undefined : files.readText(path),
  );
  return parseStateDict(what, path, text);
}

/** The dict in the text of a JSON file; empty when there is no file. */
export function parseStateDict(what: string, path: string, text: string | undefined): Dict {
  if (text === undefined) return new Dict();
  let value: Value;
  try {
    value = jsonParse(text);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw thrown(`${what}: ${path} is damaged (${textOf(error.value)}); repair or delete it`);
  }
  if (value instanceof Dict) return value;
  throw thrown(`${what}: ${path} is damaged (it does not hold an object); repair or delete it`);
}
