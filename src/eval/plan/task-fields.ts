/** The fields of a task, as rows: reading them, their errors, `harn check` and `harn doc` follow from here. */
import { callFields } from "../../model/index.ts";
import { type Field, field, fieldTable } from "../../table/index.ts";

export const limitFields = fieldTable(
  () => [
    field("turns", "int", "Turns of the agent.", { range: [1, null] }),
    field("tool_calls", "int", "Tool calls of the agent.", { range: [0, null] }),
    field("tokens", "int", "Tokens in and out, of all roles but the judge.", { range: [1, null] }),
    field("cost_usd", "float", "Dollars, of all roles but the judge.", { range: [0, null] }),
    field("time", "duration | int", "Working time: without waiting for connections, retries and people."),
    field("wall", "duration | int", "Time by the clock on the wall."),
  ],
  { strict: true, refusedByReader: true, typedByReader: true },
);

/** Reader and messages are this folder's (`read-task.ts`). */
const own = { strict: true, refusedByReader: true, typedByReader: true } as const;

const retryFields = fieldTable(
  () => [
    field("max", "int", "How often a trial is tried again.", { default: "2", range: [0, null] }),
    field("on", "list<string>", "Categories of errors that are worth it.", {
      values: ["provider", "environment", "harness"],
    }),
    field("fresh", "bool", "A retry begins anew instead of at the effect that failed.", { default: "false" }),
  ],
  own,
);

export const containerFields = fieldTable(
  () => [
    field("image", "string", "The image that it is started from."),
    field("build", "string", "In its place: a folder with a Dockerfile that the image is built from."),
    field("workdir", "string", "The folder that the trial works in; the image's own, else `/workspace`."),
    field("network", "bool", "Whether its programs reach a network.", { default: "false" }),
    field("cpus", "float", "Processors that it may use.", { range: [0, null] }),
    field("memory_mb", "int", "Memory that it may use.", { range: [6, null] }),
    field("user", "string | int", "Who its programs run as: a name or a number, with `:GROUP` if wanted."),
  ],
  own,
);

const sandboxFields = fieldTable(
  () => [
    field("files", "dict", "Texts by path, or `{from: path}`."),
    field("copy", "string", "A folder whose content it begins with."),
    field("container", "dict", "Its programs and files are in a container of docker or podman.", {
      nested: containerFields,
    }),
    field("keep", "string", "What stays in the store.", {
      values: ["changed", "all", "none"],
      default: '"changed"',
    }),
    field("env", "dict<string, string>", "Variables of its programs."),
  ],
  own,
);

const choiceFields = fieldTable(
  () => [
    field("n", "int", "So many samples.", { range: [1, null] }),
    field("seed", "int | string", "Which ones."),
    field("by", "string", "From each value of this field its share, at least one."),
  ],
  own,
);

export const raceFields = fieldTable(
  () => [
    field("metric", "string", "What is compared.", { default: '"success"' }),
    field("between", "list<string>", "Names of two variants; each against the first unless given."),
    field("alpha", "float", "The chance of a false alarm.", { default: "0.05", range: [0, 1] }),
    field("margin", "float", "Differences within it count as equal.", { range: [0, null] }),
    field("min", "int", "Observations before the first look.", { default: "10", range: [1, null] }),
  ],
  own,
);

const roleFields = fieldTable(
  () => [
    field("user", "dict", "Options of model calls of simulated users.", { nested: callFields }),
    field("judge", "dict", "Options of model calls of judges.", { nested: callFields }),
    field("agent", "dict", "Options of model calls of the agent.", { nested: callFields }),
  ],
  own,
);

/** A task of recorded runs has these in place of a dataset. */
export const caseFields = fieldTable(
  () => [
    field("cases", "list", "Recorded runs that are judged, in place of a dataset."),
    field("fixtures", "list", "With `cases`: records and expectations by id."),
    field("rubrics", "list", "With `cases`: what is judged, by id."),
    field("defaults", "dict", "With `cases`: what holds for every case."),
    field("base_dir", "string", "With `cases`: the folder that their paths are under."),
  ],
  own,
);

const data: readonly Field[] = [
  field("name", "string", "Letters, digits, `_ - .`; unique in a set."),
  field("dataset", "string | list | closure", "A path, rows, or a closure that gives rows."),
  field("fields", "dict<string, string> | closure", "Renames columns, or makes the sample of a row."),
  field("where", "closure", "Which samples count: `fn(sample) -> bool`."),
  field("sample", "dict", "So many samples, by a seed.", { nested: choiceFields }),
  field("shuffle", "int | string", "The seed of their order."),
  field("take", "int", "The first so many.", { range: [1, null] }),
];

const work: readonly Field[] = [
  field(
    "solver",
    "string | dict | closure",
    "What is judged: a system text, options of `agent_loop`, or `fn(sample, trial)`.",
    { default: '""' },
  ),
  field("tools", "dict | list", "What solvers and dialogues offer."),
  field("oracle", "closure", "A solver that is known to succeed."),
  field("setup", "closure", "Runs before the solver: `fn(sample, trial)`."),
  field("cleanup", "closure", "Runs after it, after errors too: `fn(sample, trial)`."),
  field("world", "dict | closure", "The world at the beginning, or `fn(sample)`."),
  field("user", "closure", "`fn(sample)` giving the answerer of dialogues."),
  field("sandbox", "bool | dict", "A folder of its own for each trial.", {
    default: "false",
    nested: sandboxFields,
  }),
];

const judging: readonly Field[] = [
  field("scorers", "list", "Functions and scorers; at least one."),
  field("success", "list<string>", "Names of the scorers that must pass."),
  field("metrics", "list<string>", "What is reported."),
  field("reduce", "dict<string, string>", "How epochs become one value, by scorer."),
  field("gates", "list<string>", "What must hold for the exit code 0."),
  field("baseline", "string", "The set that gates compare with."),
  field(
    "race",
    "dict",
    "Ends the set as soon as it is known which variant is better; looking after every sample stays valid.",
    { nested: raceFields },
  ),
  field("group_by", "list<string>", "Fields of samples by which figures are shown."),
];

const running: readonly Field[] = [
  field("epochs", "int", "Repetitions of each sample.", { default: "1", range: [1, 1000] }),
  field("variants", "dict | list", "What is compared: a dict of lists, or a list of dicts with `name`."),
  field("roles", "dict", "Options of model calls by role.", { nested: roleFields }),
  field("limits", "dict", "What a trial may use.", { nested: limitFields, bounds: true }),
  field("retries", "dict", "What is tried again.", { nested: retryFields }),
  field("max_errors", "float", "A share below 1, or a count, of errors that ends the set.", {
    range: [0, null],
  }),
  field("on_user_fault", "string | dict", "What becomes of trials whose simulated user failed.", {
    default: '"keep"',
  }),
  field(
    "cache",
    "bool | duration",
    "Keeps answers of model calls: an equal request under the same stream is answered from them, for ever or for so long.",
    { default: "false" },
  ),
  field("version", "string | int", "Stands for the digest of the program."),
  field("seed", "int | string", "The seed of the set."),
  field("tags", "list<string>", "Words that are shown with it."),
  field("description", "string", "A sentence that is shown with it."),
];

export const taskFields = fieldTable(
  () => [...data, ...caseFields.rows, ...work, ...judging, ...running],
  own,
);
