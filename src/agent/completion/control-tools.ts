/** Which control tools a loop has, by its options. */
import type { Conversation } from "../../model/index.ts";
import { ladderTools } from "../context/compaction/tools.ts";
import type { LoopOptions } from "../options/loop-options.ts";
import type { ControlTool } from "../state/control-tools.ts";
import { claimTool } from "./claim/claim.ts";
import { contractTools } from "./task-contract/in-loop.ts";
import { workItemTools } from "./work-items/tools.ts";

/** In the order in which the model is told of them: the claim is the last of all tools. */
export function controlTools(options: LoopOptions, kept: Conversation): readonly ControlTool[] {
  const { completion, workItems, contract } = options;
  const items =
    workItems !== null ||
    kept.workItems !== null ||
    (contract?.outputs ?? []).some(({ item }) => item !== null);
  const questions = (contract ?? kept.contract?.contract)?.questions ?? [];
  return [
    ...ladderTools(options, kept),
    ...(items ? workItemTools : []),
    ...(questions.length === 0 ? [] : contractTools(questions)),
    ...(completion === null ? [] : [claimTool(completion)]),
  ];
}
