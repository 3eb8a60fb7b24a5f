/** Paths as text: lexical work only, nothing is looked up. `/` separates; `C:/a` is absolute too. */

import { foldedParts } from "../../host/index.ts";
import { isAbsolutePath } from "../../model/index.ts";

const drive = /^[A-Za-z]:[\\/]/;

/** An absolute later part replaces the earlier ones; nothing is folded. */
export function joinPaths(parts: readonly string[]): string {
  let joined = "";
  for (const part of parts) {
    if (joined === "" || isAbsolutePath(part)) joined = part;
    else if (part !== "") joined += joined.endsWith("/") ? part : `/${part}`;
  }
  return joined;
}

/** Folds `.`, `..` and repeated separators; `a/..` is `.`, leading `..` stay. */
export function normalizePath(path: string): string {
  const posix = path.replaceAll("\\", "/");
  const root = drive.test(posix) ? posix.slice(0, 3) : posix.startsWith("/") ? "/" : "";
  const folded = root + foldedParts(posix.slice(root.length).split("/"), root !== "").join("/");
  return folded === "" ? "." : folded;
}

/** Without trailing separators, except for the root itself. */
function trimmedPath(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/** "" for a bare name and for the root. */
export function parentPath(path: string): string {
  const plain = trimmedPath(path);
  const at = plain.lastIndexOf("/");
  if (at < 0 || plain === "/") return "";
  return at === 0 ? "/" : trimmedPath(plain.slice(0, at));
}

export function baseName(path: string): string {
  const plain = trimmedPath(path);
  return plain === "/" ? "" : plain.slice(plain.lastIndexOf("/") + 1);
}

/** With its dot, the last suffix only; "" for none and for names like `.env`. */
export function extensionOf(path: string): string {
  const name = baseName(path);
  const at = name.lastIndexOf(".");
  return at <= 0 || name === ".." ? "" : name.slice(at);
}

export function stemOf(path: string): string {
  const name = baseName(path);
  return name.slice(0, name.length - extensionOf(path).length);
}

/** The parts between separators; a leading `/` is not one. */
export function segmentsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

/** A new last part beside the old one. */
export function withName(path: string, name: string): string {
  const parent = parentPath(path);
  return parent === "" ? name : parent.endsWith("/") ? parent + name : `${parent}/${name}`;
}

/** The way from `base` to `path`; `undefined` when one is absolute and the other not. */
export function relativePath(path: string, base: string): string | undefined {
  if (isAbsolutePath(path) !== isAbsolutePath(base)) return undefined;
  const to = segmentsOf(normalizePath(path)).filter((part) => part !== ".");
  const from = segmentsOf(normalizePath(base)).filter((part) => part !== ".");
  let common = 0;
  while (common < to.length && common < from.length && to[common] === from[common]) common += 1;
  const up = from.slice(common).map(() => "..");
  return [...up, ...to.slice(common)].join("/") || ".";
}

/** The last part of a path between `/`. */
export const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
