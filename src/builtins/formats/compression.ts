/** Compression and archives (builtins.md §2.12). What comes out is limited: to 256 MiB, and to 65,534 files of a zip archive. */

import { type ArchiveEntry, tarEntries, writeTar, writeZip, zipEntries } from "../../host/archives/index.ts";
import type { CompressionFormat } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { Bytes, Dict, List, runtimeError, type Value } from "../../values/index.ts";
import { type Argument, attempt, bytesOfArgument, intOr, needBytes, option, textOf } from "../arguments.ts";

/** Bytes that one call may unpack to: 256 MiB. */
export const maxOutput = 256 * 1024 * 1024;

const levels: Readonly<Record<string, readonly [number, number]>> = {
  gzip: [0, 9],
  zstd: [1, 22],
  brotli: [0, 11],
};

function compressionEncoder(format: CompressionFormat, standard: number) {
  const _name = `${format}_encode`;
  const [low, high] = levels[format] as readonly [number, number];
  return {
    doc: `Compresses a text or bytes with ${format}; \`level\` is ${low} to ${high}.`,
    sig: `(data: string | bytes, level: int >= ${low} <= ${high} = ${standard}) -> bytes`,
    effect: "pure" as const,
    example: `bytes_to_string(${format}_decode(${format}_encode("hi")))  // hi`,
    run: (task: Task, data: Argument, level: Argument): Value => {
      const chosen = intOr(level, standard);
      return new Bytes(task.runtime.host.compression.encode(format, bytesOfArgument(data), chosen));
    },
  };
}

function compressionDecoder(format: CompressionFormat) {
  const name = `${format}_decode`;
  return {
    doc: `Unpacks ${format} data, to at most 256 MiB.`,
    sig: "(data: bytes) -> bytes",
    effect: "pure" as const,
    example: `len(${format}_decode(${format}_encode("")))  // 0`,
    run: (task: Task, data: Argument): Value => {
      const packed = needBytes(name, data, 1);
      return attempt(
        name,
        () => new Bytes(task.runtime.host.compression.decode(format, packed, maxOutput)),
        runtimeError,
      );
    },
  };
}

function entriesOf(name: string, value: Argument): ArchiveEntry[] {
  if (!(value instanceof List)) throw runtimeError(`${name}: expected a list of {path, content} dicts`);
  return value.toArray().map((item) => {
    const path = option(item, "path");
    const content = option(item, "content");
    if (typeof path !== "string" || path === "") throw runtimeError(`${name}: each entry needs a path`);
    if (content !== undefined && typeof content !== "string" && !(content instanceof Bytes))
      throw refusal(at(name, `${path}: content`), "string | bytes", content);
    return {
      path: insidePath(name, path),
      content: bytesOfArgument(content ?? ""),
      mode: fileModeOf(name, path, option(item, "mode")),
    };
  });
}

/** Permissions as the int that `stat` of a file system has; zip archives keep none. */
function fileModeOf(name: string, path: string, mode: Argument): number | undefined {
  if (mode === undefined) return undefined;
  if (typeof mode === "number" && mode >= 0 && mode <= 0o7777) return mode;
  throw refusal(at(name, `${path}: mode`), "int from 0 to 4095", mode);
}

/** An entry must stay inside the folder that somebody unpacks it to. */
function insidePath(name: string, path: string): string {
  const posix = path.replaceAll("\\", "/");
  const leaves = posix.startsWith("/") || /^[A-Za-z]:/.test(posix) || posix.split("/").includes("..");
  if (leaves || posix.includes("\0"))
    throw runtimeError(`${name}: entry path '${textOf(path)}' leads out of the archive`);
  return posix;
}

function listOf(name: string, entries: readonly ArchiveEntry[], withMode: boolean): List {
  return new List(
    entries.map(({ path, content, mode }) => {
      const fields = { path: insidePath(name, path), content: new Bytes(content) };
      return Dict.of(withMode ? { ...fields, mode: mode ?? 0o644 } : fields);
    }),
  );
}

export const compression = defineBuiltins(
  "compression",
  {
    gzip_encode: compressionEncoder("gzip", 6),
    gzip_decode: compressionDecoder("gzip"),
    zstd_encode: compressionEncoder("zstd", 3),
    zstd_decode: compressionDecoder("zstd"),
    brotli_encode: compressionEncoder("brotli", 11),
    brotli_decode: compressionDecoder("brotli"),
    tar_create: {
      doc: "A tar archive of `{path, content, mode?}` entries.",
      sig: "(entries: list<dict>) -> bytes",
      effect: "pure",
      example:
        'tar_extract(tar_create([{path: "a", content: "x"}]))  // [{content: b"78", mode: 420, path: a}]',
      run: (_task, entries: Argument) => new Bytes(writeTar(entriesOf("tar_create", entries))),
    },
    tar_extract: {
      doc: "The files of a tar archive, in order: `{path, content, mode}`. Folders and links are left out.",
      sig: "(archive: bytes) -> list<dict>",
      effect: "pure",
      example: "tar_extract(tar_create([]))  // []",
      run: (_task, archive: Argument) =>
        attempt(
          "tar_extract",
          () => listOf("tar_extract", tarEntries(needBytes("tar_extract", archive, 1)), true),
          runtimeError,
        ),
    },
    zip_create: {
      doc: "A zip archive of `{path, content}` entries.",
      sig: "(entries: list<dict>) -> bytes",
      effect: "pure",
      example: 'zip_extract(zip_create([{path: "a", content: "x"}]))  // [{content: b"78", path: a}]',
      run: (task, entries: Argument) =>
        attempt(
          "zip_create",
          () => new Bytes(writeZip(entriesOf("zip_create", entries), task.runtime.host.compression)),
          runtimeError,
        ),
    },
    zip_extract: {
      doc: "The files of a zip archive, in order: `{path, content}`; at most 256 MiB and 65,534 entries.",
      sig: "(archive: bytes) -> list<dict>",
      effect: "pure",
      example: "zip_extract(zip_create([]))  // []",
      run: (task, archive: Argument) => {
        const data = needBytes("zip_extract", archive, 1);
        return attempt(
          "zip_extract",
          () => listOf("zip_extract", zipEntries(data, task.runtime.host.compression, maxOutput), false),
          runtimeError,
        );
      },
    },
  },
  { entries: "files by name" },
);
