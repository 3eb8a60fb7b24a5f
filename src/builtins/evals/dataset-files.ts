/**
 * Datasets on disk: the ending of a file decides how it is read. The texts are read as one effect and parsed outside of it, so
 * that a journal holds what the files said. Every broken row is an error with path and line; none is left out.
 */

import { shape } from "../../effects/index.ts";
import { evalError } from "../../eval/index.ts";
import { HostError } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { isAbsolutePath } from "../../model/index.ts";
import {
  CsvReader,
  compareTexts,
  Dict,
  Float,
  isInt,
  jsonParse,
  List,
  ScriptError,
  shownValue,
  textOf,
  typeOf,
  utf8Text,
  type Value,
} from "../../values/index.ts";
import { underDirectory } from "../arguments.ts";
import { parentPath, stemOf } from "../files/path-text.ts";
import { fileGlob, walk } from "../files/walk.ts";
import { rowDict } from "../formats/csv.ts";
import { parseToml } from "../formats/toml.ts";
import { parseYaml } from "../formats/yaml.ts";

/** A file of a dataset: its name in messages, and what it says. */
interface RowFile {
  readonly name: string;
  readonly text: string;
  /** It lies in a folder of samples: the file is one. */
  readonly single?: boolean;
  /** Of a task folder: the text of `task.toml`, where there is one. */
  readonly settings?: string | null;
  /** Of a task folder: what else of it is there. */
  readonly parts?: readonly FolderPart[];
}

const folderParts = ["environment/Dockerfile", "solution/solve.sh", "tests/test.sh"] as const;
type FolderPart = (typeof folderParts)[number];

const rowFileShape = shape.record<RowFile>({
  name: shape.text,
  text: shape.text,
  single: shape.optional(shape.flag),
  settings: shape.optional(shape.orNull(shape.text)),
  parts: shape.optional(shape.listOf(shape.oneOf(...folderParts))),
});

const maxFileBytes = 2_000_000_000;
const maxRowLength = 10_000_000;
const maxRows = 1_000_000;

/** The rows of a path, of a folder or of all files that a `*` fits, in name order; under `base` unless absolute. */
export function readDataset(task: Task, path: string, base: string): Dict[] {
  const files = task.perform<readonly RowFile[]>({
    effect: "read",
    kind: "read_rows",
    args: () => [path],
    run: () => dataFiles(task, path, underDirectory(base, path)),
    result: shape.listOf(rowFileShape),
  }) as readonly RowFile[];
  const rows: Dict[] = [];
  for (const file of files) {
    for (const row of parseFile(task, file)) rows.push(row);
    if (rows.length > maxRows)
      throw evalError("HARN-EVL-004", { path, line: maxRows + 1, reason: `more than ${maxRows} rows` });
  }
  return rows;
}

// ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function dataFiles(task: Task, path: string, full: string): RowFile[] {
  if (path.includes("*")) return filesLike(task, path, full).map((at) => dataFile(task, at.name, at.full));
  const { files } = task.runtime.host;
  const info = reading(path, () => files.stat(full));
  return info?.kind === "dir" ? folderFiles(task, path, full) : [dataFile(task, path, full)];
}

/** What the machine says of a file is an error of the dataset. */
function reading<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof HostError) throw evalError("HARN-EVL-004", { path, reason: error.message });
    throw error;
  }
}

function dataFile(task: Task, name: string, full: string): RowFile {
  const { files } = task.runtime.host;
  const size = files.stat(full)?.size ?? 0;
  if (size > maxFileBytes)
    throw evalError("HARN-EVL-004", { path: name, reason: "the file is larger than 2 GB" });
  const text = reading(name, () => textOfFile(task, name, full));
  return { name, text: text.startsWith("\uFEFF") ? text.slice(1) : text };
}

/** What is not UTF-8 is told with its line; the bytes are read again only then. */
function textOfFile(task: Task, name: string, full: string): string {
  const { files } = task.runtime.host;
  try {
    return files.readText(full);
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "EILSEQ") throw error;
    throw evalError("HARN-EVL-004", {
      path: name,
      line: lineOfWrongBytes(files.readBytes(full)),
      reason: "it is not valid UTF-8; save the file as UTF-8",
    });
  }
}

/** The first line that is no UTF-8. A line feed is part of no other character, so lines can be looked at one by one. */
function lineOfWrongBytes(bytes: Uint8Array): number {
  let line = 1;
  for (let from = 0; from < bytes.length; line++) {
    const end = bytes.indexOf(lineFeed, from);
    const next = end === -1 ? bytes.length : end + 1;
    if (utf8Text(bytes.subarray(from, next)) === undefined) return line;
    from = next;
  }
  return 1;
}

const lineFeed = 10;

function filesLike(task: Task, pattern: string, full: string): { name: string; full: string }[] {
  const star = full.indexOf("*");
  const root = full.slice(0, Math.max(1, full.lastIndexOf("/", star)));
  const matcher = fileGlob(task, full.slice(root === "/" ? 1 : root.length + 1));
  const shown = pattern.slice(0, pattern.length - (full.length - root.length) + (root === "/" ? 0 : 1));
  const found = reading(pattern, () => walk(task.runtime.host.files, root))
    .filter(({ kind, below }) => kind === "file" && matcher.match(below))
    .map(({ path, below }) => ({ name: isAbsolutePath(pattern) ? path : shown + below, full: path }))
    .sort((a, b) => compareTexts(a.name, b.name));
  if (found.length === 0)
    throw evalError("HARN-EVL-004", { path: pattern, reason: "no file is called like this" });
  return found;
}

/** Sub-folders with `instruction.md` are task folders; otherwise each `.json` or `.yaml` file is a sample. */
function folderFiles(task: Task, path: string, full: string): RowFile[] {
  const { files } = task.runtime.host;
  const names = reading(path, () => files.list(full))
    .map(({ name }) => name)
    .sort(compareTexts);
  const folder = path.replace(/\/+$/, "");
  const tasks = names.filter((name) => files.stat(`${full}/${name}/instruction.md`)?.kind === "file");
  if (tasks.length > 0) {
    return tasks.map((name) => {
      const settings = `${full}/${name}/task.toml`;
      const parts = folderParts.filter((part) => files.stat(`${full}/${name}/${part}`)?.kind === "file");
      return {
        ...(parts.length === 0 ? {} : { parts }),
        ...dataFile(task, `${folder}/${name}/instruction.md`, `${full}/${name}/instruction.md`),
        settings:
          files.stat(settings) === undefined
            ? null
            : reading(`${folder}/${name}/task.toml`, () =>
                textOfFile(task, `${folder}/${name}/task.toml`, settings),
              ),
      };
    });
  }
  return names
    .filter((name) => /\.(?:json|ya?ml)$/.test(name))
    .map((name) => ({ ...dataFile(task, `${folder}/${name}`, `${full}/${name}`), single: true }));
}

// ── formats ───────────────────────────────────────────────────────────────────────────────────────────────────────

function parseFile(task: Task, file: RowFile): Iterable<Dict> {
  if (file.settings !== undefined) return [taskFolder(task, file)];
  if (file.single === true) return [singleSample(task, file)];
  const ending = /\.[^./]*$/.exec(file.name)?.[0] ?? "";
  const parse = formats[ending];
  if (parse === undefined)
    throw evalError("HARN-EVL-004", {
      path: file.name,
      reason: `files that end in ${ending === "" ? "nothing" : ending} are not read; there are ${Object.keys(formats).join(", ")} and folders`,
    });
  return parse(task, file);
}

const yamlRows = (task: Task, file: RowFile): Iterable<Dict> =>
  listed(
    file,
    placed(file, () => parseYaml(task, file.text)),
  );

const formats: Readonly<Record<string, (task: Task, file: RowFile) => Iterable<Dict>>> = {
  ".jsonl": (_task, file) => jsonLines(file),
  ".json": (_task, file) => listed(file, datasetJson(file, file.text, 1)),
  ".csv": (_task, file) => csvRows(file),
  ".yaml": yamlRows,
  ".yml": yamlRows,
  ".toml": (task, file) => tomlRows(task, file),
};

function jsonLines(file: RowFile): Dict[] {
  const rows: Dict[] = [];
  file.text.split("\n").forEach((line, at) => {
    if (line.trim() === "") return;
    if (line.length > maxRowLength) throw brokenRow(file, at + 1, "the row is longer than 10 MB");
    rows.push(asRow(file, datasetJson(file, line, at + 1), at + 1));
  });
  return rows;
}

/** Each cell is a text; a row of another width than the first line is an error. */
function csvRows(file: RowFile): Dict[] {
  const reader = new CsvReader(",");
  const rows: Dict[] = [];
  let columns: readonly string[] | undefined;
  let begins = 1;
  const take = (found: readonly (readonly string[])[], line: number): void => {
    for (const cells of found) {
      if (columns === undefined) {
        const twice = cells.find((cell, at) => cells.indexOf(cell) !== at);
        if (twice !== undefined) throw brokenRow(file, begins, `two columns are called ${twice}`);
        columns = cells;
      } else {
        if (cells.length !== columns.length)
          throw brokenRow(
            file,
            begins,
            `${cells.length} cells, and the first line names ${columns.length} columns`,
          );
        rows.push(rowDict(columns, cells));
      }
    }
    if (found.length > 0) begins = line;
  };
  const lines = file.text.split("\n");
  lines.forEach((line, at) => {
    const last = at === lines.length - 1;
    if (line.length > maxRowLength) throw brokenRow(file, at + 1, "the row is longer than 10 MB");
    const found = reader.push(last ? line : `${line}\n`);
    if (found.length === 0 && line.trim() === "" && begins === at + 1) begins = at + 2;
    take(found, at + 2);
  });
  const rest = reader.end();
  if (reader.isInQuotes) throw brokenRow(file, begins, "a quote is not closed");
  take(rest, lines.length);
  return rows;
}

function tomlRows(task: Task, file: RowFile): Dict[] {
  const data = placed(file, () => parseToml(task, file.text));
  const samples = data instanceof Dict ? data.get("sample") : undefined;
  if (!(samples instanceof List)) throw brokenRow(file, 1, "there are no tables [[sample]]");
  // A misspelt table would leave its rows out silently.
  const other = (data as Dict).keys().find((key) => key !== "sample");
  if (other !== undefined) throw brokenRow(file, 1, `${other} is not read: samples are tables [[sample]]`);
  return listed(file, samples);
}

function listed(file: RowFile, value: Value): Dict[] {
  if (!(value instanceof List))
    throw brokenRow(file, 1, `the file must be a list of rows; got ${typeOf(value)}`);
  return value.toArray().map((row, at) => {
    if (row instanceof Dict) return row;
    throw brokenRow(file, 1, `row ${at + 1} must be a dict; got ${typeOf(row)}`);
  });
}

function singleSample(task: Task, file: RowFile): Dict {
  const value = file.name.endsWith(".json")
    ? datasetJson(file, file.text, 1)
    : placed(file, () => parseYaml(task, file.text));
  const row = asRow(file, value, 1);
  return (row.get("id") ?? null) === null ? row.with("id", stemOf(file.name)) : row;
}

/** A task folder: `instruction.md` is the input, `task.toml` gives fields, the folder's name is the id. */
function taskFolder(task: Task, file: RowFile): Dict {
  const folder = parentPath(file.name);
  const settingsFile: RowFile = { name: `${folder}/task.toml`, text: file.settings ?? "" };
  const settings = placed(settingsFile, () => parseToml(task, settingsFile.text));
  const config = settings instanceof Dict ? settings : new Dict();
  if (config.has("steps")) throw brokenRow(settingsFile, 1, "tasks of several [[steps]] are not run");
  const metadata = config.get("metadata");
  let row = metadata instanceof Dict ? metadata : new Dict();
  for (const part of ["agent", "verifier", "environment"]) {
    const value = config.get(part);
    if (value instanceof Dict) row = row.with(part, value);
  }
  const parts = file.parts ?? [];
  const container = folderContainer(settingsFile, config, folder, parts);
  if (container !== null) row = row.with("container", container);
  if (parts.includes("solution/solve.sh")) row = row.with("solution", "solution/solve.sh");
  const seconds = timeoutSeconds(settingsFile, config, "agent");
  timeoutSeconds(settingsFile, config, "verifier");
  if (seconds !== null && !row.has("limits"))
    row = row.with("limits", Dict.of({ time: Math.round(seconds * 1000) }));
  return row.merge(Dict.of({ id: stemOf(`${folder}.x`), input: file.text, folder }));
}

/** What `[environment]` and a Dockerfile say of the container; null: nothing names an image. */
function folderContainer(
  file: RowFile,
  settings: Dict,
  folder: string,
  parts: readonly FolderPart[],
): Dict | null {
  const input = settings.get("environment");
  const environment = input instanceof Dict ? input : new Dict();
  const value = (key: string, types: readonly string[]): Value => {
    const found = environment.get(key) ?? null;
    if (found === null || types.includes(typeOf(found))) return found;
    throw brokenRow(file, 1, `environment.${key} must be ${types.join(" or ")}; got ${typeOf(found)}`);
  };
  const image = value("docker_image", ["string"]);
  const more = Object.entries({
    cpus: value("cpus", ["int", "float"]),
    memory_mb: value("memory_mb", ["int"]),
    network: value("allow_internet", ["bool"]),
  }).filter(([, one]) => one !== null);
  const gpus = value("gpus", ["int"]);
  if (gpus !== null && gpus !== 0)
    throw brokenRow(file, 1, "environment.gpus: containers get no graphics processors");
  if (image !== null) return Dict.of({ image, ...Object.fromEntries(more) });
  if (!parts.includes("environment/Dockerfile")) return null;
  return Dict.of({ build: `${folder}/environment`, ...Object.fromEntries(more) });
}

/** `timeout_sec` of a table. */
function timeoutSeconds(file: RowFile, settings: Dict, table: string): number | null {
  const input = settings.get(table);
  const seconds = input instanceof Dict ? (input.get("timeout_sec") ?? null) : null;
  if (seconds === null) return null;
  const number = seconds instanceof Float ? seconds.value : isInt(seconds) ? Number(seconds) : Number.NaN;
  if (number > 0 && Number.isFinite(number)) return number;
  throw brokenRow(file, 1, `${table}.timeout_sec must be a number above 0; got ${shownValue(seconds)}`);
}

// ── errors ────────────────────────────────────────────────────────────────────────────────────────────────────────

const brokenRow = (file: RowFile, line: number, reason: string): ScriptError =>
  evalError("HARN-EVL-004", { path: file.name, line, reason });

function asRow(file: RowFile, value: Value, line: number): Dict {
  if (value instanceof Dict) return value;
  throw brokenRow(file, line, `a row must be a dict; got ${typeOf(value)}`);
}

/** JSON of a text that begins on a line of the file. */
function datasetJson(file: RowFile, text: string, begins: number): Value {
  try {
    return jsonParse(text);
  } catch (error) {
    throw atPlace(file, error, begins);
  }
}

function placed(file: RowFile, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw atPlace(file, error, 1);
  }
}

/** `JSON parse error: CAUSE at line 2 column 5` as `PATH, line N: CAUSE at column 5`. */
function atPlace(file: RowFile, error: unknown, begins: number): unknown {
  if (!(error instanceof ScriptError)) return error;
  const text = textOf(error.value).replace(/^(?:JSON|YAML|TOML) parse error: /, "");
  const place = / at line (\d+),?(?: column (\d+))?/.exec(text);
  const line = begins + Number(place?.[1] ?? 1) - 1;
  const reason =
    place === null ? text : text.replace(place[0], place[2] === undefined ? "" : ` at column ${place[2]}`);
  return brokenRow(file, line, reason);
}
