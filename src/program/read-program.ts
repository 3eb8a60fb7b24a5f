/** Where a program's text comes from: a file, `-` for standard input, or `-e CODE`. Each failure is one clear line. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../host/command/index.ts";
import { ownPath, readInput } from "../process/index.ts";
import { SourceFile } from "../source/index.ts";

/** Never searched: other people's code, and what tools write. */
const SKIPPED = /(^|[/\\])(node_modules|\.harn|\.git)([/\\]|$)/;

/** Paths in the order given, those below a folder sorted. A folder without any script is an error. */
export function scriptFiles(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap(scripts))];
}

function scripts(path: string): string[] {
  if (statSync(ownPath(path), { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const found = readdirSync(ownPath(path), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".harn") && !SKIPPED.test(name))
    .sort()
    .map((name) => join(path, name));
  if (found.length === 0) throw new UsageError(`there is no .harn file below ${path}`, "HARN-CLI-005");
  return found;
}

/** A program as given on the command line. */
export interface ProgramText {
  readonly source: SourceFile;
  /** Its path, for imports and templates; `undefined` for standard input and `-e`. */
  readonly path: string | undefined;
}

export function readProgram(file: string | undefined, code: string | undefined): ProgramText {
  if (code !== undefined) {
    if (file !== undefined) throw new UsageError(`give either a file or -e CODE, not both (got ${file})`);
    return { source: new SourceFile("<-e>", code), path: undefined };
  }
  if (file === undefined)
    throw new UsageError("no script given: name a file, `-` for standard input, or -e CODE", "HARN-CLI-002");
  if (file === "-") return { source: new SourceFile("<stdin>", readInput()), path: undefined };
  const text = readText(file);
  const [, language] = other.exec(file) ?? [];
  if (language !== undefined)
    throw new UsageError(
      `${file} is ${language === "t" ? "TypeScript" : "JavaScript"}, no script: \`node ${file}\` runs it`,
      "HARN-CLI-006",
    );
  return { source: new SourceFile(file, text), path: file };
}

/** Programs that use the library, and are taken for scripts: each of their lines would be an error. */
const other = /\.[cm]?([jt])sx?$/;

/** Throws a `UsageError` that says why it can't be read. */
export function readText(file: string): string {
  try {
    if (statSync(ownPath(file)).isDirectory()) throw failure(file, "EISDIR");
    return decode(readFileSync(ownPath(file)));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw failure(file, (error as NodeJS.ErrnoException).code ?? "EIO");
  }
}

/** A byte-order mark is dropped; the lexer reports what is not text. */
function decode(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** The texts of the operating system, so that every tool on the machine words it alike (language.md §28.3). */
const causes: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file or folder"],
  ["EACCES", "permission denied"],
  ["EPERM", "operation not permitted"],
  ["EISDIR", "is a directory"],
  ["ENOTDIR", "not a directory"],
  ["ELOOP", "too many levels of symbolic links"],
  ["EMFILE", "too many open files"],
]);

function failure(file: string, code: string): UsageError {
  return new UsageError(`Error reading ${file}: ${causes.get(code) ?? code}`, "HARN-CLI-006");
}
