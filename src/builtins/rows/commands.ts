/** Rows of processes and their policies (builtins.md §2.14). */

import { row, rows } from "../../table/index.ts";
import type { List, Value } from "../../values/index.ts";

const timeout = (doc: string) =>
  row
    .time(doc)
    .where("a duration or milliseconds above 0", (ms) => ms > 0)
    .bounds();

const processRows = () => ({
  cwd: row.text("Where it runs."),
  env: row.dict(null, "Variables of its environment."),
  env_mode: row.oneOf(["merge", "replace"], "Those of the run stay, or go.", "merge"),
  stdin: row.handle<Value>("string | bytes", "What it reads."),
  timeout_ms: timeout("Milliseconds (or a duration) that it may take."),
  timeout: timeout("Another name for `timeout_ms`."),
  idempotent: row.bool("It may be run again by a resume that can't know whether it ran.", false),
});

export const processFields = rows(processRows);

export const capturedFields = rows(() => ({
  cmd: row.text("The program.", ""),
  args: row.handle<List>("list", "Its arguments."),
  ...processRows(),
}));

export const startedFields = rows(() => ({
  mode: row.oneOf(["argv", "shell"], "`shell` for a line of a shell."),
  argv: row.handle<List>("list", "Program and arguments."),
  command: row.text("The line of the shell."),
  shell: row.either([row.text(), row.dict(null)], "The shell: one of `process.list_shells`."),
  shell_id: row.text("Its id."),
  login: row.bool("A login shell.", false),
  ...processRows(),
}));
