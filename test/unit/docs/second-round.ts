/**
 * What people and attackers found when they tried the product from outside (issue 12), by its numbers there, and the tests
 * that show it mended. `FILE › WORDS`: the words stand in the file, as the name of a test.
 */
import type { ShownRow } from "../../support/shown-by.ts";

export const secondRound: readonly ShownRow[] = [
  [
    1,
    "the schema in words for json_object",
    [
      "test/unit/agent/llm-call/schema-in-words.test.ts › is told the schema",
      "test/unit/model/llm-call/llm-call.test.ts › the answer that did not fit and one correction",
    ],
  ],
  [
    2,
    "JSON Schema on the wire",
    ["test/unit/llm/shapes.test.ts › translates type names", "test/golden/builtins/schemas/alias.harn"],
  ],
  [
    3,
    "parameters of alias, struct and enum types",
    ["test/golden/tools/schema.harn", "test/unit/llm/shapes.test.ts › lifts required flags"],
  ],
  [
    4,
    "models that think",
    [
      "test/unit/model/model-call/thinking.test.ts › thinking: true, and budgets",
      "test/unit/llm/catalogue.test.ts › are complete and dated",
    ],
  ],
  [
    5,
    "reasoning and blocks go back",
    [
      "test/unit/llm/sent-back.test.ts › DeepSeek gets the field with every call",
      "test/unit/llm/sent-back.test.ts › tools that the vendor runs",
      "test/unit/llm/sent-back.test.ts › a paused turn",
    ],
  ],
  [
    6,
    "arguments that are no JSON",
    [
      "test/unit/llm/malformed.test.ts › arguments that are no JSON",
      "test/unit/agent/loop/broken-providers.test.ts › the model is told, and mends them",
    ],
  ],
  [
    7,
    "llm_call tries again",
    [
      "test/unit/agent/model-call/live.test.ts › tries %i twice more by itself",
      "test/unit/agent/model-call/live.test.ts › waits as long as the server says",
    ],
  ],
  [
    8,
    "usage that nobody reports, prices that nobody knows",
    ["test/unit/llm/malformed.test.ts › a server that counts nothing", "test/golden/llm/unknown_cost.harn"],
  ],
  [
    9,
    "dry mocks",
    [
      "test/unit/llm/mock.test.ts › never goes live once a program has written answers",
      "test/golden/llm/mocks_run_dry.harn",
    ],
  ],
  [
    10,
    "one session, several loops",
    [
      "test/golden/sessions/two_loops.harn",
      "test/golden/sessions/from_inside_a_tool.harn",
      "test/property/repair.test.ts",
    ],
  ],
  [
    11,
    "empty and cut answers",
    [
      "test/golden/agent_results/empty_and_cut.harn",
      "test/unit/agent/loop/bad-providers.test.ts › answers with nothing: nudged",
    ],
  ],
  [
    12,
    "turn policy, pauses, chats, HarnessLoop",
    [
      "test/golden/agent_options/turn_policy_action.harn",
      "test/golden/workers/hook_pause.harn",
      "test/golden/chat/typed.harn",
      "test/unit/agent/contract/harness-loop.test.ts › has a default budget; an empty one is no limit",
      "test/unit/agent/contract/harness-loop.test.ts › resume without a payload while calls are open throws",
    ],
  ],
  [
    13,
    "hooks that throw, middleware that refuses",
    ["test/golden/hooks/throwing_before_tool_call.harn", "test/golden/middleware/required_reason.harn"],
  ],
  [14, "scratchpads that freeze", ["test/golden/scratchpad/never_freezes.harn"]],
  [
    15,
    "compaction keeps the task",
    [
      "test/golden/compaction/task_stays.harn",
      "test/golden/compaction/hard_limit.harn",
      "test/golden/compaction/strategies.harn",
    ],
  ],
  [16, "directives in the middle of an answer", ["test/unit/work/session/directive.test.ts"]],
  [
    17,
    "a failed agent is not silent",
    ["test/unit/cli/unseen-ends.test.ts › of a sub-agent: said with its error"],
  ],
  [
    18,
    "unknown keys",
    [
      "test/unit/types/misspelt.test.ts › each is an error of the check",
      "test/golden/policy/misspelt_bounds.harn",
    ],
  ],
  [
    19,
    "undefined names, lost writes, dropped arguments",
    [
      "test/golden/types/warn-assignments.harn",
      "test/unit/types/misspelt.test.ts › a run that can go on warns",
    ],
  ],
  [
    20,
    "nil for an optional argument",
    [
      "test/golden/types/builtin-default-nil.harn",
      "test/golden/concurrency/shared-initial.harn",
      "test/unit/types/command-line.test.ts › nil for an optional argument",
    ],
  ],
  [
    21,
    "arguments are checked whole",
    [
      "test/unit/agent/tools/dispatch.test.ts › checks the whole schema",
      "test/golden/tools/argument_checks.harn",
      "test/golden/tools/names.harn",
    ],
  ],
  [
    22,
    "approvals wait for the right people",
    [
      "test/unit/cli/hitl.test.ts › waits for a person",
      "test/unit/cli/hitl.test.ts › an approval is given by its reviewers only",
    ],
  ],
  [
    23,
    "daemons keep their flags",
    ["test/unit/cli/daemon.test.ts › keeps the flags that it was started with"],
  ],
  [24, "messages of MCP that are none", ["test/unit/security/servers.test.ts › what is no message"]],
  [
    25,
    "closed sessions, idempotency, spans",
    [
      "test/golden/sessions/closing.harn",
      "test/golden/middleware/idempotency_joins.harn",
      "test/unit/cli/otel.test.ts › are spans of one trace",
    ],
  ],
  [26, "commands in doubt", ["test/unit/cli/doubtful-commands.test.ts › a command in doubt"]],
  [
    27,
    "files and text",
    [
      "test/golden/builtins/time/date_microseconds.harn",
      "test/golden/builtins/schemas/structs.harn",
      "test/golden/builtins/workspace/scan.harn",
      "test/golden/modules/graphql.harn",
      "test/golden/builtins/crypto/signed-urls.harn",
      "test/golden/http/multipart-forms.harn",
      "test/golden/modules/project_deep.harn",
      "test/golden/tool_search/declared_cost.harn",
      "test/golden/skills/namespaces.harn",
      "test/golden/language/errors/try-star.harn",
    ],
  ],
  [
    28,
    "docs and examples that run",
    [
      "test/unit/docs/blocks.test.ts",
      "test/unit/library/core.test.ts › every function that the docs name",
      "test/examples.test.ts",
    ],
  ],
  [29, "state folders that can't be", ["test/unit/cli/bad-store.test.ts › /proc/x"]],
  [30, "several resumes at once", ["test/unit/cli/resume.test.ts › several resumes at the same moment"]],
  [
    31,
    "output that nobody takes",
    ["test/unit/cli/lost-output.test.ts", "test/unit/cli/bad-store.test.ts › a full disk"],
  ],
  [32, "damaged content", ["test/unit/cli/bad-store.test.ts › a damaged piece"]],
  [
    33,
    "signals, read-only file systems",
    ["test/unit/cli/signal.test.ts", "test/unit/cli/bad-store.test.ts › a read-only file system"],
  ],
  [
    34,
    "replays of programs with secrets",
    ["test/unit/security/secrets-in-journals.test.ts › a replay on a machine without the secret"],
  ],
  [35, "paths through links", ["test/attacks/paths.test.ts"]],
  [36, "round a denial", ["test/attacks/paths.test.ts › a denied folder", "test/attacks/policies.test.ts"]],
  [37, "files of the system", ["test/attacks/paths.test.ts › files of the system"]],
  [38, "one gate", ["test/attacks/every-builtin.test.ts"]],
  [
    39,
    "egress, keys of vendors",
    ["test/attacks/egress.test.ts", "test/unit/llm/keys.test.ts › does not go where only the script says"],
  ],
  [
    40,
    "redirects, paths that climb",
    [
      "test/unit/security/servers.test.ts › a redirect to another host",
      "test/unit/security/servers.test.ts › paths that climb",
    ],
  ],
  [
    41,
    "placeholders in text from outside",
    ["test/unit/security/secrets-in-journals.test.ts › text from outside that names a secret"],
  ],
  [42, "escape codes", ["test/unit/security/terminal.test.ts"]],
  [43, "secrets at rest", ["test/unit/security/secrets-at-rest.test.ts"]],
  [
    44,
    "streams of the wrong shape",
    [
      "test/unit/llm/malformed.test.ts › two calls at one place",
      "test/unit/cli/skill.test.ts",
      "test/unit/agent/skills/git-skills.test.ts › a hostile repository",
    ],
  ],
  [
    45,
    "work that does not end",
    [
      "test/unit/security/long-builtins.test.ts",
      "test/unit/security/servers.test.ts › a tool that computes without end",
      "test/attacks/special-files.test.ts › every file builtin answers",
    ],
  ],
  [
    46,
    "limits in flight",
    ["test/golden/agent_options/wall_clock_in_flight.harn", "test/golden/subagents/tokens_at_once.harn"],
  ],
  [47, "slow clients", ["test/unit/security/servers.test.ts › slow clients"]],
  [
    48,
    "command policies, scopes that only narrow",
    [
      "test/attacks/commands.test.ts",
      "test/golden/llm/budget_from_inside.harn",
      "test/golden/chat/bad_limits.harn",
    ],
  ],
];
