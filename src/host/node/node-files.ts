/**
 * The machine's files. Writes are atomic: a reader, a crash or a full disk sees the old content or the new one. They go
 * in place only where renaming over would change more than the content: links with several names, files of another
 * owner, devices and pipes, folders that can't be written.
 */
import * as fs from "node:fs";
import { replaceContent } from "../../store/files/whole-files.ts";
import { makeFolders } from "../../store/folders.ts";
import { entryKind, fileInfo, makeText, readIntoFile, withFile } from "../file-content.ts";
import { checkedFiles } from "../guard/checked-files.ts";
import { heldFiles } from "../guard/held-files.ts";
import { canHold } from "../guard/held-path.ts";
import type { FileInfo, Files } from "../ports.ts";
import { atOnce, isPlain, readAll, toRead, writeAll } from "../special-files.ts";
import { hostError } from "./os-errors.ts";
import { sayGap } from "./system-gaps.ts";

/** Runs a Node call and words its failure. */
function guarded<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw hostError(error);
  }
}

const withOpenFile = <T>(path: string, flags: string | number, work: (file: number) => T, mode?: number): T =>
  withFile(fs.openSync(path, flags, mode), work);

function readFileBytes(path: string): Uint8Array {
  const data = withOpenFile(path, toRead, readAll);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

const { O_WRONLY, O_CREAT, O_APPEND, O_TRUNC } = fs.constants;

/** Into what is there, not beside it and renamed. */
function writeInPlace(path: string, data: string | Uint8Array, mode?: number): void {
  withOpenFile(path, O_WRONLY | O_CREAT | O_TRUNC | atOnce, (file) => writeAll(file, data), mode);
}

function append(path: string, data: string | Uint8Array, mode?: number): void {
  withOpenFile(path, O_WRONLY | O_CREAT | O_APPEND | atOnce, (file) => writeAll(file, data), mode);
}

function write(path: string, data: string | Uint8Array, mode?: number): void {
  const old = fs.statSync(path, { throwIfNoEntry: false });
  if (old === undefined) {
    // A dangling link is written through, not replaced.
    if (fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined) writeInPlace(path, data, mode);
    else replaceContent(path, data, mode);
    return;
  }
  if (old.isDirectory()) throw hostError({ code: "EISDIR" });
  fs.accessSync(path, fs.constants.W_OK);
  const plain = old.isFile() && old.nlink === 1 && old.uid === process.getuid?.();
  if (!plain) {
    writeInPlace(path, data);
    closeTo(path, mode);
    return;
  }
  const target = fs.realpathSync(path);
  try {
    replaceContent(target, data, mode ?? old.mode & 0o7777);
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code !== "EACCES" && code !== "EROFS" && code !== "EPERM" && code !== "ENAMETOOLONG") throw error;
    writeInPlace(target, data);
    closeTo(target, mode);
  }
}

/** Where it is ours to do so. */
function closeTo(path: string, mode: number | undefined): void {
  if (mode !== undefined && fs.statSync(path).uid === process.getuid?.()) fs.chmodSync(path, mode);
}

function infoOfEntry(path: string, followLinks: boolean): FileInfo | undefined {
  let stats: fs.Stats | undefined;
  try {
    stats = (followLinks ? fs.statSync : fs.lstatSync)(path, { throwIfNoEntry: false });
  } catch (error) {
    // A path through a file has nothing at its end.
    if ((error as { code?: string }).code === "ENOTDIR") return undefined;
    throw error;
  }
  return stats === undefined ? undefined : fileInfo(stats);
}

function listFolder(path: string): { name: string; kind: FileInfo["kind"] }[] {
  return fs
    .readdirSync(path, { withFileTypes: true })
    .map((entry) => ({ name: entry.name, kind: entryKind(entry) }));
}

function copyFile(from: string, to: string): void {
  const source = fs.statSync(from);
  if (source.isDirectory()) throw hostError({ code: "EISDIR" });
  // The system's own copying waits for pipes, and never ends with a device.
  const target = fs.statSync(to, { throwIfNoEntry: false });
  if (isPlain(source) && (target === undefined || isPlain(target))) fs.copyFileSync(from, to);
  else writeInPlace(to, readFileBytes(from));
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

export const nodeFiles: Files = {
  guarded: (judge) => {
    if (canHold()) return heldFiles(judge);
    sayGap("paths");
    return checkedFiles(nodeFiles, judge);
  },
  readText: (path) => guarded(() => makeText(withOpenFile(path, toRead, readAll))),
  readBytes: (path) => guarded(() => readFileBytes(path)),
  readInto: (path, offset, buffer) =>
    guarded(() => withOpenFile(path, toRead, (file) => readIntoFile(file, offset, buffer))),
  write: (path, data, mode) => guarded(() => write(path, data, mode)),
  append: (path, data, mode) => guarded(() => append(path, data, mode)),
  stat: (path, options) => guarded(() => infoOfEntry(path, options?.followLinks ?? true)),
  list: (path) => guarded(() => listFolder(path)),
  makeDir: (path, mode) => guarded(() => makeFolders(path, mode)),
  remove: (path) => guarded(() => fs.rmSync(path, { recursive: true })),
  copy: (from, to) => guarded(() => copyFile(from, to)),
  rename: (from, to) => guarded(() => rename(from, to)),
  makeTempDir: (prefix) => guarded(() => fs.mkdtempSync(prefix)),
  realPath: (path) => guarded(() => fs.realpathSync(path)),
};
