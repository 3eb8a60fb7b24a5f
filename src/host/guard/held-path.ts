/**
 * A path resolved so that it cannot change under the caller: the folder is held open, and what is done is done to a name in
 * that folder (`/proc/self/fd/N/name`), never to the path again. Whoever swaps a folder or a link meanwhile changes the
 * path, not what is held.
 *
 * The system follows links before it folds `..`, so nothing is folded as text here: the system opens the folder, and says
 * afterwards which one it was.
 */
import * as fs from "node:fs";
import { hostError, systemError } from "../node/os-errors.ts";

/** Linux: names a file without opening it; needs no right to read it. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;
const maxLinks = 40;

/** A name in a folder that is held open. */
export interface HeldPath {
  readonly folder: number;
  readonly name: string;
  /** The real path of it. */
  readonly path: string;
  /** Of the name itself, links not followed. `undefined`: nothing is there. */
  readonly info: fs.Stats | undefined;
  /** What has to be made below the name before the path exists; empty when only the name is missing. */
  readonly below: readonly string[];
  readonly dangling: boolean;
  /** Why it cannot be reached although rules may allow it. */
  readonly error?: string;
}

/** The name by which the system finds it. */
export const held = ({ folder, name }: Pick<HeldPath, "folder" | "name">): string =>
  `/proc/self/fd/${folder}/${name}`;

let works: boolean | undefined;

/** Whether this system can hold folders so. */
export function canHold(): boolean {
  works ??= process.platform === "linux" && probeFolder();
  return works;
}

function probeFolder(): boolean {
  try {
    const folder = openFolder("/");
    try {
      return realOf(folder) === "/";
    } finally {
      fs.closeSync(folder);
    }
  } catch {
    return false;
  }
}

const openFolder = (path: string): number => fs.openSync(path, O_PATH | O_DIRECTORY);

/** Where an open folder is now. */
function realOf(folder: number): string {
  const path = fs.readlinkSync(`/proc/self/fd/${folder}`);
  if (!path.startsWith("/")) throw systemError("ENOENT");
  return path;
}

const joinedPath = (folder: string, ...names: readonly string[]): string =>
  `${folder === "/" ? "" : folder}/${names.join("/")}`;

const lookAtEntry = (folder: number, name: string): fs.Stats | undefined =>
  fs.lstatSync(`/proc/self/fd/${folder}/${name}`, { throwIfNoEntry: false });

/** Resolves an absolute path; with `follow` also the link that it may end in. The caller closes `folder`. */
export function holdPath(path: string, follow: boolean): HeldPath {
  let at = path;
  for (let links = 0; links <= maxLinks; links++) {
    const split = /^(.*\/)([^/]+)$/.exec(at);
    const name = split?.[2];
    if (name === undefined || name === "." || name === "..") {
      const whole = wholeFolder(at);
      if (typeof whole !== "string") return whole;
      at = whole;
      continue;
    }
    let folder: number;
    try {
      folder = openFolder(split?.[1] as string);
    } catch (error) {
      if (!isAbsence(error)) throw hostError(error);
      return walkPath(at, follow, links);
    }
    try {
      const found = lookAtEntry(folder, name);
      const real = realOf(folder);
      if (!follow || found?.isSymbolicLink() !== true)
        return {
          folder,
          name,
          path: joinedPath(real, name),
          info: found,
          below: [],
          dangling: links > 0 && found === undefined,
        };
      const target = fs.readlinkSync(`/proc/self/fd/${folder}/${name}`);
      at = target.startsWith("/") ? target : joinedPath(real, target);
    } catch (error) {
      fs.closeSync(folder);
      const { code } = error as NodeJS.ErrnoException;
      // Another process took the link away in between, or put something else there: look again.
      if (code === "EACCES") return walkPath(at, follow, links);
      if (code !== "ENOENT" && code !== "EINVAL") throw hostError(error);
      continue;
    }
    fs.closeSync(folder);
  }
  throw systemError("ELOOP");
}

/** A path that ends in `/`, `.` or `..`: the real path of that folder, or the root itself. */
function wholeFolder(path: string): string | HeldPath {
  let folder: number;
  try {
    folder = openFolder(path === "" ? "/" : path);
  } catch (error) {
    if (!isAbsence(error)) throw hostError(error);
    return walkPath(path, true, 0);
  }
  const real = realOf(folder);
  if (real !== "/") {
    fs.closeSync(folder);
    return real;
  }
  return { folder, name: ".", path: "/", info: lookAtEntry(folder, "."), below: [], dangling: false };
}

const absences = new Set(["ENOENT", "ENOTDIR", "EACCES"]);
const isAbsence = (error: unknown): boolean => absences.has((error as NodeJS.ErrnoException).code ?? "");

/**
 * Part by part, for a path of which a part is missing or closed: rules speak before it is told which. Ends at the deepest
 * folder that is there.
 */
function walkPath(path: string, follow: boolean, linksBefore: number): HeldPath {
  const partsOf = (text: string): string[] => text.split("/").filter((part) => part !== "" && part !== ".");
  let parts = partsOf(path);
  let links = linksBefore;
  /** A part with at least so many parts after it comes from the target of a link. */
  let ofTarget = linksBefore > 0 ? 0 : Number.POSITIVE_INFINITY;
  let folder = openFolder("/");
  const enter = (next: number): void => {
    fs.closeSync(folder);
    folder = next;
  };
  try {
    for (;;) {
      const name = parts[0];
      if (name === undefined)
        return {
          folder,
          name: ".",
          path: realOf(folder),
          info: lookAtEntry(folder, "."),
          below: [],
          dangling: false,
        };
      const below = parts.slice(1);
      if (name === "..") {
        enter(openFolder(`/proc/self/fd/${folder}/..`));
        parts = below;
        continue;
      }
      const end = (info: fs.Stats | undefined, error?: string): HeldPath => {
        const climbs = below.includes("..");
        const failure = error ?? (climbs ? "ENOENT" : undefined);
        const real = realOf(folder);
        return {
          folder,
          name,
          path: climbs ? joinedPath(real, name) : joinedPath(real, name, ...below),
          info,
          below,
          dangling: below.length >= ofTarget && info === undefined && error === undefined,
          ...(failure === undefined ? {} : { error: failure }),
        };
      };
      let info: fs.Stats | undefined;
      try {
        info = lookAtEntry(folder, name);
      } catch (error) {
        return end(undefined, (error as NodeJS.ErrnoException).code ?? "EIO");
      }
      if (info === undefined) return end(undefined);
      if (info.isSymbolicLink() && (follow || below.length > 0)) {
        if (++links > maxLinks) throw systemError("ELOOP");
        ofTarget = Math.min(ofTarget, below.length);
        const target = fs.readlinkSync(`/proc/self/fd/${folder}/${name}`);
        if (target.startsWith("/")) enter(openFolder("/"));
        parts = [...partsOf(target), ...below];
      } else if (below.length === 0) return end(info);
      else if (!info.isDirectory()) return end(undefined, "ENOTDIR");
      else {
        enter(fs.openSync(`/proc/self/fd/${folder}/${name}`, O_PATH | O_DIRECTORY | O_NOFOLLOW));
        parts = below;
      }
    }
  } catch (error) {
    fs.closeSync(folder);
    throw hostError(error);
  }
}

/** Opens a folder below a held one, never through a link. The caller closes it. */
export const openBelow = (at: Pick<HeldPath, "folder" | "name">): number =>
  fs.openSync(held(at), O_PATH | O_DIRECTORY | O_NOFOLLOW);
