/**
 * `harn.toml` as the run sees it: the manifest of the project that the program belongs to, looked for in the folder of
 * the entry file and those above it, up to the root of the repository. It is outside the program, so it is observed once,
 * at its first use, and recorded: a replay needs no file.
 */

import { type ResultOf, shape } from "../../effects/index.ts";
import { type Host, HostError, machineOfRuntime } from "../../host/index.ts";
import { type Runtime, stateKey, type Task } from "../../interp/index.ts";
import { thrown } from "../../values/index.ts";
import { isAbsolutePath } from "./paths.ts";

const manifestShape = shape.record({
  /** Where it stands; relative paths in it are meant from its folder. */
  path: shape.text,
  tables: shape.table,
});
export type ProjectManifest = ResultOf<typeof manifestShape>;

interface ManifestSlot {
  found: { readonly manifest: ProjectManifest | null } | undefined;
}

const kept = stateKey<ManifestSlot>("agent.manifest", () => ({ found: undefined }));

/** The manifest, or `null` when there is none. A broken one is an error of the script. */
export function projectManifest(task: Task): ProjectManifest | null {
  const state = task.runtime.state(kept);
  state.found ??= {
    manifest: task.perform<ProjectManifest | null>({
      effect: "observe",
      kind: "project.manifest",
      args: () => null,
      run: () => readManifest(task.runtime),
      result: shape.orNull(manifestShape),
    }) as ProjectManifest | null,
  };
  return state.found.manifest;
}

/** The folder that paths in the manifest are relative to. */
export function folderOf(path: string): string {
  const at = path.replaceAll("\\", "/").lastIndexOf("/");
  return at < 0 ? path : path.slice(0, Math.max(at, 1));
}

/** Reads it from the disk. Call it inside an effect. */
export function readManifest(runtime: Runtime): ProjectManifest | null {
  const host = machineOfRuntime(runtime.host);
  const start = isAbsolutePath(runtime.entry) ? folderOf(runtime.entry) : host.cwd;
  for (let folder = start; ; ) {
    const path = folder === "/" ? "/harn.toml" : `${folder}/harn.toml`;
    if (host.files.stat(path)?.kind === "file") return { path, tables: parseManifestToml(host, path) };
    const above = folderOf(folder);
    if (above === folder || host.files.stat(`${folder}/.git`) !== undefined) return null;
    folder = above;
  }
}

/** The tables of a TOML file; what is wrong with it is an error of the script. */
export function parseManifestToml(host: Host, path: string): ProjectManifest["tables"] {
  let text: string;
  try {
    text = host.files.readText(path);
  } catch (error) {
    if (error instanceof HostError) throw thrown(`${path} cannot be read: ${error.message}`);
    throw error;
  }
  try {
    // Dates become their text: the journal holds JSON.
    return JSON.parse(JSON.stringify(host.libraries.toml().parse(text))) as ProjectManifest["tables"];
  } catch (error) {
    const [first] = String(error instanceof Error ? error.message : error).split("\n");
    throw thrown(`${path} cannot be read: ${first}`);
  }
}
