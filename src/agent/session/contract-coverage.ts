/** How far a contract is met: pure. */
import type {
  ContractQuestion,
  ContractState,
  Requirement,
  RequirementCoverage,
  TaskContract,
} from "../../model/index.ts";

/** What a verdict rests on: the contract, and what was seen of each requirement. */
export interface ContractFacts {
  readonly contract: {
    readonly outputs: readonly Pick<Requirement, "id" | "required" | "weight">[];
    readonly questions: readonly Pick<ContractQuestion, "id" | "required">[];
    readonly acceptability: TaskContract["acceptability"];
  };
  /** By requirement; one that is missing is unmet. */
  readonly coverage: ReadonlyMap<string, Pick<RequirementCoverage, "status">>;
  /** By question. */
  readonly answers: ReadonlyMap<string, unknown>;
}

export interface ContractVerdict {
  readonly satisfied: boolean;
  readonly unmet: readonly string[];
  readonly partial: readonly string[];
  /** 0 to 1: the weighted share of what is met. */
  readonly score: number;
  readonly met: number;
  readonly total: number;
}

export const requirementCoverage = ({ coverage }: ContractState, id: string): RequirementCoverage =>
  coverage.get(id) ?? {
    requirementId: id,
    status: "unmet",
    evidence: [],
    notes: "not looked at yet",
    checkedTurn: 0,
    sinceTurn: 0,
  };

/** Judges a contract by what is known of it. */
export function verifyContract({ contract, coverage, answers }: ContractFacts): ContractVerdict {
  const unmet: string[] = [];
  const partial: string[] = [];
  let weight = 0;
  let reached = 0;
  let met = 0;
  for (const output of contract.outputs) {
    const status = coverage.get(output.id)?.status ?? "unmet";
    if (status === "skipped") continue;
    weight += output.weight;
    if (status === "met") {
      met++;
      reached += output.weight;
    } else if (status === "partially_met") {
      partial.push(output.id);
      if (contract.acceptability.allowPartial) reached += output.weight / 2;
    } else unmet.push(output.id);
  }
  const score = weight === 0 ? 1 : reached / weight;
  const open = contract.questions.some(({ id, required }) => required && !answers.has(id));
  const satisfied = !open && isEnough(contract, new Set([...unmet, ...partial]), new Set(unmet), score);
  return { satisfied, unmet, partial, score, met, total: contract.outputs.length };
}

function isEnough(
  { outputs, acceptability }: ContractFacts["contract"],
  lacking: ReadonlySet<string>,
  unmet: ReadonlySet<string>,
  score: number,
): boolean {
  const { mode, threshold, allowPartial } = acceptability;
  const misses = allowPartial && mode !== "all" ? unmet : lacking;
  const required = outputs.every(({ id, required }) => !required || !misses.has(id));
  if (mode === "all") return lacking.size === 0;
  return mode === "required" ? required : required && score >= threshold;
}

/** Required questions that nobody has answered. */
export const openContractQuestions = ({ contract, answers }: ContractState): TaskContract["questions"] =>
  contract.questions.filter(({ id, required }) => required && !answers.has(id));

/** Whether the last look saw every hard requirement met, and there is one: what `always_true` says is no proof. */
export function isVerified(state: ContractState): boolean {
  const hard = state.contract.outputs.filter(({ predicate }) => predicate.type !== "always_true");
  return hard.length > 0 && hard.every(({ id }) => requirementCoverage(state, id).status === "met");
}
