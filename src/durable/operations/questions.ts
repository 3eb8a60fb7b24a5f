/**
 * What runs ask people: who answers first decides, and the conversation that the run works for goes on. Runs write their
 * questions with their journals.
 */
import type { Json } from "../../effects/index.ts";
import { StoreError } from "../../store/index.ts";
import { defineOperations, operation } from "../operation.ts";
import type { Tx } from "../tx.ts";
import { ConversationRuns } from "./conversations/runs.ts";

export interface QuestionAnswer {
  readonly run: string;
  readonly place: string;
  /** JSON text. */
  readonly answer: string;
  readonly by: string;
}

export const questions = defineOperations("questions", {
  answer: operation({
    doc: "Answers a question of a run; refused when it has an answer.",
    scopes: ({ run }: QuestionAnswer) => [`run:${run}`],
    run: (tx: Tx, { run, place, answer, by }: QuestionAnswer): null => {
      const [named] = tx.rows("run", { name: run }, 1);
      const [found] = named === undefined ? [] : tx.rows("question", { run: named.id, place }, 1);
      if (found === undefined) throw new StoreError("missing", `the run ${run} asks no question ${place}`);
      if (found.answer !== null)
        throw new StoreError("exists", `the question ${place} of ${run} was answered already`);
      tx.write("question", { ...found, answer, answered: tx.now, answered_by: by });
      new ConversationRuns(tx).answered(run, place, JSON.parse(answer) as Json, by, tx.now);
      return null;
    },
  }),
});
