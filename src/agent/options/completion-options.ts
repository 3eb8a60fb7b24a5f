/** The option `completion` (docs/control-plane.md): a loop ends by a claim, and the claim is looked at. */
import { at, type Read, refusal, row, rows } from "../../table/index.ts";

/** A session that goes on, or what it goes on from, may bring the contract as well. */
export const contractNeeded = {
  value: "contract",
  from: "brings a contract",
  otherwise: "there is none: give `contract`, or set one before with agent_contract_set",
};

export const completionFields = rows(
  () => ({
    require_work_complete: row.bool("Only a call of `work_complete` ends the loop.", true),
    plain_answers: row.bool(
      "A text without calls ends the loop, unless a contract, an approved plan or a work item is open: for conversations, where not every message asks for work.",
      false,
    ),
    work_complete_max_retries: row.int(
      "So often it is demanded; then the end is accepted without a claim.",
      3,
      { min: 0 },
    ),
    max_continuation_prompts: row.int(
      "Continuation prompts for silent turns in a row before the claim is demanded.",
      2,
      { min: 0 },
    ),
    evidence: row
      .oneOf(["off", "contract", "cited", "auto"], "What a claim must show.", "auto")
      .with({ needs: contractNeeded }),
    verify_work_items: row.bool("A claim is refused while work items are open.", true),
    wait_for_workers: row.bool("The loop ends when the workers that it began have ended.", true),
    deliverables: row.bool("`work_complete` takes `deliverables`: what came of the work, by title.", false),
  }),
  { strict: true },
);

/** `autonomous`: nobody watches; `evidence: "auto"` asks for a citation where there is no contract. */
export type CompletionOptions = Read<typeof completionFields> & { readonly autonomous: boolean };

/** `null`: the loop ends as loops without the option do. */
export function completionOptionsOf(
  { completion, contract }: { completion: Read<typeof completionFields> | boolean | null; contract: unknown },
  autonomous: boolean,
  caller: string,
): CompletionOptions | null {
  if (completion === false && contract !== null)
    throw refusal(at(caller, "completion"), "true or a dict", false, {
      help: "`contract` is checked when the work is claimed to be done",
    });
  if (completion === false || (completion === null && contract === null)) return null;
  const read = completion === null || completion === true ? completionFields.usual : completion;
  return { ...read, autonomous };
}

/**
 * Whether a claim must cite something: where it is asked for, and where no contract looks for itself though nobody watches or
 * one was asked for (a script took it away while the loop ran).
 */
export function wantsCitation({ evidence, autonomous }: CompletionOptions, hasContract: boolean): boolean {
  if (evidence === "cited") return true;
  return !hasContract && (evidence === "contract" || (evidence === "auto" && autonomous));
}
