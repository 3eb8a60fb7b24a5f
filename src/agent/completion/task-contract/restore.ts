/**
 * A contract that a transcript or a record kept (`session/contract-record.ts`), with what was seen of it. Checks that were
 * functions live in their own run: elsewhere their requirements can't be looked at, and stay as they were seen last, unmet
 * where they were not.
 */
import type {
  ContractState,
  Evidence,
  PatternMatcher,
  RequirementCoverage,
  RequirementStatus,
} from "../../../model/index.ts";
import { Callable, Dict, List, type Value } from "../../../values/index.ts";
import { contractOptionsOf } from "../../options/contract-options.ts";
import { newContractState } from "./contract-state.ts";

/** The same contract where no function of it is left. */
export function withoutLostChecks(contract: Dict): Dict {
  const outputs = contract.get("required_outputs");
  const kept =
    outputs instanceof List
      ? contract.with("required_outputs", new List([...outputs].map(withoutLostCheck)))
      : contract;
  return kept;
}

function withoutLostCheck(output: Value): Value {
  const predicate = output instanceof Dict ? output.get("predicate") : null;
  if (!(output instanceof Dict) || !(predicate instanceof Dict)) return output;
  if (predicate.get("type") !== "custom" || predicate.get("check") instanceof Callable) return output;
  return output.with("predicate", Dict.of({ type: "not_available", was: "custom" }));
}

/** `null`: there is none in it. Throws what is wrong with one that somebody wrote. */
export function restoredContract(
  kept: Dict,
  caller: string,
  matches: PatternMatcher | null,
): ContractState | null {
  const input = kept.get("contract") ?? null;
  if (!(input instanceof Dict)) return null;
  const contract = contractOptionsOf(withoutLostChecks(input.without("_state")), caller, matches);
  if (contract === null) return null;
  const state = newContractState(contract);
  const rest = input.get("_state");
  if (rest instanceof Dict) takeState(state, rest);
  const coverage = kept.get("coverage");
  if (coverage instanceof List)
    for (const one of coverage) {
      const read = restoredCoverage(one);
      if (read !== null && contract.outputs.some(({ id }) => id === read.requirementId))
        state.coverage.set(read.requirementId, read);
    }
  return state;
}

const restoredCount = (value: Value | undefined): number => (typeof value === "number" ? value : 0);
const text = (value: Value | undefined): string => (typeof value === "string" ? value : "");
const contractEntries = (value: Value | undefined): readonly (readonly [string, Value])[] =>
  value instanceof Dict ? [...value.entries()] : [];

function takeState(state: ContractState, rest: Dict): void {
  state.version = Math.max(1, restoredCount(rest.get("version")));
  state.checks = restoredCount(rest.get("checks"));
  state.surveyed = rest.get("surveyed") === true;
  for (const [id, one] of contractEntries(rest.get("answers")))
    if (one instanceof Dict)
      state.answers.set(id, { answer: text(one.get("answer")), by: text(one.get("by")) });
  for (const [path, digest] of contractEntries(rest.get("beginning")))
    state.beginning.set(path, typeof digest === "string" ? digest : null);
  const skipped = rest.get("skipped");
  if (skipped instanceof List) for (const id of skipped) state.skipped.add(text(id));
}

const statuses: readonly string[] = ["unmet", "met", "partially_met", "skipped"];

function restoredCoverage(value: Value): RequirementCoverage | null {
  if (!(value instanceof Dict)) return null;
  const status = text(value.get("status"));
  const id = text(value.get("requirement_id"));
  if (id === "" || !statuses.includes(status)) return null;
  const evidence = value.get("evidence");
  return {
    requirementId: id,
    status: status as RequirementStatus,
    evidence: evidence instanceof List ? [...evidence].flatMap(restoredEvidence) : [],
    notes: text(value.get("notes")),
    checkedTurn: restoredCount(value.get("checked_turn")),
    sinceTurn: restoredCount(value.get("since_turn")),
  };
}

function restoredEvidence(value: Value): Evidence[] {
  if (!(value instanceof Dict)) return [];
  const digest = value.get("digest");
  return [
    {
      kind: text(value.get("kind")) as Evidence["kind"],
      ref: text(value.get("ref")),
      digest: typeof digest === "string" ? digest : null,
      excerpt: text(value.get("excerpt")),
      turn: restoredCount(value.get("turn")),
    },
  ];
}
