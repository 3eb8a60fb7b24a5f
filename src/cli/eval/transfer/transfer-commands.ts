/** `harn eval import` and `harn eval export`: sets from other tools, and rows of scores for them. */
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import {
  type ImportedSet,
  ImportProblem,
  importedInspectLog,
  parseInspectJson,
  setAsCsv,
  setAsLines,
  trialsOfLines,
  trialsOfPromptfoo,
  trialsOfTable,
  writeImported,
} from "../../../eval/report/index.ts";
import { hostError, nodeFiles } from "../../../host/index.ts";
import { openStore } from "../../../store/index.ts";
import { isJsonObject, type Json, jsonNestsTooDeep, maxJsonDepth } from "../../../values/index.ts";
import { exitCode } from "../../exit-codes.ts";
import { tell } from "../../report.ts";
import { ownStateFolder } from "../../state.ts";
import { UsageError } from "../../usage-error.ts";
import { csvRowsOf } from "../csv-file.ts";
import { evalStoreOf, newSetName } from "../sets/evaluate.ts";
import { inEvalStore, storedSet } from "../stored-sets.ts";
import { type ZipMember, zipMembers } from "./zip-file.ts";

/** More than this is not read into memory. */
const maxBytes = 512 * 1024 * 1024;

export function importSetCommand(path: string, flags: { readonly set?: string }): number {
  let imported: ImportedSet;
  try {
    imported = path.endsWith(".eval") ? importedLog(readBytes(path)) : importedOf(path, readText(path));
  } catch (error) {
    if (error instanceof ImportProblem)
      throw new UsageError(`${path}${error.message.startsWith("line ") ? ", " : ": "}${error.message}`);
    throw error;
  }
  const name = flags.set ?? newSetName();
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
  tell(`${name}  ${imported.rows.length} trials of ${imported.task}\n`);
  return exitCode.ok;
}

const readText = (path: string): string =>
  readBytes(path)
    .toString("utf8")
    .replace(/^\ufeff/u, "");

function readBytes(path: string): Buffer {
  try {
    if (statSync(path).size > maxBytes) throw new UsageError(`${path} is larger than 512 MiB`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${path}: ${hostError(error).message}`);
  }
}

/** A log of Inspect AI: a member for each sample, and the header, which a log that was cut off lacks. */
function importedLog(bytes: Buffer): ImportedSet {
  const members = zipMembers(bytes);
  const jsonOf = (member: ZipMember): Json => {
    const text = member.read().toString("utf8");
    if (jsonNestsTooDeep(text))
      throw new ImportProblem(`its member ${member.name} nests deeper than ${maxJsonDepth}`);
    return parseInspectJson(text);
  };
  const named = (name: string): ZipMember | undefined => members.find((member) => member.name === name);
  const header = named("header.json") ?? named("_journal/start.json");
  const samples = members.filter(({ name }) => /^samples\/[^/]+\.json$/u.test(name));
  return importedInspectLog(
    header === undefined ? null : jsonOf(header),
    samples.sort((a, b) => (a.name < b.name ? -1 : 1)).map(jsonOf),
  );
}

/** By its ending, and for JSON by what is in it. */
function importedOf(path: string, text: string): ImportedSet {
  const task =
    basename(path)
      .replace(/\.[^.]*$/u, "")
      .replace(/[^\w.-]+/gu, "_") || "imported";
  if (path.endsWith(".jsonl")) return { task, rows: trialsOfLines(text) };
  if (path.endsWith(".csv")) return { task, rows: trialsOfTable(csvRowsOf(text)) };
  if (!path.endsWith(".json")) throw new ImportProblem("expected a file .jsonl, .csv, .json or .eval");
  if (jsonNestsTooDeep(text)) throw new ImportProblem(`it nests deeper than ${maxJsonDepth}`);
  const json = parseInspectJson(text);
  if (isJsonObject(json) && isJsonObject(json.eval)) {
    const samples = Array.isArray(json.samples) ? (json.samples as readonly Json[]) : [];
    return importedInspectLog(json, samples);
  }
  return { task, rows: trialsOfPromptfoo(json) };
}

export function exportSetCommand(name: string, path: string): number {
  const isTable = path.endsWith(".csv");
  if (!isTable && !path.endsWith(".jsonl"))
    throw new UsageError("export writes rows: name a file .jsonl or .csv");
  const text = inEvalStore((store) => {
    const set = storedSet(store, name);
    return isTable ? setAsCsv(set) : setAsLines(set);
  });
  try {
    nodeFiles.write(path, text);
  } catch (error) {
    throw new UsageError(`cannot write ${path}: ${hostError(error).message}`, exitCode.failed);
  }
  tell(`${path}\n`);
  return exitCode.ok;
}
