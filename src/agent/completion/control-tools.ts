/** Which control tools a loop has, by its options. */
import { ladderTools } from "../context/compaction/ladder/tools.ts";
import type { LoopOptions } from "../options/loop-options.ts";
import type { ControlTool } from "../state/control-tools.ts";
import { claimTool } from "./claim.ts";

/** In the order in which the model is told of them: the claim is the last of all tools. */
export function controlTools(options: LoopOptions): readonly ControlTool[] {
  return [...ladderTools(options), ...(options.completion === null ? [] : [claimTool])];
}
