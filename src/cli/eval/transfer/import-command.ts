/** `harn eval import`: sets from other tools. */
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { checkSetName, csvRowsOf, evalStoreOf, newSetName } from "../../../eval/local/index.ts";
import { importedLog, importSetFile } from "../../../eval/local/transfer/index.ts";
import {
  countedText,
  type ImportedSet,
  ImportProblem,
  importedInspectLog,
  parseInspectJson,
  trialsOfLines,
  trialsOfPromptfoo,
  trialsOfTable,
  writeImported,
} from "../../../eval/report/index.ts";
import { exitCode, ownStateFolder, print, UsageError } from "../../../host/command/index.ts";
import { hostError } from "../../../host/index.ts";
import { ownPath } from "../../../process/index.ts";
import { openStore } from "../../../store/index.ts";
import { isJsonObject, type Json, jsonNestsTooDeep, maxJsonDepth } from "../../../values/index.ts";

/** More than this is not read into memory. */
const maxBytes = 512 * 1024 * 1024;

export function importSetCommand(path: string, flags: { readonly set?: string }): number {
  checkSetName(flags.set);
  try {
    return path.endsWith(".harneval") ? importWhole(path, flags.set) : importScores(path, flags.set);
  } catch (error) {
    if (error instanceof ImportProblem)
      throw new UsageError(`${path}${error.message.startsWith("line ") ? ", " : ": "}${error.message}`);
    throw error;
  }
}

/** A set with its journals, as `harn eval export` wrote it. */
function importWhole(path: string, asked: string | undefined): number {
  const bytes = readBytes(path);
  const files = openStore(ownStateFolder());
  try {
    const { name, trials } = importSetFile(files, evalStoreOf(files), bytes, asked);
    print(`${name}  ${countedText(trials, "trial")}\n`);
  } finally {
    files.close();
  }
  return exitCode.ok;
}

function importScores(path: string, asked: string | undefined): number {
  const imported = path.endsWith(".eval") ? importedLog(readBytes(path)) : importedOf(path, readText(path));
  const name = asked ?? newSetName();
  // The first thing that lies in a project may come from elsewhere.
  const files = openStore(ownStateFolder());
  try {
    const store = evalStoreOf(files);
    if (store.set(name) !== undefined)
      throw new UsageError(`a set is called ${name} already; --set names it otherwise`);
    writeImported(store, name, imported, Date.now());
  } finally {
    files.close();
  }
  print(`${name}  ${countedText(imported.rows.length, "trial")} of ${imported.task}\n`);
  return exitCode.ok;
}

const readText = (path: string): string =>
  readBytes(path)
    .toString("utf8")
    .replace(/^\ufeff/u, "");

function readBytes(path: string): Buffer {
  try {
    if (statSync(ownPath(path)).size > maxBytes)
      throw new UsageError(`${path} is larger than 512 MiB`, "HARN-CLI-003");
    return readFileSync(ownPath(path));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${path}: ${hostError(error).message}`, "HARN-CLI-003");
  }
}

/** By its ending, and for JSON by what is in it. */
function importedOf(path: string, text: string): ImportedSet {
  const task =
    basename(path)
      .replace(/\.[^.]*$/u, "")
      .replace(/[^\w.-]+/gu, "_") || "imported";
  if (path.endsWith(".jsonl")) return { task, rows: trialsOfLines(text) };
  if (path.endsWith(".csv")) return { task, rows: trialsOfTable(csvRowsOf(text)) };
  if (!path.endsWith(".json"))
    throw new ImportProblem("expected a file .jsonl, .csv, .json, .eval or .harneval");
  if (jsonNestsTooDeep(text)) throw new ImportProblem(`it nests deeper than ${maxJsonDepth}`);
  const json = parseInspectJson(text);
  if (isJsonObject(json) && isJsonObject(json.eval)) {
    const samples = Array.isArray(json.samples) ? (json.samples as readonly Json[]) : [];
    return importedInspectLog(json, samples);
  }
  return { task, rows: trialsOfPromptfoo(json) };
}
