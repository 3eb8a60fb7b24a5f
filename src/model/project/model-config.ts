/**
 * Where providers and models of one's own are configured (agents.md §5.1), later files winning: the user's
 * `~/.config/harn/providers.toml` (or the file that HARN_PROVIDERS_CONFIG names), `[llm]` of the packages under
 * `.harn/packages`, `[llm]` and `[capabilities]` of the project's manifest. Read inside an effect, once per run.
 */

import { type Host, HostError, machineOfRuntime } from "../../host/index.ts";
import type { Runtime } from "../../interp/index.ts";
import { variable } from "../../process/environment.ts";
import { thrown } from "../../values/index.ts";
import {
  Catalogue,
  type CatalogueLayer,
  catalogueLayerOf,
  type JsonObject,
  LlmUsageError,
  readCapabilityLayer,
} from "../llm/index.ts";
import { folderOf, type ProjectManifest, parseManifestToml, readManifest } from "./manifest.ts";
import { agreedTables, configFolder, tableDigest } from "./trust.ts";

export function modelLayers(runtime: Runtime): CatalogueLayer[] {
  const host = machineOfRuntime(runtime.host);
  try {
    const manifest = readManifest(runtime);
    const layers = userLayers(host);
    if (manifest === null) return layers;
    layers.push(...packageLayers(host, folderOf(manifest.path)));
    const own = projectLayer(host, manifest);
    return own === undefined ? layers : [...layers, own];
  } catch (error) {
    if (error instanceof LlmUsageError) throw thrown(error.message);
    throw error;
  }
}

function userLayers(host: Host): CatalogueLayer[] {
  const named = variable(host.env, "HARN_PROVIDERS_CONFIG");
  const usual = `${configFolder(host)}/providers.toml`;
  const path = named !== undefined && named !== "" ? named : usual;
  const full = path.startsWith("/") ? path : `${host.cwd}/${path}`;
  if (!isHostFile(host, full)) {
    if (path === named) throw thrown(`HARN_PROVIDERS_CONFIG names ${named}, which is not there`);
    return [];
  }
  return [catalogueLayerOf(parseManifestToml(host, full) as JsonObject, full)];
}

/** A key that does not go where a project's manifest says, and the digest of the table that says so. */
export type WithheldKey = ReturnType<Catalogue["withheldKeys"]>[number] & { readonly digest: string };

/** The addresses of a project's manifest that get no key, because nobody else names them. */
export function withheldKeys(host: Host, manifest: ProjectManifest): WithheldKey[] {
  const layer = projectLayer(host, manifest);
  if (layer === undefined) return [];
  return new Catalogue([...userLayers(host), layer])
    .withheldKeys(host.env)
    .map((one) => ({ ...one, digest: tableDigest(host, layer.providers![one.provider]!) }));
}

/** What the project's manifest says of models: an address in it is the user's where the user has agreed to it. */
function projectLayer(host: Host, { path, tables }: ProjectManifest): CatalogueLayer | undefined {
  const layer = layerOf(path, tables as JsonObject);
  const providers = layer?.providers ?? {};
  if (layer === undefined || Object.keys(providers).length === 0) return layer;
  return { ...layer, written_by: "project", trusted: agreedTables(host, path, providers) };
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
  const layer = catalogueLayerOf((llm ?? {}) as JsonObject, `${path}: [llm]`);
  return { ...layer, capabilities: { ...layer.capabilities, ...readCapabilityLayer(capabilities, path) } };
}
