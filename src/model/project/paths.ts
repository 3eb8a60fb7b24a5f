/** Paths as text: nothing is looked up, so nothing needs recording. */
import { foldedParts } from "../../host/index.ts";

/** `a/./b/../c` → `a/c`; leading `..` stay. */
export function foldPath(path: string): string {
  const posix = path.replaceAll("\\", "/");
  const root = posix.startsWith("/") ? "/" : "";
  const folded = root + foldedParts(posix.split("/"), root !== "").join("/");
  return folded === "" ? "." : folded;
}

const drive = /^[A-Za-z]:[\\/]/;

export const isAbsolutePath = (path: string): boolean => path.startsWith("/") || drive.test(path);

/** The path from the root of the file system, `..` folded. */
export function fullPath(path: string, base: string): string {
  return foldPath(isAbsolutePath(path) ? path : `${base}/${path}`);
}

/** Whether a full path is a folder or lies in it. */
export function isInside(path: string, root: string): boolean {
  const folder = foldPath(root);
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** A path as patterns are written: relative to the workspace where it lies in it. */
export function workspacePath(path: string, workspace: string): string {
  const full = fullPath(path, workspace);
  const root = foldPath(workspace);
  if (full === root) return ".";
  return full.startsWith(`${root}/`) ? full.slice(root.length + 1) : full;
}
