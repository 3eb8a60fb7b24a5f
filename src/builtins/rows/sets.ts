/** Options of `eval_run` and its companions. */
import { field, fieldTable } from "../../table/index.ts";

export const evalRunFields = fieldTable(
  () => [
    field("set", "string", "Name of the set: a new one, or one that grows. Default: a new name."),
    field("trials", "int", "Trials at once.", { default: "16", range: [1, 10_000], bounds: true }),
    field("processes", "int", "Commands of trials at once. Default: as many as there are processors.", {
      range: [1, 10_000],
      bounds: true,
    }),
    field("cost", "float", "US dollars that the set may spend.", { range: [0, null], bounds: true }),
    field("tokens", "int", "Tokens that the set may use.", { range: [1, null], bounds: true }),
    field("time", "duration | int", "How long the set may run.", { bounds: true }),
    field(
      "connections",
      "dict<string, string | int>",
      "Connections by provider: `5`, or `2-10-50` (least, first, most).",
    ),
    field("give_up", "duration | int", "A provider that answers nothing for so long pauses the set.", {
      default: "10m",
    }),
    field("retries", "int", "Retries of each trial, in the place of what its task says.", {
      range: [0, null],
    }),
    field("max_errors", "float", "Share below 1 or count from 1 of errored trials that ends the set early."),
    field("epochs", "int", "In the place of what tasks say.", { range: [1, 1000] }),
    field("task", "string", "Only tasks with this name; `*` stands for any text."),
    field("sample", "list<string> | string", "Only samples with these ids; `*` stands for any text."),
    field("limit", "int", "Only so many samples of each task.", { range: [1, null] }),
    field("variant", "dict", "Lists of values by key: in the place of those of the tasks, or beside them."),
    field("stale", "string", "What is done with finished trials that were made of something else.", {
      values: ["ask", "keep", "redo", "follow"],
      default: "ask",
    }),
    field("redo", "string", "Which finished trials are run again.", {
      values: ["errored", "failed", "unscored", "all"],
    }),
    field("score", "bool", "Whether outcomes are scored.", { default: "true" }),
    field("baseline", "string", "Name of the set that gates compare with, in the place of what tasks name."),
  ],
  { strict: true },
);

export const evalTrialsFields = fieldTable(() => [
  field("task", "string", "Only trials of this task."),
  field("variant", "string", "Only trials of this variant."),
  field("success", "bool", "Only trials that succeeded, or that did not."),
  field("state", "string", "Only trials in this state."),
  field("blame", "string", "Only failed trials that are this one's fault."),
]);

export const evalCompareFields = fieldTable(() => [
  field("metric", "list<string> | string", "Metrics; the first counts, the others are hints."),
  field("margin", "float", "Differences up to this are none.", { range: [0, null] }),
  field("by", "string", "A field of samples: also each group of it."),
]);
