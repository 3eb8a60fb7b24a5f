/** The option `completion` (docs/control-plane.md): a loop ends by a claim, and the claim is looked at. */
import { type Field, FieldReader, field, fieldTable } from "../../table/index.ts";
import { Dict, thrown, typeOf } from "../../values/index.ts";

export type EvidenceMode = "off" | "contract" | "cited" | "auto";

export interface CompletionOptions {
  /** Nobody watches: `evidence: "auto"` asks for a citation where there is no contract. */
  readonly autonomous: boolean;
  readonly requireClaim: boolean;
  /** A text without calls ends the turn, where nothing that somebody asked for is open. */
  readonly plainAnswers: boolean;
  /** So often a claim is demanded before the end of a silent loop is accepted without one. */
  readonly maxDemands: number;
  /** Continuation prompts in one silent streak. */
  readonly maxPrompts: number;
  readonly evidence: EvidenceMode;
  readonly verifyItems: boolean;
  readonly waitForWorkers: boolean;
  /** A claim may say what came of the work, piece by piece. */
  readonly deliverables: boolean;
}

/** A session that goes on, or what it goes on from, may bring the contract as well. */
export const contractNeeded = {
  value: "contract",
  from: "brings a contract",
  otherwise: "there is none: give `contract`, or set one before with agent_contract_set",
};

export const completionFields = fieldTable(
  (): readonly Field[] => [
    field("require_work_complete", "bool", "Only a call of `work_complete` ends the loop.", {
      default: "true",
    }),
    field(
      "plain_answers",
      "bool",
      "A text without calls ends the loop, unless a contract, an approved plan or a work item is open: for conversations, where not every message asks for work.",
      { default: "false" },
    ),
    field(
      "work_complete_max_retries",
      "int",
      "So often it is demanded; then the end is accepted without a claim.",
      { default: "3", range: [0, null] },
    ),
    field(
      "max_continuation_prompts",
      "int",
      "Continuation prompts for silent turns in a row before the claim is demanded.",
      { default: "2", range: [0, null] },
    ),
    field("evidence", "string", "What a claim must show.", {
      values: ["off", "contract", "cited", "auto"],
      default: '"auto"',
      needs: contractNeeded,
    }),
    field("verify_work_items", "bool", "A claim is refused while work items are open.", { default: "true" }),
    field("wait_for_workers", "bool", "The loop ends when the workers that it began have ended.", {
      default: "true",
    }),
    field("deliverables", "bool", "`work_complete` takes `deliverables`: what came of the work, by title.", {
      default: "false",
    }),
  ],
  { strict: true },
);

/** `null`: the loop ends as loops without the option do. */
export function readCompletion(options: Dict, autonomous: boolean, caller: string): CompletionOptions | null {
  const value = options.get("completion") ?? null;
  const hasContract = (options.get("contract") ?? null) !== null;
  if (value === false && hasContract)
    throw thrown(
      `${caller}: \`contract\` is checked when the work is claimed to be done: leave out \`completion: false\``,
    );
  if (value === false || (value === null && !hasContract)) return null;
  if (value !== null && value !== true && !(value instanceof Dict))
    throw thrown(`${caller}: \`completion\` must be a bool, a dict, or nil; got ${typeOf(value)}`);
  const read = new FieldReader(caller, value instanceof Dict ? value : null, completionFields, "completion");
  return {
    autonomous,
    requireClaim: read.bool("require_work_complete") === true,
    plainAnswers: read.bool("plain_answers") === true,
    maxDemands: read.number("work_complete_max_retries") as number,
    maxPrompts: read.number("max_continuation_prompts") as number,
    evidence: read.text("evidence") as EvidenceMode,
    verifyItems: read.bool("verify_work_items") === true,
    waitForWorkers: read.bool("wait_for_workers") === true,
    deliverables: read.bool("deliverables") === true,
  };
}

/**
 * Whether a claim must cite something: where it is asked for, and where no contract looks for itself though nobody watches or
 * one was asked for (a script took it away while the loop ran).
 */
export function wantsCitation({ evidence, autonomous }: CompletionOptions, hasContract: boolean): boolean {
  if (evidence === "cited") return true;
  return !hasContract && (evidence === "contract" || (evidence === "auto" && autonomous));
}
