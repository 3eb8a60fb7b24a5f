/** LIB: why a program in TypeScript did not get what it asked `harn` for (docs/library.md). `message` is the title. */
import { entry } from "../diagnostic.ts";

const libraryFailure = (title: string, help: string, explain: string) =>
  entry({ severity: "error", message: (_none: undefined) => title, help: () => help, explain });

export const lib = {
  "HARN-LIB-001": libraryFailure(
    "An option can't be used like this",
    "the message names the option and what it takes; docs/library.md has them all",
    "An option of `harn`, of a run or of an agent has a name that means nothing, or a value that it can't have. Nothing was done.",
  ),
  "HARN-LIB-002": libraryFailure(
    "The run waits for a person",
    "`h.runs.answer(run, question, value)` answers, `h.resume(run)` goes on; or give `onQuestion`",
    "The program asked somebody, and nobody was there: `error.questions` has what is asked. What it did so far is recorded, and " +
      "`resume` goes on from there, in this process or another one.",
  ),
  "HARN-LIB-003": libraryFailure(
    "The run was stopped",
    "`h.resume(run)` goes on from where it is",
    "`stop()`, `close()`, an aborted signal or the run's `timeout` ended it. What it did so far is recorded.",
  ),
  "HARN-LIB-004": libraryFailure(
    "A value can't be given to a script, or be taken from one",
    "give JSON: texts, numbers, booleans, null, lists, plain objects; the message has the path",
    "Objects of classes, functions, symbols, circles, texts beyond 64 MiB and nesting beyond 256 levels have no value in the language. " +
      "Give what `JSON.stringify` would make of it, or a `toJSON` method.",
  ),
  "HARN-LIB-005": libraryFailure(
    "The result does not fit its schema",
    "look at what the program returned: the message names each place that does not fit",
    "`output` says what a run gives. The run itself went well, and is recorded; `done` has what it gave.",
  ),
  "HARN-LIB-006": libraryFailure(
    "The tool can't be made",
    "the message says what it lacks, and the line to write",
    "`tool({…})` needs a name that vendors take, a description, a schema of an object for its arguments, of which the JSON Schema can be " +
      "had, and a function `execute`.",
  ),
  "HARN-LIB-007": libraryFailure(
    "Events were lost",
    "read faster, or take them from the record: `h.runs.events(run, after)`",
    "A run keeps its last 10,000 events for whoever looks later; an iterator that is further behind can't go on.",
  ),
  "HARN-LIB-008": libraryFailure(
    "The agent did not do its work",
    "the message says how it ended; `h.runs.events(run)` and `harn why` show where",
    "The agent failed or got no further, and so what it said last is no result. `done` has its result record all the same.",
  ),
  "HARN-LIB-009": libraryFailure(
    "The script failed",
    "the message is the script's own",
    "The script gave an `Err`, or ended itself with an exit code that is not 0.",
  ),
  "HARN-LIB-010": libraryFailure(
    "This harn is closed",
    "make another one: `harn()`",
    "`close()` was called, or the block of its `await using` was left.",
  ),
  "HARN-LIB-020": libraryFailure(
    "The flow of the run is not here",
    'make it first, under the same name: `h.flow("NAME", async (ctx, input) => { … })`',
    "A flow is a function of a program in TypeScript. Its run is recorded, but the function is not: whoever resumes, replays or forks the " +
      "run has to have it. The command line has none; it lists and shows such runs (`harn runs show`).",
  ),
  "HARN-LIB-021": libraryFailure(
    "The flow can't be made",
    "give it a name of its own: letters, digits, `_` and `-`, and a function",
    "Runs find their flow by its name, when they are resumed, too: so a `harn` has one flow of a name.",
  ),
  "HARN-LIB-022": libraryFailure(
    "The context of a flow can't be used here",
    "call it in the flow's function, and await it there",
    "`ctx` belongs to one run of a flow, while its function works. A step is one effect: what its function did by `ctx` would be missing " +
      "when the step is answered from the record. What is called after the flow has ended is not recorded any more.",
  ),
};
