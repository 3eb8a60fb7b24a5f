/**
 * The machine's files. Writes are atomic: a reader, a crash or a full disk sees the old content or the new one. They go
 * in place only where renaming over would change more than the content: links with several names, files of another
 * owner, devices and pipes, folders that can't be written.
 */
import { isUtf8 } from "node:buffer";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { hostError } from "./os-errors.ts";
import { type FileInfo, type Files, HostError } from "./ports.ts";

let temporaryFiles = 0;

/** Runs a Node call and words its failure. */
function guarded<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw hostError(error);
  }
}

function kindOf(entry: fs.Stats | fs.Dirent): FileInfo["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "dir";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

function readText(path: string): string {
  const data = fs.readFileSync(path);
  if (!isUtf8(data)) throw new HostError("EILSEQ", "stream did not contain valid UTF-8");
  return data.toString("utf8");
}

function readBytes(path: string): Uint8Array {
  const data = fs.readFileSync(path);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function readInto(path: string, offset: number, buffer: Uint8Array): number {
  const file = fs.openSync(path, "r");
  try {
    if (fs.fstatSync(file).isDirectory()) throw hostError({ code: "EISDIR" });
    let had = 0;
    while (had < buffer.length) {
      const count = fs.readSync(file, buffer, had, buffer.length - had, offset + had);
      if (count === 0) break;
      had += count;
    }
    return had;
  } finally {
    fs.closeSync(file);
  }
}

function write(path: string, data: string | Uint8Array): void {
  const old = fs.statSync(path, { throwIfNoEntry: false });
  if (old === undefined) {
    // A dangling link is written through, not replaced.
    if (fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined) fs.writeFileSync(path, data);
    else replace(path, data, undefined);
    return;
  }
  if (old.isDirectory()) throw hostError({ code: "EISDIR" });
  fs.accessSync(path, fs.constants.W_OK);
  const plain = old.isFile() && old.nlink === 1 && old.uid === process.getuid?.();
  if (!plain) {
    fs.writeFileSync(path, data);
    return;
  }
  const target = fs.realpathSync(path);
  try {
    replace(target, data, old.mode & 0o7777);
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code !== "EACCES" && code !== "EROFS" && code !== "EPERM" && code !== "ENAMETOOLONG") throw error;
    fs.writeFileSync(target, data);
  }
}

/** Writes beside the target and renames over it. */
function replace(target: string, data: string | Uint8Array, mode: number | undefined): void {
  temporaryFiles += 1;
  const beside = join(dirname(target), `.harn-${process.pid}-${temporaryFiles}.tmp`);
  const file = fs.openSync(beside, "wx");
  try {
    try {
      fs.writeFileSync(file, data);
      if (mode !== undefined) fs.fchmodSync(file, mode);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(beside, target);
  } catch (error) {
    fs.rmSync(beside, { force: true });
    throw error;
  }
}

function info(path: string, followLinks: boolean): FileInfo | undefined {
  let stats: fs.Stats | undefined;
  try {
    stats = (followLinks ? fs.statSync : fs.lstatSync)(path, { throwIfNoEntry: false });
  } catch (error) {
    // A path through a file has nothing at its end.
    if ((error as { code?: string }).code === "ENOTDIR") return undefined;
    throw error;
  }
  if (stats === undefined) return undefined;
  return {
    kind: kindOf(stats),
    size: stats.size,
    mode: stats.mode & 0o7777,
    modified: stats.mtimeMs,
    created: stats.birthtimeMs,
    accessed: stats.atimeMs,
  };
}

function list(path: string): { name: string; kind: FileInfo["kind"] }[] {
  return fs
    .readdirSync(path, { withFileTypes: true })
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
}

function copy(from: string, to: string): void {
  const source = fs.statSync(from);
  if (source.isDirectory()) throw hostError({ code: "EISDIR" });
  fs.copyFileSync(from, to);
}

/** A directory can't be renamed from one disk to another: it is copied and removed. */
function rename(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if ((error as { code?: string }).code !== "EXDEV") throw error;
    fs.cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    fs.rmSync(from, { recursive: true });
  }
}

/**
 * A folder and those above it. Node's own `recursive` never ends where nothing can be made although the parent exists
 * (`/proc/x`).
 */
export function makeFolders(path: string, mode?: number): void {
  try {
    fs.mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && fs.statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || fs.existsSync(parent)) throw error;
    makeFolders(parent, mode);
    if (!fs.existsSync(path)) fs.mkdirSync(path, { mode });
  }
}

export const nodeFiles: Files = {
  readText: (path) => guarded(() => readText(path)),
  readBytes: (path) => guarded(() => readBytes(path)),
  readInto: (path, offset, buffer) => guarded(() => readInto(path, offset, buffer)),
  write: (path, data) => guarded(() => write(path, data)),
  append: (path, data) => guarded(() => fs.appendFileSync(path, data)),
  stat: (path, options) => guarded(() => info(path, options?.followLinks ?? true)),
  list: (path) => guarded(() => list(path)),
  makeDir: (path) => guarded(() => makeFolders(path)),
  remove: (path) => guarded(() => fs.rmSync(path, { recursive: true })),
  copy: (from, to) => guarded(() => copy(from, to)),
  rename: (from, to) => guarded(() => rename(from, to)),
  makeTempDir: (prefix) => guarded(() => fs.mkdtempSync(prefix)),
  realPath: (path) => guarded(() => fs.realpathSync(path)),
};
