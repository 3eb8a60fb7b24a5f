/** The option `transcript_projection` (agents.md §11.8): a policy by name, or a dict with its knobs. */
import { Callable, Dict, thrown, typeOf, type Value } from "../../values/index.ts";

export const projectionPolicies = [
  "raw",
  "clean_tool_repair",
  "squash_failed_calls",
  "summary_prefix",
  "reachability_gc",
  "custom",
] as const;
export type ProjectionPolicy = (typeof projectionPolicies)[number];

export interface ProjectionOptions {
  readonly policy: Exclude<ProjectionPolicy, "raw">;
  /** Messages (`summary_prefix`) or turns (`reachability_gc`) that stay as they are. */
  readonly keepLast: number;
  readonly projector: Callable | null;
}

const usualMessages = 12;
const usualTurns = 4;

/** `null` for the conversation as it is. */
export function readProjection(value: Value, caller: string): ProjectionOptions | null {
  if (value === null || value === false) return null;
  const dict = typeof value === "string" ? Dict.of({ policy: value }) : value;
  if (!(dict instanceof Dict))
    throw thrown(`${caller}: \`transcript_projection\` must be a string, dict, or nil; got ${typeOf(value)}`);
  const policy = dict.get("policy") ?? "raw";
  if (!isPolicy(policy)) {
    const shown = typeof policy === "string" ? policy : typeOf(policy);
    throw thrown(
      `${caller}: \`transcript_projection\` policy must be one of ${projectionPolicies.join(", ")}; got ${shown}`,
    );
  }
  const projector = dict.get("projector") ?? null;
  if (projector !== null && !(projector instanceof Callable))
    throw thrown(
      `${caller}: \`transcript_projection.projector\` must be a closure or nil; got ${typeOf(projector)}`,
    );
  if (policy === "custom" && projector === null)
    throw thrown(`${caller}: \`transcript_projection.policy = "custom"\` requires a \`projector\` closure`);
  const keepLast = dict.get("keep_last") ?? (policy === "reachability_gc" ? usualTurns : usualMessages);
  if (typeof keepLast !== "number" || keepLast < 0)
    throw thrown(`${caller}: \`transcript_projection.keep_last\` must be >= 0`);
  return policy === "raw" ? null : { policy, keepLast, projector };
}

const isPolicy = (value: Value): value is ProjectionPolicy =>
  (projectionPolicies as readonly Value[]).includes(value);
