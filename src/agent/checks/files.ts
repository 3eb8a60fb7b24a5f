/** Looks at files, recorded: which there are, how large, with which contents (as digests), and whether a pattern stands in one. */
import { type ResultOf, shape } from "../../effects/index.ts";
import { HostError, resolvedPath } from "../../host/index.ts";
import { bindBuiltin, type Task, workingFolder } from "../../interp/index.ts";
import { foldPath, type PatternMatcher } from "../../model/index.ts";
import { Dict, hexText, List } from "../../values/index.ts";
import type { SearchedText } from "./texts.ts";

/** A file as it was found. `sha256` is null where it could not be read. */
const foundFileShape = shape.record({
  path: shape.text,
  bytes: shape.count,
  sha256: shape.orNull(shape.text),
});
export type FoundFile = ResultOf<typeof foundFileShape>;
const searchedTextShape = shape.record<SearchedText>({
  ref: shape.text,
  kind: shape.oneOf("tool_result", "artifact", "text", "file"),
  text: shape.text,
});

/** Counting ends here. */
export const maxFiles = 10_000;

export interface FoundFiles {
  readonly files: readonly FoundFile[];
  /** There are more than were counted. */
  readonly more: boolean;
}

/** A path as the host wants it. */
export const hostPathOf = (task: Task, path: string): string =>
  /^(\/|[A-Za-z]:[\\/])/.test(path) ? path : `${workingFolder(task)}/${path}`;

/** The files that a path names or a pattern fits, sorted; a folder is no file. `digests`: with their contents' digests. */
export async function findFiles(
  task: Task,
  { path, glob }: { readonly path: string | null; readonly glob: string | null },
  digests: boolean,
): Promise<FoundFiles> {
  const paths = path !== null ? [path] : await pathsThatFit(task, glob ?? "");
  const files = await task.perform<FoundFile[]>({
    effect: "observe",
    kind: "check.files",
    args: () => ({
      paths: paths.length > 20 ? [...paths.slice(0, 20), `… ${paths.length}`] : paths,
      digests,
    }),
    run: () => paths.slice(0, maxFiles).flatMap((one) => lookAtFile(task, one, digests)),
    result: shape.listOf(foundFileShape),
  });
  return { files, more: paths.length > maxFiles };
}

async function pathsThatFit(task: Task, pattern: string): Promise<string[]> {
  const spec = task.runtime.builtins.get("glob");
  if (spec === undefined) return [];
  const found = await bindBuiltin(spec).call(task, [pattern, null, Dict.of({ max_results: maxFiles + 1 })]);
  return found instanceof List ? [...found].filter((path) => typeof path === "string") : [];
}

/**
 * Whether a path stays where it says that it is: what lies in the workspace must not be a link that leads out of it. A path that
 * names a place elsewhere is its author's.
 */
function staysInWorkspace(task: Task, full: string): boolean {
  const { files } = task.runtime.host.own ?? task.runtime.host;
  const isBelow = (path: string, folder: string): boolean =>
    path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
  const workspace = foldPath(workingFolder(task));
  if (!isBelow(foldPath(full), workspace)) return true;
  return isBelow(resolvedPath(files, full, true).path, resolvedPath(files, workspace, true).path);
}

function lookAtFile(task: Task, path: string, digests: boolean): FoundFile[] {
  const { files, crypto } = task.runtime.host;
  const full = hostPathOf(task, path);
  try {
    if (!staysInWorkspace(task, full)) return [];
    const info = files.stat(full, { followLinks: true });
    if (info?.kind !== "file") return [];
    const sha256 = digests ? hexText(crypto.hash("sha256", files.readBytes(full))) : null;
    return [{ path, bytes: info.size, sha256 }];
  } catch (error) {
    if (error instanceof HostError) return [];
    throw error;
  }
}

/** The texts of files, for those who search them; what can't be read is left out. */
export async function readTexts(task: Task, paths: readonly string[]): Promise<SearchedText[]> {
  return await task.perform<SearchedText[]>({
    effect: "observe",
    kind: "check.texts",
    args: () => ({ paths: [...paths] }),
    run: () => paths.flatMap((path) => readText(task, path)),
    result: shape.listOf(searchedTextShape),
  });
}

/** The first file with a line that fits, and that line: only this enters the record. */
export async function searchFiles(
  task: Task,
  matches: PatternMatcher,
  pattern: string,
  paths: readonly string[],
): Promise<SearchedText | string | null> {
  return await task.perform<SearchedText | string | null>({
    effect: "observe",
    kind: "check.search",
    args: () => ({ pattern, files: paths.length, first: paths[0] ?? null }),
    run: () => {
      for (const path of paths)
        for (const { text, ref } of readText(task, path)) {
          const found = matches(pattern, text);
          if (typeof found === "string") return found;
          if (!found) continue;
          const line = text.split("\n").find((one) => matches(pattern, one) === true) ?? text.slice(0, 2000);
          return { ref, kind: "file", text: line };
        }
      return null;
    },
    result: shape.orNull(shape.either(searchedTextShape, shape.text)),
  });
}

function readText(task: Task, path: string): SearchedText[] {
  const { files } = task.runtime.host;
  const full = hostPathOf(task, path);
  try {
    return staysInWorkspace(task, full) ? [{ ref: path, kind: "file", text: files.readText(full) }] : [];
  } catch (error) {
    if (error instanceof HostError) return [];
    throw error;
  }
}
