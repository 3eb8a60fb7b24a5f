/**
 * Where the paths in a call lead, links and `..` taken as the system takes them: a rule about `/etc` holds for
 * `../../etc/x` and for a link to it. Looked up once per call, as one recorded observation: a replay needs no disk.
 */
import { shape } from "../../effects/index.ts";
import { HostError, resolvedPath } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { foldPath, fullPath, isAbsolutePath } from "../../model/index.ts";

/** The real, absolute path of a text that was looked up; as text folds it, for any other. */
export type RealPath = (text: string) => string;

const maxPathLength = 4096;

const canBePath = (text: string): boolean =>
  text !== "" &&
  text.length <= maxPathLength &&
  !/[\n\0]/.test(text) &&
  !/^[a-z][a-z\d+.-]*:\/\//i.test(text);

/** Looks up all of `texts` that can be paths, relative ones under `base`. */
export function realPaths(task: Task, texts: readonly string[], base: string): RealPath {
  const asked = [...new Set(texts.filter(canBePath))];
  if (asked.length === 0) return (text) => fullPath(text, base);
  const found = task.perform<readonly (readonly [string, string])[]>({
    effect: "observe",
    kind: "policy.paths",
    args: () => [base, ...asked],
    run: () =>
      asked
        .map((text) => [text, realPathOf(task, text, base)] as const)
        .filter(([text, real]) => real !== fullPath(text, base)),
    result: shape.listOf(shape.pair(shape.text, shape.text)),
  }) as readonly (readonly [string, string])[];
  const moved = new Map(found);
  return (text) => moved.get(text) ?? fullPath(text, base);
}

function realPathOf(task: Task, text: string, base: string): string {
  const { host } = task.runtime;
  const { files } = host.own ?? host;
  const posix = text.replaceAll("\\", "/");
  try {
    return foldPath(resolvedPath(files, isAbsolutePath(posix) ? posix : `${base}/${posix}`, true).path);
  } catch (error) {
    if (error instanceof HostError) return fullPath(text, base);
    throw error;
  }
}

/** The folders that a path pattern begins with, before its first wildcard: `/var/run` of `/var/run/**`. */
export function fixedFolder(pattern: string): string {
  const wild = pattern.search(/[*?{[]/);
  const fixed = wild < 0 ? pattern : pattern.slice(0, wild);
  return fixed.slice(0, Math.max(0, fixed.lastIndexOf("/")));
}
