/** The folder of a conversation: which paths of it are served, reading, writing, listing. */

import { constants, mkdirSync, rmSync, type Stats } from "node:fs";
import { lstat, mkdir, open, opendir, realpath, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { replacePrivately } from "../store/files/whole-files.ts";
import { HttpProblem, notFound } from "./problems.ts";

const privateFolder = 0o700;

/**
 * Makes the folder of a conversation below the server's folder of workspaces, for `work`, which is given its absolute path and
 * writes the conversation; the folder does not stay when that can't be done.
 */
export function withWorkspace<T>(workspaces: string, conversation: string, work: (path: string) => T): T {
  const path = join(workspaces, conversation);
  mkdirSync(path, { recursive: true, mode: privateFolder });
  try {
    return work(path);
  } catch (error) {
    rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

/** Removes a workspace; whatever lies elsewhere stays. */
export async function dropWorkspace(workspaces: string, path: string): Promise<void> {
  if (dirname(path) !== workspaces) return;
  await rm(path, { recursive: true, force: true });
}

/** Names that are never served: state of harn, and files that hold secrets. */
export const isHiddenName = (name: string): boolean => /^\.(harn|harn-runs|env(\..*)?)$/i.test(name);

const badPath = (why: string): HttpProblem => new HttpProblem("bad-path", why);

/**
 * A path of an address, decoded once, as the path of a file below the workspace. Nothing on the way may be a link that leads
 * out. Throws 400 `bad-path`. The file need not exist.
 */
export async function placeIn(workspace: string, path: string): Promise<string> {
  if (path.includes("\0") || path.includes("\\")) throw badPath("a path has no NUL and no backslash");
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) throw badPath("the path must be relative");
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    throw badPath("a path has no empty parts, no `.` and no `..`");
  if (parts.some(isHiddenName)) throw badPath("this file is never served");
  const root = await realpath(workspace).catch(() => {
    throw notFound("workspace");
  });
  const real = await realPlace(join(root, ...parts));
  const inside = relative(root, real);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`))
    throw badPath("the path leads out of the workspace");
  if (inside.split(sep).some(isHiddenName)) throw badPath("this file is never served");
  return real;
}

/** With all links followed, as far as it exists. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ELOOP") throw badPath("the path is a circle of links");
    if (code === "ENAMETOOLONG") throw badPath("a name of the path is too long");
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    // A link to nowhere would be followed when the file is made.
    if ((await lstat(path).catch(() => undefined))?.isSymbolicLink() === true)
      throw badPath("the path is a link that leads nowhere");
    const parent = dirname(path);
    return parent === path ? path : join(await realPlace(parent), path.slice(parent.length));
  }
}

export interface OpenFile {
  readonly stats: Stats;
  readonly body: ReadableStream<Uint8Array>;
}

/** Throws 404 for what is no file. */
export async function openFile(place: string): Promise<OpenFile> {
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(error.code ?? "")) throw notFound("file");
      throw error;
    },
  );
  const stats = await file.stat().catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  if (!stats.isFile()) {
    await file.close();
    throw notFound("file");
  }
  return { stats, body: file.readableWebStream({ autoClose: true }) as ReadableStream<Uint8Array> };
}

/** The bytes of a file up to `most`; `undefined` when it has more, null when there is none. */
export async function bytesOfFile(place: string, maxBytes: number): Promise<Uint8Array | undefined | null> {
  const stats = await lstat(place).catch(() => undefined);
  if (stats?.isFile() !== true) return null;
  if (stats.size > maxBytes) return undefined;
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Beside it and renamed: nobody sees half a file. Gives whether there was one before; `first` is told that, too, when nothing
 * but the renaming is left.
 */
export async function writeFileAt(
  place: string,
  bytes: Uint8Array,
  first: (wasThere: boolean) => void,
): Promise<boolean> {
  const before = await lstat(place).catch(() => undefined);
  if (before?.isDirectory() === true) throw badPath("a folder stands there");
  await mkdir(dirname(place), { recursive: true, mode: privateFolder }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST" || error.code === "ENOTDIR") throw badPath("a file stands on the way");
      throw error;
    },
  );
  const wasThere = before !== undefined;
  await replacePrivately(place, bytes, () => first(wasThere));
  return wasThere;
}

export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly changed: number;
}

/** Files below the workspace, sorted by path; links and hidden files are left out. `isCut`: there are more than `most`. */
export async function filesOf(
  workspace: string,
  maxBytes: number,
): Promise<{ readonly items: readonly ListedFile[]; readonly isCut: boolean }> {
  const items: ListedFile[] = [];
  const folders = [""];
  let isCut = false;
  for (let folder = folders.shift(); folder !== undefined && !isCut; folder = folders.shift()) {
    const entries = await opendir(join(workspace, folder)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && folder === "") throw notFound("workspace");
      return undefined;
    });
    if (entries === undefined) continue;
    for await (const entry of entries) {
      if (isHiddenName(entry.name)) continue;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      if (items.length === maxBytes) {
        isCut = true;
        break;
      }
      const stats = await lstat(join(workspace, path)).catch(() => undefined);
      if (stats !== undefined) items.push({ path, bytes: stats.size, changed: Math.floor(stats.mtimeMs) });
    }
  }
  return { items: items.sort((a, b) => (a.path < b.path ? -1 : 1)), isCut };
}
