/** Scores as scripts see them. */
import { Dict, List, type Value } from "../../values/index.ts";
import type { Score } from "../plan/index.ts";
import type { Scored } from "./run-scorer.ts";
import { numbersDict, numberValue } from "./scorer-kind.ts";

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

/** The verdict, with `draws` where there were several. */
export const scoredDict = ({ verdict, draws }: Scored): Value =>
  draws.length === 0 ? scoreDict(verdict) : scoreDict(verdict).with("draws", new List(draws.map(scoreDict)));
