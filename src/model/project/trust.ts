/**
 * Which tables of a project's manifest the user has agreed to (`harn trust`): those that say where a provider is. A cloned
 * folder must not say where the user's keys go, so what was agreed to lies outside of it, by the manifest's path and the
 * table's digest: a table that changes is agreed to anew.
 *
 *     ~/.config/harn/trusted.json   {"/home/ann/work/harn.toml": {"openai": "sha256:…"}}
 */

import { type Host, HostError } from "../../host/index.ts";
import { variable } from "../../process/environment.ts";
import { isObject } from "../llm/index.ts";

/** By the manifest's path, then by provider (or `[cluster]`): the digest of its table. */
export type TrustedTables = Readonly<Record<string, Readonly<Record<string, string>>>>;

type ManifestTable = { readonly [key: string]: unknown };

/** The user's own folder of configuration, where no project reaches. */
export function configFolder(host: Host): string {
  const home = variable(host.env, "HOME") || host.homeDir;
  return `${variable(host.env, "XDG_CONFIG_HOME") || `${home}/.config`}/harn`;
}

export const trustFile = (host: Host): string => `${configFolder(host)}/trusted.json`;

/** What was agreed to; nothing where nobody did, or where the file can't be read. */
export function trustedTables(host: Host): TrustedTables {
  const path = trustFile(host);
  try {
    if (host.files.stat(path)?.kind !== "file") return {};
    const tables = JSON.parse(host.files.readText(path)) as unknown;
    return isObject(tables) ? (tables as TrustedTables) : {};
  } catch (error) {
    if (error instanceof HostError || error instanceof SyntaxError) return {};
    throw error;
  }
}

export function tableDigest(host: Host, table: ManifestTable): string {
  const rows = Object.keys(table)
    .sort()
    .map((key) => [key, table[key]]);
  return `sha256:${host.crypto.digest(JSON.stringify(rows))}`;
}

/** Of tables in this manifest, by provider, those that are as they were agreed to. */
export function agreedTables(
  host: Host,
  manifest: string,
  tables: { readonly [provider: string]: ManifestTable },
): string[] {
  const agreed = trustedTables(host)[host.files.realPath(manifest)] ?? {};
  return Object.keys(tables).filter(
    (name) => Object.hasOwn(agreed, name) && agreed[name] === tableDigest(host, tables[name]!),
  );
}
