/** Answers of people on their way into a run: as the program that asked reads them. */
import { type DoubtChoice, doubtChoices, doubtQuestion, type Json } from "../../effects/index.ts";
import type { Question, Store } from "../../store/index.ts";
import { encodeValue, fromJson } from "../../values/index.ts";

/** What was answered, by the place of the question. Decisions about effects in doubt are no answers. */
export function humanAnswersOf(store: Store, run: string): Map<string, Json> {
  const answers = new Map<string, Json>();
  for (const { place, answer, body } of store.runs.questions.of(run)) {
    if (answer !== undefined && !isDoubtQuestion(body)) answers.set(place, valueForm(answer));
  }
  return answers;
}

/** What was decided about effects in doubt, by their place. */
export function doubtDecisions(store: Store, run: string): Map<string, DoubtChoice> {
  const decisions = new Map<string, DoubtChoice>();
  for (const { place, answer, body } of store.runs.questions.of(run)) {
    const choice = doubtChoices.find((one) => one === answer);
    if (choice !== undefined && isDoubtQuestion(body)) decisions.set(place, choice);
  }
  return decisions;
}

const isDoubtQuestion = (body: Json): boolean =>
  (body as { readonly request_kind?: Json } | null)?.request_kind === doubtQuestion;

/** An answer as a run that lives takes it (`LivingRun.giveAnswer`). */
export const answerForRun = ({ body }: Pick<Question, "body">, answer: Json): Json =>
  isDoubtQuestion(body) ? answer : valueForm(answer);

/** Plain JSON as a value of the language in its stored form. */
export const valueForm = (json: Json): Json => encodeValue(fromJson(json));
