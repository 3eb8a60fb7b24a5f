/**
 * Raised while running. RUN: errors that nobody caught; their message is the uncaught text of language.md §28.2.
 * RMD: system reminders (agents.md §4.4). SUS: suspending and going on (§17, docs/resume.md).
 */
import { entry } from "../diagnostic.ts";

const uncaught = (explain: string, help?: string) =>
  entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    ...(help === undefined ? {} : { help: () => help }),
    explain,
  });

export const run = {
  "HARN-RUN-001": uncaught(
    "The program uses a construct or a function that this version of the runtime parses but does not run yet.\n" +
      "The message names it; `docs/` says what exists.",
  ),
  "HARN-RUN-002": uncaught(
    "The program threw a value (`throw v`, a failed `assert` or `require`, or a builtin that throws) and nothing caught it.\n" +
      "Catch it with `try { … } catch (e) { … }`, or turn it into a value with `let r = try { … }`.",
  ),
  "HARN-RUN-003": uncaught(
    "An operation met a value of a type that it does not take: adding a string and an int, reading a property of nil.\n" +
      "`type_of(x)` says what a value is; `to_string`, `to_int` and `to_float` convert; `?.` and `??` deal with nil.",
  ),
  "HARN-RUN-004": uncaught(
    "An operation or a builtin failed while the program ran. The message says which and why.\n" +
      "`try { … } catch (e) { … }` catches it.",
  ),
  "HARN-RUN-005": uncaught(
    "A name was used that no variable, function or builtin has at this place.\n" +
      "Closures and functions see the variables that were visible when they were made; a misspelt name is suggested in the message.",
  ),
  "HARN-RUN-006": uncaught(
    "A `let` binding, a parameter or a match binding was assigned or declared again in the same scope.\n" +
      "Declare it with `var` when it has to change, or choose another name.",
  ),
  "HARN-RUN-007": uncaught(
    "An int was divided by zero, or a remainder by zero was taken. Floats divide by zero without an error.\n" +
      "Test the divisor first.",
  ),
  "HARN-RUN-008": uncaught(
    "More calls were nested than the limit allows (10,000), most often because a recursion does not end.\n" +
      "A call in tail position (`return f(x)`) does not nest; `harn run --max-depth N` raises the limit.",
    "look for the end of the recursion; a call in tail position (`return f(x)`) does not nest",
  ),
  "HARN-RUN-010": uncaught(
    "The run was given a step limit (`harn run --max-steps N`), and its calls and rounds of loops have reached it.\n" +
      "No `catch` stops this; `finally` and `defer` blocks run. The exit code is 124.",
    "look for the loop that does not end, or raise `--max-steps`",
  ),
  "HARN-RUN-011": entry({
    severity: "warning",
    message: (p: { readonly text: string }) => p.text,
    help: () =>
      "docs/install.md has a table of what which system holds; on Linux, or in a container, all of it holds",
    explain:
      "The run needs something that docs/security.md promises and that this system has no means for: folders that are held open while they are " +
      "judged, ending what has left its process group, the memory of another process, walls round the code that agents write (bubblewrap).\nIt goes on without it. This is told once for each of them to a " +
      "user (a mark in the folder of caches remembers it).",
  }),
};

export const rmd = {
  "HARN-RMD-001": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () =>
      "a reminder needs a `body`; `ttl_turns` counts from 1; clearing needs `id`, `tag` or `dedupe_key`",
    explain:
      "A reminder was made or cleared with an unknown option, a value of the wrong type, an empty body, a lifetime that is " +
      "over before it begins, or without saying which reminders are meant.\nThe message names the option.",
  }),
  "HARN-RMD-002": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "pass the dict that `transcript.inject_reminder` takes, at least `{body: …}`",
    explain: "What should become a reminder event is no reminder: it has to be a dict with a `body`.",
  }),
  "HARN-RMD-006": entry({
    severity: "warning",
    message: (p: { readonly text: string }) => p.text,
    help: () => "the other providers and the loop went on; the message is the provider's own",
    explain:
      "A reminder provider (`register_reminder_provider`) threw when it was asked what the model should be told before its next " +
      "call.\nThe loop goes on without its reminder; the provider is asked again before the next call.",
  }),
  "HARN-RMD-007": entry({
    severity: "warning",
    message: (p: { readonly text: string }) => p.text,
    help: () => "give nil, a text, a dict with at least a `body`, or a list of these",
    explain:
      "A reminder provider gave something that is no reminder: neither nil nor a text, or a dict with an unknown or mistyped " +
      "option.\nWhat it gave before the mistake in the same list was taken.",
  }),
  "HARN-RMD-005": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "`all` reaches every descendant, `session` direct children only, `none` stays where it is",
    explain:
      "`propagate` says how far a reminder goes when a loop starts sub-agents: all, session or none. Nothing else is known.",
  }),
};

export const sus = {
  "HARN-SUS-001": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "look at the worker's status first: `list_agents()`",
    explain:
      "Only a worker that is running can be suspended. It may have finished in the meantime, or be suspended already.",
  }),
  "HARN-SUS-002": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "docs/reference/agents.md §17.5 lists the fields of resume conditions",
    explain:
      "Resume conditions say when a parked agent goes on: `trigger`, `timeout`, `on_event`. The message names the field that is wrong.",
  }),
  "HARN-SUS-003": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "look at the worker's status first; `send_input` gives a finished worker another task",
    explain:
      "Only a suspended worker can be resumed: this one works, waits for its next task, or failed. The message says its status.",
  }),
  "HARN-SUS-004": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "name the file that the worker's handle has as `snapshot_path`",
    explain:
      "The snapshot of a worker can't be read, is none, was changed since it was written, has another version, belongs to a " +
      "process that is still at work, or was guarded by functions that only its own run has. The message says which.",
  }),
  "HARN-SUS-005": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "say what the agent waits for: it is told when it goes on",
    explain: "`agent_await_resumption` parks a loop until somebody goes on with it, and wants to know why.",
  }),
  "HARN-SUS-006": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "look at the worker's status: whoever was first goes on with it",
    explain:
      "Two want to go on with the same suspended worker, in this run or in another process. One of them does; this is the other.",
  }),
  "HARN-SUS-008": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "take one of the actions that the message lists",
    explain: "A timeout of resume conditions can go on with a summary or an input, or fail; nothing else.",
  }),
  "HARN-SUS-009": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "give a text, a dict or nil",
    explain:
      "What a suspended worker is given when it goes on is told to its model, so it must be something that can be told.",
  }),
  "HARN-SUS-010": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "start a new worker",
    explain:
      "A worker that was closed with `close_agent` or stopped with `agent_stop` is over. Its file keeps what was said, but `resume_agent` does not go on with it.",
  }),
  "HARN-SUS-011": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "`harn runs show RUN` shows what the run did",
    explain:
      "The file of a worker names a run and the place in its journal where the worker's loop stood still, and there is no such " +
      "place: it is the file of another run, or the run was resumed at an earlier place and went another way.",
  }),
  "HARN-SUS-012": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "`harn fork RUN --at N` begins another run at that place",
    explain:
      "Somebody has gone on from this suspension already: the file is an older copy. Going on once more would do everything after it twice.",
  }),
  "HARN-SUS-020": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "look whether it happened; `harn run --resume RUN --on-doubt redo|skip` decides otherwise",
    explain:
      "A run was interrupted while something that changes the outside was under way (an HTTP POST, for example), and now goes " +
      "on. Nobody knows whether it happened, and it can't be done twice without harm, so the call fails with this error, " +
      "which the script can catch.\nWhat is known to be harmless is done again without asking: docs/resume.md has the table.",
  }),
};
