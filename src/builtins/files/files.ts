/** Files and folders (builtins.md §2.13). Relative paths lie under the working directory; errors name absolute ones. */

import type { Json } from "../../effects/index.ts";
import { type Task, workingFolder } from "../../interp/index.ts";
import { at, type BuiltinSpec, defineBuiltins, refusal } from "../../table/index.ts";
import {
  Bytes,
  compareTexts,
  Dict,
  err,
  Float,
  List,
  okResult,
  ScriptError,
  thrown,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { type Argument, attempt, hostPath, intOr, option, textOf, underDirectory } from "../arguments.ts";
import { globFields, walkFields } from "../rows/text.ts";
import { normalizePath } from "./path-text.ts";
import { fileGlob, type WalkedEntry, type WalkOptions, walk } from "./walk.ts";

/**
 * How a resumed run finds out whether a change of a file happened that was in progress when its process ended
 * (docs/resume.md): by what was there before.
 */
type WriteEvidence = NonNullable<BuiltinSpec["evidence"]>;
type EvidenceVerdict = "done" | "undone" | "unknown";

/** `null` when nothing is there, or it can't be looked at. */
function evidenceSizeOf(task: Task, path: Value | undefined): number | null {
  try {
    return task.runtime.host.files.stat(hostPath(task, path))?.size ?? null;
  } catch {
    return null;
  }
}

function bytesOf(text: Value | undefined): number {
  return text instanceof Bytes ? text.data.length : new TextEncoder().encode(textOf(text)).length;
}

/** The file has grown by just what was to be added, or not at all. */
const appended: WriteEvidence = {
  before: (task, path) => evidenceSizeOf(task, path),
  after: (before, task, path, text): EvidenceVerdict => {
    const now = evidenceSizeOf(task, path);
    if (now === before) return "undone";
    return now === Number(before ?? 0) + bytesOf(text) ? "done" : "unknown";
  },
};

/** What was there is gone. */
const deleted: WriteEvidence = {
  before: (task, path) => evidenceSizeOf(task, path) !== null,
  after: (before, task, path): EvidenceVerdict => {
    if (before !== true) return "undone";
    return evidenceSizeOf(task, path) === null ? "done" : "undone";
  },
};

/** What was at the one place is at the other. */
const moved: WriteEvidence = {
  before: (task, from, to): Json => [evidenceSizeOf(task, from) !== null, evidenceSizeOf(task, to) !== null],
  after: (before, task, from, to): EvidenceVerdict => {
    const [had] = before as readonly boolean[];
    if (had !== true || evidenceSizeOf(task, from) !== null) return "undone";
    return evidenceSizeOf(task, to) === null ? "unknown" : "done";
  },
};

function readText(task: Task, path: Argument): string {
  const full = hostPath(task, path);
  return attempt(`Failed to read file ${full}`, () => task.runtime.host.files.readText(full));
}

/**
 * What is taken away with all that it holds: never the folder in which the program works, nor one above it. An empty path,
 * as of a variable that is not set, means that folder.
 */
function removable(task: Task, caller: string, path: Argument): string {
  const full = hostPath(task, path);
  const gone = normalizePath(full);
  const inUse = [workingFolder(task), task.runtime.host.cwd].map(normalizePath);
  if (inUse.some((folder) => folder === gone || folder.startsWith(gone === "/" ? "/" : `${gone}/`)))
    throw thrown(`${caller} ${full}: it is the working folder, or one above it`);
  return full;
}

/** Text or bytes as they are, anything else in display form. */
const content = (value: Argument): string | Uint8Array =>
  value instanceof Bytes ? value.data : textOf(value);

function walkOptions(options: Argument): WalkOptions {
  return {
    maxDepth: intOr(option(options, "max_depth"), Number.POSITIVE_INFINITY),
    followSymlinks: option(options, "follow_symlinks") === true,
  };
}

function walkDir(task: Task, path: Argument, options: Argument): Value {
  const root = hostPath(task, path);
  const entries = attempt(`walk_dir: ${root}`, () =>
    walk(task.runtime.host.files, root, walkOptions(options)),
  );
  return new List(
    entries.map(({ path: at, kind, depth }) =>
      Dict.of({ path: at, is_dir: kind === "dir", is_file: kind === "file", depth }),
    ),
  );
}

/** minimatch takes an unclosed bracket as text; a pattern that can't mean what it says is an error here. */
function checkPattern(pattern: string): void {
  let open: string | undefined;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] as string;
    if (char === "\\") i += 1;
    else if (open === undefined && (char === "[" || char === "{")) open = char;
    else if ((open === "[" && char === "]") || (open === "{" && char === "}")) open = undefined;
  }
  if (open === undefined) return;
  const what =
    open === "[" ? "unclosed character class; missing ']'" : "unclosed alternate group; missing '}'";
  throw thrown(`glob: error parsing glob '${pattern}': ${what}`);
}

/** Paths as whoever asks can use them: below the base as it was written, absolute for an absolute pattern or base. */
function filesMatching(task: Task, pattern: string, base: Argument, options: Argument): Value {
  checkPattern(pattern);
  if (base instanceof Dict)
    throw refusal(at("glob", "base"), "a path", base, {
      help: "options come third: glob(pattern, nil, {…})",
    });
  const { files } = task.runtime.host;
  const { fixed, rest } = pattern.startsWith("/") ? fixedPart(pattern) : { fixed: undefined, rest: pattern };
  const from = fixed ?? (base === undefined || base === null ? "" : textOf(base));
  const root = normalizePath(from === "" ? workingFolder(task) : hostPath(task, from));
  const matcher = fileGlob(task, rest.replace(/^\.\//, ""));
  const fits = ({ below }: WalkedEntry): boolean => below !== "" && matcher.match(below);
  const entries = attempt(`glob: ${root}`, () =>
    walk(files, root, {
      ...walkOptions(options),
      // A folder that no match can lie under is not opened.
      enter: (below) => below === "" || matcher.match(below, true),
      max: { count: intOr(option(options, "max_results"), Number.POSITIVE_INFINITY), counts: fits },
    }),
  );
  const found = entries.filter(fits);
  const shown = from.startsWith("/")
    ? found.map(({ path }) => path)
    : found.map(({ below }) => joinedBelow(from, below));
  return new List(shown.sort(compareTexts));
}

/** An absolute pattern, cut after the last folder before its first wildcard. */
function fixedPart(pattern: string): { readonly fixed: string; readonly rest: string } {
  const wild = pattern.search(/[*?[{\\]/);
  const cut = pattern.lastIndexOf("/", wild < 0 ? pattern.length : wild);
  return { fixed: pattern.slice(0, cut) || "/", rest: pattern.slice(cut + 1) };
}

function joinedBelow(base: string, below: string): string {
  const folder = base.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "");
  return folder === "" || folder === "." ? below : `${folder}/${below}`;
}

/** What has one printed form that everybody would write. */
const writtenTypes = "string | int | float | decimal | bool | duration";
const writtenInstead =
  "write `json_stringify(…)`, or `to_string(…)` for the form that is printed; bytes take `write_file_bytes`";

export const files = defineBuiltins("files", {
  read_file: {
    doc: "The text of a file. It must be UTF-8.",
    sig: "(path: any) -> string",
    effect: "read",
    capability: "fs.read",
    run: (task, path: Argument) => readText(task, path),
  },
  read_file_result: {
    doc: "The text of a file as `Result.Ok`, or the error's text as `Result.Err`.",
    sig: "(path: any) -> Result<string, string>",
    effect: "read",
    capability: "fs.read",
    example: 'is_err(read_file_result("no/such/file"))  // true',
    run: (task, path: Argument) => {
      try {
        return okResult(readText(task, path));
      } catch (error) {
        if (error instanceof ScriptError) return err(error.value);
        throw error;
      }
    },
  },
  read_file_bytes: {
    doc: "The bytes of a file.",
    sig: "(path: any) -> bytes",
    effect: "read",
    capability: "fs.read",
    run: (task, path: Argument) => {
      const full = hostPath(task, path);
      return new Bytes(attempt(`Failed to read file ${full}`, () => task.runtime.host.files.readBytes(full)));
    },
  },
  read_lines: {
    doc: "The lines of a file, without their breaks and without an empty last one.",
    sig: "(path: any) -> list<string>",
    effect: "read",
    capability: "fs.read",
    run: (task, path: Argument) => {
      const full = hostPath(task, path);
      const lines = attempt(`read_lines: ${full}`, () => task.runtime.host.files.readText(full)).split("\n");
      if (lines.at(-1) === "") lines.pop();
      return new List(lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)));
    },
  },
  write_file: {
    doc: "Replaces a file's content by a text, or makes the file; numbers, bools and durations as they are printed. Its folder must exist. Never leaves half a file.",
    sig: `(path: any, content: ${writtenTypes}) -> nil`,
    effect: "write",
    refuses: { content: writtenInstead },
    inDoubt: "repeat",
    capability: "fs.write",
    run: (task, path: Argument, text: Argument) => {
      const full = hostPath(task, path);
      attempt(`Failed to write file ${full}`, () => task.runtime.host.files.write(full, textOf(text)));
      return null;
    },
  },
  write_file_bytes: {
    doc: "Replaces a file's content by bytes, or makes the file.",
    sig: "(path: any, content: bytes) -> nil",
    effect: "write",
    inDoubt: "repeat",
    capability: "fs.write",
    run: (task, path: Argument, data: Argument) => {
      if (!(data instanceof Bytes)) {
        throw thrown(`write_file_bytes expects bytes content, got ${typeOf(data ?? null)}`);
      }
      const full = hostPath(task, path);
      attempt(`Failed to write file ${full}`, () => task.runtime.host.files.write(full, data.data));
      return null;
    },
  },
  append_file: {
    doc: "Adds a text to the end of a file, or makes the file.",
    sig: `(path: any, content: ${writtenTypes} | bytes) -> nil`,
    effect: "write",
    refuses: { content: writtenInstead },
    evidence: appended,
    capability: "fs.write",
    run: (task, path: Argument, text: Argument) => {
      const full = hostPath(task, path);
      attempt(`Failed to open file ${full}`, () => task.runtime.host.files.append(full, content(text)));
      return null;
    },
  },
  copy_file: {
    doc: "Copies a file.",
    sig: "(from: any, to: any) -> nil",
    effect: "write",
    inDoubt: "repeat",
    capability: "fs.write",
    run: (task, from: Argument, to: Argument) => {
      const [a, b] = [hostPath(task, from), hostPath(task, to)];
      attempt(`Failed to copy ${a} to ${b}`, () => task.runtime.host.files.copy(a, b));
      return null;
    },
  },
  move_file: {
    doc: "Moves or renames a file or folder.",
    sig: "(from: any, to: any) -> nil",
    effect: "write",
    evidence: moved,
    capability: "fs.write",
    run: (task, from: Argument, to: Argument) => {
      const [a, b] = [removable(task, "move_file:", from), hostPath(task, to)];
      attempt("move_file: copy failed", () => task.runtime.host.files.rename(a, b));
      return null;
    },
  },
  delete_file: {
    doc: "Deletes a file, or a folder with everything in it; never the working folder or one above it.",
    sig: "(path: any) -> nil",
    effect: "write",
    evidence: deleted,
    capability: "fs.write",
    run: (task, path: Argument) => {
      const full = removable(task, "Failed to delete file", path);
      attempt(`Failed to delete file ${full}`, () => task.runtime.host.files.remove(full));
      return null;
    },
  },
  file_exists: {
    doc: "Whether a file or folder is there.",
    sig: "(path: any) -> bool",
    effect: "read",
    capability: "fs.read",
    example: 'file_exists("no/such/file")  // false',
    run: (task, path: Argument) => {
      const full = hostPath(task, path);
      try {
        return task.runtime.host.files.stat(full) !== undefined;
      } catch (error) {
        // What can't be looked at counts as absent; what must not be is refused.
        if (error instanceof ScriptError) throw error;
        return false;
      }
    },
  },
  stat: {
    doc: "`{size, is_file, is_dir, readonly, modified}`; `modified` in seconds since the epoch.",
    sig: "(path: any) -> dict",
    effect: "read",
    capability: "fs.read",
    run: (task, path: Argument) => {
      const full = hostPath(task, path);
      const info = attempt(`Failed to stat ${full}`, () => task.runtime.host.files.stat(full));
      if (info === undefined) throw thrown(`Failed to stat ${full}: no such file or folder`);
      return Dict.of({
        size: info.size,
        is_file: info.kind === "file",
        is_dir: info.kind === "dir",
        readonly: (info.mode & 0o222) === 0,
        modified: new Float(info.modified / 1000),
      });
    },
  },
  list_dir: {
    doc: "The sorted names in a folder, hidden ones included.",
    sig: '(path: any = ".") -> list<string>',
    effect: "read",
    capability: "fs.read",
    run: (task, path: Argument) => {
      const full = hostPath(task, path ?? ".");
      const found = attempt(`Failed to list directory ${full}`, () => task.runtime.host.files.list(full));
      return new List(found.map(({ name }) => name).sort(compareTexts));
    },
  },
  mkdir: {
    doc: "Makes a folder and its parents; an existing one is fine.",
    sig: "(path: any) -> nil",
    effect: "write",
    inDoubt: "repeat",
    capability: "fs.write",
    run: (task, path: Argument) => {
      const full = hostPath(task, path);
      attempt(`Failed to create directory ${full}`, () => task.runtime.host.files.makeDir(full));
      return null;
    },
  },
  walk_dir: {
    doc: "`{path, is_dir, is_file, depth}` for a folder (depth 0) and everything in it; [] when it is missing.",
    sig: "(path: any, options?: {max_depth?: int, follow_symlinks?: bool}) -> list<dict>",
    effect: "read",
    capability: "fs.read",
    example: 'walk_dir("no/such/dir")  // []',
    fields: { options: () => walkFields },
    run: (task, path: Argument, options: Argument) => walkDir(task, path, options),
  },
  glob: {
    doc:
      "The sorted paths under `base` (the working directory) that match a pattern of `*`, `?`, `[…]`, `{a,b}` and `**`. They are " +
      "relative to the working directory, unless base or pattern is absolute. `max_results` ends the walk through the folders.",
    sig: "(pattern: any, base?: any, options?: dict) -> list<string>",
    effect: "read",
    capability: "fs.read",
    example: 'glob("*.nope", "no/such/dir")  // []',
    fields: { options: () => globFields },
    run: (task, pattern: Argument, base: Argument, options: Argument) =>
      filesMatching(task, textOf(pattern), base, options),
  },
  temp_dir: {
    doc: "The system's folder for temporary files.",
    sig: "() -> string",
    effect: "observe",
    run: (task) => task.runtime.host.tempDir,
  },
  mkdtemp: {
    doc: "Makes a new folder among the temporary files and returns its path.",
    sig: '(prefix: any = "harn-") -> string',
    effect: "write",
    capability: "fs.write",
    run: (task, prefix: Argument) => {
      const { files: port, tempDir } = task.runtime.host;
      const name = textOf(prefix, "harn-");
      if (/[/\\]/.test(name))
        throw refusal(at("mkdtemp", "prefix"), "the beginning of a name, and no path", name);
      const start = underDirectory(tempDir, name);
      return attempt(`mkdtemp: ${start}`, () => port.makeTempDir(start));
    },
  },
});
