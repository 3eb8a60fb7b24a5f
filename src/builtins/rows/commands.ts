/** Rows of processes and their policies (builtins.md §2.14). */

import { row, rows } from "../../table/index.ts";
import type { List, Value } from "../../values/index.ts";

const processRows = () => ({
  cwd: row.text("Where it runs."),
  env: row.dict(null, "Variables of its environment."),
  env_mode: row.text("`merge` them into those of the run, or `replace` those.", "merge"),
  stdin: row.handle<Value>("string | bytes", "What it reads."),
  timeout_ms: row
    .either([row.duration(), row.number()], "Milliseconds (or a duration) that it may take.")
    .bounds(),
  timeout: row.either([row.duration(), row.number()], "Another name for `timeout_ms`.").bounds(),
  idempotent: row.bool("It may be run again by a resume that can't know whether it ran.", false),
});

export const processFields = rows(processRows);

export const capturedFields = rows(() => ({
  cmd: row.text("The program."),
  args: row.handle<List>("list", "Its arguments."),
  ...processRows(),
}));

export const startedFields = rows(() => ({
  mode: row.text("`argv`, or `shell` for a line of a shell."),
  argv: row.handle<List>("list", "Program and arguments."),
  command: row.text("The line of the shell."),
  shell: row.either([row.text(), row.dict(null)], "The shell: one of `process.list_shells`."),
  shell_id: row.text("Its id."),
  login: row.bool("A login shell.", false),
  ...processRows(),
}));

/** `command_policy`. */
export const commandPolicyFields = rows(
  () => ({
    deny_patterns: row.handle<List>("list", "Globs of command lines that are refused."),
    require_approval: row.handle<List>("list", "Labels of risks that a person is asked about."),
    workspace_roots: row.handle<List>("list", "Folders that commands may run in."),
    default_shell_mode: row.text("What is told to hooks.", "argv_only"),
    pre: row.closure("Asked before a command runs: may deny or rewrite it."),
    post: row.closure("Told what it gave: may annotate it."),
    allow_recursive: row.bool("Hooks may run commands themselves.", false),
  }),
  { strict: true },
);
