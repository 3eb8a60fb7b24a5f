/**
 * What a run may do: `--allow` and `--deny`, lists of capability groups, of groups with a folder, and of builtins.
 *
 * Enforced where nothing gets round it: in the builtin table of the run (every call of a builtin, from whatever module,
 * task, tool or sub-agent, finds its builtin there), before every effect of a model or a person (`admit`: a compaction may
 * call a model from a builtin that needs none otherwise), and in the machine that builtins see (`restrictHost`), which
 * also knows the paths. The machine is only asked inside effects, so a replay decides as the recorded run did.
 */
import { nearest } from "../diagnostics/index.ts";
import type { EffectClass } from "../effects/index.ts";
import {
  AccessGate,
  type FileAccess,
  guardHost,
  type Host,
  type HostAccess,
  resolvedPath,
} from "../host/index.ts";
import { callerWords } from "../process/index.ts";
import type { BuiltinSpec, BuiltinTable } from "../table/index.ts";
import { categorisedError, type ScriptError } from "../values/index.ts";
import { joinPaths, normalizePath } from "./files/path-text.ts";

export const capabilityGroups = ["fs.read", "fs.write", "net", "process", "env", "model", "people"] as const;
export type CapabilityGroup = (typeof capabilityGroups)[number];

/** What the command line or a host program says. `undefined` for `allow` means: everything that is not denied. */
export interface CapabilityLists {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** A list read: whole groups, folders by group, builtins by name. */
interface Rules {
  readonly groups: ReadonlySet<CapabilityGroup>;
  readonly roots: ReadonlyMap<CapabilityGroup, readonly string[]>;
  readonly builtins: ReadonlySet<string>;
}

const shorthands: ReadonlyMap<string, readonly CapabilityGroup[]> = new Map<
  string,
  readonly CapabilityGroup[]
>([
  ["fs", ["fs.read", "fs.write"]],
  ["all", capabilityGroups],
  ["none", []],
  ...capabilityGroups.map((group) => [group, [group]] as const),
]);

/** The groups that a builtin needs. */
export function groupsOf(spec: BuiltinSpec): readonly CapabilityGroup[] {
  return spec.capability === undefined ? [] : (spec.capability.split(" ") as CapabilityGroup[]);
}

/** All groups that calls of a builtin may need. */
export function possibleGroupsOf(spec: BuiltinSpec): readonly CapabilityGroup[] {
  return [...groupsOf(spec), ...((spec.mayNeed?.split(" ") ?? []) as CapabilityGroup[])];
}

/** A mistake in a list, for the command line. */
export class CapabilityMistake {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/**
 * The error of everything that is refused; scripts catch it as text, its category is `tool_rejected`. Whoever plays the run again gets the
 * same text, so it names no flags and no options of a program: `allow` and `deny` are what both call them.
 */
export function refusal(text: string): ScriptError {
  const error = categorisedError("tool_rejected", text);
  error.code = "HARN-STD-010";
  return error;
}

export class Capabilities {
  private readonly allowed: Rules | undefined;
  private readonly denied: Rules;
  /** Groups that some allowed builtin needs although the group is not allowed. */
  private readonly byBuiltin: ReadonlySet<CapabilityGroup>;

  private constructor(allowed: Rules | undefined, denied: Rules, byBuiltin: ReadonlySet<CapabilityGroup>) {
    this.allowed = allowed;
    this.denied = denied;
    this.byBuiltin = byBuiltin;
  }

  /** Reads the lists; folders are relative to `cwd`. Throws a `CapabilityMistake`. */
  static of(lists: CapabilityLists, table: BuiltinTable, cwd: string): Capabilities {
    const words = callerWords();
    const allowed =
      lists.allow === undefined
        ? undefined
        : capabilityRulesOf(words.flag("--allow"), lists.allow, table, cwd);
    const named = [...(allowed?.builtins ?? [])].flatMap((name) => groupsOf(table.get(name) as BuiltinSpec));
    return new Capabilities(
      allowed,
      capabilityRulesOf(words.flag("--deny"), lists.deny ?? [], table, cwd),
      new Set(named),
    );
  }

  /** The same with other names for its folders: their links followed. */
  withRoots(resolve: (root: string) => string): Capabilities {
    const mapped = (rules: Rules): Rules => ({
      ...rules,
      roots: new Map([...rules.roots].map(([group, roots]) => [group, roots.map(resolve)])),
    });
    return new Capabilities(this.allowed && mapped(this.allowed), mapped(this.denied), this.byBuiltin);
  }

  /**
   * What a run with these lists may do and one with those of `limits` may not, as a group, a folder or a builtin; `undefined`: nothing.
   * Folders are compared as they are named.
   */
  exceeding(limits: Capabilities, table: BuiltinTable): string | undefined {
    const isBeyond = (one: CapabilityGroup, named: boolean): boolean =>
      this.refuseGroup(one, named) === undefined && limits.refuseGroup(one, named) !== undefined;
    const group = capabilityGroups.find((one) => isBeyond(one, false) || isBeyond(one, true));
    if (group !== undefined) return group;
    for (const one of ["fs.read", "fs.write"] as const) {
      const folder = this.folderBeyond(one, limits);
      if (folder !== undefined) return folder === "" ? one : `${one}=${folder}`;
    }
    for (const [name, spec] of table)
      if (this.refuseBuiltin(spec) === undefined && limits.refuseBuiltin(spec) !== undefined) return name;
    return undefined;
  }

  /** A folder that is open here and not there; `""`: all folders are. */
  private folderBeyond(group: "fs.read" | "fs.write", limits: Capabilities): string | undefined {
    if (this.refuseGroup(group) !== undefined) return undefined;
    const own = this.openFolders(group);
    const theirs = limits.openFolders(group);
    if (theirs !== undefined) {
      if (own === undefined) return "";
      const beyond = own.find((folder) => !theirs.some((root) => isBelow(folder, root)));
      if (beyond !== undefined) return beyond;
    }
    // In any case, as in `refusePath`.
    const lower = (roots: readonly string[] = []): string[] => roots.map((root) => root.toLowerCase());
    const shut = lower(this.denied.roots.get(group));
    const open = own === undefined ? undefined : lower(own);
    const meets = (root: string): boolean =>
      open === undefined || open.some((folder) => isBelow(root, folder) || isBelow(folder, root));
    return limits.denied.roots.get(group)?.find((folder) => {
      const root = folder.toLowerCase();
      return meets(root) && !shut.some((one) => isBelow(root, one));
    });
  }

  /** `undefined`: all that are not denied. */
  private openFolders(group: "fs.read" | "fs.write"): readonly string[] | undefined {
    const { allowed } = this;
    if (allowed === undefined || allowed.groups.has(group) || this.byBuiltin.has(group)) return undefined;
    return allowed.roots.get(group) ?? [];
  }

  /** Raises when the machine must not do something of a group. */
  need(group: CapabilityGroup, who: string): void {
    const why = this.refuseGroup(group);
    if (why !== undefined) throw refusal(needs(who, group, why));
  }

  /** Why a call of a builtin is refused; `undefined` when it is not. Folders are looked at later. */
  refuseBuiltin(spec: BuiltinSpec): string | undefined {
    if (this.denied.builtins.has(spec.name)) return `${spec.name} is denied in this run: \`deny\` names it`;
    if (this.allowed?.builtins.has(spec.name) === true) {
      const lost = groupsOf(spec).find((group) => this.denied.groups.has(group));
      return lost === undefined ? undefined : needs(spec.name, lost, `\`deny\` names ${lost}`);
    }
    for (const group of groupsOf(spec)) {
      const why = this.refuseGroup(group, false);
      if (why !== undefined) return needs(spec.name, group, why);
    }
    return undefined;
  }

  /** Why the machine refuses a group as a whole. `named`: also what an allowed builtin needs is granted. */
  refuseGroup(group: CapabilityGroup, named = true): string | undefined {
    if (this.denied.groups.has(group)) return `\`deny\` names ${group}`;
    const { allowed } = this;
    if (allowed === undefined || allowed.groups.has(group) || allowed.roots.has(group)) return undefined;
    if (named && this.byBuiltin.has(group)) return undefined;
    return `\`allow\` does not name ${group}`;
  }

  /** Why a path is refused. It must be absolute, without links and `..`. */
  refusePath(group: "fs.read" | "fs.write", path: string): string | undefined {
    const whole = this.refuseGroup(group);
    if (whole !== undefined) return needs(`'${path}'`, group, whole);
    const system = this.refuseSystemFile(path);
    if (system !== undefined) return system;
    // In any case: on file systems that take `/Secret` for `/secret` a denied folder must stay denied.
    const lower = path.toLowerCase();
    const banned = this.denied.roots.get(group)?.find((root) => isBelow(lower, root.toLowerCase()));
    if (banned !== undefined) return `'${path}' lies in ${banned}, which \`deny\` names for ${group}`;
    const roots = this.openFolders(group);
    if (roots === undefined || roots.some((root) => isBelow(path, root))) return undefined;
    return `'${path}' lies outside of what ${group} is allowed for (${roots.join(", ")})`;
  }

  /** Why a file access is refused: by its path, by what it would take away, by where it would make something readable. */
  refuseAccess(access: FileAccess): string | undefined {
    // What leads nowhere yet could lead anywhere tomorrow.
    if (access.dangling === true)
      return `'${access.path}' does not exist, and what leads to it is a link that leads nowhere`;
    const why = this.refusePath(access.group, access.path);
    if (why !== undefined) return why;
    if (access.operation !== "move" && access.operation !== "remove") return undefined;
    return this.refuseAbove(access.path, access.operation) ?? this.refuseUncovering(access);
  }

  /** A folder that holds a denied one is neither moved nor removed: the denial would not hold at the new place. */
  private refuseAbove(path: string, operation: "move" | "remove"): string | undefined {
    const lower = path.toLowerCase();
    for (const [group, roots] of this.denied.roots) {
      const inside = roots.find((root) => isBelow(root.toLowerCase(), lower));
      if (inside !== undefined)
        return `'${path}' can't be ${operation === "move" ? "moved" : "deleted"}: it holds ${inside}, which \`deny\` names for ${group}`;
    }
    return undefined;
  }

  /** What can't be read where it lies is not moved to where it can. */
  private refuseUncovering({ path, to }: FileAccess): string | undefined {
    if (to === undefined || this.refusePath("fs.read", to) !== undefined) return undefined;
    const why = this.refusePath("fs.read", path);
    return why === undefined ? undefined : `it can't be moved to where it could be read: ${why}`;
  }

  /** Files that show or change a process, its environment or its connections, in a run that must not have those. */
  private refuseSystemFile(path: string): string | undefined {
    if (!isSystemFile(path)) return undefined;
    const lost = systemGroups.find((group) => this.refuseGroup(group, false) !== undefined);
    return lost === undefined
      ? undefined
      : needs(`'${path}' shows or changes the system: it`, lost, this.refuseGroup(lost, false) as string);
  }
}

const systemGroups = ["env", "process", "net"] as const;

/** Of `/proc`, what tells of the machine only. */
const harmless = /^\/proc\/(?:cpuinfo|meminfo|loadavg|uptime|version|stat|filesystems)$/;
const isSystemFile = (path: string): boolean => /^\/(?:proc|sys)(?:\/|$)/.test(path) && !harmless.test(path);

const needs = (who: string, group: string, why: string): string =>
  `${who} needs the capability ${group}, which this run does not have; ${why}`;

const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);

function capabilityRulesOf(
  flag: string,
  entries: readonly string[],
  table: BuiltinTable,
  cwd: string,
): Rules {
  const groups = new Set<CapabilityGroup>();
  const roots = new Map<CapabilityGroup, string[]>();
  const builtins = new Set<string>();
  for (const entry of entries) {
    const equals = entry.indexOf("=");
    const name = equals < 0 ? entry : entry.slice(0, equals);
    const meant = shorthands.get(name);
    if (equals >= 0)
      addRoots(flag, entry, meant, normalizePath(joinPaths([cwd, entry.slice(equals + 1)])), roots);
    else if (meant !== undefined) for (const group of meant) groups.add(group);
    else if (table.has(name)) builtins.add(name);
    else {
      const near = nearest(name, [...shorthands.keys(), ...table.keys()]);
      const advice = near === undefined ? "" : `; did you mean \`${near}\`?`;
      throw new CapabilityMistake(
        `${flag}: '${name}' is neither a builtin nor a capability (${capabilityGroups.join(", ")}, fs, all, none)${advice}`,
      );
    }
  }
  return { groups, roots, builtins };
}

function addRoots(
  flag: string,
  entry: string,
  meant: readonly CapabilityGroup[] | undefined,
  root: string,
  roots: Map<CapabilityGroup, string[]>,
): void {
  const groups = meant?.filter((group) => group.startsWith("fs.")) ?? [];
  if (groups.length === 0 || groups.length !== meant?.length || entry.endsWith("=")) {
    throw new CapabilityMistake(
      `${flag}: '${entry}': only fs, fs.read and fs.write take a folder, as in fs.read=DIR`,
    );
  }
  for (const group of groups) roots.set(group, [...(roots.get(group) ?? []), root]);
}

/** Effects that need a capability wherever they come from. */
const groupOfEffect: ReadonlyMap<string, CapabilityGroup> = new Map<string, CapabilityGroup>([
  ["model", "model"],
  ["human", "people"],
]);

class RestrictedTable extends Map<string, BuiltinSpec> implements BuiltinTable {
  readonly admit: (effect: EffectClass, kind: string) => void;
  constructor(capabilities: Capabilities) {
    super();
    this.admit = (effect, kind) => {
      const group = groupOfEffect.get(effect);
      if (group !== undefined) capabilities.need(group, kind);
    };
  }
}

/** The table in which refused builtins only say why. */
export function restrictTable(table: BuiltinTable, capabilities: Capabilities): BuiltinTable {
  const restricted = new RestrictedTable(capabilities);
  for (const [name, spec] of table) {
    const why = capabilities.refuseBuiltin(spec);
    restricted.set(name, why === undefined ? spec : refused(spec, why));
  }
  return restricted;
}

/** Of class state: nothing happens, and a replay under the same lists refuses it again. */
function refused(spec: BuiltinSpec, why: string): BuiltinSpec {
  return {
    ...spec,
    effect: "state",
    performs: true,
    run: () => {
      throw refusal(why);
    },
  };
}

/** The limits of a machine; `undefined` when there are none. */
export function hostCapabilities(host: Host): Capabilities | undefined {
  return (host as { readonly capabilities?: Capabilities }).capabilities;
}

/**
 * A host whose files, programs and network ask first; everything else is the host's own. A path counts as what it really is (links
 * and `..` as the system takes them, the case that the disk has) before it is compared with the folders that are allowed or denied.
 */
export function restrictHost(host: Host, capabilities: Capabilities): Host {
  const gate = new AccessGate();
  gate.add(judgeOf(host, capabilities));
  return guardHost(host, gate, { capabilities });
}

function judgeOf(host: Host, capabilities: Capabilities): (access: HostAccess) => void {
  let real: Capabilities | undefined;
  return (access) => {
    // What `--allow net` and `--deny net` name are hosts, as they were asked for.
    if (access.kind === "network" && access.address !== undefined) return;
    if (access.kind === "process") capabilities.need("process", access.program);
    else if (access.kind === "network" && access.model !== undefined)
      capabilities.need("model", new URL(access.url).host);
    else if (access.kind === "network") capabilities.need("net", new URL(access.url).host);
    else {
      // Not before the first path: a replay, which asks for none, must not look at folders.
      real ??= capabilities.withRoots(
        (root) => resolvedPath(host.files, joinPaths([host.cwd, root]), true).path,
      );
      const why = real.refuseAccess(access);
      if (why !== undefined) throw refusal(why);
    }
  };
}
