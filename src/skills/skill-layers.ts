/**
 * Where skills of the file system lie, highest layer first (agents.md §15.2):
 *
 *     cli       --skill-dir                           user      ~/.harn/skills
 *     env       HARN_SKILLS_PATH                      package   .harn/packages/ ** /skills
 *     project   .harn/skills, script ▸ project root   system    /etc/harn/skills, $XDG_CONFIG_HOME/harn/skills
 *     manifest  [skills] paths, [[skill.source]]      host      what a TypeScript host configures
 *
 * `[skills] disable` leaves layers out, `lookup_order` puts the named ones first.
 */

import type { Json } from "../effects/index.ts";
import { type Host, HostError } from "../host/index.ts";
import { type Runtime, stateKey } from "../interp/index.ts";
import { folderOf, fullPath, type ProjectManifest } from "../model/index.ts";
import { variable } from "../process/environment.ts";
import { isJsonObject, ScriptError } from "../values/index.ts";
import { BadGitSource, type GitSource, gitSourceOf } from "./git-address.ts";
import type { GitFetch } from "./git-source.ts";

export const layerNames = ["cli", "env", "project", "manifest", "user", "package", "system", "host"] as const;
export type LayerName = (typeof layerNames)[number];

/** A folder whose sub-folders are skills, or that is one itself. */
export interface SkillFolder {
  readonly layer: LayerName;
  readonly path: string;
  /** Stands before the names: `ns/name`. */
  readonly namespace: string | null;
}

/** Folders that the program around the run adds: the command line, a TypeScript host. */
export const skillDirs = stateKey<{ cli: readonly string[]; host: readonly string[] }>(
  "agent.skill folders",
  () => ({ cli: [], host: [] }),
);

/** The folders in the order in which they win, and what is wrong with the manifest. */
export function skillFolders(
  runtime: Runtime,
  manifest: ProjectManifest | null,
  fetched: readonly GitFetch[],
): { readonly folders: SkillFolder[]; readonly warnings: string[] } {
  const { host } = runtime;
  const settings = new SkillSettings(manifest, host, fetched);
  const entry = runtime.entry === "" ? host.cwd : folderOf(fullPath(runtime.entry, host.cwd));
  const root = manifest === null ? entry : folderOf(manifest.path);
  const dirs = runtime.state(skillDirs);
  const folder = (layer: LayerName, path: string, namespace: string | null = null): SkillFolder => ({
    layer,
    path: fullPath(path, host.cwd),
    namespace,
  });
  const config = variable(host.env, "XDG_CONFIG_HOME") ?? `${host.homeDir}/.config`;
  const layers: Record<LayerName, SkillFolder[]> = {
    cli: dirs.cli.map((path) => folder("cli", path)),
    env: split(variable(host.env, "HARN_SKILLS_PATH")).map((path) => folder("env", path)),
    project: upwards(entry, root).map((path) => folder("project", `${path}/.harn/skills`)),
    manifest: settings.sources(root).map(({ path, namespace }) => folder("manifest", path, namespace)),
    user: [folder("user", `${host.homeDir}/.harn/skills`)],
    package: packageFolders(host, `${root}/.harn/packages`).map((path) => folder("package", path)),
    system: [folder("system", "/etc/harn/skills"), folder("system", `${config}/harn/skills`)],
    host: dirs.host.map((path) => folder("host", path)),
  };
  const order = settings.order();
  return { folders: order.flatMap((name) => layers[name]), warnings: settings.warnings };
}

/** The repositories that the manifest names, unless its layer is off. What is wrong with others `skillFolders` says. */
export function gitSources(manifest: ProjectManifest | null, host: Host): GitSource[] {
  if (manifest === null) return [];
  const settings = new SkillSettings(manifest, host);
  return settings.order().includes("manifest") ? settings.git(folderOf(manifest.path)) : [];
}

/** Where public keys of signers are looked up besides the user's own: a folder or an address; `null` for nowhere. */
export function signerRegistry(manifest: ProjectManifest | null): string | null {
  const skills = manifest?.tables.skills;
  const url = isJsonObject(skills) ? (skills.signer_registry_url ?? "") : "";
  if (typeof url !== "string" || url === "" || manifest === null) return null;
  if (/^https?:\/\//.test(url)) return url;
  return fullPath(url.replace(/^file:\/\//, ""), folderOf(manifest.path));
}

const split = (paths: string | undefined): string[] => (paths ?? "").split(":").filter((path) => path !== "");

/** The folder and those above it up to `root`, the nearest first. */
function upwards(start: string, root: string): string[] {
  const found = [start];
  for (let at = start; at !== root && at !== "/" && at.startsWith(root); ) {
    at = folderOf(at);
    found.push(at);
  }
  return found;
}

/** A path whose last part is `*` stands for the folders there, in the order of their names. */
function expanded(host: Host, path: string): string[] {
  if (!path.endsWith("/*")) return [path];
  const folder = path.slice(0, -2);
  // Of one that may not be looked at it is said where its skills are looked for.
  return foldersIn(host, folder)?.map((name) => `${folder}/${name}`) ?? [folder];
}

/** Names of the folders in a folder, sorted; `undefined` when the run may not look there. */
function foldersIn({ files }: Host, folder: string): string[] | undefined {
  try {
    if (files.stat(folder)?.kind !== "dir") return [];
    const dirs = files.list(folder).filter(({ kind }) => kind === "dir");
    return dirs.map(({ name }) => name).sort();
  } catch (error) {
    if (error instanceof HostError) return [];
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
}

const maxPackageDepth = 4;

function packageFolders(host: Host, root: string, depth = 0): string[] {
  if (depth > maxPackageDepth) return [];
  const dirs = (foldersIn(host, root) ?? []).filter((name) => name !== "node_modules");
  return dirs.flatMap((name) =>
    name === "skills" ? [`${root}/skills`] : packageFolders(host, `${root}/${name}`, depth + 1),
  );
}

type SourceFolder = Pick<SkillFolder, "path" | "namespace">;

/** `[skills]` and `[[skill.source]]`. What can't be used is a warning: a bad entry must not take the others away. */
class SkillSettings {
  readonly warnings: string[] = [];
  private readonly manifest: ProjectManifest | null;
  private readonly host: Host;
  /** What came of the sources of type `git`, in their order. */
  private readonly fetched: readonly GitFetch[];

  constructor(manifest: ProjectManifest | null, host: Host, fetched: readonly GitFetch[] = []) {
    this.manifest = manifest;
    this.host = host;
    this.fetched = fetched;
  }

  /** The layers that are on, in order. */
  order(): LayerName[] {
    const disabled = this.layers("disable");
    const first = this.layers("lookup_order");
    const rest = layerNames.filter((name) => !first.includes(name));
    return [...first, ...rest].filter((name) => !disabled.includes(name));
  }

  sources(root: string): SourceFolder[] {
    const paths = this.listOf("paths")
      .flatMap((path) => expanded(this.host, fullPath(path, root)))
      .map((path): SourceFolder => ({ path, namespace: null }));
    const found = [...paths];
    const left = [...this.fetched];
    for (const [index, one] of this.listed().entries()) {
      const table = isJsonObject(one) ? one : {};
      const folder =
        table.type === "git" ? this.gitFolder(table, index, root, left) : this.source(table, index, root);
      if (folder !== undefined) found.push(folder);
    }
    return found;
  }

  /** Those that can be read; the others are warned of where the folders are made. */
  git(root: string): GitSource[] {
    return this.listed().flatMap((one) => {
      if (!isJsonObject(one) || one.type !== "git") return [];
      try {
        return [gitSourceOf(one, root)];
      } catch (error) {
        if (error instanceof BadGitSource) return [];
        throw error;
      }
    });
  }

  private listed(): readonly Json[] {
    const { source } = this.table("skill");
    return Array.isArray(source) ? (source as Json[]) : [];
  }

  private gitFolder(
    table: Readonly<Record<string, Json>>,
    index: number,
    root: string,
    left: GitFetch[],
  ): SourceFolder | undefined {
    try {
      const { namespace, shown } = gitSourceOf(table, root);
      const { folder, warnings } = left.shift() ?? { folder: null, warnings: [] };
      for (const warning of warnings) this.warn(`[[skill.source]] ${index + 1}: ${shown} ${warning}`);
      return folder === null ? undefined : { path: folder, namespace };
    } catch (error) {
      if (!(error instanceof BadGitSource)) throw error;
      this.warn(`[[skill.source]] ${index + 1} ${error.message}`);
      return undefined;
    }
  }

  private source(
    table: Readonly<Record<string, Json>>,
    index: number,
    root: string,
  ): SourceFolder | undefined {
    const type = table.type ?? "fs";
    const { path, namespace } = table;
    // Known, and without effect: nothing serves skills yet.
    if (type === "registry") return undefined;
    if (type !== "fs" || typeof path !== "string") {
      this.warn(
        `[[skill.source]] ${index + 1} needs \`type = "fs"\` and a \`path\`, or \`type = "git"\` and a \`url\``,
      );
      return undefined;
    }
    return {
      path: fullPath(path, root),
      namespace: typeof namespace === "string" && namespace !== "" ? namespace : null,
    };
  }

  private layers(key: string): LayerName[] {
    return this.listOf(key).flatMap((text) => {
      const name = layerNames.find((known) => known === text);
      if (name === undefined)
        this.warn(`[skills] ${key}: unknown layer "${text}"; expected one of ${layerNames.join(", ")}`);
      return name === undefined ? [] : [name];
    });
  }

  private listOf(key: string): string[] {
    const value = this.table("skills")[key];
    if (value === undefined) return [];
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return [...value];
    this.warn(`[skills] ${key} is no list of texts`);
    return [];
  }

  private table(name: string): Readonly<Record<string, Json>> {
    const value = this.manifest?.tables[name];
    if (value === undefined) return {};
    if (isJsonObject(value)) return value;
    this.warn(`[${name}] is no table`);
    return {};
  }

  private warn(text: string): void {
    this.warnings.push(`${this.manifest?.path ?? ""}: ${text}`);
  }
}
