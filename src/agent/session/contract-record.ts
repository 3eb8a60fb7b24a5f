/** A contract with what was seen of it, as transcripts and records keep it. `completion/task-contract/restore.ts` reads it. */
import type { ContractState, Evidence, RequirementCoverage } from "../../model/index.ts";
import { Dict, Float, List, type Value } from "../../values/index.ts";
import { requirementCoverage, verifyContract } from "./contract-coverage.ts";

/** The contract as it was given; `_state` is what a verdict does not need and the next look does. */
export function contractRecord(state: ContractState): Dict {
  const { contract, version, checks, surveyed, answers, skipped, beginning } = state;
  const answered = [...answers].map(([id, one]): [string, Value] => [id, Dict.of({ ...one })]);
  return contract.input.with(
    "_state",
    Dict.of({
      version,
      checks,
      surveyed,
      answers: Dict.from(answered),
      skipped: new List([...skipped]),
      beginning: Dict.from([...beginning]),
    }),
  );
}

/** One entry for each requirement, in the order of the contract. */
export const coverageValue = (state: ContractState): List =>
  new List(state.contract.outputs.map(({ id }) => coverageDict(requirementCoverage(state, id))));

function coverageDict({
  requirementId,
  status,
  evidence,
  notes,
  checkedTurn,
  sinceTurn,
}: RequirementCoverage): Dict {
  return Dict.of({
    requirement_id: requirementId,
    status,
    evidence: new List(evidence.map(evidenceDict)),
    notes,
    checked_turn: checkedTurn,
    since_turn: sinceTurn,
  });
}

const evidenceDict = ({ kind, ref, digest, excerpt, turn }: Evidence): Dict =>
  Dict.of({ kind, ref, digest, excerpt, turn });

/** `{met, total, score}` */
export function coverageSummary(state: ContractState): Dict {
  const { met, total, score } = verifyContract(state);
  return Dict.of({ met, total, score: new Float(score) });
}
