/** Scores as scripts see them. */
import { Dict, List, numberValue, type Value } from "../../values/index.ts";
import { combineDraws, type Score } from "../plan/index.ts";
import { numbersDict } from "./scorer-kind.ts";

/** `{scorer, draw, value, pass, label, answer, why, parts, meta, error}`. */
export const scoreDict = (score: Score): Dict =>
  Dict.of({
    scorer: score.scorer,
    draw: score.draw,
    value: score.value === null ? null : numberValue(score.value),
    pass: score.pass,
    label: score.label,
    answer: score.answer,
    why: score.why,
    parts: numbersDict(score.parts),
    meta: score.meta,
    error: score.error === null ? null : Dict.of({ code: score.error.code, message: score.error.message }),
  });

/** One draw as it is; several as their verdict, with `draws`. */
export function scoredDict(draws: readonly Score[]): Value {
  const [first] = draws;
  const combined = combineDraws(draws);
  if (first === undefined || combined === undefined) return null;
  if (draws.length === 1) return scoreDict(first);
  return scoreDict({ ...first, ...combined, label: null, draw: draws.length }).with(
    "draws",
    new List(draws.map(scoreDict)),
  );
}
