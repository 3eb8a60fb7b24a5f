/** Paths (builtins.md §2.13): lexical functions, and the workspace check, which looks whether a file exists. */

import { type Task, workingFolder } from "../../interp/index.ts";
import { isAbsolutePath } from "../../model/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import { type Argument, hostPath, textOf } from "../arguments.ts";
import {
  baseName,
  extensionOf,
  joinPaths,
  normalizePath,
  parentPath,
  relativePath,
  segmentsOf,
  stemOf,
  withName,
} from "./path-text.ts";

function textFunction(doc: string, example: string, f: (path: string) => Value) {
  return {
    doc,
    sig: "(path: any) -> string",
    effect: "pure" as const,
    example,
    run: (_task: unknown, path: Argument): Value => f(textOf(path)),
  };
}

interface WorkspacePath {
  readonly kind: "workspace_relative" | "host_absolute" | "invalid";
  readonly normalized: string | null;
  readonly workspacePath: string | null;
  readonly hostPath: string | null;
  readonly recovered: boolean;
  readonly reason: string | null;
}

const invalid = (reason: string): WorkspacePath => ({
  kind: "invalid",
  normalized: null,
  workspacePath: null,
  hostPath: null,
  recovered: false,
  reason,
});

function scriptWorkspacePath(task: Task, text: string, root: string): WorkspacePath {
  if (text.trim() === "") return invalid("path is empty");
  const path = normalizePath(text);
  const found = { normalized: path, recovered: false, reason: null };
  if (!isAbsolutePath(path)) {
    if (path === ".." || path.startsWith("../")) {
      return invalid("workspace-relative path escapes the workspace root");
    }
    return {
      ...found,
      kind: "workspace_relative",
      workspacePath: path,
      hostPath: normalizePath(joinPaths([root, path])),
    };
  }
  const inside = relativePath(path, root);
  if (inside !== undefined && inside !== ".." && !inside.startsWith("../")) {
    return { ...found, kind: "host_absolute", workspacePath: inside, hostPath: path };
  }
  // A model that takes the workspace for the root of the disk means `packages/x` when it writes `/packages/x`.
  const below = path.replace(/^\/+/, "");
  const recovered = normalizePath(joinPaths([root, below]));
  if (below !== "" && task.runtime.host.files.stat(recovered) !== undefined) {
    return {
      kind: "workspace_relative",
      normalized: below,
      workspacePath: below,
      hostPath: recovered,
      recovered: true,
      reason: null,
    };
  }
  return { ...found, kind: "host_absolute", workspacePath: null, hostPath: path };
}

const rootOf = (task: Task, root: Argument): string =>
  normalizePath(root === undefined || root === null ? workingFolder(task) : hostPath(task, root));

export const paths = defineBuiltins("paths", {
  path_join: {
    doc: "The parts joined by `/`. An absolute later part replaces what stands before it.",
    sig: "(...parts: any) -> string",
    effect: "pure",
    example: 'path_join("a", "b", "c.txt")  // a/b/c.txt',
    run: (_task, ...parts: Value[]) => joinPaths(parts.map((part) => textOf(part))),
  },
  dirname: textFunction('The folder of a path; "" for a bare name.', 'dirname("a/b.txt")  // a', parentPath),
  basename: textFunction("The last part of a path.", 'basename("a/b.txt/")  // b.txt', baseName),
  extname: textFunction("The last suffix with its dot.", 'extname("a.tar.gz")  // .gz', extensionOf),
  path_parent: textFunction(
    'The folder of a path; "" for a bare name.',
    'path_parent("/a")  // /',
    parentPath,
  ),
  path_basename: textFunction("The last part of a path.", 'path_basename("a/b")  // b', baseName),
  path_stem: textFunction("The last part without its suffix.", 'path_stem("x/a.tar.gz")  // a.tar', stemOf),
  path_extension: textFunction(
    "The last suffix with its dot.",
    'path_extension("a.md")  // .md',
    extensionOf,
  ),
  path_normalize: textFunction(
    "The path with `.`, `..` and repeated separators folded.",
    'path_normalize("a/./b/../c")  // a/c',
    normalizePath,
  ),
  path_to_posix: textFunction("With `/` for every backslash.", 'path_to_posix("a\\\\b")  // a/b', (path) =>
    path.replaceAll("\\", "/"),
  ),
  path_to_native: {
    doc: "With the machine's own separator: backslashes on Windows, `/` elsewhere.",
    sig: "(path: any) -> string",
    effect: "observe",
    example: 'path_to_native("a/b") == (platform() == "windows" ? "a\\\\b" : "a/b")  // true',
    run: (task, path: Argument) => {
      const text = textOf(path);
      return task.runtime.host.os === "windows" ? text.replaceAll("/", "\\") : text.replaceAll("\\", "/");
    },
  },
  path_with_extension: {
    doc: "The path with another suffix, given with or without its dot.",
    sig: "(path: any, extension: any) -> string",
    effect: "pure",
    example: 'path_with_extension("a/b.txt", "md")  // a/b.md',
    run: (_task, path: Argument, extension: Argument) => {
      const suffix = textOf(extension).replace(/^\./, "");
      return withName(textOf(path), stemOf(textOf(path)) + (suffix === "" ? "" : `.${suffix}`));
    },
  },
  path_with_stem: {
    doc: "The path with another name before its suffix.",
    sig: "(path: any, stem: any) -> string",
    effect: "pure",
    example: 'path_with_stem("a/b.txt", "c")  // a/c.txt',
    run: (_task, path: Argument, stem: Argument) =>
      withName(textOf(path), textOf(stem) + extensionOf(textOf(path))),
  },
  path_is_absolute: {
    doc: "Whether a path begins at a root (`/`, `C:/`).",
    sig: "(path: any) -> bool",
    effect: "pure",
    example: 'path_is_absolute("C:/a")  // true',
    run: (_task, path: Argument) => isAbsolutePath(textOf(path)),
  },
  path_is_relative: {
    doc: "Whether a path begins at no root.",
    sig: "(path: any) -> bool",
    effect: "pure",
    example: 'path_is_relative("a")  // true',
    run: (_task, path: Argument) => !isAbsolutePath(textOf(path)),
  },
  path_segments: {
    doc: "The parts between the separators.",
    sig: "(path: any) -> list<string>",
    effect: "pure",
    example: 'path_segments("/a/b")  // [a, b]',
    run: (_task, path: Argument) => new List(segmentsOf(textOf(path).replaceAll("\\", "/"))),
  },
  path_parts: {
    doc: "`{dir, file, stem, ext, segments}`.",
    sig: "(path: any) -> dict",
    effect: "pure",
    example: 'path_parts("a/b.txt").stem  // b',
    run: (_task, path: Argument) => {
      const text = textOf(path);
      return Dict.of({
        dir: parentPath(text),
        file: baseName(text),
        stem: stemOf(text),
        ext: extensionOf(text),
        segments: new List(segmentsOf(text)),
      });
    },
  },
  path_relative_to: {
    doc: "The way from `base` to `path`; nil when one is absolute and the other not.",
    sig: "(path: any, base: any) -> string?",
    effect: "pure",
    example: 'path_relative_to("/a/c", "/a/b")  // ../c',
    run: (_task, path: Argument, base: Argument) => relativePath(textOf(path), textOf(base)) ?? null,
  },
  path_workspace_info: {
    doc: "How a path lies to the workspace: kind, normalized, workspace_path, host_path, recovered_root_drift, reason.",
    sig: "(path: any, root?: string) -> dict",
    effect: "read",
    capability: "fs.read",
    example: 'path_workspace_info("../x").reason  // workspace-relative path escapes the workspace root',
    run: (task, path: Argument, root: Argument) => {
      const info = scriptWorkspacePath(task, textOf(path), rootOf(task, root));
      return Dict.of({
        input: textOf(path),
        kind: info.kind,
        normalized: info.normalized,
        workspace_path: info.workspacePath,
        host_path: info.hostPath,
        recovered_root_drift: info.recovered,
        reason: info.reason,
      });
    },
  },
  path_workspace_normalize: {
    doc: "The path relative to the workspace; nil when it lies outside.",
    sig: "(path: any, root?: string) -> string?",
    effect: "read",
    capability: "fs.read",
    example: 'path_workspace_normalize("./a/../b")  // b',
    run: (task, path: Argument, root: Argument) =>
      scriptWorkspacePath(task, textOf(path), rootOf(task, root)).workspacePath,
  },
});
