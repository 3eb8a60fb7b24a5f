/** Looking at a folder of source code (builtins.md §2.20): what lies in it, and where a text is. */

import type { Files } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { escapePattern } from "../../source/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { compareTexts, Dict, List, textLength, thrown, type Value } from "../../values/index.ts";
import { type Argument, attempt, hostPath, intOr, limitOption, option, textOf } from "../arguments.ts";
import { findFields, scanFields } from "../rows/text.ts";
import { type CompiledRegex, compileRegex, matches } from "../text/regex-engine.ts";
import { lastPart } from "./path-text.ts";
import { projectFingerprint } from "./project-fingerprint.ts";
import { vendorFolders } from "./project-signs.ts";
import { fileGlob, type WalkedEntry, walk } from "./walk.ts";

/**
 * A pattern with one `*` or `**` fits what begins and ends as it does, at any depth; other wildcards are a glob over the
 * relative path; a pattern without any is found anywhere in it (builtins.md §2.20).
 */
function matcher(task: Task, pattern: string | undefined): (below: string) => boolean {
  if (pattern === undefined || pattern === "") return () => true;
  if (!/[*?[{]/.test(pattern)) return (below) => below.includes(pattern);
  const glob = fileGlob(task, pattern, !pattern.includes("/"));
  const around = /^([^*?[{]*)\*{1,2}([^*?[{]*)$/.exec(pattern);
  if (around === null) return (below) => glob.match(below);
  const [, prefix = "", suffix = ""] = around;
  const fits = (below: string): boolean =>
    below.length >= prefix.length + suffix.length && below.startsWith(prefix) && below.endsWith(suffix);
  return (below) => fits(below) || glob.match(below);
}

function scanProject(task: Task, path: Argument, first: Argument, second: Argument): Value {
  const { files } = task.runtime.host;
  const options = first instanceof Dict ? first : second;
  const pattern =
    first instanceof Dict || first === undefined || first === null ? option(options, "pattern") : first;
  const hidden = option(options, "include_hidden") === true;
  const value = path === undefined || path === null || textOf(path) === "" ? "." : textOf(path);
  const isHidden = (below: string): boolean => below.split("/").some((part) => part.startsWith("."));
  const found = attempt(`scan_directory: ${value}`, () =>
    walk(files, hostPath(task, value), {
      // What lies in the folder itself has depth 0 for scripts, 1 for the walk.
      maxDepth: limitOption("scan_directory", options, "max_depth", 5) + 1,
      enter: (below) => hidden || !isHidden(below),
    }),
  );
  const fits = matcher(task, pattern === undefined ? undefined : textOf(pattern));
  const wanted = (entry: WalkedEntry): boolean => {
    if (entry.below === "" || (!hidden && isHidden(entry.below))) return false;
    const kind = entry.kind === "dir" ? "include_dirs" : "include_files";
    return option(options, kind) !== false && fits(entry.below);
  };
  const prefix = value.endsWith("/") ? value : `${value}/`;
  const listed = found.filter(wanted).sort((a, b) => compareTexts(a.below, b.below));
  return new List(listed.map((entry) => projectEntry(files, prefix, entry)));
}

function projectEntry(files: Files, prefix: string, { path, below, kind }: WalkedEntry): Dict {
  const info = files.stat(path, { followLinks: false });
  return Dict.of({
    path: prefix + below,
    size: kind === "file" ? (info?.size ?? 0) : 0,
    modified: Math.floor((info?.modified ?? 0) / 1000),
    is_dir: kind === "dir",
  });
}

const defaultMatches = 1000;
/** A longer line is data, not text that somebody looks for. */
const maxLineLength = 100_000;

function findText(task: Task, path: Argument, needle: Argument, options: Argument): Value {
  const root = hostPath(task, path === undefined || path === null ? "." : path);
  const wanted = textOf(needle);
  if (wanted === "") throw thrown("find_text: text to look for is required");
  const insensitive = option(options, "ignore_case") === true;
  const pattern = option(options, "regex") === true ? wanted : escapePattern(wanted);
  const regex = compileRegex(task, pattern, insensitive ? "i" : "");
  const fits = matcher(
    task,
    option(options, "glob") === undefined ? undefined : textOf(option(options, "glob")),
  );
  const max = Math.max(0, intOr(option(options, "max_results"), defaultMatches));
  const { files } = task.runtime.host;
  const enter = (below: string): boolean =>
    !vendorFolders.has(lastPart(below)) && !lastPart(below).startsWith(".");
  const found: Value[] = [];
  for (const entry of attempt(`find_text: ${root}`, () => walk(files, root, { enter }))) {
    if (entry.kind !== "file" || !fits(entry.below === "" ? lastPart(entry.path) : entry.below)) continue;
    for (const match of matchesIn(files, entry.path, regex)) {
      if (found.length >= max) return new List(found);
      found.push(match);
    }
  }
  return new List(found);
}

/** The first match of each line; nothing in files that are no text. */
function* matchesIn(files: Files, path: string, regex: CompiledRegex): Iterable<Value> {
  let text: string;
  try {
    text = files.readText(path);
  } catch {
    return;
  }
  let number = 0;
  for (const line of text.split("\n")) {
    number += 1;
    const plain = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (plain.length > maxLineLength) continue;
    for (const { start } of matches(regex, plain)) {
      yield Dict.of({ path, line: number, column: textLength(plain.slice(0, start)) + 1, text: plain });
      break;
    }
  }
}

export const projects = defineBuiltins("projects", {
  scan_directory: {
    doc:
      "Everything below a folder: `{path, size, modified, is_dir}`, sorted. A pattern without wildcards is found anywhere in " +
      "the relative path. `modified` is Unix seconds. Options: `pattern`, `max_depth` (5; 0 lists only what lies in the folder " +
      "itself), `include_hidden` (false), `include_dirs`, `include_files`.",
    sig: '(path: string = ".", pattern_or_options?: string | dict, options?: dict) -> list<dict>',
    effect: "read",
    capability: "fs.read",
    example: 'scan_directory("no/such/dir")  // []',
    fields: { pattern_or_options: () => scanFields, options: () => scanFields },
    run: scanProject,
  },
  find_text: {
    doc:
      "Lines with a text below a folder, the first match of each: `{path, line, column, text}`. Hidden and vendor folders are " +
      "left out. Options: `regex` (false), `ignore_case`, `glob`, `max_results` (1000).",
    sig: "(path: string, text: string, options?: dict) -> list<dict>",
    effect: "read",
    capability: "fs.read",
    example: 'find_text("no/such/dir", "x")  // []',
    fields: { options: () => findFields },
    run: findText,
  },
  project_fingerprint: {
    doc: "What a project is made with: languages, frameworks, package managers, tools, tests, CI. Looks four levels deep, hidden folders too.",
    sig: '(path: string = ".") -> dict',
    effect: "read",
    capability: "fs.read",
    example: 'project_fingerprint("no/such/dir").primary_language  // unknown',
    run: projectFingerprint,
  },
});
