/** Rows of agents, tools, skills and transcripts (agents.md). Those of workers and workflows are in `work/fields/`. */
import { compactionPolicyFields, compactionRows, ladderRows, loopFields } from "../../agent/index.ts";
import { callFields } from "../../model/index.ts";
import { type Field, field, fieldRowsOf, fieldTable, providerBodies } from "../../table/index.ts";

/** Options of a loop: it looks at their types itself, in documented words. */
const ofLoop = { ...providerBodies, typedByReader: true } as const;

/** Names that mean nothing are refused by the reader, in documented words. */
const refused = { refusedByReader: true } as const;

// ---------------------------------------------------------------- tools and skills

/** `tool_define`. Its reader says what is wrong, in documented words. */
export const toolFields = fieldTable(
  () => [
    field("parameters", "any", "The parameters: by name, or as a JSON Schema.", {
      why: "parameters by name, or a JSON Schema",
    }),
    field("handler", "closure", "What the tool does."),
    field("returns", "string | dict", "What it gives: a type, or a schema."),
    field("outputSchema", "dict", "Another form of `returns`."),
    field(
      "annotations",
      "dict",
      "What it touches: kind, side effects, capabilities, arguments that are paths.",
    ),
    field(
      "modes",
      "list<string>",
      "In which modes of an agent it may be called: `plan`, `execute`; by its annotations unless given.",
    ),
    field("executor", "string", "Who runs it: `harn`, `host_bridge`, `mcp_server` or `provider_native`."),
    field("host_capability", "string", "The host's operation, for `host_bridge`."),
    field("mcp_server", "string", "The server, for `mcp_server`."),
    field("defer_loading", "bool", "Models must search for it.", { default: "false" }),
    field("namespace", "string", "The group that it is found under."),
    field("timeout_ms", "int | duration", "Milliseconds that a call may take.", { bounds: true }),
  ],
  { others: "kept in the tool's entry", typedByReader: true },
);

export const synthesisFields = fieldTable(() => [
  field("name", "string", "What the tool is called; `synth_` and words of the description unless given."),
  field("description", "string", "What it does."),
  field("parameters", "dict", "Its parameters."),
  field("params", "dict", "The same as `parameters`."),
  field("executor", "string", "`dry_run`, `host_bridge` or `mcp_server`.", { default: '"dry_run"' }),
  field("capabilities", "list<string>", "What it needs.", { bounds: true }),
  field("side_effect_level", "string", "The most that it does; from the capabilities unless given.", {
    bounds: true,
  }),
  field("return_type", "any", "What it gives.", { why: "a type's name, or a schema" }),
  field("returns", "any", "The same as `return_type`.", { why: "a type's name, or a schema" }),
  field("host_tool", "string", "The host's `capability.operation`; the name unless given."),
  field("mcp_tool", "string", "The server's tool; the name unless given."),
  field("mcp_client", "any", "The connection to that server (`mcp_connect`).", {
    why: "a handle of mcp_connect",
  }),
  field("mcp_server", "string", "The server's name, for the record."),
  field("handler", "any", "Refused: handlers belong to `tool_define`.", { why: "refused whatever it is" }),
  field("body", "any", "Refused, too.", { why: "refused whatever it is" }),
]);

export const loadSkillFields = fieldTable(() => [
  field("require_signature", "bool", "Only a skill that is signed.", { default: "false", bounds: true }),
  field("arguments", "any", "What stands for `$ARGUMENTS` and `$1`.", {
    why: "a text, or values that are shown as texts",
  }),
]);

export const toolHookFields = fieldTable(
  () => [
    field("pattern", "string", "The tools that it holds for.", { default: '"*"' }),
    field("deny", "bool | string", "Refuse their calls, with this reason."),
    field("max_output", "int", "Characters of a result."),
    field("pre", "closure", "Called before a call."),
    field("post", "closure", "Called after it."),
  ],
  { strict: true, refusedByReader: true },
);

export const batchFields = fieldTable(
  () => [
    ...fieldRowsOf(loopFields).filter(({ name }) =>
      /^(tool_|max_concurrent|policy|permissions|approval_policy|command_policy|session_id|agent|persona|mode|native_)/.test(
        name,
      ),
    ),
  ],
  { others: "options of the loop that the batch stands for", typedByReader: true },
);

export const agentFields = fieldTable(
  () => [
    field("system", "string", "The system text."),
    field("description", "string", "What the agent is for."),
    field("role", "string", "What it is called by others."),
    ...fieldRowsOf(loopFields, "system"),
  ],
  { others: "kept in the agent's record", typedByReader: true },
);

// ---------------------------------------------------------------- transcripts and sessions

export const forkFields = fieldTable(() => [
  field("retain_messages", "bool", "The copy has the messages.", { default: "true" }),
  field("retain_summary", "bool", "The copy has the summary.", { default: "true" }),
]);

export const resetFields = fieldTable(() => [field("metadata", "dict", "What is kept with it.")]);

const compactRows = (): readonly Field[] => [
  ...compactionRows(),
  field("target_tokens", "int", "The size that it is compacted to.", { range: [0, null] }),
  field("summary", "string", "The summary, in place of one that is made."),
  field("instructions", "string", "What the summary must heed."),
  field("prompt", "string", "What `transcript_summarize` asks, in place of the usual prompt."),
  ...compactionPolicyFields.rows.filter(({ name }) => name !== "instructions"),
  ...fieldRowsOf(callFields, ...compactionRows().map(({ name }) => name)),
];

export const contextQuestionFields = fieldTable(
  () => [
    field("turn", "int", "The turn whose request it is about, from 1; the last unless given."),
    field("loop", "string", "Which loop of the session, as events name it (`l2`); the last unless given."),
  ],
  { strict: true },
);

/** What `agent_why` is asked; one of the first seven, or none for how the session's last loop ended. */
export const whyFields = fieldTable(
  () => [
    field("turn", "int", "Why the loop went on after this turn, and what had changed."),
    field("message", "string", "A message: where it comes from, when it was seen, what became of it."),
    field("missing", "string", "A message: why it is not in a request."),
    field("text", "string", "Which parts of the requests have this text, and which had it until when."),
    field("tool", "string", "A tool: when the model was told of it, and how its calls went."),
    field("rule", "string", "A just-in-time instruction: when it was given, or why not."),
    field("requirement", "string", "A requirement of the task contract: each look at it."),
    field("loop", "string", "Which loop of the session, as events name it (`l2`); the last unless given."),
  ],
  { strict: true },
);

export const interventionsFields = fieldTable(
  () => [field("from", "int", "The number to begin with, counted in the session from 1.", { default: "1" })],
  { strict: true },
);

export const recallFields = fieldTable(
  () => [
    field("offset", "int", "Characters to skip.", { default: "0", range: [0, null] }),
    field("limit", "int", "Characters to read, at most 8,000.", { default: "4000", range: [1, null] }),
  ],
  { strict: true },
);

/** `transcript_auto_compact` and `transcript_summarize`: knobs of the engine, and options of the summarizing call. */
export const compactFields = fieldTable(compactRows, ofLoop);

/** `transcript_compact` and `agent_session_compact`, which have the ladder, too. */
export const ladderCompactFields = fieldTable(() => {
  const rows = compactRows();
  return [...rows, ...ladderRows().filter(({ name }) => !rows.some((row) => row.name === name))];
}, ofLoop);

export const sessionOpenFields = fieldTable(
  () => [
    field("workspace_anchor", "string | dict", "The folder that its tools work in.", {
      nested: fieldTable(() => [
        field("primary", "string", "The folder."),
        field("additional_roots", "list", "Further folders: paths, or `{path, mount_mode}`."),
      ]),
      bounds: true,
    }),
  ],
  { strict: true, refusedByReader: true },
);

export const padChangeFields = fieldTable(() => [
  field("source", "string", "Who changes it."),
  field("reason", "string", "Why."),
  field("metadata", "dict", "Kept in the event."),
]);

export const seedFields = fieldTable(
  () => [
    field("session_id", "string", "The session's id; made up unless given."),
    field("provider", "string", "Whose form the file has."),
    field("model", "string", "The model that wrote it."),
    field("truncate_to_last", "any", "Only the last so many messages.", {
      why: "what is wrong in it is told in the result",
    }),
    field("drop_tool_calls", "bool", "Without calls and results.", { default: "false" }),
    field("validate", "bool", "Check that calls and results fit together.", { default: "true" }),
  ],
  refused,
);
