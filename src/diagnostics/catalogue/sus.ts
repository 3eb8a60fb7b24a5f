/** SUS: suspending and going on (agents.md §17, docs/resume.md). Raised while running. */
import { entry } from "../diagnostic.ts";

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
    help: () => "docs/agent-loop.md lists the fields of resume conditions",
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
