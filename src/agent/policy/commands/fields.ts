/** The rows of a command policy: of the builtin, and of the option. */
import { row, rows } from "../../../table/index.ts";
import type { List } from "../../../values/index.ts";

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
