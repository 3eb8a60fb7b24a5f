/** A contract with what is known of it: made, changed, shown. */
import type { ContractState, TaskContract } from "../../../model/index.ts";
import { Dict, display, Float, List, type Value } from "../../../values/index.ts";
import {
  openContractQuestions,
  requirementCoverage,
  verifyContract,
} from "../../session/contract-coverage.ts";
import { gapReport } from "../../session/contract-gaps.ts";
import { coverageValue } from "../../session/contract-record.ts";

export const newContractState = (contract: TaskContract): ContractState => ({
  contract,
  version: 1,
  surveyed: false,
  coverage: new Map(),
  answers: new Map(),
  skipped: new Set(),
  checks: 0,
  beginning: new Map(),
  inputs: new Map(),
  errors: new Map(),
});

/** Another contract in the place of one: what equal predicates were seen to be stays known. */
export function replaceContract(before: ContractState, contract: TaskContract): ContractState {
  const next = newContractState(contract);
  next.version = before.version + 1;
  next.checks = before.checks;
  for (const [key, digest] of before.beginning) next.beginning.set(key, digest);
  const known = new Map(before.contract.outputs.map((output) => [output.id, output]));
  for (const { id, input: given } of contract.outputs) {
    const old = known.get(id);
    if (
      old === undefined ||
      display(old.input.get("predicate") ?? null) !== display(given.get("predicate") ?? null)
    )
      continue;
    const coverage = before.coverage.get(id);
    if (coverage !== undefined) next.coverage.set(id, coverage);
    if (before.skipped.has(id)) next.skipped.add(id);
  }
  for (const { id } of contract.questions) {
    const answer = before.answers.get(id);
    if (answer !== undefined) next.answers.set(id, answer);
  }
  return next;
}

/** What changed from one contract to the next, for the model. */
export function contractChange(before: ContractState | null, after: ContractState | null): string {
  const ids = (state: ContractState | null): string[] => state?.contract.outputs.map(({ id }) => id) ?? [];
  if (after === null) return "There is no task contract any more.";
  const added = after.contract.outputs.filter(({ id }) => !ids(before).includes(id));
  const gone = ids(before).filter((id) => !ids(after).includes(id));
  const same = after.contract.outputs.filter(({ id }) => ids(before).includes(id)).map(({ id }) => id);
  return [
    "The task contract has changed.",
    ...added.map(({ id, description }) => `New: ${id}: ${description}`),
    ...(gone.length === 0 ? [] : [`No longer required: ${gone.join(", ")}`]),
    ...(same.length === 0 ? [] : [`As before: ${same.join(", ")}`]),
  ].join("\n");
}

/** `{contract, coverage, gap}` */
export function contractValue(state: ContractState): Dict {
  const { contract, version, answers, checks } = state;
  const verdict = verifyContract(state);
  return Dict.of({
    contract: contract.given.merge(Dict.of({ id: contract.id })),
    version,
    checks,
    satisfied: verdict.satisfied,
    score: new Float(verdict.score),
    coverage: coverageValue(state),
    answers: Dict.of(
      Object.fromEntries([...answers].map(([id, { answer, by }]) => [id, Dict.of({ answer, by })])),
    ),
    gap: gapValue(state),
  });
}

/** nil when nothing is missing. */
export function gapValue(state: ContractState): Value {
  const { satisfied, unmet, partial } = verifyContract(state);
  if (satisfied) return null;
  const { met, total, gaps, questions } = gapReport(state);
  return Dict.of({
    met,
    total,
    unmet: new List([...unmet]),
    partial: new List([...partial]),
    questions: new List(openContractQuestions(state).map(({ id }) => id)),
    text: [gaps, questions].filter((text) => text !== "").join("\n"),
  });
}

/** What tells two standings of a contract apart. */
export const contractStanding = (state: ContractState | null): readonly unknown[] | null =>
  state === null
    ? null
    : [
        state.version,
        state.answers.size,
        ...state.contract.outputs.map(({ id }) => requirementCoverage(state, id).status),
      ];
