/** Walking folders and matching globs. Entries come sorted by name, so that two machines see the same order. */
import type { Minimatch } from "minimatch";
import type { FileInfo, Files } from "../../host/index.ts";
import { HostError } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { compareTexts, thrown } from "../../values/index.ts";

export interface WalkedEntry {
  /** Under the root as it was given. */
  readonly path: string;
  /** Relative to the root, "" for the root itself. */
  readonly below: string;
  readonly kind: FileInfo["kind"];
  readonly depth: number;
}

export interface WalkOptions {
  readonly maxDepth?: number;
  readonly followSymlinks?: boolean;
  /** Whether to look into a folder, by its path below the root. */
  readonly enter?: (below: string) => boolean;
  /** The walk ends after so many entries that `counts` says yes to. */
  readonly max?: { readonly count: number; readonly counts: (entry: WalkedEntry) => boolean };
}

/** The root and everything under it, parents first; nothing when the root is missing. Folders that can't be read are leaves. */
export function walk(files: Files, root: string, options: WalkOptions = {}): WalkedEntry[] {
  const { maxDepth = Number.POSITIVE_INFINITY, followSymlinks = false, enter, max } = options;
  const start = files.stat(root);
  if (start === undefined) return [];
  const found: WalkedEntry[] = [];
  const pending: WalkedEntry[] = [{ path: root, below: "", kind: start.kind, depth: 0 }];
  const seen = new Set<string>();
  let counted = 0;
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    if (max?.counts(entry) === true && ++counted > max.count) break;
    found.push(entry);
    if (entry.kind !== "dir" || entry.depth >= maxDepth || enter?.(entry.below) === false) continue;
    if (followSymlinks && !isNew(files, entry.path, seen)) continue;
    // Pushed in reverse, because the last pushed is taken first.
    pending.push(...children(files, entry, followSymlinks).reverse());
  }
  return found;
}

/** Links may lead in circles: each real folder is entered once. */
function isNew(files: Files, path: string, seen: Set<string>): boolean {
  const real = files.realPath(path);
  if (seen.has(real)) return false;
  seen.add(real);
  return true;
}

function children(files: Files, parent: WalkedEntry, followSymlinks: boolean): WalkedEntry[] {
  const prefix = parent.path.endsWith("/") ? parent.path : `${parent.path}/`;
  return readableEntries(files, parent.path)
    .toSorted((a, b) => compareTexts(a.name, b.name))
    .map(({ name, kind }) => {
      const path = prefix + name;
      const seen = kind === "symlink" && followSymlinks ? (files.stat(path)?.kind ?? kind) : kind;
      return {
        path,
        below: parent.below === "" ? name : `${parent.below}/${name}`,
        kind: seen,
        depth: parent.depth + 1,
      };
    });
}

function readableEntries(
  files: Files,
  path: string,
): readonly { readonly name: string; readonly kind: FileInfo["kind"] }[] {
  try {
    return files.list(path);
  } catch (error) {
    if (error instanceof HostError) return [];
    throw error;
  }
}

const longestGlob = 65_536;

/** What a pattern over paths below a folder fits; with `matchBase`, files of its name in any folder. Dot files count. */
export function fileGlob(task: Task, pattern: string, matchBase = false): Minimatch {
  if (pattern.length > longestGlob)
    throw thrown(`glob: the pattern has ${pattern.length} characters, at most ${longestGlob} are possible`);
  const { Minimatch } = task.runtime.host.libraries.minimatch();
  return new Minimatch(pattern, { dot: true, nocomment: true, nonegate: true, matchBase });
}
