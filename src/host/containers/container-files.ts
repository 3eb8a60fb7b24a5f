/**
 * The files of a container, through lines of its own shell: a link that a program made there leads to where it leads in the
 * container, never to a file of this machine. Paths are arguments of the lines, no part of them.
 */

import { createHash } from "node:crypto";
import { TarReader } from "../archives/index.ts";
import { makeText } from "../file-content.ts";
import { type FileInfo, type Files, HostError, systemError } from "../index.ts";
import type { Container } from "./container.ts";

/** A line ends with this and the number of the system's error. */
const maxListed = 100;
const codes: Readonly<Record<number, string>> = {
  102: "ENOENT",
  113: "EACCES",
  117: "EEXIST",
  120: "ENOTDIR",
  121: "EISDIR",
  139: "ENOTEMPTY",
};

const isThere = '[ -e "$1" ] || [ -L "$1" ] || exit 102;';
const hasFolder = 'd=${1%/*}; [ -e "${d:-/}" ] || exit 102; [ -d "${d:-/}" ] || exit 120;';
const isReadable = `${isThere} [ -d "$1" ] && exit 121; [ -r "$1" ] || exit 113;`;
const kind = 'k=o; [ -f "$f" ] && k=f; [ -d "$f" ] && k=d; [ -L "$f" ] && k=l;';

const lines = {
  read: `${isReadable} exec cat "$1"`,
  part: `${isReadable} tail -c +"$2" "$1" | head -c "$3"`,
  write: `${hasFolder} [ -d "$1" ] && exit 121; cat > "$1" || exit 113; [ -z "$2" ] || chmod "$2" "$1"`,
  append: `${hasFolder} [ -d "$1" ] && exit 121; cat >> "$1" || exit 113; [ -z "$2" ] || chmod "$2" "$1"`,
  stat: `${isThere} exec stat $2 -c '%f %s %X %Y' "$1"`,
  list: `${isThere} [ -d "$1" ] || exit 120; [ -r "$1" ] || exit 113; cd "$1" || exit 113;
for f in * .[!.]* ..?*; do [ -e "$f" ] || [ -L "$f" ] || continue; ${kind} printf '%s%s\\0' "$k" "$f"; done`,
  makeDir: '[ -e "$1" ] && { [ -d "$1" ] || exit 117; exit 0; }; mkdir -p "$1" || exit 113',
  remove: `${isThere} rm -rf "$1" || exit 113`,
  copy: `${isReadable} [ -d "$2" ] && exit 121; cat "$1" > "$2" || exit 113`,
  rename: `${isThere} if [ -d "$2" ]; then [ -d "$1" ] || exit 121; rmdir "$2" || exit 139; fi; mv -f "$1" "$2" || exit 113`,
  temp: 'mktemp -d "$1XXXXXX" || exit 102',
  real: `${isThere} exec readlink -f "$1"`,
} as const;

/** What a line of the shell inside prints; its failures as the system's own. */
function shellOutput(
  container: Container,
  line: string,
  args: readonly string[],
  stdin: Uint8Array | undefined,
): Buffer {
  if (args.some((arg) => arg.includes("\0")))
    throw new HostError("EINVAL", "nul byte found in provided data");
  const { status, stdout, stderr } = container.sh(line, args, stdin);
  if (status === 0) return Buffer.from(stdout);
  const code = codes[status ?? maxListed];
  if (code !== undefined) throw systemError(code);
  throw new HostError(
    "EIO",
    stderr.trim() === "" ? `the shell of the container ended with status ${status}` : stderr.trim(),
  );
}

export function containerFiles(container: Container): Files {
  const run = (line: keyof typeof lines, args: readonly string[], stdin?: Uint8Array): Buffer =>
    shellOutput(container, lines[line], args, stdin);
  const text = (line: keyof typeof lines, args: readonly string[]): string =>
    run(line, args).toString("utf8").replace(/\n$/u, "");
  const infoOf = (path: string, followLinks: boolean): FileInfo | undefined => {
    try {
      return parseStat(text("stat", [path, followLinks ? "-L" : ""]));
    } catch (error) {
      if (error instanceof HostError && error.code === "ENOENT") return undefined;
      throw error;
    }
  };
  return {
    readText: (path) => makeText(run("read", [path])),
    readBytes: (path) => new Uint8Array(run("read", [path])),
    readInto: (path, offset, buffer) => {
      const data = run("part", [path, String(offset + 1), String(buffer.length)]);
      buffer.set(data.subarray(0, buffer.length));
      return Math.min(data.length, buffer.length);
    },
    write: (path, data, mode) => void run("write", [path, octalMode(mode)], bytesOf(data)),
    append: (path, data, mode) => void run("append", [path, octalMode(mode)], bytesOf(data)),
    stat: (path, options) => infoOf(path, options?.followLinks !== false),
    list: (path) =>
      run("list", [path])
        .toString("utf8")
        .split("\0")
        .filter((entry) => entry !== "")
        .map((entry) => ({ name: entry.slice(1), kind: kinds[entry[0] as string] ?? "other" })),
    makeDir: (path) => void run("makeDir", [path]),
    remove: (path) => void run("remove", [path]),
    copy: (from, to) => void run("copy", [from, to]),
    rename: (from, to) => void run("rename", [from, to]),
    makeTempDir: (prefix) => text("temp", [prefix]),
    realPath: (path) => text("real", [path]),
  };
}

const octalMode = (mode: number | undefined): string =>
  mode === undefined ? "" : (mode & 0o7777).toString(8);

const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === "string" ? new TextEncoder().encode(data) : data;

const kinds: Readonly<Record<string, FileInfo["kind"]>> = { f: "file", d: "dir", l: "symlink" };
const kindBits: Readonly<Record<number, FileInfo["kind"]>> = {
  16807: "file",
  9604: "dir",
  21609: "symlink",
};

/** `MODE_HEX SIZE ACCESSED MODIFIED`, times in seconds. */
function parseStat(text: string): FileInfo {
  const [mode = "0", size = "0", accessed = "0", modified = "0"] = text.split(" ");
  const bits = Number.parseInt(mode, 16);
  const changed = Number(modified) * 1000;
  return {
    kind: kindBits[bits & 0o170000] ?? "other",
    size: Number(size),
    mode: bits & 0o7777,
    modified: changed,
    created: changed,
    accessed: Number(accessed) * 1000,
  };
}

export interface ArchivedFile {
  /** Below the folder. */
  readonly path: string;
  /** SHA-256 in hex. */
  readonly digest: string;
  readonly bytes: number;
  /** Null: it is larger than what is kept of one file. */
  readonly content: Buffer | null;
}

/**
 * What `cp NAME:FOLDER -` of an engine prints: an archive, looked at file by file while it comes. Nothing of it is unpacked, and
 * nothing that runs in the container has a say in it. Links, devices and folders are no files.
 * `take` is told of each file once it has come. `maxKept`: bytes of a file that are handed over.
 */
export const archivedFiles = (take: (file: ArchivedFile) => void, maxKept: number): TarReader =>
  new TarReader(({ path, size }) => {
    const hash = createHash("sha256");
    const pieces: Buffer[] | null = size <= maxKept ? [] : null;
    return {
      add: (piece) => {
        hash.update(piece);
        pieces?.push(Buffer.from(piece));
      },
      end: () =>
        take({
          path: belowTop(path),
          digest: hash.digest("hex"),
          bytes: size,
          content: pieces === null ? null : Buffer.concat(pieces),
        }),
    };
  });

/** The archive has the folder itself as its top. */
const belowTop = (path: string): string => path.replace(/^(?:\.\/)?[^/]*\//u, "");
