/** What a project is made with, told by the names in it and what its manifests say (builtins.md §2.20). */
import type { Files } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { compareTexts, Dict, List, type Value } from "../../values/index.ts";
import { type Argument, attempt, hostPath } from "../arguments.ts";
import { lastPart, parentPath } from "./path-text.ts";
import {
  buildToolOrder,
  ciMarkers,
  fileEndings,
  languageFolders,
  languageOrder,
  lockfiles,
  managerOrder,
  manifestLanguages,
  skippedFolders,
  testFolders,
} from "./project-signs.ts";
import { walk } from "./walk.ts";

/** Levels below the folder that are looked at. */
const levels = 4;

/** What lies in the folder and below it. */
class ProjectFiles {
  /** Relative paths. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  private readonly names = new Map<string, string[]>();
  private readonly host: Files;
  private readonly root: string;

  constructor(host: Files, root: string) {
    this.host = host;
    this.root = root;
    const enter = (below: string): boolean => !skippedFolders.has(lastPart(below));
    const found = walk(host, root, { maxDepth: levels + 1, enter }).filter(({ below }) => below !== "");
    const shallow = found.toSorted((a, b) => depth(a.below) - depth(b.below));
    this.files = shallow.filter(({ kind }) => kind !== "dir").map(({ below }) => below);
    this.folders = shallow.filter(({ kind }) => kind === "dir").map(({ below }) => below);
    for (const path of this.files) {
      const known = this.names.get(lastPart(path));
      if (known === undefined) this.names.set(lastPart(path), [path]);
      else known.push(path);
    }
  }

  has(...names: readonly string[]): boolean {
    return names.some((name) => this.names.has(name));
  }
  /** All files of a name, nearest the root first. */
  all(name: string): readonly string[] {
    return this.names.get(name) ?? [];
  }
  some(pattern: RegExp): boolean {
    return this.files.some((path) => pattern.test(path));
  }
  /** The text of all files of a name. */
  texts(name: string): string[] {
    return this.all(name).map((path) => {
      try {
        return this.host.readText(`${this.root}/${path}`);
      } catch {
        return "";
      }
    });
  }
}

const depth = (path: string): number => path.split("/").length;

function readManifests(look: ProjectFiles) {
  const node = new Set<string>();
  const scripts: string[] = [];
  let declaredManager: string | undefined;
  for (const text of look.texts("package.json")) {
    const manifest = parsed(text);
    for (const key of ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"])
      for (const name of Object.keys((manifest[key] as object | undefined) ?? {})) node.add(name);
    scripts.push(...Object.values((manifest.scripts as object | undefined) ?? {}).map(String));
    if (typeof manifest.packageManager === "string")
      declaredManager ??= manifest.packageManager.split("@")[0];
  }
  const together = (...names: readonly string[]): string =>
    names.flatMap((name) => look.texts(name)).join("\n");
  return {
    /** Names of packages that package.json files depend on. */
    node,
    /** Commands of package.json scripts, one text. */
    scripts: scripts.join("\n"),
    /** The `packageManager` field, without its version. */
    declaredManager,
    /** pyproject.toml, requirements.txt and setup.py, in lower case. */
    python: together("pyproject.toml", "requirements.txt", "setup.py").toLowerCase(),
    pyproject: together("pyproject.toml"),
    cargo: together("Cargo.toml"),
    gemfile: together("Gemfile"),
  };
}

/** What the manifests say, as far as it counts here. */
type Manifests = Readonly<ReturnType<typeof readManifests>>;

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function languagesOf(look: ProjectFiles): string[] {
  const found = new Set<string>();
  for (const [file, language] of manifestLanguages) if (look.has(file)) found.add(language);
  for (const path of look.files) {
    const language = fileEndings.get(path.slice(path.lastIndexOf(".") + 1));
    if (language !== undefined) found.add(language);
  }
  for (const path of look.folders) {
    const language = languageFolders.get(lastPart(path));
    if (language !== undefined) found.add(language);
  }
  return languageOrder.filter((language) => found.has(language));
}

/** A word of its own in a text that names packages. */
const names = (text: string, word: string): boolean =>
  new RegExp(`(^|[^a-z0-9_-])${word}([^a-z0-9_-]|$)`, "m").test(text);

function frameworksOf(look: ProjectFiles, said: Manifests): string[] {
  const marks: [string, boolean][] = [
    [
      "axum",
      /^\s*axum\s*=/m.test(said.cargo) ||
        /^\[(?:[\w.'"()=-]*\.)?(?:\w+-)?dependencies\.axum\]/m.test(said.cargo),
    ],
    ["next", said.node.has("next") && look.some(/(^|\/)next\.config\.\w+$/)],
    ["react", said.node.has("react")],
    ["django", names(said.python, "django")],
    ["fastapi", names(said.python, "fastapi")],
    ["rails", /^\s*gem\s+["']rails["']/m.test(said.gemfile)],
  ];
  return marks.filter(([, seen]) => seen).map(([name]) => name);
}

function managersOf(look: ProjectFiles, said: Manifests): string[] {
  const found = new Set<string>();
  for (const [file, manager] of lockfiles) if (look.has(file)) found.add(manager);
  if (said.declaredManager !== undefined)
    found.add(said.declaredManager === "bun" ? "npm" : said.declaredManager);
  if (/^\[tool\.uv\b/m.test(said.pyproject)) found.add("uv");
  if (/^\[tool\.poetry\b/m.test(said.pyproject)) found.add("poetry");
  if (look.has("Cargo.toml")) found.add("cargo");
  if (look.has("Package.swift")) found.add("spm");
  if (look.has("go.mod")) found.add("go-mod");
  if (look.has("Gemfile")) found.add("bundler");
  const node = ["pnpm", "npm", "yarn"];
  if (look.has("package.json") && !node.some((one) => found.has(one))) found.add("npm");
  const other = found.has("uv") || found.has("poetry");
  if (look.has("requirements.txt", "setup.py") || (look.has("pyproject.toml") && !other)) found.add("pip");
  return managerOrder.filter((manager) => found.has(manager));
}

/** Tests by their files' names. */
const testFile =
  /(^|\/)(?:[^/]*[._](?:test|spec)\.\w+|[^/]*_test\.(?:go|py|rs|rb)|[^/]*_spec\.rb|test_[^/]+\.py|[^/]*Tests?\.swift)$/;

function testRunnerOf(look: ProjectFiles, said: Manifests, languages: readonly string[]): string | undefined {
  const ofNode = (name: string): boolean =>
    said.node.has(name) ||
    look.some(new RegExp(`(^|/)(?:${name}\\.config\\.\\w+|\\.${name}rc(?:\\.\\w+)?)$`)) ||
    names(said.scripts, name);
  const vite = said.node.has("vite") || look.some(/(^|\/)vite\.config\.\w+$/);
  const unittest = names(said.python, "unittest") || names(said.scripts, "unittest");
  const marks: [string, boolean][] = [
    ["nextest", look.has("nextest.toml") || /cargo nextest/.test(said.scripts)],
    ["cargo-test", languages.includes("rust")],
    ["vitest", ofNode("vitest")],
    ["jest", ofNode("jest")],
    ["mocha", ofNode("mocha")],
    // Vite's own runner is what its projects with tests use unless they say otherwise.
    ["vitest", vite && look.some(testFile)],
    ["pytest", languages.includes("python") && (!unittest || names(said.python, "pytest"))],
    ["unittest", unittest],
    ["go-test", languages.includes("go")],
    ["xctest", languages.includes("swift")],
    ["rspec", /rspec/.test(said.gemfile) || look.has(".rspec")],
    ["minitest", languages.includes("ruby")],
  ];
  return marks.find(([, seen]) => seen)?.[0];
}

function buildToolOf(look: ProjectFiles, said: Manifests, managers: readonly string[]): string | undefined {
  const seen = new Set(managers.map((manager) => (manager === "go-mod" ? "go" : manager)));
  if (said.node.has("next") || look.some(/(^|\/)next\.config\.\w+$/)) seen.add("next");
  if (said.node.has("vite") || look.some(/(^|\/)vite\.config\.\w+$/)) seen.add("vite");
  return buildToolOrder.find((tool) => seen.has(tool));
}

/** Looked for from the folder upwards: a part of a repository belongs to it. */
function vcsOf(files: Files, root: string): string | undefined {
  if (files.stat(root) === undefined) return undefined;
  for (let folder = root; ; folder = parentPath(folder)) {
    for (const [name, vcs] of [
      [".git", "git"],
      [".hg", "hg"],
    ] as const)
      if (files.stat(`${folder === "/" ? "" : folder}/${name}`) !== undefined) return vcs;
    if (parentPath(folder) === "" || parentPath(folder) === folder) return undefined;
  }
}

export function projectFingerprint(task: Task, path: Argument): Value {
  const root = hostPath(task, path === undefined || path === null ? "." : path);
  const { files } = task.runtime.host;
  return attempt(`project_fingerprint: ${root}`, () => {
    const look = new ProjectFiles(files, root);
    const said = readManifests(look);
    const languages = languagesOf(look);
    const frameworks = frameworksOf(look, said);
    const managers = managersOf(look, said);
    const all = [...look.files, ...look.folders];
    const ci = ciMarkers
      .filter(([mark]) => all.some((one) => one === mark || one.endsWith(`/${mark}`)))
      .map(([, name]) => name);
    const tested =
      look.folders.some((folder) => testFolders.has(lastPart(folder).toLowerCase())) ||
      look.some(testFile) ||
      ["vitest", "jest", "mocha", "@playwright/test", "cypress"].some((name) => said.node.has(name)) ||
      names(said.python, "pytest") ||
      /rspec|minitest/.test(said.gemfile) ||
      /^\s*(?:npm |pnpm |yarn )?(?:test|vitest|jest|mocha|pytest)\b/m.test(said.scripts);
    return Dict.of({
      primary_language: languages.length > 1 ? "mixed" : (languages[0] ?? "unknown"),
      languages: new List(languages),
      frameworks: new List(frameworks),
      package_manager: managers[0] ?? null,
      package_managers: new List(managers),
      test_runner: testRunnerOf(look, said, languages) ?? null,
      build_tool: buildToolOf(look, said, managers) ?? null,
      vcs: vcsOf(files, root) ?? null,
      ci: new List(ci),
      has_tests: tested,
      has_ci: ci.length > 0,
      lockfile_paths: new List(
        look.files.filter((one) => lockfiles.some(([name]) => name === lastPart(one))).toSorted(compareTexts),
      ),
    });
  });
}
