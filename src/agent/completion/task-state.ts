/** What a session knows of its work when a loop begins on it: the contract of the option, and the ledger. */
import type { Conversation, PatternMatcher } from "../../model/index.ts";
import { type Dict, display, thrown } from "../../values/index.ts";
import { contractNeeded } from "../options/completion-options.ts";
import type { LoopOptions } from "../options/loop-options.ts";
import { restoredLedger } from "../session/ledger.ts";
import { newContractState, replaceContract } from "./task-contract/contract-state.ts";
import { restoredContract } from "./task-contract/restore.ts";
import { openLedger } from "./work-items/in-loop.ts";

/** Ledger, contract and coverage that a transcript or a record kept; what the session knows already stays. */
export function restoreTaskState(
  conversation: Conversation,
  kept: Dict,
  caller: string,
  matches: PatternMatcher | null,
): void {
  conversation.workItems ??= restoredLedger(kept.get("work_items") ?? null);
  conversation.contract ??= restoredContract(kept, caller, matches);
}

/** The same where a loop with options of its own goes on from a record: what was kept counts, and the options' contract. */
export function resumeTaskState(
  conversation: Conversation,
  kept: Dict,
  caller: string,
  matches: PatternMatcher | null,
): void {
  const before = restoredContract(kept, caller, matches);
  const own = conversation.contract;
  conversation.workItems = restoredLedger(kept.get("work_items") ?? null) ?? conversation.workItems;
  if (before !== null) conversation.contract = own === null ? before : replaceContract(before, own.contract);
}

/** What was known stays; a contract that is another one than the session's takes its place. */
export function openTaskState(
  conversation: Conversation,
  { completion, contract, workItems, transcript }: LoopOptions,
  caller: string,
  matches: PatternMatcher | null,
): void {
  if (transcript !== null) restoreTaskState(conversation, transcript, caller, matches);
  const before = conversation.contract;
  if (contract !== null) {
    const same = before !== null && display(before.contract.input) === display(contract.input);
    if (before === null) conversation.contract = newContractState(contract);
    else if (!same) conversation.contract = replaceContract(before, contract);
  }
  if (completion?.evidence === contractNeeded.value && conversation.contract === null)
    throw thrown(
      `${caller}: \`completion.evidence\` is "${contractNeeded.value}", but ${contractNeeded.otherwise}`,
    );
  openLedger(conversation, workItems, conversation.contract);
}
