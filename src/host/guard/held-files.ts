/**
 * The disk under rules, on Linux: a path is resolved to a name in a folder that is held open, the rules judge where that
 * is, and the work is done there (`held-path.ts`). What was judged is what is used, whatever other processes do to the
 * path meanwhile. Errors are the system's, raised after the rules have spoken.
 */
import * as fs from "node:fs";
import { replaceContent } from "../../store/files/whole-files.ts";
import { ownFolderMode } from "../../store/folders.ts";
import { entryKind, fileInfo, makeText, readIntoFile, withFile } from "../file-content.ts";
import { hostError, systemError } from "../node/os-errors.ts";
import { type FileInfo, type Files, HostError } from "../ports.ts";
import { atOnce, isPlain, readAll, toRead, writeAll } from "../special-files.ts";
import type { AccessJudge, FileAccess, FileOperation } from "./access.ts";
import { type HeldPath, held, holdPath, openBelow } from "./held-path.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_NOFOLLOW, O_DIRECTORY } = fs.constants;

/** How often a file that was swapped for a link at the last moment is looked for again. */
const maxSwaps = 64;

export const groupOf = (operation: FileOperation): FileAccess["group"] =>
  operation === "read" || operation === "look" || operation === "list" ? "fs.read" : "fs.write";

/** The machine's files, each access judged by where it leads. */
export function heldFiles(judge: AccessJudge): Files {
  const ask = (operation: FileOperation, place: HeldPath, more: Partial<FileAccess> = {}): void => {
    judge({
      kind: "file",
      group: groupOf(operation),
      operation,
      path: place.path,
      ...(place.dangling ? { dangling: true } : {}),
      ...more,
    });
  };

  /** Resolves, judges, works; again when the name was swapped for a link in between. */
  function at<T>(
    path: string,
    operation: FileOperation,
    work: (place: HeldPath) => T,
    follow = true,
    more?: Partial<FileAccess>,
  ): T {
    for (let swaps = 0; ; swaps++) {
      const place = holdPath(path, follow);
      try {
        ask(operation, place, more);
        return work(place);
      } catch (error) {
        const { code } = (error ?? {}) as { code?: unknown };
        if (!(error instanceof Error) || typeof code !== "string") throw error;
        if (code !== "ELOOP" || swaps >= maxSwaps) throw hostError(error);
      } finally {
        fs.closeSync(place.folder);
      }
    }
  }

  const opened = <T>(
    path: string,
    operation: FileOperation,
    flags: number,
    work: (file: number) => T,
    mode = 0o666,
  ): T =>
    at(path, operation, (place) => {
      reachable(place);
      return withFile(fs.openSync(held(place), flags | O_NOFOLLOW, mode), work);
    });

  const reading = <T>(path: string, work: (file: number) => T): T => opened(path, "read", toRead, work);

  return {
    readText: (path) => reading(path, (file) => makeText(readAll(file))),
    readBytes: (path) =>
      reading(path, (file) => {
        const data = readAll(file);
        return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      }),
    readInto: (path, offset, buffer) => reading(path, (file) => readIntoFile(file, offset, buffer)),
    stat: (path, options) =>
      at(
        path,
        "look",
        (place): FileInfo | undefined => {
          if (place.error !== undefined && place.error !== "ENOENT" && place.error !== "ENOTDIR")
            throw systemError(place.error);
          return place.info === undefined ? undefined : fileInfo(place.info);
        },
        options?.followLinks ?? true,
      ),
    list: (path) =>
      opened(path, "list", O_RDONLY | O_DIRECTORY, (folder) =>
        fs
          .readdirSync(`/proc/self/fd/${folder}`, { withFileTypes: true })
          .map((entry) => ({ name: entry.name, kind: entryKind(entry) })),
      ),
    realPath: (path) =>
      at(path, "look", (place) => {
        reachable(place);
        if (place.info === undefined) throw systemError("ENOENT");
        return place.path;
      }),
    write: (path, data, mode) =>
      at(path, "write", (place) => {
        reachable(place);
        writeHeld(place, data, mode);
      }),
    append: (path, data, mode) =>
      opened(path, "append", O_WRONLY | O_APPEND | O_CREAT | atOnce, (file) => writeAll(file, data), mode),
    makeDir: (path, mode) => at(path, "make", (place) => makeHeld(place, mode)),
    remove: (path) =>
      at(
        path,
        "remove",
        (place) => {
          reachable(place);
          if (place.info === undefined) throw systemError("ENOENT");
          removeTree(place);
        },
        false,
      ),
    copy: (from, to) =>
      reading(from, (source) => {
        const info = fs.fstatSync(source);
        if (info.isDirectory()) throw systemError("EISDIR");
        const permissions = info.mode & 0o777;
        at(to, "write", (place) => {
          reachable(place);
          withFile(
            fs.openSync(held(place), O_WRONLY | O_CREAT | O_NOFOLLOW | atOnce, permissions),
            (target) => {
              // The system's own copying waits for pipes, and never ends with a device.
              if (isPlain(info) && isPlain(fs.fstatSync(target)))
                fs.copyFileSync(`/proc/self/fd/${source}`, `/proc/self/fd/${target}`);
              else writeAll(target, readAll(source));
            },
          );
        });
      }),
    rename: (from, to) =>
      at(
        to,
        "write",
        (target) =>
          at(
            from,
            "move",
            (source) => {
              reachable(source);
              reachable(target);
              moveHeld(source, target);
            },
            false,
            { to: target.path },
          ),
        false,
      ),
    makeTempDir: (prefix) =>
      at(
        `${prefix}XXXXXX`,
        "make",
        (place) => {
          reachable(place);
          const made = fs.mkdtempSync(held({ folder: place.folder, name: place.name.slice(0, -6) }));
          return prefix + made.slice(-6);
        },
        false,
      ),
  };
}

/** What has missing or closed folders on its way can only be looked for. */
function reachable({ error, below }: HeldPath): void {
  if (error !== undefined) throw systemError(error);
  if (below.length > 0) throw systemError("ENOENT");
}

/** As `write` of the plain port: whole or not at all, in place only where a rename would change more than the content. */
function writeHeld(place: HeldPath, data: string | Uint8Array, mode?: number): void {
  const { info } = place;
  const path = held(place);
  const inPlace = (): void =>
    withFile(fs.openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | atOnce, 0o666), (file) => {
      if (mode !== undefined && fs.fstatSync(file).uid === process.getuid?.()) fs.fchmodSync(file, mode);
      writeAll(file, data);
    });
  if (info === undefined) {
    replaceContent(path, data, mode);
    return;
  }
  if (info.isDirectory()) throw systemError("EISDIR");
  fs.accessSync(path, fs.constants.W_OK);
  if (!info.isFile() || info.nlink !== 1 || info.uid !== process.getuid?.()) {
    inPlace();
    return;
  }
  try {
    replaceContent(path, data, mode ?? info.mode & 0o7777);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EROFS" && code !== "EPERM" && code !== "ENAMETOOLONG") throw error;
    inPlace();
  }
}

/** Makes the name and what comes below it, each in the folder made before it. */
function makeHeld(place: HeldPath, mode: number | undefined): void {
  if (place.error !== undefined) throw systemError(place.error);
  if (place.info !== undefined) {
    if (!place.info.isDirectory()) throw systemError("EEXIST");
    return;
  }
  let { folder, name } = place;
  const entered: number[] = [];
  try {
    for (const next of [...place.below, undefined]) {
      try {
        fs.mkdirSync(held({ folder, name }), { mode: mode ?? ownFolderMode(name) });
      } catch (error) {
        // Made by somebody else meanwhile. A link is not entered: the next step refuses it.
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      if (next === undefined) return;
      folder = openBelow({ folder, name });
      entered.push(folder);
      name = next;
    }
  } finally {
    for (const one of entered) fs.closeSync(one);
  }
}

type HeldName = Pick<HeldPath, "folder" | "name">;

const heldNames = (folder: number): string[] => fs.readdirSync(`/proc/self/fd/${folder}`);

/** With all that it holds; links are removed, never entered. */
function removeTree(place: HeldName): void {
  const info = fs.lstatSync(held(place));
  if (!info.isDirectory()) {
    fs.unlinkSync(held(place));
    return;
  }
  withFile(fs.openSync(held(place), O_RDONLY | O_DIRECTORY | O_NOFOLLOW), (folder) => {
    for (const name of heldNames(folder)) removeTree({ folder, name });
  });
  fs.rmdirSync(held(place));
}

/** A folder can't be renamed from one disk to another: it is copied and removed. */
function moveHeld(source: HeldName, target: HeldName): void {
  try {
    fs.renameSync(held(source), held(target));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    copyHeldTree(source, target);
    removeTree(source);
  }
}

function copyHeldTree(source: HeldName, target: HeldName): void {
  const info = fs.lstatSync(held(source));
  if (info.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(held(source)), held(target));
  else if (info.isDirectory()) {
    fs.mkdirSync(held(target), info.mode & 0o7777);
    withFile(fs.openSync(held(source), O_RDONLY | O_DIRECTORY | O_NOFOLLOW), (from) =>
      withFile(openBelow(target), (to) => {
        for (const name of heldNames(from)) copyHeldTree({ folder: from, name }, { folder: to, name });
      }),
    );
  } else if (!info.isFile())
    throw new HostError("EINVAL", `${source.name} is a pipe, a socket or a device: it stays on its disk`);
  else
    withFile(fs.openSync(held(source), toRead | O_NOFOLLOW), (from) =>
      withFile(
        fs.openSync(held(target), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, info.mode & 0o777),
        (to) => {
          fs.copyFileSync(`/proc/self/fd/${from}`, `/proc/self/fd/${to}`);
          fs.futimesSync(to, info.atime, info.mtime);
        },
      ),
    );
}
