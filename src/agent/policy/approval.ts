/**
 * The approval policy (`approval_policy`, agents.md §8.4).
 *
 *     default guards (sensitive names, paths outside) ─▶ candidates ─▶ the strongest: deny > ask > allow, ties: the first
 *
 * Every decision is a receipt that says which rule decided and what it looked at; the request to a person, the
 * transcript and the result entry carry it.
 */

import { type Task, workingFolder } from "../../interp/index.ts";
import type { PendingCall, ToolEntry } from "../../model/index.ts";
import { foldPath, fullPath, isAbsolutePath, isInside, workspacePath } from "../../model/index.ts";
import { type At, type Read, row, rows } from "../../table/index.ts";
import {
  type Dict,
  display,
  fromJson,
  List,
  nameMatches,
  pathMatches,
  type Value,
} from "../../values/index.ts";
import { annotatedCapabilities, kindOfTool, sideEffectOf } from "./annotations.ts";
import {
  type ApprovalAction,
  type ApprovalRule,
  approvalActions,
  approvalRuleOf,
  type CallContext,
  ruleFields,
  ruleFits,
} from "./approval-rules.ts";
import { firstMatch } from "./glob.ts";
import { declaredPaths, pathsAt, textsOfValue, usualPathKeys } from "./paths.ts";
import { type RealPath, realPaths } from "./real-paths.ts";

/** `approval_policy`. */
export const approvalFields = rows(
  () => ({
    rules: row
      .list(row.dict(null), "Rules in order; deny goes before ask before allow.", [])
      .full()
      .with({ nested: ruleFields }),
    auto_approve: row.texts("Globs of tools that are let through."),
    auto_deny: row.texts("Globs of tools that are refused."),
    require_approval: row.texts("Globs of tools that a person is asked about."),
    write_path_allowlist: row.texts("Globs of the paths that tools may write.").orNull(),
    allow_sensitive_paths: row.bool("Files that hold secrets may be named.", false),
    sensitive_path_patterns: row
      .texts("Globs of files that hold secrets, in place of the usual ones.")
      .to((patterns) => (patterns.length === 0 ? sensitiveDefaults : patterns)),
    allow_external_paths: row.bool("Paths outside of the workspace may be named.", false),
    external_roots: row.texts("Folders outside of the workspace that may be named."),
    repeat_limit: row
      .int("The same call may be made so often.", null, { min: 0 })
      .alias("repeated_call_limit"),
    repeat_action: row
      .oneOf([...approvalActions.keys()], "What is done about one more.", "ask")
      .to((action) => approvalActions.get(action) as ApprovalAction),
  }),
  { strict: true },
);

/** As read; its rules are read when the first call is decided: a loop without calls runs through with a broken rule. */
export type ApprovalPolicy = Omit<Read<typeof approvalFields>, "rules"> & {
  rules(): readonly ApprovalRule[];
};

/** Names that hold secrets, wherever they lie. */
export const sensitiveDefaults: readonly string[] = [
  ".env",
  ".env.*",
  "**/.env",
  "**/.env.*",
  "id_rsa",
  "id_ed25519",
  "**/.aws/credentials",
  "**/.npmrc",
  "**/.netrc",
  "*.pem",
  "*.key",
];

/** The option, with rules that are read when they are first needed. */
export function approvalOf(read: Read<typeof approvalFields>): ApprovalPolicy {
  let rules: readonly ApprovalRule[] | undefined;
  return { ...read, rules: () => (rules ??= read.rules.map(approvalRuleOf)) };
}

/** Reads it; throws what is wrong with it. */
export function approvalPolicyOf(value: Value, place: At): ApprovalPolicy | null {
  const read = value === null ? null : row.unlessFalse(approvalFields).read(value, place);
  return read === null ? null : approvalOf(read);
}

export interface MatchedRule {
  readonly source: string;
  readonly action: ApprovalAction;
  readonly id?: string;
  readonly index?: number;
}

export interface ApprovalDecision {
  readonly action: ApprovalAction;
  readonly reason: string;
  readonly rule: MatchedRule | null;
  readonly risk: readonly string[];
  readonly deniedPaths: readonly string[];
  readonly approval: Dict | null;
}

// ── the context ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Who runs: for the match keys `agent`, `persona`, `mode`. */
export interface Actor {
  readonly agent: string | null;
  readonly persona: string | null;
  readonly mode: string | null;
}

export function contextOf(
  pending: PendingCall,
  annotations: Dict | undefined,
  actor: Actor,
  repeatCount: number,
): CallContext {
  const args = pending.arguments;
  const entry = pending.entry as ToolEntry;
  const commands = commandsOf(args);
  const urls = textsOfValue(args).filter((text) => /^https?:\/\//i.test(text));
  const mcp = mcpName(entry, args);
  const method = args.get("method") ?? args.get("http_method");
  const declared = declaredPaths(pending, annotations);
  return {
    tool_name: entry.name,
    tool_kind: kindOfTool(annotations),
    side_effect: sideEffectOf(annotations),
    capabilities: annotatedCapabilities(annotations),
    paths: declared.length > 0 ? declared : pathsAt(args, usualPathKeys),
    commands: commands.map(({ line }) => line),
    command_identities: commands.map(({ identity }) => identity),
    urls,
    domains: [...new Set(urls.map(approvalHostOf))],
    http_methods: typeof method === "string" ? [method.toUpperCase()] : [],
    mcp_servers: mcp === null ? [] : [mcp.server],
    mcp_tools: mcp === null ? [] : [mcp.tool],
    ...actor,
    repeat_count: repeatCount,
  };
}

function commandsOf(args: Dict): { line: string; identity: string }[] {
  const found: { line: string; identity: string }[] = [];
  for (const key of ["command", "cmd", "argv"]) {
    const value = args.get(key) ?? null;
    if (value instanceof List && value.length > 0) {
      const words = [...value].map(display);
      found.push({ line: words.join(" "), identity: words[0] as string });
    } else if (typeof value === "string" && value.trim() !== "") {
      found.push({ line: value, identity: value.trim().split(/\s+/, 1)[0] as string });
    }
  }
  return found;
}

function approvalHostOf(url: string): string {
  const rest = url.slice(url.indexOf("://") + 3);
  const authority = rest.split(/[/?#]/, 1)[0] as string;
  return (authority.slice(authority.lastIndexOf("@") + 1).split(":", 1)[0] as string).toLowerCase();
}

function mcpName(entry: ToolEntry, args: Dict): { server: string; tool: string } | null {
  const at = entry.name.indexOf("__");
  if (at > 0) return { server: entry.name.slice(0, at), tool: entry.name.slice(at + 2) };
  const server = entry.mcpServer ?? args.get("mcp_server");
  if (typeof server !== "string") return null;
  const tool = args.get("mcp_tool");
  return { server, tool: typeof tool === "string" ? tool : entry.name };
}

// ── deciding ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Decides without asking anybody. */
export function decideApproval(
  task: Task,
  policy: ApprovalPolicy,
  pending: PendingCall,
  annotations: Dict | undefined,
  context: CallContext,
): ApprovalDecision {
  const rules = policy.rules();
  const declared = declaredPaths(pending, annotations);
  const paths = declared.length > 0 ? declared : context.paths;
  const cwd = workingFolder(task);
  const real =
    paths.length === 0
      ? (path: string) => fullPath(path, cwd)
      : realPaths(task, [".", ...paths, ...policy.externalRoots], cwd);
  const guard = guarded(task, policy, pending, declared, real);
  if (guard !== undefined) return guard;
  const candidates = [...fixedCandidates(task, policy, paths, real, context)];
  for (const [index, rule] of rules.entries()) {
    if (ruleFits(rule, context)) candidates.push(ruleDecision(rule, index, context));
  }
  const repeated = repeatDecision(policy, context);
  if (repeated !== undefined) candidates.push(repeated);
  for (const action of ["deny", "ask", "allow"] as const) {
    const found = candidates.find((candidate) => candidate.action === action);
    if (found !== undefined) return found;
  }
  return decision("allow", `tool '${context.tool_name}' is not restricted by the approval policy`, null);
}

const decision = (
  action: ApprovalAction,
  reason: string,
  rule: MatchedRule | null,
  risk: readonly string[] = [],
  deniedPaths: readonly string[] = [],
  approval: Dict | null = null,
): ApprovalDecision => ({ action, reason, rule, risk, deniedPaths, approval });

/** What holds wherever an approval policy is active at all. */
function guarded(
  task: Task,
  policy: ApprovalPolicy,
  pending: PendingCall,
  declared: readonly string[],
  real: RealPath,
): ApprovalDecision | undefined {
  if (!policy.allowSensitivePaths) {
    const texts = [...declared, ...textsOfValue(pending.arguments)];
    const path =
      texts.find((text) => isSensitive(policy.sensitivePathPatterns, text)) ??
      declared.find((text) => isSensitive(policy.sensitivePathPatterns, real(text)));
    if (path !== undefined) {
      const reason = `path '${path}' is denied by the sensitive-path default`;
      const rule = { source: "default_sensitive_path", action: "deny" } as const;
      return decision("deny", reason, rule, ["matched_deny_rule", "sensitive_path"], [path]);
    }
  }
  const invalid = declared.find((path) => path.trim() === "" || path.includes("\u0000"));
  if (invalid !== undefined) {
    const rule = { source: "default_path_guard", action: "deny" } as const;
    return decision(
      "deny",
      `path '${invalid.replaceAll("\u0000", "\\0")}' is outside the workspace and no external root allows it`,
      rule,
      ["invalid_path", "matched_deny_rule"],
      [invalid],
    );
  }
  if (policy.allowExternalPaths) return undefined;
  const outside = declared.find(
    (path) => isOutsideWorkspace(task, policy, path) || leadsOutside(task, policy, path, real),
  );
  if (outside === undefined) return undefined;
  const reason = `path '${outside}' is outside the workspace and no external root allows it`;
  const rule = { source: "default_external_path", action: "deny" } as const;
  return decision("deny", reason, rule, ["external_path", "matched_deny_rule"], [outside]);
}

/** Letter case counts for nothing: some file systems do not keep it. A longer text is no path. */
function isSensitive(patterns: readonly string[], text: string): boolean {
  if (text.length > 4096 || text.includes("\n")) return false;
  const path = foldPath(text.trim()).toLowerCase();
  const base = path.slice(path.lastIndexOf("/") + 1);
  return patterns.some((input) => {
    const pattern = input.toLowerCase();
    return pathMatches(pattern, path) || pathMatches(pattern, base) || pathMatches(`**/${pattern}`, path);
  });
}

/** Relative paths that climb out count like absolute ones. */
function isOutsideWorkspace(task: Task, policy: ApprovalPolicy, path: string): boolean {
  const { cwd } = task.runtime.host;
  const full = fullPath(path, cwd);
  if (!isAbsolutePath(path) && !foldPath(path).startsWith("..")) return false;
  if (isInside(full, cwd)) return false;
  return !policy.externalRoots.some((root) => isInside(full, fullPath(root, cwd)));
}

/** A link in the workspace that leads out of it. */
function leadsOutside(task: Task, policy: ApprovalPolicy, path: string, real: RealPath): boolean {
  const leads = real(path);
  if (leads === fullPath(path, workingFolder(task))) return false;
  return !isInside(leads, real(".")) && !policy.externalRoots.some((root) => isInside(leads, real(root)));
}

function* fixedCandidates(
  task: Task,
  policy: ApprovalPolicy,
  paths: readonly string[],
  real: RealPath,
  context: CallContext,
): Generator<ApprovalDecision> {
  const name = context.tool_name;
  const denied = firstMatch(policy.autoDeny, name, nameMatches);
  if (denied !== undefined) {
    const rule = { source: "auto_deny", action: "deny" } as const;
    yield decision("deny", `tool '${name}' matches deny pattern '${denied}'`, rule, ["matched_deny_rule"]);
  }
  const written = unlistedWrite(task, policy, paths, real, context);
  if (written !== undefined) {
    const rule = { source: "write_path_allowlist", action: "deny" } as const;
    const reason = `tool '${name}' targets '${written}' which is not in the write-path allowlist`;
    yield decision("deny", reason, rule, ["matched_deny_rule", "outside_write_allowlist"], [written]);
  }
  const asked = firstMatch(policy.requireApproval, name, nameMatches);
  if (asked !== undefined) {
    const rule = { source: "require_approval", action: "ask" } as const;
    yield decision("ask", `tool '${name}' matches approval pattern '${asked}'`, rule, ["matched_ask_rule"]);
  }
  const approved = firstMatch(policy.autoApprove, name, nameMatches);
  if (approved !== undefined) {
    const rule = { source: "auto_approve", action: "allow" } as const;
    yield decision("allow", `tool '${name}' matches approve pattern '${approved}'`, rule);
  }
}

const writingKinds: readonly string[] = ["edit", "delete", "move"];

function unlistedWrite(
  task: Task,
  policy: ApprovalPolicy,
  paths: readonly string[],
  real: RealPath,
  context: CallContext,
): string | undefined {
  const { writePathAllowlist: writePaths } = policy;
  const { tool_kind: kind, side_effect: level } = context;
  const writes = writingKinds.includes(kind ?? "") || (kind === "other" && level === "workspace_write");
  if (writePaths === null || !writes) return undefined;
  const folder = workingFolder(task);
  const isListed = (...names: readonly string[]): boolean =>
    names.some((name) => firstMatch(writePaths, name, pathMatches) !== undefined);
  return paths.find((path) => {
    if (!isListed(workspacePath(path, folder), foldPath(path))) return true;
    const leads = real(path);
    return leads !== fullPath(path, folder) && !isListed(leads, workspacePath(leads, real(".")));
  });
}

function ruleDecision(rule: ApprovalRule, index: number, context: CallContext): ApprovalDecision {
  const { action } = rule;
  const label = rule.id === null ? `#${index}` : `'${rule.id}'`;
  const reason = rule.reason ?? `tool '${context.tool_name}' matches ${action} rule ${label}`;
  const matched = { source: "rules", action, index, ...(rule.id === null ? {} : { id: rule.id }) };
  const risk = action === "allow" ? rule.risk : [`matched_${action}_rule`, ...rule.risk];
  return decision(action, reason, matched, risk, [], rule.approval);
}

function repeatDecision(policy: ApprovalPolicy, context: CallContext): ApprovalDecision | undefined {
  const { repeatLimit, repeatAction } = policy;
  if (repeatLimit === null || context.repeat_count <= repeatLimit) return undefined;
  const reason = `tool '${context.tool_name}' repeated more than ${repeatLimit} time(s) with the same arguments`;
  const risk =
    repeatAction === "allow" ? ["repeated_call"] : [`matched_${repeatAction}_rule`, "repeated_call"];
  return decision(repeatAction, reason, { source: "repeat_limit", action: repeatAction }, risk);
}

/** The receipt: what was decided, by which rule, looking at what. */
export function approvalReceipt(made: ApprovalDecision, context: CallContext): Dict {
  const { commands: _commands, ...shown } = context;
  return fromJson(
    JSON.parse(
      JSON.stringify({
        type: "harn.permission_policy_decision.v1",
        action: made.action,
        reason: made.reason,
        matched_rule: made.rule,
        required_approval: made.action === "ask" ? true : null,
        risk_labels: [...new Set(made.risk)].sort(),
        context: shown,
      }),
    ),
  ) as Dict;
}
