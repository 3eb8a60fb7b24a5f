/** Rows of agents, tools, skills and transcripts (agents.md). Those of workers and workflows are in `work/fields/`. */
import { compactionPolicyFields, compactionRows, ladderFields, loopFields } from "../../agent/index.ts";
import { callFields } from "../../model/index.ts";
import { fieldRowsOf, fieldTable, providerBodies, row, rows } from "../../table/index.ts";

/** Options of a loop: it looks at their types itself, in documented words. */
const ofLoop = { ...providerBodies, typedByReader: true } as const;

/** Names that mean nothing are refused by the reader, in documented words. */
const refused = { refusedByReader: true } as const;

// ---------------------------------------------------------------- tools and skills

/** `tool_define`. Its reader says what is wrong, in documented words. */
export const toolFields = rows(
  () => ({
    parameters: row.value(
      "The parameters: by name, or as a JSON Schema.",
      "parameters by name, or a JSON Schema",
    ),
    handler: row.closure("What the tool does."),
    returns: row.either([row.text(), row.dict(null)], "What it gives: a type, or a schema."),
    outputSchema: row.dict(null, "Another form of `returns`."),
    annotations: row.dict(
      null,
      "What it touches: kind, side effects, capabilities, arguments that are paths.",
    ),
    modes: row.list(
      row.text(),
      "In which modes of an agent it may be called: `plan`, `execute`; by its annotations unless given.",
    ),
    executor: row.text("Who runs it: `harn`, `host_bridge`, `mcp_server` or `provider_native`."),
    host_capability: row.text("The host's operation, for `host_bridge`."),
    mcp_server: row.text("The server, for `mcp_server`."),
    defer_loading: row.bool("Models must search for it.", false),
    namespace: row.text("The group that it is found under."),
    timeout_ms: row.duration("Milliseconds that a call may take.").bounds(),
  }),
  { others: "kept in the tool's entry", typedByReader: true },
);

export const synthesisFields = rows(() => ({
  name: row.text("What the tool is called; `synth_` and words of the description unless given."),
  description: row.text("What it does."),
  parameters: row.dict(null, "Its parameters."),
  params: row.dict(null, "The same as `parameters`."),
  executor: row.text("`dry_run`, `host_bridge` or `mcp_server`.", "dry_run"),
  capabilities: row.list(row.text(), "What it needs.").bounds(),
  side_effect_level: row.text("The most that it does; from the capabilities unless given.").bounds(),
  return_type: row.value("What it gives.", "a type's name, or a schema"),
  returns: row.value("The same as `return_type`.", "a type's name, or a schema"),
  host_tool: row.text("The host's `capability.operation`; the name unless given."),
  mcp_tool: row.text("The server's tool; the name unless given."),
  mcp_client: row.value("The connection to that server (`mcp_connect`).", "a handle of mcp_connect"),
  mcp_server: row.text("The server's name, for the record."),
  handler: row.value("Refused: handlers belong to `tool_define`.", "refused whatever it is"),
  body: row.value("Refused, too.", "refused whatever it is"),
}));

export const loadSkillFields = rows(() => ({
  require_signature: row.bool("Only a skill that is signed.", false).bounds(),
  arguments: row.value("What stands for `$ARGUMENTS` and `$1`.", "a text, or values that are shown as texts"),
}));

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

export const agentFields = rows(
  () => ({
    system: row.text("The system text."),
    description: row.text("What the agent is for."),
    role: row.text("What it is called by others."),
  }),
  {
    others: "kept in the agent's record",
    typedByReader: true,
    beside: () => [...fieldRowsOf(loopFields, "system")],
  },
);

// ---------------------------------------------------------------- transcripts and sessions

export const forkFields = rows(() => ({
  retain_messages: row.bool("The copy has the messages.", true),
  retain_summary: row.bool("The copy has the summary.", true),
}));

export const resetFields = rows(() => ({ metadata: row.dict(null, "What is kept with it.") }));

const ownCompactRows = rows(() => ({
  target_tokens: row.int("The size that it is compacted to.", null, { min: 0 }),
  summary: row.text("The summary, in place of one that is made."),
  instructions: row.text("What the summary must heed."),
  prompt: row.text("What `transcript_summarize` asks, in place of the usual prompt."),
}));

const compactRows = () => [
  ...compactionRows(),
  ...ownCompactRows.rows,
  ...compactionPolicyFields.rows.filter(({ name }) => name !== "instructions"),
  ...fieldRowsOf(callFields, ...compactionRows().map(({ name }) => name)),
];

export const contextQuestionFields = rows(
  () => ({
    turn: row.int("The turn whose request it is about, from 1; the last unless given."),
    loop: row.text("Which loop of the session, as events name it (`l2`); the last unless given."),
  }),
  { strict: true },
);

/** What `agent_why` is asked; one of the first seven, or none for how the session's last loop ended. */
export const whyFields = rows(
  () => ({
    turn: row.int("Why the loop went on after this turn, and what had changed."),
    message: row.text("A message: where it comes from, when it was seen, what became of it."),
    missing: row.text("A message: why it is not in a request."),
    text: row.text("Which parts of the requests have this text, and which had it until when."),
    tool: row.text("A tool: when the model was told of it, and how its calls went."),
    rule: row.text("A just-in-time instruction: when it was given, or why not."),
    requirement: row.text("A requirement of the task contract: each look at it."),
    loop: row.text("Which loop of the session, as events name it (`l2`); the last unless given."),
  }),
  { strict: true },
);

export const interventionsFields = rows(
  () => ({ from: row.int("The number to begin with, counted in the session from 1.", 1) }),
  { strict: true },
);

export const recallFields = rows(
  () => ({
    offset: row.int("Characters to skip.", 0, { min: 0 }),
    limit: row.int("Characters to read, at most 8,000.", 4000, { min: 1 }),
  }),
  { strict: true },
);

/** `transcript_auto_compact` and `transcript_summarize`: knobs of the engine, and options of the summarizing call. */
export const compactFields = fieldTable(compactRows, ofLoop);

/** `transcript_compact` and `agent_session_compact`, which have the ladder, too. */
export const ladderCompactFields = fieldTable(() => {
  const rows = compactRows();
  return [...rows, ...ladderFields.rows.filter(({ name }) => !rows.some((row) => row.name === name))];
}, ofLoop);

export const padChangeFields = rows(() => ({
  source: row.text("Who changes it."),
  reason: row.text("Why."),
  metadata: row.dict(null, "Kept in the event."),
}));

export const seedFields = rows(
  () => ({
    session_id: row.text("The session's id; made up unless given."),
    provider: row.text("Whose form the file has."),
    model: row.text("The model that wrote it."),
    truncate_to_last: row.value(
      "Only the last so many messages.",
      "what is wrong in it is told in the result",
    ),
    drop_tool_calls: row.bool("Without calls and results.", false),
    validate: row.bool("Check that calls and results fit together.", true),
  }),
  refused,
);
