/** Folders of the machine, for the command line: where what is durable lives, and making them. */
import { existsSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { ownProcess } from "../process/index.ts";
import { type StatePlaces, statePlaces } from "./state-places.ts";

export type { StatePlaces };

/** The store, in the state folder. */
export const storeFile = "state.db";

/** The places of a working directory and environment; they need not exist yet. */
export const statePlacesOf = (cwd: string, env: ReadonlyMap<string, string>): StatePlaces =>
  statePlaces(cwd, env, (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);

/** The state folder alone. */
export const stateFolder = (cwd: string, env: ReadonlyMap<string, string>): string =>
  statePlacesOf(cwd, env).state;

/** A folder of a user's caches: `XDG_CACHE_HOME/harn/NAME`, else `~/.cache/harn/NAME`; nowhere when there is no home. */
export function cacheFolder(name: string, env: NodeJS.ProcessEnv = ownProcess().env): string | undefined {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, "harn", name);
  const home = env.HOME || env.USERPROFILE;
  return home ? join(home, ".cache", "harn", name) : undefined;
}

/** Who may look into a folder of the runtime's own; undefined for others, which are as the system has them. */
export const ownFolderMode = (path: string): number | undefined =>
  /^\.harn(?:-runs)?$/.test(basename(path)) ? 0o700 : undefined;

/**
 * The first link on the way from a folder of ours to a file in it: what a project brings along could lead to files of its user.
 * The folder itself, and what lies above it, may be links where a variable names it.
 */
function linkOnTheWay(folder: string, path: string, isNamed: boolean): string | undefined {
  if (!isNamed && isLink(folder)) return folder;
  let at = folder;
  for (const part of relative(folder, path).split(sep)) {
    at = join(at, part);
    if (part !== "" && isLink(at)) return at;
  }
  return undefined;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // What can't be looked at is opened by nobody: whoever tries says why.
    return false;
  }
}

const linkRefusal = (link: string, variable: string): string =>
  `${link} is a link: harn follows none of a project to its own files, because it could lead to files of yours; remove the link, or name the folder where it leads with ${variable}`;

const stateVariable = "HARN_STATE_DIR";

/** Why nobody opens a path in a state folder, where a link of the project leads there; `undefined`: none does. */
export function stateLinkRefusal(folder: string, path: string): string | undefined {
  const isNamed =
    ownFolderMode(folder) === undefined ||
    statePlaces(ownProcess().cwd(), { get: (name) => ownProcess().env[name] }, () => true).isStateNamed;
  const link = linkOnTheWay(folder, path, isNamed);
  return link === undefined ? undefined : linkRefusal(link, stateVariable);
}

/** Throws, in a sentence, where a link of the project leads away from what the runtime keeps. */
export function ownPlaceCheck(
  { state, runs, isStateNamed, isRunsNamed }: StatePlaces,
  fail: (text: string) => unknown,
): (path: string) => void {
  const places = [
    { folder: state, isNamed: isStateNamed, variable: stateVariable },
    { folder: runs, isNamed: isRunsNamed, variable: "HARN_RUN_DIR" },
  ];
  return (path) => {
    for (const { folder, isNamed, variable } of places) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      const link = linkOnTheWay(folder, path, isNamed);
      if (link !== undefined) throw fail(linkRefusal(link, variable));
    }
  };
}

/**
 * Makes a folder and those above it, the missing ones with `mode`. Node's own `recursive` never ends where nothing can be made
 * although the parent exists (`/proc/x`).
 */
export function makeFolders(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode: mode ?? ownFolderMode(path) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || existsSync(parent)) throw error;
    makeFolders(parent, mode);
    if (!existsSync(path)) mkdirSync(path, { mode: mode ?? ownFolderMode(path) });
  }
}
