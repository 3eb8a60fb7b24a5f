/** Rows of `progress`, by itself: most programs load it. */
import { field, fieldTable } from "../../table/index.ts";

export const progressFields = fieldTable(() => [
  field("mode", "string", "`spinner` or `bar`."),
  field("step", "any", "Which picture of the spinner.", {
    default: "0",
    why: "what is no number counts as 0",
  }),
  field("current", "any", "How far it is.", { default: "0", why: "what is no number counts as 0" }),
  field("total", "any", "How far it goes.", { default: "0", why: "what is no number counts as 0" }),
  field("width", "any", "Characters of the bar.", { default: "10", why: "what is no number counts as 0" }),
]);
