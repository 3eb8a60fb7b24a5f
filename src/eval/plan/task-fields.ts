/** The fields of a task, as rows: reading them, their errors, `harn check` and `harn doc` follow from here. */
import { callFields } from "../../model/index.ts";
import { checkFieldTypes, type Read, row, rows } from "../../table/index.ts";
import {
  type Callable,
  type Dict,
  type Duration,
  display,
  type Json,
  type List,
  toJson,
} from "../../values/index.ts";
import { limitsRow } from "./limits.ts";
import { sandboxFields } from "./sandbox/spec.ts";

const strict = { strict: true } as const;

/** A text, or an int as a text. */
const seed = (doc: string) => row.handle<string | number>("int | string", doc).to(display);

const closureOr = <T extends Dict | List | string>(types: string, doc: string) =>
  row.handle<T | Callable>(`${types} | closure`, doc);

const retryFields = rows(
  () => ({
    max: row.int("How often a trial is tried again.", 2, { min: 0 }),
    on: row
      .list(row.oneOf(["provider", "environment", "harness"]), "Categories of errors that are worth it.", [
        "provider",
        "environment",
      ])
      .full(),
    /** A retry begins anew instead of going on at the effect that failed. */
    fresh: row.bool("A retry begins anew instead of at the effect that failed.", false),
  }),
  strict,
);

const choiceFields = rows(
  () => ({
    n: row.int("So many samples.", null, { min: 1 }).required(),
    seed: seed("Which ones.").required(),
    by: row.text("From each value of this field its share, at least one."),
  }),
  strict,
);

const raceFields = rows(
  () => ({
    metric: row.text("What is compared.", "success"),
    between: row.list(row.text(), "Names of two variants; each against the first unless given.").full(),
    alpha: row
      .number("The chance of a false alarm.", 0.05)
      .where("a number between 0 and 1", (alpha) => alpha > 0 && alpha < 1),
    margin: row.number("Differences within it count as equal.", null, { min: 0 }),
    min: row.int("Observations before the first look.", 10, { min: 1 }),
  }),
  strict,
);

/** Vendors' own fields are judged where the call is made. */
const callOptions = (doc: string) =>
  row
    .dict(null, doc)
    .with({ nested: callFields })
    .to((options, place) => {
      checkFieldTypes(options, callFields, place);
      return toJson(options) as Readonly<Record<string, Json>>;
    });

const roleFields = rows(
  () => ({
    user: callOptions("Options of model calls of simulated users."),
    judge: callOptions("Options of model calls of judges."),
    agent: callOptions("Options of model calls of the agent."),
  }),
  strict,
);

/** `Json` of the options of each role that has some. */
type Roles = { readonly [R in keyof Read<typeof roleFields>]?: Readonly<Record<string, Json>> };

/** A task of recorded runs has these in place of a dataset. */
export const caseFields = rows(
  () => ({
    cases: row.handle<List>("list", "Recorded runs that are judged, in place of a dataset."),
    fixtures: row.handle<List>("list", "With `cases`: records and expectations by id."),
    rubrics: row.handle<List>("list", "With `cases`: what is judged, by id."),
    defaults: row.dict(null, "With `cases`: what holds for every case."),
    base_dir: row.text("With `cases`: the folder that their paths are under."),
  }),
  strict,
);

const data = () => ({
  name: row
    .text("Letters, digits, `_ - .`; unique in a set.")
    .where("a text of letters, digits, `_`, `-` and `.`", (name) => /^[\w.-]+$/.test(name))
    .required(),
  dataset: closureOr<string | List>("string | list", "A path, rows, or a closure that gives rows.")
    // The folder of the script is no dataset.
    .where("a path, a list of dicts or a closure that gives one", (dataset) => dataset !== "")
    .required(),
  fields: row.either([row.map(row.text()), row.closure()], "Renames columns, or makes the sample of a row."),
  where: row.closure("Which samples count: `fn(sample) -> bool`."),
  sample: row.dict(choiceFields, "So many samples, by a seed."),
  shuffle: seed("The seed of their order."),
  take: row.int("The first so many.", null, { min: 1 }),
});

const work = () => ({
  solver: closureOr<string | Dict>(
    "string | dict",
    "What is judged: a system text, options of `agent_loop`, or `fn(sample, trial)`.",
  )
    .usually('""')
    .or(""),
  tools: row.handle<Dict | List>("dict | list", "What solvers and dialogues offer."),
  oracle: row.closure("A solver that is known to succeed."),
  setup: row.closure("Runs before the solver: `fn(sample, trial)`."),
  cleanup: row.closure("Runs after it, after errors too: `fn(sample, trial)`."),
  world: closureOr<Dict>("dict", "The world at the beginning, or `fn(sample)`."),
  user: row.closure("`fn(sample)` giving the answerer of dialogues."),
  sandbox: row.switched(sandboxFields, "A folder of its own for each trial.").usually("false"),
});

const judgeRows = () => ({
  scorers: row
    .list(closureOr<Dict>("dict", ""), "Functions and scorers; at least one.")
    .full()
    .where("a list of at least one scorer", (scorers) => scorers.length > 0)
    .required(),
  success: row
    .list(row.text(), "Names of the scorers that must pass.")
    .full()
    .where("a list of at least one scorer's name", (names) => names.length > 0),
  metrics: row
    .list(row.text(), "What is reported.")
    .full()
    .where("a list of at least one metric", (names) => names.length > 0),
  reduce: row.map(row.text(), "How epochs become one value, by scorer."),
  gates: row.list(row.text(), "What must hold for the exit code 0.", []).full(),
  baseline: row.text("The set that gates compare with."),
  race: row.dict(
    raceFields,
    "Ends the set as soon as it is known which variant is better; looking after every sample stays valid.",
  ),
  group_by: row.list(row.text(), "Fields of samples by which figures are shown.", []).full(),
});

const running = () => ({
  epochs: row.int("Repetitions of each sample.", 1, { min: 1, max: 1000 }),
  variants: row.handle<Dict | List>(
    "dict | list",
    "What is compared: a dict of lists, or a list of dicts with `name`.",
  ),
  roles: row
    .dict(roleFields, "Options of model calls by role.")
    .to((read) => Object.fromEntries(Object.entries(read).filter(([, options]) => options !== null)) as Roles)
    .or<Roles>({}),
  limits: limitsRow("What a trial may use."),
  retries: row.dict(retryFields, "What is tried again.").or(retryFields.usual),
  max_errors: row.number("A share below 1, or a count, of errors that ends the set.", null, { min: 0 }),
  on_user_fault: row
    .either(
      [row.oneOf(["keep", "drop", "redo"]), row.dict(redoFields)],
      "What becomes of trials whose simulated user failed.",
    )
    .to((read) => {
      if (read === "keep" || read === "drop") return { kind: read };
      return { kind: "redo" as const, times: read === "redo" ? redoFields.usual.redo : read.redo };
    })
    .usually('"keep"')
    .or({ kind: "keep" as const }),
  cache: row
    .either(
      [row.bool(), row.handle<Duration>("duration")],
      "Keeps answers of model calls: an equal request under the same stream is answered from them, for ever or for so long.",
    )
    .where("a time above 0", (read) => typeof read === "boolean" || read.ms > 0)
    /** Milliseconds; null: for ever. */
    .to((read) => (read === false ? null : { ageMs: read === true ? null : read.ms }))
    .usually("false"),
  version: seed("Stands for the digest of the program."),
  seed: seed("The seed of the set."),
  tags: row.list(row.text(), "Words that are shown with it.", []).full(),
  description: row.text("A sentence that is shown with it."),
});

const redoFields = rows(
  () => ({ redo: row.int("New attempts with another stream of the user.", 2, { min: 1 }) }),
  strict,
);

export const taskFields = rows(() => ({ ...data(), ...work(), ...judgeRows(), ...running() }), {
  ...strict,
  beside: () => caseFields.rows,
});
