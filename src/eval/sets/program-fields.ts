/** Options of `eval_run` and its companions. */
import { type Read, row, rows } from "../../table/index.ts";
import { display } from "../../values/index.ts";

const texts = (doc: string) =>
  row
    .either([row.list(row.text()), row.text()], doc)
    .to((read) => (typeof read === "string" ? [read] : read));

export const evalRunFields = rows(
  () => ({
    set: row.text("Name of the set: a new one, or one that grows. Default: a new name."),
    trials: row.int("Trials at once.", null, { min: 1, max: 10_000 }).usually("16").bounds(),
    processes: row
      .int("Commands of trials at once. Default: as many as there are processors.", null, {
        min: 1,
        max: 10_000,
      })
      .bounds(),
    cost: row.number("US dollars that the set may spend.", null, { min: 0 }).bounds(),
    tokens: row.int("Tokens that the set may use.", null, { min: 1 }).bounds(),
    time: row.duration("How long the set may run.").bounds(),
    connections: row
      .map(
        row.handle<string | number>("string | int").to(display),
        "Connections by provider: `5`, or `2-10-50` (least, first, most).",
      )
      .to((read): Readonly<Record<string, string>> => Object.fromEntries(read)),
    give_up: row.duration("A provider that answers nothing for so long pauses the set.").usually("10m"),
    retries: row.int("Retries of each trial, in the place of what its task says.", null, { min: 0 }),
    max_errors: row.number("Share below 1 or count from 1 of errored trials that ends the set early."),
    epochs: row.int("In the place of what tasks say.", null, { min: 1, max: 1000 }),
    task: row.text("Only tasks with this name; `*` stands for any text."),
    sample: texts("Only samples with these ids; `*` stands for any text."),
    limit: row.int("Only so many samples of each task.", null, { min: 1 }),
    variant: row.dict(null, "Lists of values by key: in the place of those of the tasks, or beside them."),
    stale: row.oneOf(
      ["ask", "keep", "redo", "follow"],
      "What is done with finished trials that were made of something else.",
      "ask",
    ),
    redo: row.oneOf(["errored", "failed", "unscored", "all"], "Which finished trials are run again."),
    score: row.bool("Whether outcomes are scored.", true),
    baseline: row.text("Name of the set that gates compare with, in the place of what tasks name."),
  }),
  { strict: true },
);
export type EvalRunOptions = Read<typeof evalRunFields>;

export const evalTrialsFields = rows(() => ({
  task: row.text("Only trials of this task."),
  variant: row.text("Only trials of this variant."),
  success: row.bool("Only trials that succeeded, or that did not."),
  state: row.text("Only trials in this state."),
  blame: row.text("Only failed trials that are this one's fault."),
}));

export const evalCompareFields = rows(() => ({
  metric: texts("Metrics; the first counts, the others are hints."),
  margin: row.number("Differences up to this are none.", null, { min: 0 }),
  by: row.text("A field of samples: also each group of it."),
}));
