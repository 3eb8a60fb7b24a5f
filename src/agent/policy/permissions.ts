/**
 * Dynamic permissions (`permissions`, agents.md §8.3): what an agent may call, by globs, argument patterns, predicates
 * and path scopes; what to do about a denial is asked of `on_escalation`.
 *
 * Every policy on the stack must allow a call, the outermost speaks first. A grant for the session is remembered by
 * level, tool and arguments: neither other arguments nor an outer policy are let through by it.
 */

import { callableOnChild, type Task, workingFolder } from "../../interp/index.ts";
import { conversations, fullPath, isInside, type WorkspaceAnchor, workspacePath } from "../../model/index.ts";
import { checkStrictNames } from "../../table/index.ts";
import {
  Callable,
  Dict,
  display,
  List,
  type MaybePromise,
  nameMatches,
  thrown,
  truthy,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { permissionFields } from "./bound-fields.ts";
import { matchesBroadly, matchesStrictly } from "./glob.ts";
import { pathsAt, textsOfValue, usualPathKeys } from "./paths.ts";
import { fixedFolder, type RealPath, realPaths } from "./real-paths.ts";

type Matcher =
  | { readonly kind: "any"; readonly fits: boolean }
  | { readonly kind: "patterns"; readonly argKey: string | null; readonly patterns: readonly string[] }
  | { readonly kind: "predicate"; readonly test: Callable }
  | { readonly kind: "path_scope"; readonly scope: PathScope };

interface PathScope {
  readonly scope: string;
  readonly argKeys: readonly string[];
  readonly mountModes: readonly string[];
  readonly mounts: readonly { readonly path: string; readonly mode: string }[];
  readonly anchor: string | null;
  readonly patterns: readonly string[];
  readonly remindOnly: boolean;
}

interface Rule {
  readonly tool: string;
  readonly matcher: Matcher;
}

export interface Permissions {
  /** `null`: everything that is not denied. */
  readonly allow: readonly Rule[] | null;
  readonly deny: readonly Rule[];
  readonly onEscalation: Callable | null;
}

// ── reading ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reads the option; throws what is wrong with it. */
export function readPermissions(value: Value, caller = "agent_loop"): Permissions | null {
  if (value === null || value === false) return null;
  if (!(value instanceof Dict)) throw thrown(`${caller}: permissions must be a dict`);
  checkStrictNames(`${caller}: permissions`, value, permissionFields);
  const ask = value.get("on_escalation") ?? null;
  if (ask !== null && !(ask instanceof Callable))
    throw thrown(`${caller}: permissions.on_escalation must be a closure or nil; got ${typeOf(ask)}`);
  const allow = value.get("allow") ?? null;
  const deny = value.get("deny") ?? null;
  return {
    allow: allow === null ? null : readPermissionRules(allow, `${caller}.allow: `),
    deny: deny === null ? [] : readPermissionRules(deny, `${caller}.deny: `),
    onEscalation: ask,
  };
}

function readPermissionRules(value: Value, where: string): Rule[] {
  if (typeof value === "string") return [{ tool: value, matcher: { kind: "any", fits: true } }];
  if (value instanceof List) {
    return [...value].map((item) => {
      if (typeof item !== "string") throw thrown(`${where}list entries must be strings`);
      return { tool: item, matcher: { kind: "any", fits: true } as const };
    });
  }
  if (!(value instanceof Dict))
    throw thrown(`${where}expected a list of tool globs or a dict; got ${typeOf(value)}`);
  return [...value.entries()].map(([tool, matcher]) => ({ tool, matcher: readMatcher(matcher, where) }));
}

function readMatcher(value: Value, where: string): Matcher {
  if (value === null) return { kind: "any", fits: true };
  if (typeof value === "boolean") return { kind: "any", fits: value };
  if (typeof value === "string" || value instanceof List)
    return { kind: "patterns", argKey: null, patterns: readPatterns(value, where) };
  if (value instanceof Callable) return { kind: "predicate", test: value };
  if (!(value instanceof Dict))
    throw thrown(
      `${where}a matcher must be nil, a bool, a glob, a list of globs, a closure, or a dict; got ${typeOf(value)}`,
    );
  if (value.get("kind") === "path_scope") return { kind: "path_scope", scope: readScope(value, where) };
  const key = value.get("arg_key");
  const patterns = value.get("patterns") ?? null;
  if (typeof key !== "string" || patterns === null)
    throw thrown(`${where}dict matchers must be path_scope or include arg_key and patterns`);
  return { kind: "patterns", argKey: key, patterns: readPatterns(patterns, where) };
}

function readPatterns(value: Value, where: string): string[] {
  if (typeof value === "string") return [value];
  if (!(value instanceof List)) throw thrown(`${where}patterns must be a glob or a list of globs`);
  return [...value].map((item) => {
    if (typeof item !== "string") throw thrown(`${where}list entries must be strings`);
    return item;
  });
}

const scopes = ["anchor_only", "anchor_plus_mounted", "custom"];

function readScope(value: Dict, where: string): PathScope {
  const scope = value.get("scope") ?? "anchor_only";
  if (typeof scope !== "string" || !scopes.includes(scope))
    throw thrown(`${where}path_scope: scope must be one of ${scopes.join(", ")}; got ${display(scope)}`);
  const texts = (key: string): string[] | undefined => {
    const input = value.get(key) ?? null;
    return input === null ? undefined : readPatterns(input, `${where}path_scope: ${key}: `);
  };
  const violation = value.get("on_violation") ?? "deny";
  if (violation !== "deny" && violation !== "reminder_only")
    throw thrown(`${where}path_scope: on_violation must be deny or reminder_only; got ${display(violation)}`);
  const anchor = value.get("anchor");
  const mounts = value.get("mounts");
  return {
    scope,
    argKeys: texts("arg_keys") ?? usualPathKeys,
    mountModes: texts("mount_modes") ?? [],
    mounts: mounts instanceof List ? [...mounts].flatMap(readMount) : [],
    anchor: typeof anchor === "string" ? anchor : null,
    patterns: texts("patterns") ?? [],
    remindOnly: violation === "reminder_only",
  };
}

function readMount(value: Value): { path: string; mode: string }[] {
  if (typeof value === "string") return [{ path: value, mode: "extend" }];
  const path = value instanceof Dict ? value.get("path") : undefined;
  const mode = value instanceof Dict ? value.get("mode") : undefined;
  return typeof path === "string" ? [{ path, mode: typeof mode === "string" ? mode : "extend" }] : [];
}

// ── deciding ──────────────────────────────────────────────────────────────────────────────────────────────────────

export interface PermissionAnswer {
  readonly granted: boolean;
  readonly reason: string;
  /** A path that only a reminder speaks against. */
  readonly reminder?: string;
}

/** What one policy says of a call, without asking anybody. */
export async function decidePermission(
  task: Task,
  permissions: Permissions,
  tool: string,
  args: Dict,
): Promise<PermissionAnswer> {
  const looked = lookUp(task, permissions, tool, args);
  for (const rule of permissions.deny) {
    if (!nameMatches(rule.tool, tool)) continue;
    if (await fits(task, rule.matcher, args, { forbids: true, looked }))
      return { granted: false, reason: `permission denied by deny rule: ${rule.tool}` };
  }
  if (permissions.allow === null) return { granted: true, reason: `permission granted for tool '${tool}'` };
  for (const rule of permissions.allow) {
    if (!nameMatches(rule.tool, tool)) continue;
    const reminder = denialReminderOf(task, rule.matcher, args, looked);
    if (reminder !== undefined || (await fits(task, rule.matcher, args, { forbids: false, looked }))) {
      const answer = { granted: true, reason: `permission granted by allow rule: ${rule.tool}` };
      return reminder === undefined ? answer : { ...answer, reminder };
    }
  }
  return {
    granted: false,
    reason: `permission denied: tool '${tool}' is not allowed by this agent's permissions`,
  };
}

/** Where the paths in a call lead, for rules that speak of paths. */
interface Looked {
  readonly cwd: string;
  readonly real: RealPath;
}

const speaksOfPaths = (pattern: string): boolean => pattern.includes("/") && !pattern.includes("://");

/** Looks at the disk only when a rule for this tool speaks of paths. */
function lookUp(task: Task, { allow, deny }: Permissions, tool: string, args: Dict): Looked {
  const cwd = workingFolder(task);
  const matchers = [...deny, ...(allow ?? [])]
    .filter((rule) => nameMatches(rule.tool, tool))
    .map((rule) => rule.matcher);
  const patterns = matchers.flatMap((one) =>
    one.kind === "patterns" ? one.patterns.filter(speaksOfPaths) : [],
  );
  const scopes = matchers.flatMap((one) => (one.kind === "path_scope" ? [one.scope] : []));
  if (patterns.length === 0 && scopes.length === 0) return { cwd, real: (text) => fullPath(text, cwd) };
  const anchors = scopes.flatMap((scope) => {
    const anchor = workspaceAnchorOf(task, scope);
    const under = [...mountsOf(task, scope).map(({ path }) => path), ...pathsAt(args, scope.argKeys)];
    return [anchor, ...under.map((path) => fullPath(path, anchor))];
  });
  const texts = [".", ...textsOfValue(args), ...patterns.map(fixedFolder), ...anchors];
  return { cwd, real: realPaths(task, texts, cwd) };
}

/** A value as rules may name it: as it stands, from the root, from the working folder, and where it really leads. */
function namesOf(value: string, { cwd, real }: Looked): string[] {
  const full = fullPath(value, cwd);
  const leads = real(value);
  return [value, full, workspacePath(full, cwd), leads, workspacePath(leads, real("."))];
}

/** A pattern, and the same with the links in its folders followed. */
function patternsOf(pattern: string, { cwd, real }: Looked): string[] {
  const folder = fixedFolder(pattern);
  if (folder === "" || real(folder) === fullPath(folder, cwd)) return [pattern];
  return [pattern, real(folder) + pattern.slice(folder.length)];
}

/** What forbids holds for a path under every name of it. */
function forbidden(pattern: string, value: string, looked: Looked): boolean {
  if (matchesBroadly(pattern, value)) return true;
  if (!speaksOfPaths(pattern)) return false;
  const names = namesOf(value, looked);
  return patternsOf(pattern, looked).some((one) => names.some((name) => matchesBroadly(one, name)));
}

/** What allows must fit what is written, and where that leads. */
function allowed(patterns: readonly string[], value: string, looked: Looked): boolean {
  const fits = (names: readonly string[]): boolean =>
    patterns.some((pattern) =>
      patternsOf(pattern, looked).some((one) => names.some((name) => matchesStrictly(one, name))),
    );
  if (!fits([value])) return false;
  const leads = looked.real(value);
  if (!patterns.some(speaksOfPaths) || leads === fullPath(value, looked.cwd)) return true;
  return fits([leads, workspacePath(leads, looked.real("."))]);
}

/** What forbids is matched broadly: one argument that fits is enough. What allows must fit every argument it looks at. */
function fits(
  task: Task,
  matcher: Matcher,
  args: Dict,
  { forbids, looked }: { readonly forbids: boolean; readonly looked: Looked },
): MaybePromise<boolean> {
  switch (matcher.kind) {
    case "any":
      return matcher.fits;
    case "patterns": {
      const values =
        matcher.argKey === null ? textsOfValue(args) : textsOfValue(args.get(matcher.argKey) ?? null);
      if (!forbids)
        return values.length > 0 && values.every((text) => allowed(matcher.patterns, text, looked));
      return values.some((text) => matcher.patterns.some((pattern) => forbidden(pattern, text, looked)));
    }
    case "predicate": {
      const answer = callableOnChild(task, matcher.test, [args]);
      return answer instanceof Promise ? answer.then(truthy) : truthy(answer);
    }
    case "path_scope":
      return outsidePath(task, matcher.scope, args, looked) === undefined;
  }
}

function denialReminderOf(task: Task, matcher: Matcher, args: Dict, looked: Looked): string | undefined {
  return matcher.kind === "path_scope" && matcher.scope.remindOnly
    ? outsidePath(task, matcher.scope, args, looked)
    : undefined;
}

/** Where the session of the innermost loop works (`agent_session_open`). */
function sessionAnchor(task: Task): WorkspaceAnchor | null {
  const store = task.runtime.state(conversations);
  const id = store.current(task);
  return id === null ? null : (store.get(id)?.anchor ?? null);
}

/** What relative paths of a scope lie under. */
function workspaceAnchorOf(task: Task, scope: PathScope): string {
  return fullPath(scope.anchor ?? sessionAnchor(task)?.primary ?? ".", task.runtime.host.cwd);
}

const mountsOf = (task: Task, scope: PathScope): PathScope["mounts"] =>
  scope.mounts.length > 0 ? scope.mounts : (sessionAnchor(task)?.roots ?? []);

/** The first path argument that lies outside the scope: as it is written, or where it leads. */
function outsidePath(task: Task, scope: PathScope, args: Dict, { real }: Looked): string | undefined {
  const anchor = workspaceAnchorOf(task, scope);
  return pathsAt(args, scope.argKeys).find((path) => {
    const full = fullPath(path, anchor);
    if (!isInScope(task, scope, full, anchor, (mount) => mount)) return true;
    const leads = real(full);
    return leads !== full && !isInScope(task, scope, leads, real(anchor), real);
  });
}

function isInScope(task: Task, scope: PathScope, full: string, anchor: string, real: RealPath): boolean {
  if (scope.scope === "custom") {
    const inside = isInside(full, anchor) ? full.slice(anchor.length + 1) : full;
    return scope.patterns.some(
      (pattern) => matchesStrictly(pattern, inside) || matchesStrictly(pattern, full),
    );
  }
  if (isInside(full, anchor)) {
    const inside = full.slice(anchor.length + 1);
    return scope.patterns.length === 0 || scope.patterns.some((pattern) => matchesStrictly(pattern, inside));
  }
  if (scope.scope === "anchor_only") return false;
  const open = mountsOf(task, scope).filter(
    ({ mode }) => scope.mountModes.length === 0 || scope.mountModes.includes(mode),
  );
  return open.some((mount) => isInside(full, real(fullPath(mount.path, anchor))));
}
