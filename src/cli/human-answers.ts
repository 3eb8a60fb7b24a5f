/** Answers of people on their way into a run: as the program that asked reads them. */
import type { Json } from "../effects/index.ts";
import type { Store } from "../store/index.ts";
import { encodeValue, fromJson } from "../values/index.ts";

/** What was answered, by the place of the question. */
export function answersOf(store: Store, run: string): Map<string, Json> {
  const answers = new Map<string, Json>();
  for (const { place, answer } of store.runs.questions.of(run)) {
    if (answer !== undefined) answers.set(place, valueForm(answer));
  }
  return answers;
}

/** Plain JSON as a value of the language in its stored form. */
export const valueForm = (json: Json): Json => encodeValue(fromJson(json));
