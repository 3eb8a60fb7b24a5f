/** Rows of `progress`, by itself: most programs load it. */
import { row, rows } from "../../table/index.ts";

export const progressFields = rows(() => ({
  mode: row.text("`spinner` or `bar`."),
  step: row.value("Which picture of the spinner.", "what is no number counts as 0").usually("0"),
  current: row.value("How far it is.", "what is no number counts as 0").usually("0"),
  total: row.value("How far it goes.", "what is no number counts as 0").usually("0"),
  width: row.value("Characters of the bar.", "what is no number counts as 0").usually("10"),
}));
