/**
 * Where a project keeps what outlives a run (builtins.md §2.14): one answer for the command line, which knows only its working
 * folder, and for scripts. The base is the nearest folder upwards with a `harn.toml`, else the working folder itself.
 */
import { variable } from "../process/environment.ts";

/** The nearest folder from `folder` upwards that has a `harn.toml`. */
export function manifestFolder(folder: string, isFile: (path: string) => boolean): string | undefined {
  for (let at = folder; ; at = parentOf(at)) {
    if (isFile(pathBelow(at, "harn.toml"))) return at;
    if (parentOf(at) === at) return undefined;
  }
}

/** Absolute paths; none need exist. A relative path in a variable lies under the base. */
export function statePlaces(
  cwd: string,
  env: { get(name: string): string | undefined },
  isFile: (path: string) => boolean,
) {
  const base = manifestFolder(cwd, isFile) ?? cwd;
  const named = (variable: string, usual: string): string => pathBelow(base, env.get(variable) || usual);
  const stateDir = variable(env, "HARN_STATE_DIR") ?? "";
  const state = pathBelow(base, stateDir || ".harn");
  return {
    /** The nearest folder upwards with a `harn.toml`, else the working folder. */
    project: base,
    /** The user named the state folder: one that cannot be written is an error then, not a remark. */
    isStateNamed: stateDir !== "",
    /** `HARN_STATE_DIR`, else `.harn`: the store, event logs, snapshots. */
    state,
    /** `HARN_RUN_DIR`, else `.harn-runs`: records of workflow runs. */
    runs: named("HARN_RUN_DIR", ".harn-runs"),
    isRunsNamed: (variable(env, "HARN_RUN_DIR") ?? "") !== "",
    /** `HARN_WORKTREE_DIR`, else `worktrees` in the state folder. */
    worktrees: named("HARN_WORKTREE_DIR", pathBelow(state, "worktrees")),
  };
}

export type StatePlaces = Readonly<ReturnType<typeof statePlaces>>;

const pathBelow = (folder: string, path: string): string => {
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return path;
  return folder.endsWith("/") ? folder + path : `${folder}/${path}`;
};

/** A root is its own parent. */
function parentOf(folder: string): string {
  const parent = folder.replace(/[\\/]+[^\\/]*[\\/]*$/, "");
  return parent === "" || /^[A-Za-z]:$/.test(parent) ? folder.slice(0, parent.length + 1) : parent;
}
