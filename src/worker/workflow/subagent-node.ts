/** A stage that is given to a worker (agents.md §19.2). */
import { broken, type NodeContext, type NodeResult } from "./node-result.ts";

export async function subagentNode(_context: NodeContext): Promise<NodeResult> {
  return broken("subagent nodes are not available yet");
}
