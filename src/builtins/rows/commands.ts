/** Rows of processes and their policies (builtins.md §2.14). */
import { type Field, field, fieldTable } from "../../table/index.ts";

const processRows = (): readonly Field[] => [
  field("cwd", "string", "Where it runs."),
  field("env", "dict", "Variables of its environment."),
  field("env_mode", "string", "`merge` them into those of the run, or `replace` those.", {
    default: '"merge"',
  }),
  field("stdin", "string | bytes", "What it reads."),
  field("timeout_ms", "int | float | duration", "Milliseconds (or a duration) that it may take.", {
    bounds: true,
  }),
  field("timeout", "int | float | duration", "Another name for `timeout_ms`.", { bounds: true }),
  field("idempotent", "bool", "It may be run again by a resume that can't know whether it ran.", {
    default: "false",
  }),
];

export const processFields = fieldTable(processRows);

export const capturedFields = fieldTable(() => [
  field("cmd", "string", "The program."),
  field("args", "list", "Its arguments."),
  ...processRows(),
]);

export const startedFields = fieldTable(() => [
  field("mode", "string", "`argv`, or `shell` for a line of a shell."),
  field("argv", "list", "Program and arguments."),
  field("command", "string", "The line of the shell."),
  field("shell", "string | dict", "The shell: one of `process.list_shells`."),
  field("shell_id", "string", "Its id."),
  field("login", "bool", "A login shell.", { default: "false" }),
  ...processRows(),
]);

/** `command_policy`. */
export const commandPolicyFields = fieldTable(
  () => [
    field("deny_patterns", "list", "Globs of command lines that are refused."),
    field("require_approval", "list", "Labels of risks that a person is asked about."),
    field("workspace_roots", "list", "Folders that commands may run in."),
    field("default_shell_mode", "string", "What is told to hooks.", { default: '"argv_only"' }),
    field("pre", "closure", "Asked before a command runs: may deny or rewrite it."),
    field("post", "closure", "Told what it gave: may annotate it."),
    field("allow_recursive", "bool", "Hooks may run commands themselves.", { default: "false" }),
  ],
  { strict: true },
);
