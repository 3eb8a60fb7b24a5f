/**
 * Whose rules hold where: every running loop is a scope with its ceiling, permissions and approval policy, and what
 * runs inside it (its tools, the loops in them) stays under all of them. A scope belongs to the task that runs the
 * loop and to those that it spawns meanwhile, for their life (`TaskLocal`): concurrent tools see the right scopes without
 * anybody passing them on.
 */
import { type LocalScope, stateKey, type Task, TaskLocal } from "../../interp/index.ts";
import type { Conversation } from "../../model/index.ts";
import type { Dict } from "../../values/index.ts";
import type { Actor, ApprovalPolicy } from "./approval.ts";
import type { CapabilityPolicy } from "./capability-policy.ts";
import type { Permissions } from "./permissions.ts";

export interface PolicyScope {
  readonly conversation: Conversation;
  readonly policy: CapabilityPolicy | null;
  readonly permissions: Permissions | null;
  readonly approval: ApprovalPolicy | null;
  /** What programs may be run (`command_policy`); read and asked by the builtins that run them. */
  readonly command: Dict | null;
  /** What the loop calls itself (`agent`, `persona`, `mode`), for rules of approval policies. */
  readonly actor?: Actor;
  /** Calls per tool and arguments, for `repeat_limit`. */
  readonly repeats: Map<string, Set<string>>;
}

const scopes = new TaskLocal<PolicyScope>("policy scopes", { binds: true });

/** The scopes that were around a tool call when it began. */
const aboveTool = new TaskLocal<readonly PolicyScope[]>("scopes above a tool call", { binds: true });

export class PolicyScopes {
  enter(task: Task, scope: PolicyScope): void {
    scopes.enter(task, scope);
  }

  leave(task: Task): void {
    scopes.leave(task);
  }

  /** The scopes around a task, outermost first. */
  around(task: Task): PolicyScope[] {
    return scopes.around(task);
  }

  /** The task of a tool call: what its handler does is under the scopes above it. */
  markTool(task: LocalScope): void {
    aboveTool.enter(task, scopes.around(task));
  }

  /** The scopes that bind what a handler does itself: those of the loops whose tool calls it is part of. */
  binding(task: Task): readonly PolicyScope[] {
    return aboveTool.current(task) ?? [];
  }
}

/** `task.runtime.state(policyScopes)` */
export const policyScopes = stateKey<PolicyScopes>("agent.policy scopes", () => new PolicyScopes());
