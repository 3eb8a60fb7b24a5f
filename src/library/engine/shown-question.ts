/** A question of a run as a program sees it, and what it answers. */
import type { Json } from "../../effects/index.ts";
import type { Store, Question as StoredQuestion } from "../../store/index.ts";
import { askedData, keepAnswer } from "../../threads/index.ts";
import type { Question } from "../types.ts";
import { jsonOfJs } from "./js-json.ts";

export function questionForProgram(stored: StoredQuestion): Question {
  const { question: id, deadline: _, ...asked } = askedData(stored);
  return { id, run: stored.run, ...asked };
}

/** Who answers, in records. */
export const byProgram = "program";

/** Throws as `keepAnswer`. */
export const keepProgramAnswer = (store: Store, question: StoredQuestion, value: unknown): Json =>
  keepAnswer(store, question, {
    answer: jsonOfJs(value),
    by: byProgram,
    reason: undefined,
    at: new Date().toISOString(),
  });
