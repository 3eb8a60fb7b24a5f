/**
 * The rules of command policies (builtins.md §2.14) that can be judged without asking anybody: patterns, risks, folders. They
 * are judged twice: on the request, before anything begins (`builtins/process/command-policy.ts`, which also calls the hooks), and
 * where a program is really started (`judgeCommands`), on the program that its name leads to and the real folder.
 */

import { type AccessJudge, effectOwner, type ProcessAccess, resolvedPath } from "../../../host/index.ts";
import { type Task, TaskLocal, workingFolder } from "../../../interp/index.ts";
import { foldPath, fullPath, isAbsolutePath, isInside } from "../../../model/index.ts";
import { variable } from "../../../process/environment.ts";
import { at, refusal } from "../../../table/index.ts";
import { Callable, Dict, display, List, nameMatches, option, ScriptError } from "../../../values/index.ts";
import { policyScopes } from "../scopes.ts";
import { programName } from "./command-words.ts";
import { commandText, type JudgedCommand, judged, riskOfCommand } from "./judged-command.ts";

/** What was pushed and holds for a task. */
export const pushedPolicies = new TaskLocal<Dict>("command policies", { binds: true });

/** Policies whose hooks are deciding: they don't judge what their hooks run. */
export const decidingPolicies = new TaskLocal<Dict>("deciding command policies", { binds: true });

/** Reads a policy; throws what is wrong with it. */
export function commandPolicyOf(config: Dict | null | undefined): Dict {
  const lists = ["deny_patterns", "require_approval", "workspace_roots"];
  for (const key of lists) {
    const value = option(config, key);
    if (value !== undefined && !(value instanceof List))
      throw refusal(at("command_policy", key), "list", value);
  }
  for (const key of ["pre", "post"]) {
    const value = option(config, key);
    if (value !== undefined && !(value instanceof Callable))
      throw refusal(at("command_policy", key), "closure", value);
  }
  const base = Dict.of({
    _type: "command_policy",
    default_shell_mode: "argv_only",
    deny_patterns: new List([]),
    require_approval: new List([]),
    workspace_roots: new List([]),
  });
  return config ? base.merge(config).with("_type", "command_policy") : base;
}

const policiesOfLoops = new WeakMap<Dict, Dict>();

/** One and the same policy for each option `command_policy`: hooks that are deciding are known by it. */
function policyOfLoop(options: Dict): Dict {
  const policy = policiesOfLoops.get(options) ?? commandPolicyOf(options);
  policiesOfLoops.set(options, policy);
  return policy;
}

/** All that hold for a task, outermost first: those of loops, and what was pushed. Inner ones only narrow. */
export function commandPoliciesOf(task: Task): Dict[] {
  const loops = task.runtime.state(policyScopes).around(task);
  const held = loops.flatMap(({ command }) => (command === null ? [] : [policyOfLoop(command)]));
  return [...held, ...pushedPolicies.around(task)];
}

const texts = (policy: Dict, key: string): string[] => {
  const list = policy.get(key);
  return list instanceof List ? list.toArray().map((one) => display(one)) : [];
};

/** The folders that a policy allows commands to run in; empty when it allows all. */
const commandRootsOf = (task: Task, policy: Dict): string[] =>
  texts(policy, "workspace_roots").map((root) => fullPath(root, workingFolder(task)));

/** Why a policy refuses a command in a folder, an absolute path. */
export function refusedCommand(
  task: Task,
  policy: Dict,
  command: JudgedCommand,
  cwd: string,
): string | undefined {
  const denied = deniedByPattern(texts(policy, "deny_patterns"), command);
  if (denied !== undefined) return denied;
  const roots = commandRootsOf(task, policy);
  const folder = foldPath(cwd);
  if (roots.length > 0 && !roots.some((root) => isInside(folder, root))) return outsideRoots(folder);
  const asked = texts(policy, "require_approval");
  const label =
    asked.length === 0 ? undefined : riskOfCommand(command).labels.find((one) => asked.includes(one));
  return label === undefined ? undefined : `command requires approval: ${label}`;
}

const outsideRoots = (folder: string): string =>
  `command denied: ${folder} lies outside of the policy's workspace roots`;

function deniedByPattern(patterns: readonly string[], { line, commands }: JudgedCommand): string | undefined {
  if (patterns.length === 0) return undefined;
  const fits = (pattern: string, text: string): boolean => pattern === text || nameMatches(pattern, text);
  const pattern = patterns.find(
    (one) =>
      fits(one, line) ||
      commands.some(
        (command) =>
          fits(one, command.words.join(" ")) ||
          fits(one, commandText(command)) ||
          // `rm` alone means the program, whatever it is given.
          fits(one, programName(command.words[0] ?? "")),
      ),
  );
  if (pattern !== undefined) return `command denied by policy pattern "${pattern}"`;
  const hidden = commands.find(({ unknown }) => unknown);
  return hidden === undefined
    ? undefined
    : `command denied: what \`${hidden.words.join(" ")}\` runs can't be told before it runs, and the policy has deny_patterns`;
}

// ── where programs are started ────────────────────────────────────────────────────────────────────────────────────────

const isBlocked = "CommandBlocked";

/** The reason of a refusal by `judgeCommands`; `undefined` for every other error. */
export function blockedReason(error: unknown): string | undefined {
  if (!(error instanceof ScriptError) || !(error.value instanceof Dict)) return undefined;
  const reason = error.value.get("type") === isBlocked ? error.value.get("message") : undefined;
  return typeof reason === "string" ? reason : undefined;
}

/** Asked before any program is started, whichever builtin starts it. */
export const judgeCommands: AccessJudge = (access) => {
  const owner = access.kind === "process" ? effectOwner() : undefined;
  if (owner === undefined || access.kind !== "process") return;
  const { task } = owner;
  const deciding = decidingPolicies.around(task);
  const policies = commandPoliciesOf(task).filter((policy) => !deciding.includes(policy));
  if (policies.length === 0) return;
  const { host } = task.runtime;
  const { files } = host.own ?? host;
  const real = (path: string): string => resolvedPath(files, path, true).path;
  const ways = commandWords(task, access, real).map((words) =>
    judged({ kind: "argv", words, stdin: access.stdin }),
  );
  const cwd = real(isBelowRoot(host.cwd, access.cwd));
  for (const policy of policies) {
    const roots = commandRootsOf(task, policy).map(real);
    const reason =
      ways
        .map((command) => refusedCommand(task, policy.without("workspace_roots"), command, cwd))
        .find((one) => one !== undefined) ??
      (roots.length > 0 && !roots.some((root) => isInside(cwd, root)) ? outsideRoots(cwd) : undefined);
    if (reason !== undefined)
      throw new ScriptError(
        "thrown",
        Dict.of({ type: isBlocked, category: "tool_rejected", message: reason }),
        { category: "tool_rejected" },
      );
  }
};

/** Nothing is folded: the system follows links before it takes `..`. */
const isBelowRoot = (folder: string, path: string): string =>
  isAbsolutePath(path) ? path : `${folder}/${path}`;

/** Programs that are many under one name, and look at the name. */
const multiple = new Set(["busybox", "toybox", "coreutils"]);

/** The command as it was asked for, and with the program that its name leads to: by `PATH`, and through links. */
function commandWords(
  task: Task,
  { program, args, cwd }: ProcessAccess,
  real: (path: string) => string,
): string[][] {
  const asked = [[program, ...args]];
  const { host } = task.runtime;
  const { files } = host.own ?? host;
  const places = program.includes("/")
    ? [isBelowRoot(cwd, program)]
    : (variable(host.env, "PATH") ?? "")
        .split(":")
        .map((folder) => isBelowRoot(folder === "" ? cwd : folder, program));
  const found = places.find((path) => {
    try {
      return files.stat(path)?.kind === "file";
    } catch {
      return false;
    }
  });
  if (found === undefined) return asked;
  const target = real(found);
  const ways = [...asked, [found, ...args]];
  return multiple.has(programName(target)) ? ways : [...ways, [target, ...args]];
}
