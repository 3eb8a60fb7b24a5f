/** What a worker may do is what its own flags allow, never what a job says: whoever asks for more is told. */
import { builtinTable, Capabilities, CapabilityMistake, restrictHost } from "../builtins/index.ts";
import type { RunHeader } from "../effects/index.ts";
import { UsageError } from "../host/command/index.ts";
import {
  createNodeHost,
  type Files,
  type Host,
  HostError,
  overlaidHost,
  resolvedPath,
} from "../host/index.ts";
import { flagsOf, grantedLimitsOf, type ModelFlags } from "../run/setup/index.ts";
import { presentFields } from "../values/index.ts";
import { JobFailed } from "./ports.ts";
import type { LentFlags, TravellingFlags } from "./run-order.ts";

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

export function mayReadEnvironment(worker: PermissionFlags): boolean {
  const host = createNodeHost();
  return permittedCapabilities(worker, host, host.cwd)?.refuseGroup("env") === undefined;
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
): LentFlags {
  const host = createNodeHost();
  const asked = flagsOf(header, given);
  const folder = host.files.stat(header.cwd)?.kind === "dir" ? header.cwd : cwd;
  const refused = refusedPermissions(permissions, asked, host, folder);
  if (refused !== undefined) throw new JobFailed(refused);
  const { provider, model, baseUrl, tape, llmMock, skillDir } = asked;
  const limits = permittedCapabilities(permissions, host, host.cwd);
  // What they name is read for the run, not by it.
  for (const path of [tape, llmMock, ...(skillDir?.split(",") ?? [])]) {
    const why = path === undefined ? path : limits?.refusePath("fs.read", realPath(host, folder, path));
    if (why !== undefined) throw new JobFailed(`this worker does not read what the run's flags name: ${why}`);
  }
  const names = [provider, model, baseUrl, tape, llmMock].some((flag) => flag !== undefined);
  return { ...(names ? {} : models), ...given, owner: models };
}

/** The machine as the jobs of a worker have it. `own`: the folder of a job that has one. */
export function permittedHost(permissions: PermissionFlags, host: Host, own?: string): Host {
  const lent = overlaidHost(host, { files: filesOfWorker(host.files, host.hostName, own) });
  const limits = permittedCapabilities(permissions, host, host.cwd);
  return limits === undefined ? lent : restrictHost(lent, limits);
}

/**
 * What is not there may lie where the job came from, so the error says on which machine it was looked for; its kind and beginning stay what
 * they are everywhere. `own`: a folder that the job was given here, in which nothing is missed that lies elsewhere.
 */
function filesOfWorker(files: Files, worker: string, own?: string): Files {
  return new Proxy(files, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        try {
          const result: unknown = value.apply(target, args);
          return name === "guarded" ? filesOfWorker(result as Files, worker, own) : result;
        } catch (error) {
          const isMissed = error instanceof HostError && error.code === "ENOENT";
          if (!isMissed || (own !== undefined && String(args[0]).startsWith(`${own}/`))) throw error;
          throw new HostError(
            error.code,
            `${error.message} on the worker ${worker}: files do not travel to workers, share the folder`,
          );
        }
      };
    },
  });
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
