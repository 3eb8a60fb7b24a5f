/**
 * Whose rules hold where: every running loop is a scope with its ceiling, permissions and approval policy, and what
 * runs inside it (its tools, the loops in them) stays under all of them. A scope belongs to the task that runs the
 * loop; asking a task walks up its parents, so concurrent tools see the right scopes without anybody passing them on.
 */
import type { StateKey, Task } from "../../interp/index.ts";
import type { Dict } from "../../values/index.ts";
import type { Conversation } from "../conversation.ts";
import type { ApprovalPolicy } from "./approval.ts";
import type { CapabilityPolicy } from "./capability.ts";
import type { Permissions } from "./permissions.ts";

export interface PolicyScope {
  readonly conversation: Conversation;
  readonly policy: CapabilityPolicy | null;
  readonly permissions: Permissions | null;
  readonly approval: ApprovalPolicy | null;
  /** What programs may be run (`command_policy`); read and asked by the builtins that run them. */
  readonly command: Dict | null;
  /** Calls per tool and arguments, for `repeat_limit`. */
  readonly repeats: Map<string, Set<string>>;
}

/** What held where a worker was started. */
interface Pinned {
  readonly around: readonly PolicyScope[];
  readonly binding: readonly PolicyScope[];
}

export class PolicyScopes {
  private readonly stacks = new WeakMap<Task, PolicyScope[]>();
  private readonly toolTasks = new WeakSet<Task>();
  private readonly pinned = new WeakMap<Task, Pinned>();

  enter(task: Task, scope: PolicyScope): void {
    const stack = this.stacks.get(task);
    if (stack === undefined) this.stacks.set(task, [scope]);
    else stack.push(scope);
  }

  leave(task: Task): void {
    this.stacks.get(task)?.pop();
  }

  /** The scopes around a task, outermost first. */
  around(task: Task): PolicyScope[] {
    const found: PolicyScope[] = [];
    for (let at: Task | undefined = task; at !== undefined; at = at.parent) {
      const stack = this.stacks.get(at);
      if (stack !== undefined) found.unshift(...stack);
      const pinned = this.pinned.get(at);
      if (pinned !== undefined) return [...pinned.around, ...found];
    }
    return found;
  }

  /** `worker` stays under what is around `spawner` now, whatever loops its parents begin or end meanwhile. */
  pin(worker: Task, spawner: Task): void {
    this.pinned.set(worker, { around: this.around(spawner), binding: this.binding(spawner) });
  }

  /** The task of a tool call: what its handler does is under the scopes above it. */
  markTool(task: Task): void {
    this.toolTasks.add(task);
  }

  /** The scopes that bind what a handler does itself: those of the loops whose tool calls it is part of. */
  binding(task: Task): PolicyScope[] {
    for (let at: Task | undefined = task; at !== undefined; at = at.parent) {
      if (this.toolTasks.has(at)) return at.parent === undefined ? [] : this.around(at.parent);
      const pinned = this.pinned.get(at);
      if (pinned !== undefined) return [...pinned.binding];
    }
    return [];
  }
}

/** `task.runtime.state(policyScopes)` */
export const policyScopes: StateKey<PolicyScopes> = {
  name: "agent.policy scopes",
  create: () => new PolicyScopes(),
};
