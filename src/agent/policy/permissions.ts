/**
 * Dynamic permissions (`permissions`, agents.md §8.3): what an agent may call, by globs, argument patterns, predicates
 * and path scopes; what to do about a denial is asked of `on_escalation`.
 *
 * Every policy on the stack must allow a call, the outermost speaks first. A grant for the session is remembered by
 * level, tool and arguments: neither other arguments nor an outer policy are let through by it.
 */

import { callableOnChild, type Task, workingFolder } from "../../interp/index.ts";
import { conversations, fullPath, isInside, type WorkspaceAnchor, workspacePath } from "../../model/index.ts";
import { type At, inside, type Read, readRows, row, rows } from "../../table/index.ts";
import { Callable, Dict, type MaybePromise, nameMatches, truthy, type Value } from "../../values/index.ts";
import { matchesBroadly, matchesStrictly } from "./glob.ts";
import { pathsAt, textsOfValue, usualPathKeys } from "./paths.ts";
import { fixedFolder, type RealPath, realPaths } from "./real-paths.ts";

export type Matcher =
  | { readonly kind: "any"; readonly fits: boolean }
  | { readonly kind: "patterns"; readonly argKey: string | null; readonly patterns: readonly string[] }
  | { readonly kind: "predicate"; readonly test: Callable }
  | { readonly kind: "path_scope"; readonly scope: PathScope };

const scopeRows = rows(() => ({
  kind: row.exactly("path_scope"),
  scope: row.oneOf(["anchor_only", "anchor_plus_mounted", "custom"], "", "anchor_only"),
  arg_keys: row.texts().or(usualPathKeys),
  mount_modes: row.texts(),
  mounts: row.list(
    row
      .either([row.text(), row.dict(mountRows)])
      .to((read) => (typeof read === "string" ? { path: read, mode: "extend" } : read)),
    "",
    [],
  ),
  anchor: row.text(),
  patterns: row.texts(),
  on_violation: row.oneOf(["deny", "reminder_only"], "", "deny"),
}));
const mountRows = rows(() => ({ path: row.text().required(), mode: row.text("", "extend") }));
const patternRows = rows(() => ({ arg_key: row.text().required(), patterns: row.texts().required() }));

/** Dicts that a glob of tools may lead to, for whoever has to know their keys. */
export const matcherTables = { path_scope: scopeRows, patterns: patternRows };

export type PathScope = Read<typeof scopeRows>;

export interface PermissionRule {
  readonly tool: string;
  readonly matcher: Matcher;
}

// ── reading ───────────────────────────────────────────────────────────────────────────────────────────────────────

export const permissionFields = rows(
  () => ({
    allow: row
      .either(
        [row.text(), row.list(row.text()).full(), row.dict(null)],
        "What may be called: globs of tools, or matchers by glob; without it, what is not denied.",
      )
      .to(permissionRulesOf),
    deny: row
      .either(
        [row.text(), row.list(row.text()).full(), row.dict(null)],
        "What may not be called, in the same forms.",
      )
      .to(permissionRulesOf)
      .or([]),
    on_escalation: row.closure("Asked about a call that is refused; may grant it once or for the session."),
  }),
  { strict: true },
);
/** As read; `allow` is `null`: everything that is not denied. */
export type Permissions = Read<typeof permissionFields>;

const anyOf = (tool: string): PermissionRule => ({ tool, matcher: { kind: "any", fits: true } });

function permissionRulesOf(read: string | readonly string[] | Dict, place: At): readonly PermissionRule[] {
  if (!(read instanceof Dict)) return [read].flat().map(anyOf);
  return [...read.entries()].map(([tool, matcher]) =>
    matcher === null ? anyOf(tool) : { tool, matcher: readMatcher(matcher, inside(place, tool)) },
  );
}

const patterns = (argKey: string | null, texts: readonly string[]): Matcher => ({
  kind: "patterns",
  argKey,
  patterns: texts,
});

const readMatcher = (value: Value, place: At): Matcher =>
  row
    .either([row.bool(), row.text(), row.list(row.text()).full(), row.closure(), row.dict(null)])
    .to((read): Matcher => {
      if (typeof read === "boolean") return { kind: "any", fits: read };
      if (read instanceof Callable) return { kind: "predicate", test: read };
      if (!(read instanceof Dict)) return patterns(null, [read].flat());
      if (read.get("kind") === "path_scope")
        return { kind: "path_scope", scope: readRows(read, scopeRows, place) };
      const { argKey, patterns: texts } = readRows(read, patternRows, place);
      return patterns(argKey, texts);
    })
    .read(value, place);

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
interface PathContext {
  readonly cwd: string;
  readonly real: RealPath;
}

const speaksOfPaths = (pattern: string): boolean => pattern.includes("/") && !pattern.includes("://");

/** Looks at the disk only when a rule for this tool speaks of paths. */
function lookUp(task: Task, { allow, deny }: Permissions, tool: string, args: Dict): PathContext {
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
function namesOf(value: string, { cwd, real }: PathContext): string[] {
  const full = fullPath(value, cwd);
  const leads = real(value);
  return [value, full, workspacePath(full, cwd), leads, workspacePath(leads, real("."))];
}

/** A pattern, and the same with the links in its folders followed. */
function patternsOf(pattern: string, { cwd, real }: PathContext): string[] {
  const folder = fixedFolder(pattern);
  if (folder === "" || real(folder) === fullPath(folder, cwd)) return [pattern];
  return [pattern, real(folder) + pattern.slice(folder.length)];
}

/** What forbids holds for a path under every name of it. */
function forbidden(pattern: string, value: string, looked: PathContext): boolean {
  if (matchesBroadly(pattern, value)) return true;
  if (!speaksOfPaths(pattern)) return false;
  const names = namesOf(value, looked);
  return patternsOf(pattern, looked).some((one) => names.some((name) => matchesBroadly(one, name)));
}

/** What allows must fit what is written, and where that leads. */
function allowed(patterns: readonly string[], value: string, looked: PathContext): boolean {
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
  { forbids, looked }: { readonly forbids: boolean; readonly looked: PathContext },
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

function denialReminderOf(task: Task, matcher: Matcher, args: Dict, looked: PathContext): string | undefined {
  return matcher.kind === "path_scope" && matcher.scope.onViolation === "reminder_only"
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
function outsidePath(task: Task, scope: PathScope, args: Dict, { real }: PathContext): string | undefined {
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
