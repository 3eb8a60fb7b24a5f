/** Looking at a folder of source code (builtins.md §2.20): what lies in it, and what it is made with. */

import type { Files } from "../host/index.ts";
import type { Task } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import { compareText, Dict, List, sortTexts, textLength, thrown, type Value } from "../values/index.ts";
import { attempt, type Given, hostPath, intOr, limitOption, option, textOf } from "./arguments.ts";
import {
  buildTools,
  ciSigns,
  frameworks,
  lockfiles,
  managerOrder,
  signs,
  testRunners,
  vcsSigns,
  vendorFolders,
} from "./project-signs.ts";
import { type CompiledRegex, compileRegex, matches } from "./regex-engine.ts";
import { findFields, scanFields } from "./rows/text.ts";
import { type WalkedEntry, walk } from "./walk.ts";

/**
 * A pattern with one `*` or `**` fits what begins and ends as it does, at any depth; other wildcards are a glob over the
 * relative path; a pattern without any is found anywhere in it (amendment B11).
 */
function matcher(task: Task, pattern: string | undefined): (below: string) => boolean {
  if (pattern === undefined || pattern === "") return () => true;
  if (!/[*?[{]/.test(pattern)) return (below) => below.includes(pattern);
  const { Minimatch } = task.runtime.host.libraries.minimatch();
  const options = { dot: true, nocomment: true, nonegate: true, matchBase: !pattern.includes("/") };
  const glob = new Minimatch(pattern, options);
  const around = /^([^*?[{]*)\*{1,2}([^*?[{]*)$/.exec(pattern);
  if (around === null) return (below) => glob.match(below);
  const [, prefix = "", suffix = ""] = around;
  const fits = (below: string): boolean =>
    below.length >= prefix.length + suffix.length && below.startsWith(prefix) && below.endsWith(suffix);
  return (below) => fits(below) || glob.match(below);
}

function scan(task: Task, path: Given, first: Given, second: Given): Value {
  const { files } = task.runtime.host;
  const options = first instanceof Dict ? first : second;
  const pattern =
    first instanceof Dict || first === undefined || first === null ? option(options, "pattern") : first;
  const hidden = option(options, "include_hidden") === true;
  const given = path === undefined || path === null || textOf(path) === "" ? "." : textOf(path);
  const isHidden = (below: string): boolean => below.split("/").some((part) => part.startsWith("."));
  const found = attempt(`scan_directory: ${given}`, () =>
    walk(files, hostPath(task, given), {
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
  const prefix = given.endsWith("/") ? given : `${given}/`;
  const listed = found.filter(wanted).sort((a, b) => compareText(a.below, b.below));
  return new List(listed.map((entry) => described(files, prefix, entry)));
}

function described(files: Files, prefix: string, { path, below, kind }: WalkedEntry): Dict {
  const info = files.stat(path, { followLinks: false });
  return Dict.of({
    path: prefix + below,
    size: kind === "file" ? (info?.size ?? 0) : 0,
    modified: Math.floor((info?.modified ?? 0) / 1000),
    is_dir: kind === "dir",
  });
}

/** What a look into the root and two levels below it has found. */
class Look {
  /** Relative paths, folders included. */
  readonly paths: readonly string[];
  private readonly names: ReadonlyMap<string, string>;
  private readonly files: Files;
  private readonly root: string;

  constructor(files: Files, root: string) {
    this.files = files;
    this.root = root;
    const enter = (below: string): boolean =>
      !vendorFolders.has(below.split("/").at(-1) as string) && below !== ".git";
    this.paths = walk(files, root, { maxDepth: 3, enter })
      .map((entry) => entry.below)
      .filter((below) => below !== "");
    const names = new Map<string, string>();
    // Nearer the root wins: those come first in each folder's turn, so the last set must be the nearest.
    for (const path of this.paths.toSorted((a, b) => depth(b) - depth(a))) names.set(nameOf(path), path);
    this.names = names;
  }

  has(name: string): boolean {
    return this.names.has(name);
  }
  /** Anywhere in it, for names that contain a folder. */
  hasPath(path: string): boolean {
    return this.paths.some((one) => one === path || one.endsWith(`/${path}`));
  }
  /** All of the name, nearest the root first. */
  all(name: string): string[] {
    return this.paths.filter((path) => nameOf(path) === name).sort((a, b) => depth(a) - depth(b));
  }
  text(path: string): string {
    try {
      return this.files.readText(`${this.root}/${path}`);
    } catch {
      return "";
    }
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const depth = (path: string): number => path.split("/").length;

/** Names of dependencies in all manifests, as they are written there. */
function dependencies(look: Look): Set<string> {
  const found = new Set<string>();
  for (const path of look.all("package.json")) {
    for (const name of packageDependencies(look.text(path))) found.add(name);
  }
  for (const file of ["Cargo.toml", "pyproject.toml", "requirements.txt", "Gemfile", "go.mod", "setup.py"]) {
    for (const path of look.all(file)) {
      for (const word of look
        .text(path)
        .toLowerCase()
        .matchAll(/[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9._-]+)?/g))
        found.add(word[0]);
      for (const word of look.text(path).matchAll(/github\.com\/([\w-]+\/[\w-]+)/g))
        found.add(word[1] as string);
    }
  }
  return found;
}

function packageDependencies(text: string): string[] {
  try {
    const manifest = JSON.parse(text) as Record<string, unknown>;
    return ["dependencies", "devDependencies", "peerDependencies"].flatMap((key) =>
      Object.keys(manifest[key] ?? {}),
    );
  } catch {
    return [];
  }
}

function languagesOf(look: Look): string[] {
  const found = new Set(signs.filter(({ file }) => look.has(file)).map(({ language }) => language));
  if (look.has("package.json")) found.add(look.has("tsconfig.json") ? "typescript" : "javascript");
  else if (look.has("tsconfig.json")) found.add("typescript");
  if (found.has("kotlin")) found.delete("java");
  return sortTexts([...found]);
}

function managersOf(look: Look): string[] {
  const found = new Set(
    signs.flatMap(({ file, manager }) => (manager !== undefined && look.has(file) ? [manager] : [])),
  );
  for (const [file, manager] of lockfiles) if (look.has(file)) found.add(manager);
  if (
    look.has("requirements.txt") ||
    (look.has("pyproject.toml") && !["uv", "poetry", "pipenv"].some((one) => found.has(one)))
  )
    found.add("pip");
  const node = ["pnpm", "yarn", "bun", "npm"];
  if (look.has("package.json") && !node.some((one) => found.has(one))) found.add("npm");
  return managerOrder.filter((one) => found.has(one));
}

function fingerprint(task: Task, path: Given): Value {
  const root = hostPath(task, path === undefined || path === null ? "." : path);
  const look = attempt(`project_fingerprint: ${root}`, () => new Look(task.runtime.host.files, root));
  const languages = languagesOf(look);
  const managers = managersOf(look);
  const used = dependencies(look);
  const sign = signs.find(({ file }) => look.has(file));
  const ofList = (known: readonly string[]): string | undefined => known.find((one) => used.has(one));
  const testRunner = sign?.testRunner ?? ofList(testRunners)?.replace("@playwright/test", "playwright");
  const buildTool =
    sign?.buildTool ??
    ofList(buildTools)?.replace("typescript", "tsc") ??
    (look.has("Makefile") ? "make" : undefined);
  const ci = ciSigns.filter(([file]) => look.hasPath(file)).map(([, name]) => name);
  const testFolder =
    /(^|\/)(tests?|spec|__tests__)(\/|$)|[._](test|spec)\.\w+$|_test\.go$|(^|\/)test_\w+\.py$/;
  return Dict.of({
    primary_language: languages.length > 1 ? "mixed" : (languages[0] ?? "unknown"),
    languages: new List(languages),
    frameworks: new List(
      sortTexts([...frameworks].filter(([name]) => used.has(name)).map(([, name]) => name)),
    ),
    package_manager: managers[0] ?? null,
    package_managers: new List(managers),
    test_runner: testRunner ?? null,
    build_tool: buildTool ?? null,
    vcs: vcsSigns.find(([name]) => look.hasPath(name))?.[1] ?? null,
    ci: new List(ci),
    has_tests: look.paths.some((one) => testFolder.test(one)),
    has_ci: ci.length > 0,
    lockfile_paths: new List(look.paths.filter((one) => lockfiles.has(nameOf(one))).sort(compareText)),
  });
}

const defaultMatches = 1000;
/** A longer line is data, not text that somebody looks for. */
const longestLine = 100_000;

function findText(task: Task, path: Given, needle: Given, options: Given): Value {
  const root = hostPath(task, path === undefined || path === null ? "." : path);
  const wanted = textOf(needle);
  if (wanted === "") throw thrown("find_text: text to look for is required");
  const insensitive = option(options, "ignore_case") === true;
  const pattern = option(options, "regex") === true ? wanted : wanted.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const regex = compileRegex(task, pattern, insensitive ? "i" : "");
  const fits = matcher(
    task,
    option(options, "glob") === undefined ? undefined : textOf(option(options, "glob")),
  );
  const max = Math.max(0, intOr(option(options, "max_results"), defaultMatches));
  const { files } = task.runtime.host;
  const enter = (below: string): boolean =>
    !vendorFolders.has(nameOf(below)) && !nameOf(below).startsWith(".");
  const found: Value[] = [];
  for (const entry of attempt(`find_text: ${root}`, () => walk(files, root, { enter }))) {
    if (entry.kind !== "file" || !fits(entry.below === "" ? nameOf(entry.path) : entry.below)) continue;
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
    if (plain.length > longestLine) continue;
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
    run: scan,
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
    doc: "What a project is made with: languages, frameworks, package managers, tools, tests, CI. Looks two levels deep.",
    sig: '(path: string = ".") -> dict',
    effect: "read",
    capability: "fs.read",
    example: 'project_fingerprint("no/such/dir").primary_language  // unknown',
    run: fingerprint,
  },
});
