/** What the machine's files and the same under rules have in common: reading what a file holds. */
import { isUtf8 } from "node:buffer";
import * as fs from "node:fs";
import { hostError } from "./node/os-errors.ts";
import { type FileInfo, HostError } from "./ports.ts";

export function entryKind(entry: fs.Stats | fs.Dirent): FileInfo["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "dir";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

/** The text of a file's bytes. */
export function makeText(data: Buffer): string {
  if (!isUtf8(data)) throw new HostError("EILSEQ", "stream did not contain valid UTF-8");
  return data.toString("utf8");
}

/** As `Files.readInto`, from an open file. */
export function readIntoFile(file: number, offset: number, buffer: Uint8Array): number {
  const info = fs.fstatSync(file);
  if (info.isDirectory()) throw hostError({ code: "EISDIR" });
  if (info.isFIFO()) throw new HostError("ESPIPE", "is a pipe: it has no places to read at");
  let had = 0;
  while (had < buffer.length) {
    const count = fs.readSync(file, buffer, had, buffer.length - had, offset + had);
    if (count === 0) break;
    had += count;
  }
  return had;
}

/** What the port tells of a file. */
export function fileInfo(stats: fs.Stats): FileInfo {
  return {
    kind: entryKind(stats),
    size: stats.size,
    mode: stats.mode & 0o7777,
    modified: stats.mtimeMs,
    created: stats.birthtimeMs,
    accessed: stats.atimeMs,
  };
}

/** Closes the file when the work on it is done. */
export function withFile<T>(file: number, work: (file: number) => T): T {
  try {
    return work(file);
  } finally {
    fs.closeSync(file);
  }
}
