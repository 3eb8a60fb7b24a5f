/** Rows of processes and their policies (builtins.md §2.14). */
import { type Field, field, fieldTable } from "../../table/index.ts";

const processRows = (): readonly Field[] => [
  field("cwd", "any", "Where it runs."),
  field("env", "any", "Variables of its environment."),
  field("env_mode", "any", "`merge` them into those of the run, or `replace` those.", { default: '"merge"' }),
  field("stdin", "any", "What it reads."),
  field("timeout_ms", "any", "Milliseconds (or a duration) that it may take.", { bounds: true }),
  field("timeout", "any", "Another name for `timeout_ms`.", { bounds: true }),
  field("idempotent", "bool", "It may be run again by a resume that can't know whether it ran.", {
    default: "false",
  }),
];

export const processFields = fieldTable(processRows);

export const capturedFields = fieldTable(() => [
  field("cmd", "any", "The program."),
  field("args", "any", "Its arguments."),
  ...processRows(),
]);

export const startedFields = fieldTable(() => [
  field("mode", "any", "`argv`, or `shell` for a line of a shell."),
  field("argv", "any", "Program and arguments."),
  field("command", "any", "The line of the shell."),
  field("shell", "any", "The shell: one of `process.list_shells`."),
  field("shell_id", "any", "Its id."),
  field("login", "bool", "A login shell.", { default: "false" }),
  ...processRows(),
]);

/** `command_policy`. */
export const commandPolicyFields = fieldTable(
  () => [
    field("deny_patterns", "any", "Globs of command lines that are refused."),
    field("require_approval", "any", "Labels of risks that a person is asked about."),
    field("workspace_roots", "any", "Folders that commands may run in."),
    field("default_shell_mode", "any", "What is told to hooks.", { default: '"argv_only"' }),
    field("pre", "any", "Asked before a command runs: may deny or rewrite it."),
    field("post", "any", "Told what it gave: may annotate it."),
    field("allow_recursive", "bool", "Hooks may run commands themselves.", { default: "false" }),
  ],
  { strict: true },
);

export const hostMockParams = "the parameters that a call must have";
