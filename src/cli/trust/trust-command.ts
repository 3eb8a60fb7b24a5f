/** `harn trust`: the user agrees to where a project's `harn.toml` says that providers are (docs/security.md). */

import { dirname, join, resolve } from "node:path";
import { clusterTable, withheldClusterKeys } from "../../cluster/settings/index.ts";
import { showText } from "../../diagnostics/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, UsageError } from "../../host/command/index.ts";
import { createNodeHost, type Host } from "../../host/index.ts";
import { loadedManifest, type Manifest } from "../../manifest/index.ts";
import {
  LlmUsageError,
  type ProjectManifest,
  type TrustedTables,
  trustedTables,
  trustFile,
  type WithheldKey,
  withheldKeys,
} from "../../model/index.ts";
import { ownPath } from "../../process/index.ts";
import { replaceContent } from "../../store/files/whole-files.ts";
import { makeFolders } from "../../store/folders.ts";
import type { trustFlags } from "../flags/trusting.ts";

export type TrustFlags = FlagsOf<typeof trustFlags>;

export async function trustCommand(folder: string, flags: TrustFlags): Promise<number> {
  const host = createNodeHost();
  if (flags.list === true) return listTrusted(host);
  const manifest = await loadedManifest(join(resolve(ownPath(folder)), "harn.toml"));
  if (manifest === undefined)
    throw new UsageError(`there is no harn.toml in ${resolve(ownPath(folder))} or above it`, "HARN-CLI-003");
  const path = host.files.realPath(manifest.path);
  const { [path]: before, ...others } = trustedTables(host);
  if (flags.remove === true) {
    say(before === undefined ? `nothing was agreed to for ${path}` : `forgotten: ${path}`);
    if (before !== undefined) keep(host, others);
    return exitCode.ok;
  }
  const withheld = withheldBy(host, manifest);
  if (withheld.length === 0) {
    say(`${path}: nothing to agree to; no key is held back from an address that only it names`);
    return exitCode.ok;
  }
  for (const { provider, address, keys } of withheld)
    say(
      `${provider === clusterTable ? provider : `[llm.providers.${provider}]`}  ${address} gets the key in ${keys.join(" or ")}`,
    );
  const agreed = Object.fromEntries(withheld.map(({ provider, digest }) => [provider, digest]));
  keep(host, { ...others, [path]: { ...before, ...agreed } });
  say(`agreed to, for ${path} as it is now; \`harn trust --remove\` takes it back`);
  return exitCode.ok;
}

function withheldBy(host: Host, manifest: Manifest): WithheldKey[] {
  const { path, tables } = manifest;
  // Dates become their text, as the run sees them.
  const plain = JSON.parse(JSON.stringify(tables)) as ProjectManifest["tables"];
  try {
    return [...withheldKeys(host, { path, tables: plain }), ...withheldClusterKeys(manifest)];
  } catch (error) {
    if (error instanceof LlmUsageError) throw new UsageError(error.message, "HARN-CLI-008");
    throw error;
  }
}

function listTrusted(host: Host): number {
  const entries = Object.entries(trustedTables(host));
  for (const [path, tables] of entries) say(`${path}  ${Object.keys(tables).join(", ")}`);
  if (entries.length === 0) say("nothing was agreed to");
  return exitCode.ok;
}

function keep(host: Host, tables: TrustedTables): void {
  const file = trustFile(host);
  makeFolders(dirname(file), 0o700);
  replaceContent(file, `${JSON.stringify(tables, null, 2)}\n`, 0o600);
}

const say = (text: string): void => print(`${showText(text)}\n`);
