/** The flags of the commands about recorded runs and questions. */
import { bool, int, pairs, text } from "../../host/command/flags.ts";

export const runsFlags = {
  limit: int("n", "at most so many", { min: 0 }),
  trials: bool("trials of evaluations and their scorings too"),
  json: bool("one JSON object per run"),
};

export const showFlags = {
  json: bool("as one JSON object, nothing shortened"),
  all: bool("readings of the clock too"),
  call: int("n", "only the n-th model call, whole: request, answer, tokens, cost, its tool calls", {
    min: 0,
  }),
};

export const inspectFlags = {
  compare: text("base", "another record: how this one differs from it"),
  json: bool("as one JSON object"),
};

export const stopFlags = {
  now: bool("do not wait for handlers and `finally` blocks of the program"),
};

export const pruneFlags = {
  keep: int("n", "keep the newest n", { min: 0 }),
  olderThan: int("days", "only those that began longer ago", { min: 0 }),
  json: bool("the names of what was removed"),
};

export const fileFlags = {
  root: pairs("name=folder", "a folder outside the project that has a name of its own"),
};

export const answerFlags = {
  question: text("place", "which question, when it asks several"),
  reviewer: text("name", "who says so (default: you)"),
  reason: text("text", "why, for the record"),
};
