/** What a session knows of its work when a loop begins on it: the contract of the option, and the ledger. */
import type { ContractState, Conversation, TaskContract } from "../../model/index.ts";
import { display } from "../../values/index.ts";
import type { LoopOptions } from "../options/loop-options.ts";
import { restoreContract } from "../session/kept-conversation.ts";
import { readLedgerRecord } from "../session/ledger.ts";
import { newContractState, replaceContract } from "./task-contract/contract-state.ts";
import { openLedger } from "./work-items/in-loop.ts";

function openedContract(conversation: Conversation, contract: TaskContract): ContractState {
  const state = newContractState(contract);
  restoreContract(state, conversation.contractKept);
  return state;
}

/** What was known stays; a contract that is another one than the session's takes its place. */
export function openTaskState(
  conversation: Conversation,
  { contract, workItems, transcript }: LoopOptions,
): void {
  conversation.workItems ??= readLedgerRecord(transcript?.get("work_items") ?? null);
  const before = conversation.contract;
  if (contract !== null) {
    const same = before !== null && display(before.contract.given) === display(contract.given);
    if (before === null) conversation.contract = openedContract(conversation, contract);
    else if (!same) conversation.contract = replaceContract(before, contract);
  }
  openLedger(conversation, workItems, conversation.contract);
}
