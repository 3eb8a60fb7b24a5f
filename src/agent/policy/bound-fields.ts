/** The dicts that bound what a loop and its tools may do (agents.md §8.2–8.4, §11.4). An unknown key in them is an error. */
import { field, fieldTable } from "../../table/index.ts";

const strict = { strict: true } as const;

const argConstraintFields = fieldTable(
  () => [
    field("tool", "string", "Glob of the tools that it holds for."),
    field("arg_key", "string", "The argument; without it, every `path_params` of the tool's annotations."),
    field("arg_patterns", "list<string> | string", "Globs, one of which every text in it must fit."),
  ],
  strict,
);

/** `policy`: the capability ceiling. */
export const policyFields = fieldTable(
  () => [
    field("tools", "list<string> | string", "Globs of the tools that may be called; empty for all."),
    field(
      "capabilities",
      "dict",
      'Operations that tools may need, by capability: `{workspace: ["read_text"]}`; empty for all.',
    ),
    field("workspace_roots", "list<string> | string", "Folders that tools may read and write."),
    field(
      "read_only_roots",
      "list<string> | string",
      "Folders that tools may only read; of roots in each other the narrower one holds.",
    ),
    field("side_effect_level", "string", "The most that a tool may do."),
    field("recursion_limit", "int", "How deep agents may start agents.", { range: [0, null] }),
    field("tool_arg_constraints", "list<dict>", "What arguments of tools may be.", {
      nested: argConstraintFields,
    }),
    field("tool_annotations", "dict", "What tools do, by name, where they do not say it themselves."),
  ],
  strict,
);

/** `permissions`: dynamic permissions. */
export const permissionFields = fieldTable(
  () => [
    field(
      "allow",
      "string | list<string> | dict",
      "What may be called: globs of tools, or matchers by glob; without it, what is not denied.",
    ),
    field("deny", "string | list<string> | dict", "What may not be called, in the same forms."),
    field(
      "on_escalation",
      "closure",
      "Asked about a call that is refused; may grant it once or for the session.",
    ),
  ],
  strict,
);

/** A rule's matcher keys and shorthands are checked where rules are read: they may stand in the plural. */
export const ruleFields = fieldTable(
  () => [
    field("id", "string", "What receipts call it."),
    field("name", "string", "Another name for `id`."),
    field("action", "string", "`allow`, `ask` or `deny`, and their other names."),
    field("match", "any", "What it holds for: globs by key, or tools."),
    field("allow", "any", "Short for the action and what it holds for."),
    field("ask", "any", "Short for the action and what it holds for."),
    field("deny", "any", "Short for the action and what it holds for."),
    field("reason", "string", "Why; shown to people and models."),
    field("approval", "dict", "How people are asked: prompt, reviewers, risk."),
  ],
  { strict: true, refusedByReader: true },
);

/** `approval_policy`. */
export const approvalFields = fieldTable(
  () => [
    field("rules", "list<dict>", "Rules in order; deny goes before ask before allow.", {
      nested: ruleFields,
    }),
    field("auto_approve", "list | string", "Globs of tools that are let through."),
    field("auto_deny", "list | string", "Globs of tools that are refused."),
    field("require_approval", "list | string", "Globs of tools that a person is asked about."),
    field("write_path_allowlist", "list | string", "Globs of the paths that tools may write."),
    field("allow_sensitive_paths", "bool", "Files that hold secrets may be named.", { default: "false" }),
    field(
      "sensitive_path_patterns",
      "list | string",
      "Globs of files that hold secrets, in place of the usual ones.",
    ),
    field("allow_external_paths", "bool", "Paths outside of the workspace may be named.", {
      default: "false",
    }),
    field("external_roots", "list | string", "Folders outside of the workspace that may be named."),
    field("repeat_limit", "int", "The same call may be made so often.", { range: [0, null] }),
    field("repeated_call_limit", "int", "Another name for `repeat_limit`.", { range: [0, null] }),
    field("repeat_action", "string", "What is done about one more.", { default: '"ask"' }),
  ],
  strict,
);

const failureFields = fieldTable(
  () => [
    field("max", "int", "So many failed calls in a row end the loop.", { range: [1, null] }),
    field(
      "kinds",
      "list<string>",
      "Categories, kinds or reasons of errors that are lived with; without it, all.",
    ),
    field("paused_for_ms", "float", "Rest before the next try, in milliseconds.", {
      default: "0",
      range: [0, null],
    }),
  ],
  strict,
);

export const iterationBudgetFields = fieldTable(
  () => [
    field("mode", "string", "Whether the number of turns may grow.", {
      values: ["fixed", "adaptive"],
      default: '"fixed"',
    }),
    field("initial", "int", "Turns at the beginning; a quarter of `max` when adaptive.", {
      range: [1, null],
    }),
    field("max", "int", "Turns at most; 16 when adaptive, else `max_iterations`.", { range: [1, null] }),
    field("extend_by", "int", "Turns that are added at a time, when adaptive.", {
      default: "2",
      range: [1, null],
    }),
    field("expose_decisions", "bool", "The result tells when and why turns were added; true when adaptive."),
    field("wall_clock_ms", "float", "Milliseconds that the loop may run.", {
      range: [0, null],
      below: "holds",
    }),
    field("total_cost_usd", "float", "Dollars that its model calls may cost.", {
      range: [0, null],
      below: "holds",
    }),
    field("consecutive_failures", "int | dict", "Failed model calls in a row that it lives with.", {
      nested: failureFields,
    }),
  ],
  strict,
);

export const limitFields = fieldTable(
  () => [
    field("tool_calls", "float", "Tool calls of the loop.", { range: [0, null] }),
    field("tokens", "float", "Tokens of its model calls, in and out.", { range: [0, null], below: "holds" }),
    field(
      "closing_turn",
      "bool",
      "At the limit of tool calls the model gets one more turn, without tools, to say what it has come to.",
      { default: "false" },
    ),
  ],
  strict,
);
