/** The option `policy`, as read (agents.md §8.2). */
import type { Dict } from "../../values/index.ts";

export interface CapabilityPolicy {
  readonly tools: readonly string[];
  readonly capabilities: ReadonlyMap<string, readonly string[]>;
  readonly workspaceRoots: readonly string[];
  readonly readOnlyRoots: readonly string[];
  readonly sideEffect: string | null;
  readonly recursionLimit: number | null;
  readonly constraints: readonly ArgConstraint[];
  readonly annotations: Dict | null;
}

export interface ArgConstraint {
  readonly tool: string;
  readonly argKey: string | null;
  readonly patterns: readonly string[];
}
