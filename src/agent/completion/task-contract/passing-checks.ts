/**
 * Checks of a contract that are functions, in a conversation that later runs go on with: a function ends with its run, so that
 * is said where the contract begins, once for each.
 */
import type { Task } from "../../../interp/index.ts";
import { type Conversation, type TaskContract, warn } from "../../../model/index.ts";

/** Those of the contract that the conversation does not have yet. */
export function passingChecks(conversation: Conversation, contract: TaskContract | null): readonly string[] {
  if (contract === null || !conversation.isContinued) return [];
  const known = new Set(conversation.contract?.contract.outputs.map(({ id }) => id));
  return contract.outputs
    .filter(({ id, predicate }) => predicate.type === "custom" && !known.has(id))
    .map(({ id }) => id);
}

export function warnOfPassingChecks(task: Task, caller: string, ids: readonly string[]): void {
  if (ids.length === 0) return;
  const many = ids.length > 1;
  warn(
    task,
    `${caller}: ${ids.map((id) => `\`${id}\``).join(", ")} of the contract ${many ? "are" : "is"} checked by ` +
      `${many ? "functions" : "a function"}, which the next message of this conversation does not have: unless its loop is given the ` +
      `contract again, ${many ? "they stay as they were" : "it stays as it was"} seen last; \`command\`, \`file_exists\`, \`contains_text\`, ` +
      "`tool_result_success` and `json_schema_valid` are kept",
  );
}
