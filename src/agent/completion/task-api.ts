/** Ledger and contract of a session for scripts, outside of its loop's turns (`agent_work_items`, `agent_contract` …). */
import type { Task } from "../../interp/index.ts";
import { type Conversation, patternMatcher } from "../../model/index.ts";
import { at, refusal } from "../../table/index.ts";
import { Dict, fromJson, thrown, type Value } from "../../values/index.ts";
import { meterOf } from "../context/metering.ts";
import { contractOptionsOf } from "../options/contract-options.ts";
import { readItem } from "../options/work-item-options.ts";
import { coverageValue } from "../session/contract-record.ts";
import { interveneOutside } from "../session/interventions.ts";
import { emptyLedger, itemValue, ledgerValue } from "../session/ledger.ts";
import { transcriptOf } from "../session/session-transcript.ts";
import type { Loop } from "../state/loop-state.ts";
import { performLook } from "../state/perform-look.ts";
import { runningLoops } from "../state/running.ts";
import { noteCheck } from "./task-contract/check-contract.ts";
import {
  contractChange,
  contractValue,
  newContractState,
  replaceContract,
} from "./task-contract/contract-state.ts";
import { lookAtPredicate } from "./task-contract/look-at.ts";
import { passingChecks, warnOfPassingChecks } from "./task-contract/passing-checks.ts";
import { takeBeginningNow } from "./task-contract/survey.ts";
import { openLedger } from "./work-items/in-loop.ts";
import { putItem, workItemOf } from "./work-items/ledger-changes.ts";
import { emitLedgerChange } from "./work-items/tools.ts";

/** nil: nobody keeps a ledger. */
export const itemsOf = ({ workItems }: Conversation): Value =>
  workItems === null ? null : ledgerValue(workItems);

/** Puts an item as a script wants it; gives it. */
export async function putSessionItem(task: Task, conversation: Conversation, value: Value): Promise<Dict> {
  const caller = "agent_work_item_put";
  const ledger = conversation.workItems ?? emptyLedger;
  const id = value instanceof Dict ? value.get("id") : null;
  const before = typeof id === "string" ? workItemOf(ledger, id) : undefined;
  const item = readItem(value, at(caller, "item"), {
    matches: patternMatcher(task.runtime),
    turn: conversation.turn,
    ...(before === undefined ? {} : { before }),
  });
  const answer = putItem(ledger, item);
  if (!answer.ok) throw thrown(`${caller}: ${answer.text}`);
  conversation.workItems = answer.ledger;
  if (answer.change !== null) await emitLedgerChange(task, conversation.id, answer.ledger, answer.change);
  return itemValue(item);
}

/** nil: there is none. */
export const contractOf = ({ contract }: Conversation): Value =>
  contract === null ? null : contractValue(contract);

/** Puts a contract in the place of the session's; a loop that runs is told what changed. */
export async function setContract(
  task: Task,
  conversation: Conversation,
  value: Value,
  reason: Value,
): Promise<Value> {
  const caller = "agent_contract_set";
  if (typeof reason !== "string" || reason.trim() === "")
    throw refusal(at(caller, "reason"), "a text that says why", reason);
  const contract = contractOptionsOf(value, caller, patternMatcher(task.runtime));
  const before = conversation.contract;
  const after =
    contract === null
      ? null
      : before === null
        ? newContractState(contract)
        : replaceContract(before, contract);
  warnOfPassingChecks(task, caller, passingChecks(conversation, contract));
  if (after !== null) await takeBeginningNow(task, after, caller);
  conversation.contract = after;
  if (after !== null) openLedger(conversation, null, after);
  const text = contractChange(before, after);
  if (conversation.running > 0) conversation.inject({ kind: "contract", text: `${text}\nWhy: ${reason}` });
  await interveneOutside(task, conversation, {
    kind: "contract",
    rule: after === null ? "removed" : before === null ? "set" : "replaced",
    reason,
    facts: { version: after?.version ?? 0, outputs: after?.contract.outputs.map(({ id }) => id) ?? [] },
  });
  return contractOf(conversation);
}

/** Looks at every requirement now, whatever was seen before. */
export async function checkContractNow(task: Task, conversation: Conversation): Promise<Value> {
  const state = conversation.contract;
  if (state === null) return null;
  await takeBeginningNow(task, state, "agent_contract_check");
  const loop = task.runtime.state(runningLoops).loopOf(conversation) ?? null;
  const about = { loop, conversation, beginning: state.beginning };
  for (const { id, predicate } of state.contract.outputs) {
    if (state.skipped.has(id)) continue;
    const ask = {
      timeoutMs: state.contract.checkTimeoutMs,
      look: () => lookAtPredicate(task, predicate, about),
    };
    noteCheck(state, id, await performLook(task, ask), conversation.turn);
    state.inputs.delete(id);
  }
  state.checks++;
  return contractValue(state);
}

/** The founding names of what a session's control plane knows; made when asked, kept nowhere. */
export function controlState(task: Task, conversation: Conversation): Dict {
  const loop = task.runtime.state(runningLoops).loopOf(conversation);
  const { contract } = conversation;
  const end = loop?.state.end ?? null;
  return Dict.of({
    transcript: transcriptOf(conversation),
    turn_count: loop?.state.iterations ?? 0,
    max_turns: loop?.core.control.budget.limits.turns ?? null,
    status: loop === undefined ? "idle" : (end?.status ?? "running"),
    stop_reason: end?.reason ?? null,
    token_budget: loop === undefined ? null : tokenBudget(loop),
    compaction_plan: fromJson(JSON.parse(JSON.stringify(conversation.plan))),
    work_item_ledger: itemsOf(conversation),
    task_contract: contract === null ? null : contract.contract.input,
    coverage_ledger: contract === null ? null : coverageValue(contract),
    progress_tracker: loop === undefined ? null : progressOf(loop),
  });
}

/** What the coming request takes of what it may have; what was spent so far is the result's `tokens_used`. */
function tokenBudget(loop: Loop): Dict {
  const { tokens, budget } = meterOf(loop);
  return Dict.of({ used: tokens, limit: budget, window: loop.contextWindow });
}

function progressOf({ state }: Loop): Dict {
  const { repetition, completion } = state.slots;
  return Dict.of({
    streak: repetition.progress.streak,
    effects: Math.max(repetition.progress.effects.size, completion.effects.size),
    refusals: Dict.of(Object.fromEntries(completion.refusals)),
    continuations: completion.prompts,
  });
}
