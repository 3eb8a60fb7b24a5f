/** The ceilings of the policies around a task, asked before every effect of a builtin and at every access to the machine. */
import {
  type AccessJudge,
  addEffectCheck,
  addJudge,
  type EffectCheck,
  effectOwner,
  type FileAccess,
  type HostAccess,
  resolvedPath,
} from "../../host/index.ts";
import { type Runtime, type Task, TaskLocal, workingFolder } from "../../interp/index.ts";
import { fullPath } from "../../model/index.ts";
import { ScriptError } from "../../values/index.ts";
import { levelRank } from "./annotations.ts";
import type { CapabilityPolicy } from "./capability-policy.ts";
import { holdsReadOnly, isWithinRoots, type Roots } from "./roots.ts";
import { policyScopes } from "./scopes.ts";

/**
 * Stretches of a program that may touch one folder only (`agent_in_folder`): what runs inside may read and write there, links
 * followed, and nowhere else. Stretches inside of others narrow, and never widen.
 */
const folderScopes = new TaskLocal<CapabilityPolicy>("folder scopes", { binds: true });

/** A ceiling that holds for files only. A relative folder lies where the program works. */
const folderCeiling = (folder: string): CapabilityPolicy => ({
  tools: [],
  capabilities: new Map(),
  workspaceRoots: [folder],
  readOnlyRoots: [],
  sideEffectLevel: null,
  recursionLimit: null,
  toolArgConstraints: [],
  toolAnnotations: null,
});

type Ceiling = "workspace read" | "workspace write" | "process.exec" | "network" | "llm.call";

const needed: Readonly<
  Record<Ceiling, { readonly level: string | null; readonly capabilities: readonly string[] }>
> = {
  "workspace read": { level: "read_only", capabilities: ["workspace", "fs"] },
  "workspace write": { level: "workspace_write", capabilities: ["workspace", "fs"] },
  "process.exec": { level: "process_exec", capabilities: ["process"] },
  network: { level: "network", capabilities: ["network", "http", "net"] },
  "llm.call": { level: null, capabilities: ["llm"] },
};

/** The level of side effects that a ceiling asks for; `null` for one that stands beside the levels. */
export const levelOf = (ceiling: Ceiling): string | null => needed[ceiling].level;

/** Makes the runtime ask the ceilings of its loops before every effect. */
export function installGuard(runtime: Runtime): void {
  addEffectCheck(runtime, checkBuiltinCeilings);
  addJudge(runtime, judgeLoops);
}

/** Begins a stretch that may touch one folder only; the function that it gives ends it. */
export function enterFolder(task: Task, folder: string): () => void {
  installGuard(task.runtime);
  return folderScopes.enter(task, folderCeiling(folder));
}

/** Refuses what the ceilings around a task do not grant. */
const checkBuiltinCeilings: EffectCheck = (task, call) => {
  const ceiling = ceilingOf(task, call);
  if (ceiling === undefined) return;
  for (const policy of builtinPoliciesOf(task))
    if (!grantsCeiling(policy, ceiling)) throw exceeded(call.kind, ceiling);
};

const builtinPoliciesOf = (task: Task): CapabilityPolicy[] =>
  task.runtime
    .state(policyScopes)
    .binding(task)
    .flatMap(({ policy }) => (policy === null ? [] : [policy]));

function exceeded(kind: string, ceiling: Ceiling): ScriptError {
  const name = kind.replaceAll(".", "_");
  return new ScriptError("thrown", `builtin '${name}' exceeds ${ceiling} ceiling`, {
    category: "tool_rejected",
  });
}

// ── by what an effect says that it is ─────────────────────────────────────────────────────────────────────────────────

/** The runtime's own book-keeping, not something that a handler does. */
const bookkeeping: ReadonlySet<string> = new Set(["worker.snapshot", "worker.claim"]);
export const isBookkeeping = (kind: string): boolean => bookkeeping.has(kind);

/** Families of effects that reach a network or start programs, whoever performs them. */
const networkKinds = /^(?:http|sse|websocket|pg)\./;
const programKinds = /^(?:process\.(?:exec|start|cancel)$|host\.terminal\.|worker\.worktree$)/;

/** What an effect needs to be granted, by what it says of itself; undefined: nothing that a ceiling speaks of. */
export function ceilingOf(task: Task, call: Parameters<EffectCheck>[1]): Ceiling | undefined {
  if (isBookkeeping(call.kind)) return undefined;
  if (call.effect === "model") return "llm.call";
  if (networkKinds.test(call.kind)) return "network";
  if (programKinds.test(call.kind)) return "process.exec";
  if (call.kind.startsWith("mcp.")) return serverCeiling(call);
  const groups = task.runtime.builtins.get(call.kind)?.capability?.split(" ") ?? [];
  if (groups.includes("process")) return "process.exec";
  if (groups.includes("net")) return "network";
  return call.effect === "write" ? "workspace write" : undefined;
}

/**
 * To start a server or reach one needs what it is. What is asked of a connected one was decided about before: as a tool of a loop,
 * by what the server says of it.
 */
function serverCeiling(call: Parameters<EffectCheck>[1]): Ceiling | undefined {
  if (call.kind === "mcp.server_card") return "network";
  if (call.kind !== "mcp.connect") return undefined;
  return (call.args() as { transport?: string }).transport === "http" ? "network" : "process.exec";
}

function grantsCeiling(policy: CapabilityPolicy, ceiling: Ceiling): boolean {
  const { level, capabilities } = needed[ceiling];
  if (
    level !== null &&
    policy.sideEffectLevel !== null &&
    levelRank(policy.sideEffectLevel) < levelRank(level)
  )
    return false;
  return grantsAny(policy, capabilities, ceiling === "workspace write" || ceiling === "process.exec");
}

/** Operations of a capability that change nothing and start nothing. */
const looking = /^(?:read|list|look|get|view|stat|exists|search|find|grep|glob|watch|walk|metadata)(?:_|$)/;

/** Without any list of capabilities everything is granted; `changes`: something other than looking has to be. */
function grantsAny(policy: CapabilityPolicy, names: readonly string[], changes = false): boolean {
  if (policy.capabilities.size === 0) return true;
  return names.some((name) => {
    const operations = policy.capabilities.get(name);
    if (operations === undefined) return false;
    return !changes || operations.length === 0 || operations.some((operation) => !looking.test(operation));
  });
}

// ── by what it touches ────────────────────────────────────────────────────────────────────────────────────────────────

const judgeLoops: AccessJudge = (access) => {
  const owner = effectOwner();
  if (owner === undefined || isBookkeeping(owner.kind)) return;
  const { task, kind } = owner;
  const ceiling = touchedByBuiltin(access);
  for (const policy of builtinPoliciesOf(task)) {
    if (!grantsCeiling(policy, ceiling)) throw exceeded(kind, ceiling);
    if (access.kind === "file" && leavesRoots(task, policy, access)) throw exceeded(kind, ceiling);
  }
  if (access.kind !== "file") return;
  for (const policy of folderScopes.around(task))
    if (leavesRoots(task, policy, access)) throw leavesFolder(kind);
};

function leavesRoots(task: Task, policy: CapabilityPolicy, access: FileAccess): boolean {
  const writes = access.group === "fs.write";
  const paths = access.to === undefined ? [access.path] : [access.path, access.to];
  const roots = rootsOf(task, policy);
  const takesAll = access.operation === "remove" || access.operation === "move";
  return paths.some(
    (path) => !isWithinRoots(roots, path, writes) || (takesAll && holdsReadOnly(roots, path)),
  );
}

const leavesFolder = (kind: string): ScriptError =>
  new ScriptError("thrown", `${kind.replaceAll(".", "_")}: the path leads out of the folder`, {
    category: "tool_rejected",
  });

export function touchedByBuiltin(access: HostAccess): Ceiling {
  if (access.kind === "process") return "process.exec";
  if (access.kind === "network") return access.model === undefined ? "network" : "llm.call";
  return access.group === "fs.write" ? "workspace write" : "workspace read";
}

/** By the folder that relative roots lie under. */
const realRoots = new WeakMap<CapabilityPolicy, Map<string, Roots>>();

/**
 * The roots of a policy with their links followed, once: a link that is changed later leads nowhere new. Relative ones lie
 * where the program works, and where the task does if it was given a place of its own.
 */
function rootsOf(task: Task, policy: CapabilityPolicy): Roots {
  const { host } = task.runtime;
  const folder = workingFolder(task);
  const known = realRoots.get(policy) ?? new Map<string, Roots>();
  realRoots.set(policy, known);
  const found = known.get(folder);
  if (found !== undefined) return found;
  const { files } = host.own ?? host;
  const bases = [...new Set([host.cwd, folder])];
  const real = (roots: readonly string[]): string[] =>
    roots.flatMap((root) => bases.map((base) => resolvedPath(files, fullPath(root, base), true).path));
  const made = { workspace: real(policy.workspaceRoots), readOnly: real(policy.readOnlyRoots) };
  known.set(folder, made);
  return made;
}
