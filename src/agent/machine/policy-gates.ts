/**
 * The gates of a loop (agents.md §8.1, steps 4–6): ceiling, permissions, approval, each for every scope around the
 * call, the outermost first. A denial anywhere denies; every consultation, grant and refusal is in the transcript.
 */
import { placeOf, runEvents } from "../../events/index.ts";
import type { Task } from "../../interp/index.ts";
import { callableOnChild, stateKey } from "../../interp/index.ts";
import {
  type GateDecision,
  judgedSchema,
  normaliseArguments,
  type PendingCall,
  type ToolDenial,
  type ToolEntry,
  type ToolGate,
} from "../../model/index.ts";
import { Dict, display, List, type Value } from "../../values/index.ts";
import { annotationsOf } from "../policy/annotations.ts";
import {
  type Actor,
  type ApprovalDecision,
  type ApprovalPolicy,
  approvalReceipt,
  contextOf,
  decideApproval,
} from "../policy/approval.ts";
import { deniedByPolicy, deniedName } from "../policy/capability.ts";
import { decidePermission, type Permissions } from "../policy/permissions.ts";
import { askForLeave, type Leave, leaveOf } from "../policy/person.ts";
import type { PolicyScope } from "../policy/scopes.ts";
import type { Loop } from "../state/loop-state.ts";
import { denialValue } from "../tools/outcome.ts";

const allowed: GateDecision = { kind: "allow" };

/** The gates for a loop that runs under these scopes, its own last. */
export function policyGates(loop: Loop, scopes: readonly PolicyScope[]): ToolGate[] {
  const gates: ToolGate[] = [];
  if (scopes.some(({ policy }) => policy !== null)) gates.push(ceilingGate(scopes));
  if (scopes.some(({ permissions }) => permissions !== null)) gates.push(permissionGate(loop, scopes));
  if (scopes.some(({ approval }) => approval !== null)) gates.push(approvalGate(loop, scopes));
  return gates;
}

// ── 4: ceiling ────────────────────────────────────────────────────────────────────────────────────────────────────

function ceilingGate(scopes: readonly PolicyScope[]): ToolGate {
  const policies = scopes.flatMap(({ policy }) => (policy === null ? [] : [policy]));
  const first = (
    deny: (policy: (typeof policies)[number]) => ToolDenial | undefined,
  ): ToolDenial | undefined => {
    for (const policy of policies) {
      const denial = deny(policy);
      if (denial !== undefined) return denial;
    }
    return undefined;
  };
  return {
    name: "policy",
    unknown: (name) => first((policy) => deniedName(policy, name)),
    decide: (task, pending) => {
      const denial = first((policy) => deniedByPolicy(task, policy, pending));
      return denial === undefined ? allowed : { kind: "deny", denial };
    },
  };
}

// ── 5: permissions ────────────────────────────────────────────────────────────────────────────────────────────────

function permissionGate(loop: Loop, scopes: readonly PolicyScope[]): ToolGate {
  return {
    name: "permissions",
    async decide(task, pending) {
      let granted: { reason: string; escalated: boolean } | undefined;
      for (const [level, scope] of scopes.entries()) {
        if (scope.permissions === null) continue;
        const answer = await permission(task, loop, pending, scope, scope.permissions, level);
        if ("denial" in answer) return { kind: "deny", denial: answer.denial };
        granted = answer;
      }
      if (granted !== undefined)
        recordPermission(loop, "PermissionGrant", pending, granted.reason, { escalated: granted.escalated });
      return allowed;
    },
  };
}

type GrantOutcome =
  | { readonly reason: string; readonly escalated: boolean }
  | { readonly denial: ToolDenial };

async function permission(
  task: Task,
  loop: Loop,
  pending: PendingCall,
  scope: PolicyScope,
  permissions: Permissions,
  level: number,
): Promise<GrantOutcome> {
  const name = pending.call.name;
  const key = `${level}\n${name}\n${display(pending.arguments)}`;
  const { grants } = scope.conversation;
  const earlier = grants.get(key);
  if (earlier !== undefined) return { reason: earlier, escalated: false };
  const answer = await decidePermission(task, permissions, name, pending.arguments);
  if (answer.granted) {
    if (answer.reminder !== undefined) remindOfDenial(loop, name, answer.reminder);
    return { reason: answer.reason, escalated: false };
  }
  const refuse = (reason: string, escalated: boolean): GrantOutcome => ({
    denial: { gate: "dynamic_permission", reason, retryable: false, escalated },
  });
  if (permissions.onEscalation === null) return refuse(answer.reason, false);
  recordPermission(loop, "PermissionEscalation", pending, answer.reason, { escalated: true });
  const request = Dict.of({
    _type: "PermissionRequest",
    tool: name,
    args: pending.arguments,
    session_id: loop.state.sessionId,
    reason: answer.reason,
    grant_options: new List(["once", "session", false]),
  });
  const said = leaveOf(await callableOnChild(task, permissions.onEscalation, [request]));
  const reason = said.reason ?? answer.reason;
  if (!said.granted) return refuse(reason, true);
  if (said.always) grants.set(key, reason);
  return { reason, escalated: true };
}

function remindOfDenial(loop: Loop, tool: string, path: string): void {
  loop.conversation.feedback.push({
    kind: "path_scope",
    text: `The call of ${tool} names '${path}', which lies outside your workspace scope. It was let through; stay inside the scope from now on.`,
  });
}

// ── 6: approval ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Who works for an agent without a name of its own is seen under that agent's. */
function approvalGate(loop: Loop, scopes: readonly PolicyScope[]): ToolGate {
  const named = (name: keyof Actor): string | null =>
    scopes.findLast(({ actor }) => (actor?.[name] ?? null) !== null)?.actor?.[name] ?? null;
  const [agent, persona] = [named("agent"), named("persona")];
  const actor = (): Actor => ({ agent, persona, mode: loop.agentMode() ?? named("mode") });
  return {
    name: "approval_policy",
    async decide(task, pending) {
      let approval: Value | undefined;
      for (const scope of scopes) {
        if (scope.approval === null) continue;
        const decided = await approve(task, loop, pending, scope, scope.approval, actor());
        if (decided.kind !== "allow") return decided;
        approval = decided.approval ?? approval;
      }
      return approval === undefined ? allowed : { kind: "allow", approval };
    },
  };
}

async function approve(
  task: Task,
  loop: Loop,
  pending: PendingCall,
  scope: PolicyScope,
  policy: ApprovalPolicy,
  actor: Actor,
): Promise<GateDecision> {
  const annotations = annotationsOf(pending.entry as ToolEntry, scope.policy?.toolAnnotations ?? null);
  const context = contextOf(pending, annotations, actor, countCall(scope, pending));
  const decision = decideApproval(task, policy, pending, annotations, context);
  const made = await decidedAs(task, loop, pending, scope, decision, approvalReceipt(decision, context));
  if (decision.rule !== null || decision.action !== "allow") emitApproval(task, decision, made);
  return made;
}

/** Who watches the run sees what was decided about the call, and by which rule. */
function emitApproval(task: Task, { action, reason, rule }: ApprovalDecision, made: GateDecision): void {
  const events = task.runtime.state(runEvents);
  if (!events.listens) return;
  events.emit(placeOf(task), "decision", {
    name: "approval_decision",
    fields: new Dict(),
    live: false,
    listed: null,
    about: "approval",
    verdict: made.kind,
    why: made.kind === "deny" ? made.denial.reason : reason,
    by: rule?.source ?? "approval_policy",
    considered: [{ layer: rule?.source ?? "approval_policy", said: action }],
  });
}

async function decidedAs(
  task: Task,
  loop: Loop,
  pending: PendingCall,
  scope: PolicyScope,
  decision: ApprovalDecision,
  receipt: Dict,
): Promise<GateDecision> {
  if (decision.action === "deny") return deny(decision, receipt, "approval_policy", decision.reason);
  if (decision.action === "allow") {
    if (decision.rule === null) return allowed;
    recordPermission(loop, "PermissionGrant", pending, decision.reason, {
      escalated: false,
      policy_decision: receipt,
    });
    return { kind: "allow", approval: Dict.of({ status: "auto_approved", policy_decision: receipt }) };
  }
  return await asked(task, loop, pending, scope, decision, receipt);
}

/** Leave for a call with other arguments than the model's. */
interface ChangedCall {
  readonly arguments: Dict;
  readonly reason: string;
  readonly by: string | null;
}

const changedCalls = stateKey<WeakMap<object, Map<PolicyScope, ChangedCall>>>(
  "agent.changed calls",
  () => new WeakMap(),
);

async function asked(
  task: Task,
  loop: Loop,
  pending: PendingCall,
  scope: PolicyScope,
  decision: ApprovalDecision,
  receipt: Dict,
): Promise<GateDecision> {
  const key = `approval\n${pending.call.name}\n${display(pending.arguments)}`;
  const grant = (reason: string, by: string | null): GateDecision => {
    recordPermission(loop, "PermissionGrant", pending, reason, { escalated: true, policy_decision: receipt });
    return {
      kind: "allow",
      approval: Dict.of({
        status: "approved",
        reason,
        decided_by: by ?? undefined,
        policy_decision: receipt,
      }),
    };
  };
  const earlier = scope.conversation.grants.get(key);
  if (earlier !== undefined) return grant(earlier, null);
  const changes = task.runtime.state(changedCalls);
  const changed = changes.get(pending.call)?.get(scope);
  if (changed !== undefined && display(changed.arguments) === display(pending.arguments))
    return grant(changed.reason, changed.by);
  const request = Dict.of({
    tool_name: pending.call.name,
    tool_args: pending.arguments,
    tool_call_id: pending.call.id,
    session_id: loop.state.sessionId,
    reason: decision.reason,
    policyDecision: receipt,
    approval: decision.approval ?? undefined,
  });
  const leave = await hookedLeave(task, loop, pending, request);
  if (leave === null) {
    const reason = `approval required but no host bridge is available: ${decision.reason}`;
    return deny(decision, receipt, "approval_unavailable", reason);
  }
  recordPermission(loop, "PermissionEscalation", pending, decision.reason, {
    escalated: true,
    policy_decision: receipt,
  });
  const reason = leave.reason ?? decision.reason;
  if (!leave.granted)
    return deny(decision, receipt, "approval_policy", `approval was not given: ${reason}`, true);
  const value =
    leave.arguments === null
      ? pending.arguments
      : normaliseArguments(pending.entry as ToolEntry, leave.arguments);
  if (display(value) !== display(pending.arguments)) {
    // Every gate looks at what is made of the call; who gave leave for exactly this is not asked again.
    const said = changes.get(pending.call) ?? new Map<PolicyScope, ChangedCall>();
    changes.set(pending.call, said.set(scope, { arguments: value, reason, by: leave.by }));
    return { kind: "change", arguments: value };
  }
  if (leave.always) scope.conversation.grants.set(key, reason);
  return grant(reason, leave.by);
}

/** `PermissionAsked` hooks may answer instead of a person; `PermissionReplied` hooks get the answer. */
async function hookedLeave(
  task: Task,
  loop: Loop,
  pending: PendingCall,
  request: Dict,
): Promise<Leave | null> {
  const name = pending.call.name;
  const said = await loop.sessionHooks("PermissionAsked", request, name);
  const decided = said?.decision === "allow" || said?.decision === "deny" ? said.decision : null;
  const leave =
    decided === null
      ? await askForLeave(task, request, pending.entry && judgedSchema(pending.entry))
      : {
          granted: decided === "allow",
          always: false,
          reason: said?.reason ?? null,
          by: "hook",
          arguments: null,
        };
  const reply = Dict.of({
    granted: leave?.granted ?? false,
    reason: leave?.reason ?? null,
    decided_by: leave?.by ?? null,
  });
  await loop.sessionHooks("PermissionReplied", request.merge(reply), name);
  return leave;
}

function deny(
  decision: ApprovalDecision,
  receipt: Dict,
  gate: "approval_policy" | "approval_unavailable",
  reason: string,
  escalated = false,
): GateDecision {
  const paths = decision.deniedPaths;
  const denial: ToolDenial = {
    gate,
    reason,
    retryable: paths.length > 0,
    ...(paths.length === 0 ? {} : { denied_paths: paths }),
    ...(decision.rule?.source === "auto_deny"
      ? { next_step: "This tool is auto_denied by the approval policy; do the task without it." }
      : {}),
    escalated,
    policyDecision: receipt,
  };
  return { kind: "deny", denial };
}

/** How often this tool was called with these arguments, this call included; a call decided twice counts once. */
function countCall(scope: PolicyScope, pending: PendingCall): number {
  const key = `${pending.call.name}\n${display(pending.arguments)}`;
  const calls = scope.repeats.get(key) ?? new Set();
  scope.repeats.set(key, calls.add(`${pending.iteration}:${pending.index}`));
  return calls.size;
}

// ── the transcript ────────────────────────────────────────────────────────────────────────────────────────────────

/** A refusal of any gate: exactly one event each. */
export function recordDenial(loop: Loop, pending: PendingCall, denial: ToolDenial): void {
  recordPermission(loop, "PermissionDeny", pending, denial.reason, {
    escalated: denial.escalated === true,
    denial,
    policy_decision: denial.policyDecision,
  });
}

function recordPermission(
  loop: Loop,
  kind: "PermissionEscalation" | "PermissionGrant" | "PermissionDeny",
  pending: PendingCall,
  reason: string,
  more: { escalated: boolean; denial?: ToolDenial; policy_decision?: Dict | undefined },
): void {
  loop.conversation.audit.push({
    kind,
    role: "tool",
    visibility: "internal",
    text: reason,
    metadata: Dict.of({
      tool_name: pending.call.name,
      arguments: pending.arguments,
      reason,
      escalated: more.escalated,
      denial: more.denial === undefined ? undefined : denialValue(more.denial),
      policy_decision: more.policy_decision,
    }),
  });
}
