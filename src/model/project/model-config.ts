/**
 * Where providers and models of one's own are configured (agents.md §5.1), later files winning: the user's
 * `~/.config/harn/providers.toml` (or the file that HARN_PROVIDERS_CONFIG names), `[llm]` of the packages under
 * `.harn/packages`, `[llm]` and `[capabilities]` of the project's manifest. Read inside an effect, once per run.
 */
import { type Host, HostError, machineOfRuntime } from "../../host/index.ts";
import type { Runtime } from "../../interp/index.ts";
import { thrown } from "../../values/index.ts";
import {
  type CatalogueLayer,
  type JsonObject,
  LlmUsageError,
  readCapabilityLayer,
  readCatalogueLayer,
} from "../llm/index.ts";
import { folderOf, parseManifestToml, readManifest } from "./manifest.ts";

export function modelLayers(runtime: Runtime): CatalogueLayer[] {
  const host = machineOfRuntime(runtime.host);
  try {
    const manifest = readManifest(runtime);
    const layers = userLayers(host);
    if (manifest === null) return layers;
    layers.push(...packageLayers(host, folderOf(manifest.path)));
    const own = layerOf(manifest.path, manifest.tables as JsonObject);
    return own === undefined ? layers : [...layers, own];
  } catch (error) {
    if (error instanceof LlmUsageError) throw thrown(error.message);
    throw error;
  }
}

function userLayers(host: Host): CatalogueLayer[] {
  const named = host.env.get("HARN_PROVIDERS_CONFIG");
  const home = host.env.get("HOME") || host.homeDir;
  const usual = `${host.env.get("XDG_CONFIG_HOME") || `${home}/.config`}/harn/providers.toml`;
  const path = named !== undefined && named !== "" ? named : usual;
  const full = path.startsWith("/") ? path : `${host.cwd}/${path}`;
  if (!isHostFile(host, full)) {
    if (path === named) throw thrown(`HARN_PROVIDERS_CONFIG names ${named}, which is not there`);
    return [];
  }
  return [readCatalogueLayer(parseManifestToml(host, full) as JsonObject, full)];
}

function packageLayers(host: Host, root: string): CatalogueLayer[] {
  const packages = `${root}/.harn/packages`;
  if (host.files.stat(packages)?.kind !== "dir") return [];
  const names = host.files.list(packages).flatMap(({ name, kind }) => (kind === "dir" ? [name] : []));
  return names.sort().flatMap((name) => {
    const path = `${packages}/${name}/harn.toml`;
    if (!isHostFile(host, path)) return [];
    const layer = layerOf(path, parseManifestToml(host, path) as JsonObject);
    return layer === undefined ? [] : { ...layer, written_by: "package" as const };
  });
}

function isHostFile(host: Host, path: string): boolean {
  try {
    return host.files.stat(path)?.kind === "file";
  } catch (error) {
    // A folder that may not be looked into holds no configuration for us.
    if (error instanceof HostError) return false;
    throw error;
  }
}

/** What a manifest says about models; `undefined` when it says nothing. */
function layerOf(path: string, tables: JsonObject): CatalogueLayer | undefined {
  const { llm, capabilities } = tables;
  if (llm === undefined && capabilities === undefined) return undefined;
  if (llm !== undefined && (typeof llm !== "object" || llm === null || Array.isArray(llm)))
    throw new LlmUsageError(`${path}: [llm] must be a table`);
  const layer = readCatalogueLayer((llm ?? {}) as JsonObject, `${path}: [llm]`);
  return { ...layer, capabilities: { ...layer.capabilities, ...readCapabilityLayer(capabilities, path) } };
}
