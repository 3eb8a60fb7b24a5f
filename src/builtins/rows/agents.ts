/** Rows of agents, tools, skills and transcripts (agents.md). Those of workers and workflows are in `work/fields/`. */

import {
  compactionPolicyFields,
  compactionRows,
  ladderFields,
  loopFields,
  promptRows,
  sideEffectLevels,
} from "../../agent/index.ts";
import type { McpClient } from "../../mcp/index.ts";
import { agentModes, callFields, toolExecutors } from "../../model/index.ts";
import {
  type At,
  fieldRowsOf,
  fieldTable,
  inside,
  providerBodies,
  refusal,
  row,
  rows,
} from "../../table/index.ts";
import { Dict, isSchemaType, List, type Value } from "../../values/index.ts";

/** Options of a loop: it looks at their types itself, in documented words. */
const ofLoop = { ...providerBodies, typedByReader: true } as const;

/** Names that mean nothing are refused by the reader, in documented words. */
const refused = { refusedByReader: true } as const;

// ---------------------------------------------------------------- tools and skills

/** A schema, and not parameters by name. */
export const saysType = (options: Dict): boolean =>
  typeof options.get("type") === "string" || options.get("properties") instanceof Dict;

/** Each parameter has a type that schemas know, or a schema. */
function checkedParameters(parameters: Value, place: At): Value {
  const fields =
    parameters instanceof Dict && saysType(parameters) ? parameters.get("properties") : parameters;
  if (!(fields instanceof Dict)) return parameters;
  for (const [name, spec] of fields.entries()) {
    const type = spec instanceof Dict ? (spec.get("type") ?? null) : spec;
    const isKnown =
      type === null ||
      typeof type === "boolean" ||
      type instanceof List ||
      (typeof type === "string" && isSchemaType(type));
    if (!isKnown) throw refusal(inside(place, name), "a type of a schema", type);
  }
  return parameters;
}

/** `tool_define`. */
export const toolFields = rows(
  () => ({
    parameters: row
      .value("The parameters: by name, or as a JSON Schema.", "parameters by name, or a JSON Schema")
      .to(checkedParameters),
    handler: row.closure("What the tool does."),
    returns: row.either([row.text(), row.dict(null)], "What it gives: a type, or a schema."),
    outputSchema: row.dict(null, "Another form of `returns`."),
    annotations: row.dict(
      null,
      "What it touches: kind, side effects, capabilities, arguments that are paths.",
    ),
    modes: row
      .list(
        row.oneOf(agentModes),
        "In which modes of an agent it may be called; by its annotations unless given.",
      )
      .full()
      .where("a list of modes that is not empty", (modes) => modes.length > 0),
    executor: row
      .oneOf([...toolExecutors, "harn_builtin"], "Who runs it.")
      .to((executor) => (executor === "harn_builtin" ? "harn" : executor)),
    host_capability: row.filled("The host's operation, for `host_bridge`."),
    mcp_server: row.filled("The server, for `mcp_server`."),
    defer_loading: row.bool("Models must search for it.", false),
    namespace: row.filled("The group that it is found under."),
    timeout_ms: row.duration("Milliseconds that a call may take.").bounds(),
  }),
  { others: "kept in the tool's entry" },
);

export const synthesisFields = rows(() => ({
  name: row
    .text("What the tool is called; `synth_` and words of the description unless given.")
    .where("ASCII letters, digits, and underscores", (name) => /^[A-Za-z0-9_]+$/.test(name)),
  description: row.words("What it does.").required(),
  parameters: row.dict(null, "Its parameters.").alias("params"),
  executor: row.oneOf(["dry_run", "host_bridge", "mcp_server"], "Who runs it.", "dry_run"),
  capabilities: row.list(row.words(), "What it needs.", []).full().bounds(),
  side_effect_level: row
    .oneOf(sideEffectLevels, "The most that it does; from the capabilities unless given.")
    .bounds(),
  return_type: row.value("What it gives.", "a type's name, or a schema").alias("returns"),
  host_tool: row.words("The host's `capability.operation`; the name unless given."),
  mcp_tool: row.words("The server's tool; the name unless given."),
  mcp_client: row.handle<McpClient>("mcp_client", "The connection to that server (`mcp_connect`)."),
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

export const surfaceFields = rows(
  () => ({
    tools: row.value("The tools.", "a registry of tools in any of its forms"),
    policy: row.handle<Value>("dict | bool", "The ceiling that they stand under.").bounds(),
    approval_policy: row.handle<Value>("dict | bool", "What a person is asked about.").bounds(),
    permissions: row.dict(null, "What may be called.").bounds(),
    system: row.text("The system text."),
    prompt_texts: row.value("Texts that name tools.", "texts by any name"),
    tool_search: row.value("How tools are found.", "the loop judges it"),
  }),
  { others: "options of a loop" },
);

export const promptFields = rows(() => promptRows.typed, { others: "options of a loop" });

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
