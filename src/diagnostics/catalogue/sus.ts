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
      "The snapshot of a worker can't be read, is none, or belongs to a worker of another run, which this version can't go on with.",
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
