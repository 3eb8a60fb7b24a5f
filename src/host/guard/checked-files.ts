/**
 * Files under rules where folders can't be held open (other systems, files in memory): a path is resolved part by part as
 * the system would, judged, used under its real name, and looked at again when the work is done. A process that swaps a
 * link in just between is found out afterwards for reads; docs/security.md says so.
 */
import { systemError } from "../node/os-errors.ts";
import { type FileInfo, type Files, HostError } from "../ports.ts";
import type { AccessJudge, FileAccess, FileOperation } from "./access.ts";
import { groupOf } from "./held-files.ts";

interface ResolvedPath {
  readonly path: string;
  readonly dangling: boolean;
}

const drive = /^[A-Za-z]:\//;

const join = (folder: string, name: string): string =>
  folder.endsWith("/") ? folder + name : `${folder}/${name}`;

function parentBelowRoot(path: string, root: string): string {
  const at = path.lastIndexOf("/");
  return at < root.length ? root : path.slice(0, at);
}

/** Whether a link stands there, whatever it leads to. */
function isSymbolicLink(files: Files, path: string): boolean {
  try {
    return files.stat(path, { followLinks: false })?.kind === "symlink";
  } catch {
    return false;
  }
}

/** The real path, or `undefined` when nothing is there. */
function realOrMissing(files: Files, path: string): string | undefined {
  try {
    return files.realPath(path).replaceAll("\\", "/");
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** Where an absolute path leads: links first, `..` after them, as the system does it. */
export function resolve(files: Files, text: string, follow: boolean): ResolvedPath {
  const path = text.replaceAll("\\", "/");
  const root = drive.test(path) ? path.slice(0, 3) : "/";
  const parts = path
    .slice(root.length)
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  let at = root;
  let missing = false;
  let dangling = false;
  for (const [index, part] of parts.entries()) {
    if (part === "..") {
      at = parentBelowRoot(at, root);
      continue;
    }
    const next = join(at, part);
    const last = index === parts.length - 1;
    if (missing || (last && !follow)) {
      at = next;
      continue;
    }
    const real = realOrMissing(files, next);
    if (real === undefined) {
      missing = true;
      dangling ||= isSymbolicLink(files, next);
    }
    at = real ?? next;
  }
  return { path: at, dangling };
}

const accessOf = (operation: FileOperation, { path, dangling }: ResolvedPath, to?: string): FileAccess => ({
  kind: "file",
  group: groupOf(operation),
  operation,
  path,
  ...(to === undefined ? {} : { to }),
  ...(dangling ? { dangling } : {}),
});

/** `files`, each access judged by where it leads. */
export function checkedFiles(files: Files, judge: AccessJudge): Files {
  const ask = (operation: FileOperation, place: ResolvedPath, to?: string): void =>
    judge(accessOf(operation, place, to));

  function at<T>(path: string, operation: FileOperation, work: (real: string) => T, follow = true): T {
    const place = resolve(files, path, follow);
    ask(operation, place);
    const result = work(place.path);
    if (groupOf(operation) === "fs.read" && resolve(files, place.path, follow).path !== place.path)
      throw systemError("ELOOP");
    return result;
  }

  return {
    readText: (path) => at(path, "read", (real) => files.readText(real)),
    readBytes: (path) => at(path, "read", (real) => files.readBytes(real)),
    readInto: (path, offset, buffer) => at(path, "read", (real) => files.readInto(real, offset, buffer)),
    stat: (path, options): FileInfo | undefined =>
      at(path, "look", (real) => files.stat(real, options), options?.followLinks ?? true),
    list: (path) => at(path, "list", (real) => files.list(real)),
    realPath: (path) => at(path, "look", (real) => files.realPath(real)),
    write: (path, data, mode) => at(path, "write", (real) => files.write(real, data, mode)),
    append: (path, data, mode) => at(path, "append", (real) => files.append(real, data, mode)),
    makeDir: (path, mode) => at(path, "make", (real) => files.makeDir(real, mode)),
    remove: (path) => at(path, "remove", (real) => files.remove(real), false),
    copy: (from, to) => at(from, "read", (source) => at(to, "write", (target) => files.copy(source, target))),
    rename: (from, to) => {
      const target = resolve(files, to, false);
      ask("write", target);
      const source = resolve(files, from, false);
      ask("move", source, target.path);
      files.rename(source.path, target.path);
    },
    makeTempDir: (prefix) => {
      const place = resolve(files, `${prefix}XXXXXX`, false);
      ask("make", place);
      return prefix + files.makeTempDir(place.path.slice(0, -6)).slice(-6);
    },
  };
}
