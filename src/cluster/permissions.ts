/** What a worker may do is what its own flags allow, never what a job says: whoever asks for more is told. */
import { builtinTable, Capabilities, CapabilityMistake, restrictHost } from "../builtins/index.ts";
import type { RunHeader } from "../effects/index.ts";
import { UsageError } from "../host/command/index.ts";
import { createNodeHost, type Host, resolvedPath } from "../host/index.ts";
import { flagsOf, grantedLimitsOf, type ModelFlags } from "../run/setup/index.ts";
import { presentFields } from "../values/index.ts";
import { JobFailed } from "./ports.ts";
import type { TravellingFlags } from "./run-order.ts";

/** `--allow` and `--deny`, of a worker or of a run. */
export interface PermissionFlags {
  readonly allow?: string | undefined;
  readonly deny?: string | undefined;
}

/** The same with folders that mean the same wherever they are read; refused when they can't be. */
export function absolutePermissions(flags: PermissionFlags, host: Host): PermissionFlags {
  if (permittedCapabilities(flags, host, host.cwd) === undefined) return {};
  const { allow, deny } = grantedLimitsOf(flags) ?? {};
  const placed = (entries: readonly string[] | undefined): string | undefined =>
    entries?.map((entry) => placedEntry(entry, host)).join(",");
  return presentFields({ allow: placed(allow), deny: placed(deny) });
}

function placedEntry(entry: string, host: Host): string {
  const at = entry.indexOf("=");
  return at < 0 ? entry : `${entry.slice(0, at + 1)}${realPath(host, host.cwd, entry.slice(at + 1))}`;
}

/** Why a run with these flags, in this folder, is none for the worker; `undefined`: it is. */
export function refusedPermissions(
  worker: PermissionFlags,
  run: PermissionFlags,
  host: Host,
  cwd: string,
): string | undefined {
  const limits = permittedCapabilities(worker, host, host.cwd);
  if (limits === undefined) return undefined;
  const asked = permittedCapabilities(run, host, cwd) ?? Capabilities.of({}, builtinTable(), cwd);
  const beyond = asked.exceeding(limits, builtinTable());
  if (beyond === undefined) return undefined;
  const flags = Object.entries(worker).map(([name, value]) => `--${name} ${value}`);
  return `the run asks for more than this worker may do: ${beyond}\n  begin it with ${flags.join(" ")}, or with less`;
}

/** What a worker lends to the runs that it does. */
export interface LentByWorker {
  readonly permissions: PermissionFlags;
  /** Which models answer where a job names none. */
  readonly models: ModelFlags;
  /** Where its children work. */
  readonly cwd: string;
}

/** The flags that a run is done with. Throws a `JobFailed` when it asks for more than the worker may do. */
export function permittedFlags(
  header: RunHeader,
  given: TravellingFlags,
  { permissions, models, cwd }: LentByWorker,
): TravellingFlags {
  const host = createNodeHost();
  const asked = flagsOf(header, given);
  const folder = host.files.stat(header.cwd)?.kind === "dir" ? header.cwd : cwd;
  const refused = refusedPermissions(permissions, asked, host, folder);
  if (refused !== undefined) throw new JobFailed(refused);
  const { provider, model, baseUrl, tape, llmMock } = asked;
  const names = [provider, model, baseUrl, tape, llmMock].some((flag) => flag !== undefined);
  return { ...(names ? {} : models), ...given };
}

/** The machine as the jobs of a worker have it. */
export function permittedHost(permissions: PermissionFlags, host: Host): Host {
  const limits = permittedCapabilities(permissions, host, host.cwd);
  return limits === undefined ? host : restrictHost(host, limits);
}

/** `undefined`: nothing is limited. */
function permittedCapabilities(flags: PermissionFlags, host: Host, cwd: string): Capabilities | undefined {
  const lists = grantedLimitsOf(flags);
  if (lists === undefined) return undefined;
  try {
    return Capabilities.of(lists, builtinTable(), cwd).withRoots((root) => realPath(host, cwd, root));
  } catch (error) {
    if (error instanceof CapabilityMistake) throw new UsageError(error.message);
    throw error;
  }
}

/** What a folder really is: links followed. */
const realPath = (host: Host, cwd: string, path: string): string =>
  resolvedPath(host.files, path.startsWith("/") ? path : `${cwd}/${path}`, true).path;
