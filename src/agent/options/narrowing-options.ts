/** The option `tool_surface_narrowing`, as read (agents.md §11.7). */
export interface NarrowingOptions {
  /** Nobody asked for it: under `control`, and for what works for such an agent, it is off. */
  readonly isUsual: boolean;
  readonly windowTurns: number;
  readonly mode: "safe" | "aggressive";
  readonly hardKeep: readonly string[];
  readonly pruneClasses: readonly string[];
  readonly keepClasses: readonly string[];
  readonly unknownPolicy: "keep" | "prune";
}
