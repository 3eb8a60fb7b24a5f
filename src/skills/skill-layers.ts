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
import type { Host } from "../host/index.ts";
import type { Runtime, StateKey } from "../interp/index.ts";
import { folderOf, fullPath, type ProjectManifest } from "../model/index.ts";
import { isJsonObject } from "../values/index.ts";

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
export const skillDirs: StateKey<{ cli: readonly string[]; host: readonly string[] }> = {
  name: "agent.skill folders",
  create: () => ({ cli: [], host: [] }),
};

/** The folders in the order in which they win, and what is wrong with the manifest. */
export function skillFolders(
  runtime: Runtime,
  manifest: ProjectManifest | null,
): { readonly folders: SkillFolder[]; readonly warnings: string[] } {
  const { host } = runtime;
  const settings = new SkillSettings(manifest, host);
  const entry = runtime.entry === "" ? host.cwd : folderOf(fullPath(runtime.entry, host.cwd));
  const root = manifest === null ? entry : folderOf(manifest.path);
  const dirs = runtime.state(skillDirs);
  const folder = (layer: LayerName, path: string, namespace: string | null = null): SkillFolder => ({
    layer,
    path: fullPath(path, host.cwd),
    namespace,
  });
  const config = host.env.get("XDG_CONFIG_HOME") ?? `${host.homeDir}/.config`;
  const layers: Record<LayerName, SkillFolder[]> = {
    cli: dirs.cli.map((path) => folder("cli", path)),
    env: split(host.env.get("HARN_SKILLS_PATH")).map((path) => folder("env", path)),
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

/** Where public keys of signers are looked up besides the user's own: a folder or an address; `null` for nowhere. */
export function signerRegistry(manifest: ProjectManifest | null, host: Host): string | null {
  const url = new SkillSettings(manifest, host).text("signer_registry_url");
  if (url === null || manifest === null || /^https?:\/\//.test(url)) return url;
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
function expanded({ files }: Host, path: string): string[] {
  if (!path.endsWith("/*")) return [path];
  const folder = path.slice(0, -2);
  if (files.stat(folder)?.kind !== "dir") return [];
  const dirs = files.list(folder).filter(({ kind }) => kind === "dir");
  return dirs.map(({ name }) => `${folder}/${name}`).sort();
}

const maxPackageDepth = 4;

function packageFolders(host: Host, root: string, depth = 0): string[] {
  if (depth > maxPackageDepth || host.files.stat(root)?.kind !== "dir") return [];
  const dirs = host.files
    .list(root)
    .filter(({ kind, name }) => kind === "dir" && name !== "node_modules")
    .map(({ name }) => name)
    .sort();
  return dirs.flatMap((name) =>
    name === "skills" ? [`${root}/skills`] : packageFolders(host, `${root}/${name}`, depth + 1),
  );
}

/** `[skills]` and `[[skill.source]]`. What can't be used is a warning: a bad entry must not take the others away. */
class SkillSettings {
  readonly warnings: string[] = [];
  private readonly manifest: ProjectManifest | null;
  private readonly host: Host;

  constructor(manifest: ProjectManifest | null, host: Host) {
    this.manifest = manifest;
    this.host = host;
  }

  text(key: string): string | null {
    const value = this.table("skills")[key];
    return typeof value === "string" && value !== "" ? value : null;
  }

  /** The layers that are on, in order. */
  order(): LayerName[] {
    const disabled = this.layers("disable");
    const first = this.layers("lookup_order");
    const rest = layerNames.filter((name) => !first.includes(name));
    return [...first, ...rest].filter((name) => !disabled.includes(name));
  }

  sources(root: string): { readonly path: string; readonly namespace: string | null }[] {
    const paths = this.texts("paths")
      .flatMap((path) => expanded(this.host, fullPath(path, root)))
      .map((path) => ({ path, namespace: null }));
    const { source } = this.table("skill");
    const listed = Array.isArray(source) ? (source as Json[]) : [];
    return [...paths, ...listed.flatMap((one, index) => this.source(one, index, root))];
  }

  private source(
    value: Json,
    index: number,
    root: string,
  ): { readonly path: string; readonly namespace: string | null }[] {
    const where = `[[skill.source]] ${index + 1}`;
    const table = isJsonObject(value) ? value : {};
    const type = table.type ?? "fs";
    const { path, namespace } = table;
    if (type === "git") {
      this.warn(
        `${where}: git sources are not available yet; clone it and name its folder with \`type = "fs"\``,
      );
      return [];
    }
    // Known, and without effect: nothing serves skills yet.
    if (type === "registry") return [];
    if (type !== "fs" || typeof path !== "string") {
      this.warn(`${where} needs \`type = "fs"\` and a \`path\``);
      return [];
    }
    return [
      {
        path: fullPath(path, root),
        namespace: typeof namespace === "string" && namespace !== "" ? namespace : null,
      },
    ];
  }

  private layers(key: string): LayerName[] {
    return this.texts(key).flatMap((text) => {
      const name = layerNames.find((known) => known === text);
      if (name === undefined)
        this.warn(`[skills] ${key}: unknown layer "${text}"; expected one of ${layerNames.join(", ")}`);
      return name === undefined ? [] : [name];
    });
  }

  private texts(key: string): string[] {
    const value = this.table("skills")[key];
    if (value === undefined) return [];
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return [...value];
    this.warn(`[skills] ${key} must be a list of texts`);
    return [];
  }

  private table(name: string): Readonly<Record<string, Json>> {
    const value = this.manifest?.tables[name];
    if (value === undefined) return {};
    if (isJsonObject(value)) return value;
    this.warn(`[${name}] must be a table`);
    return {};
  }

  private warn(text: string): void {
    this.warnings.push(`${this.manifest?.path ?? ""}: ${text}`);
  }
}
