/** What a controlled loop's result says beside status and reason: `outcome`, `completion`, its ledgers. */

import type { AgentFailure } from "../../effects/index.ts";
import { type FailedCall, failedCallText } from "../../events/wire/index.ts";
import type { Ledger } from "../../model/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import { contractValue } from "../completion/task-contract/contract-state.ts";
import { isVerified } from "../session/contract-coverage.ts";
import { coverageSummary } from "../session/contract-record.ts";
import { itemValue, ledgerValue } from "../session/ledger.ts";
import { loopStatuses } from "../state/loop-ends.ts";
import type { LoopResultPart } from "../state/loop-result-keys.ts";
import type { Loop } from "../state/loop-state.ts";

/** Whether the loop's result has them: loops without a part of the control plane end as they always did. */
export const isControlled = ({ options, conversation }: Loop): boolean =>
  options.completion !== null || conversation.contract !== null || conversation.workItems !== null;

/** Further keys of the result. */
export function controlResult(loop: Loop, status: string, reason: string): LoopResultPart<Value | undefined> {
  if (!isControlled(loop)) return {};
  const { contract, workItems } = loop.conversation;
  return {
    outcome: outcomeOf(loop, status, reason),
    completion: loop.options.completion === null ? undefined : completionDict(loop),
    work_items: workItems === null ? undefined : new List(workItems.items.map(itemValue)),
    contract: contract === null ? undefined : contractValue(contract),
    ...(workItems === null ? {} : ledgerResult(loop, workItems)),
    ...claimed(loop, workItems),
  };
}

/** What the claim says came of the work, after the artifacts of the ledger. */
function claimed(loop: Loop, ledger: Ledger | null): LoopResultPart<Value> {
  if (loop.options.completion?.deliverables !== true) return {};
  const said = loop.state.slots.completion.deliverables.map(({ title, content }) =>
    Dict.of({ item_id: null, title, content }),
  );
  return { deliverables: new List([...(ledger === null ? [] : ledgerArtifacts(ledger)), ...said]) };
}

function ledgerResult(loop: Loop, ledger: Ledger): LoopResultPart<Value> {
  return {
    task_ledger: ledgerValue(ledger).with("continuations", loop.state.slots.completion.prompts),
    deliverables: new List(ledgerArtifacts(ledger)),
  };
}

const ledgerArtifacts = (ledger: Ledger): Dict[] =>
  ledger.items
    .filter(({ artifact, artifactRole }) => artifact !== null && artifactRole === "deliverable")
    .map(({ id, title, artifact }) => Dict.of({ item_id: id, title, content: artifact }));

type OutcomeWord = "done" | "stalled" | "failed";

/** `null`: the loop is not over. */
function wordAndKind(
  status: string,
  reason: string,
  verified: boolean,
): readonly [OutcomeWord, string] | null {
  switch (status) {
    case "done":
      if (reason === "work_complete") return ["done", verified ? "verified" : "claimed"];
      return ["done", reason === "unclaimed_completion" ? "accepted_unclaimed" : reason];
    case "budget_exhausted":
      if (reason === "max_tokens") return ["failed", reason];
      return ["done", reason === "max_iterations" ? "max_turns" : reason];
    case "stalled":
      return ["stalled", reason];
    case "stuck":
      return ["stalled", "stuck"];
    case "verify_exhausted":
    case "verify_capped":
      return ["failed", "unverified"];
    case "failed":
      return ["failed", reason];
    case "suspended":
    case "idle":
    case "watchdog":
      return null;
    default:
      return ["failed", status];
  }
}

/** Whether the failure of a model call is what ended a loop that ended so. */
export const endedByFailure = ({ state }: Loop, status: string): boolean =>
  status === "provider_error" ||
  state.failure?.own?.status === status ||
  (status === "budget_exhausted" && state.modelFailures > 0);

/** The model call that ended the loop; null for every other end. */
export function failedCallOf(loop: Loop, status: string): FailedCall | null {
  const { failure } = loop.state;
  if (failure === null || !endedByFailure(loop, status)) return null;
  const { message, category, provider, model, status: answered = null, address = null } = failure.error;
  return { message, category, provider, model, status: answered, address };
}

const knownStatuses: ReadonlySet<string> = new Set(loopStatuses);

/** How a loop ended that did not do its work; null for one that did, waits, or ended in words of its caller's own. */
export function badOutcome(loop: Loop, status: string, reason: string): AgentFailure | null {
  const failed = failedCallOf(loop, status);
  if (failed !== null && failed.category !== "budget_exceeded")
    return { status: "failed", why: lineOf(failedCallText(failed)) };
  if (!knownStatuses.has(status) || status === "stopped") return null;
  const [word, kind] = wordAndKind(status, reason, false) ?? ["done", ""];
  if (word === "done") return null;
  const why = loop.state.slots.completion.message ?? messages[kind] ?? reason;
  return { status: word, why: lineOf(why === "" ? status : why) };
}

const lineOf = (text: string): string => text.replace(/\s+/g, " ").trim();

function outcomeOf(loop: Loop, status: string, reason: string): Value {
  const { completion } = loop.state.slots;
  const { contract } = loop.conversation;
  const verified = contract !== null && isVerified(contract);
  const found = wordAndKind(status, reason, verified);
  if (found === null) return null;
  const [word, kind] = found;
  return Dict.of({
    status: word,
    kind,
    message:
      completion.message ??
      loop.state.failure?.error.message ??
      messages[kind] ??
      (word === "done" ? completion.summary : loop.work.completion.feedback) ??
      kind,
    verified,
    complete: status === "done",
    turn_count: loop.state.iterations,
    coverage: contract === null ? null : coverageSummary(contract),
    refusals: Dict.of(Object.fromEntries(completion.refusals)),
  });
}

/** In words, where nothing more exact is known. */
const messages: Readonly<Record<string, string>> = {
  accepted_unclaimed: "the work was never claimed to be done; its end was accepted all the same",
  max_turns: "the turns were used up",
  stuck: "the agent went on without calling or claiming anything",
  no_progress: "nothing new came of the last turns",
  max_tokens: "the last answer was cut off at the token limit",
};

function completionDict({ state }: Loop): Dict {
  const { accepted, summary, evidence, attempts } = state.slots.completion;
  return Dict.of({
    claimed: accepted === "claimed",
    summary,
    evidence: new List([...evidence]),
    attempts,
  });
}
