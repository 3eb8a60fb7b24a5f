/** The options of one model call (agents.md §1.1): of `llm_call` and its family, and of everybody who makes calls for it. */
import {
  type Below,
  below,
  type Field,
  type FieldTable,
  field,
  fieldTable,
  providerBodies,
} from "../../table/index.ts";

const levels = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** `budget` of a call. */
export const callBudgetFields = fieldTable(
  () => [
    field(
      "max_cost_usd",
      "float",
      "Dollars that one call may cost; checked against its worst case before it is sent.",
      {
        range: [0, null],
      },
    ),
    field("max_input_tokens", "float", "Tokens that the request may have.", { range: [0, null] }),
    field("max_output_tokens", "float", "Tokens that the answer may have.", { range: [0, null] }),
    field(
      "total_budget_usd",
      "float",
      "Dollars that all calls of the run, or of the loop, may cost together.",
      {
        range: [0, null],
        below: "holds",
      },
    ),
  ],
  { strict: true },
);

export const thinkingFields = fieldTable(() => [
  field("mode", "string", "How the model thinks.", { values: ["disabled", "enabled", "adaptive", "effort"] }),
  field("enabled", "bool", "Short for the modes `enabled` and `disabled`."),
  field("budget_tokens", "int", "Tokens for thinking, in the mode `enabled`.", {
    range: [0, null],
    bounds: true,
  }),
  field("level", "string", "How much, in the mode `effort`.", { values: levels, default: '"medium"' }),
]);

const outputFormatFields = fieldTable(() => [
  field("kind", "string", "What the answer is.", { values: ["text", "json", "json_object", "json_schema"] }),
  field("type", "string", "Another name for `kind`.", {
    values: ["text", "json", "json_object", "json_schema"],
  }),
  field("schema", "dict", "The schema, with `json_schema`."),
  field("strict", "bool", "Hold the vendor to the schema strictly."),
  field("name", "string", "What the vendor is told as the schema's name."),
]);

const routePolicyFields = fieldTable(
  () => [
    field("policy", "string | closure", "How a candidate is chosen: a rule, or a function of the script.", {
      values: ["first_available", "cheapest", "strongest"],
      default: '"first_available"',
    }),
    field("candidates", "list", "Routes to choose from: models, or dicts of call options that name one."),
    field("require", "list<string> | string", "Capabilities that a candidate must have."),
  ],
  { strict: true },
);

const experimentFields = fieldTable(
  () => [
    field("name", "string", "One of the experiments that are built in, or your own name for `transform`."),
    field("label", "string", "What the transcript calls it."),
    field(
      "transform",
      "closure",
      "Takes `{messages, system, iteration, label, name, args}` and gives the changed prompt.",
    ),
    field("args", "dict", "What the experiment depends on."),
  ],
  { others: "arguments of the experiment may stand beside its name" },
);

/** `tool_search`. */
export const toolSearchFields = fieldTable(() => [
  field("variant", "string", "How tools are found.", {
    values: ["bm25", "regex", "hybrid"],
    default: '"bm25"',
  }),
  field("mode", "string", "Who searches: the vendor's own tool, the loop, or whichever is there.", {
    values: ["auto", "native", "client"],
    default: '"auto"',
  }),
  field(
    "strategy",
    "string",
    "How the loop itself searches; the variant unless given. `semantic` and `host` ask the host (`tool_search.query`).",
    { values: ["bm25", "regex", "hybrid", "semantic", "host"] },
  ),
  field("always_loaded", "list<string>", "Tools that are shown from the beginning.", { bounds: true }),
  field("budget_tokens", "int", "Tokens that the tools which were found may take of the request.", {
    range: [1, null],
    bounds: true,
  }),
  field("name", "string", "Name of the loop's own search tool.", { default: '"__harn_tool_search"' }),
  field(
    "include_stub_listing",
    "bool",
    "Names and first sentences of the tools that can be found stand in the system text.",
    {
      default: "false",
    },
  ),
]);

const toolChoiceFields = fieldTable(() => [field("name", "string", "The tool that the model must call.")]);

const gated = (name: string, what: string): Field =>
  field(name, "bool", `The request holds ${what}; without it, that is seen from the messages.`);

/** Where the call goes: shared by calls, judges and summarizers. */
export const routeRows = (): readonly Field[] => [
  field("provider", "string", "Who is asked; `auto` goes by the model's name.", {
    sets: ["route", "aside", "agent"],
  }),
  field("model", "string", "A model or one of its aliases.", { sets: ["route", "aside", "agent"] }),
  field(
    "model_tier",
    "string",
    "The model of this tier: `small`, `mid`, `frontier`, or one of the project's.",
    { sets: ["route", "aside", "conversation", "agent"] },
  ),
  field("max_tokens", "int", "Tokens that the answer may have.", {
    default: "16384",
    range: [1, null],
    bounds: true,
    sets: ["agent"],
  }),
  field("temperature", "float", "How freely the model chooses; sent where the route has the knob.", {
    sets: ["agent"],
  }),
  field("top_p", "float", "Share of the likeliest words to choose from.", { sets: ["agent"] }),
];

/** What a judge or summarizer may set besides its route. */
export const asideRows = (): readonly Field[] => [
  field("response_format", "string", "What its answer is read as.", {
    values: ["text", "json", "json_object"],
  }),
  field("reasoning_effort", "string", "How much it thinks.", { values: levels }),
  field("thinking", "bool | string | dict", "Whether and how it thinks.", {
    values: levels,
    nested: thinkingFields,
  }),
  field("timeout", "int | float | duration", "Seconds (or a duration) that a call may take.", {
    bounds: true,
  }),
  field("timeout_ms", "int", "The same in milliseconds.", { range: [0, null], bounds: true }),
  field("base_url", "string", "Where the provider is."),
  field("api_mode", "string", "Which of a vendor's interfaces is spoken."),
];

const ofItsAnswer: Below = { ends: "it is about the form of this agent's answer" };

const sampling = (): readonly Field[] => [
  field("top_k", "int", "Number of the likeliest words to choose from.", { sets: ["agent"] }),
  field("stop", "list<string> | string", "Texts at which the answer ends.", {
    sets: ["more than text"],
    below: ofItsAnswer,
  }),
  field("seed", "int", "The same seed gives like answers, where the route can do that."),
  field("frequency_penalty", "float", "Makes words that were said often less likely."),
  field("presence_penalty", "float", "Makes words that were said at all less likely."),
  field("logprobs", "bool", "The answer tells how likely its words were.", { below: ofItsAnswer }),
  field("top_logprobs", "int", "And so many of the words that it did not choose.", {
    range: [0, null],
    below: ofItsAnswer,
  }),
];

const output = (): readonly Field[] => [
  field("response_format", "string", "What the answer is read as.", {
    values: ["text", "json", "json_object"],
    default: '"text"',
    sets: ["more than text"],
  }),
  field("schema", "dict", "Schema of the answer; with one, it is read as JSON into `data`.", {
    sets: ["more than text"],
  }),
  field("json_schema", "dict", "Another name for `schema`.", { sets: ["more than text"] }),
  field("output_schema", "dict", "Another name for `schema`.", {
    sets: ["more than text", "several answers"],
  }),
  field(
    "output_format",
    "string | dict",
    "What the vendor is asked for: a kind, or a dict with the schema.",
    {
      default: '{kind: "text"}',
      nested: outputFormatFields,
      sets: ["more than text"],
    },
  ),
  field("output_validation", "string", "What is done about an answer that does not fit its schema.", {
    values: ["off", "warn", "error"],
    default: '"off"',
    sets: ["more than text"],
  }),
  field("schema_retries", "int", "Further tries when an answer does not fit its schema.", {
    default: "1",
    range: [0, null],
  }),
  field(
    "schema_retry_nudge",
    "bool | string",
    "What is said before such a try: the usual correction (`true`), nothing (`false`), or a text in place of its first sentence.",
    { default: "true" },
  ),
  field("schema_stream_abort", "bool", "End an answer as soon as its beginning can't fit the schema.", {
    default: "false",
  }),
];

const reasoning = (): readonly Field[] => [
  field(
    "thinking",
    "bool | string | dict",
    "Whether and how the model thinks: on, off, a level, or a dict.",
    {
      values: levels,
      nested: thinkingFields,
      sets: ["reasoning", "agent"],
    },
  ),
  field("reasoning_effort", "string", "How much the model thinks.", {
    values: levels,
    sets: ["reasoning", "agent"],
  }),
  field(
    "reasoning_policy",
    "bool | string | dict",
    "Chooses how much the model thinks by its catalogue entry; `auto` goes by the task.",
    { sets: ["reasoning", "agent"] },
  ),
  field("thinking_policy", "bool | string | dict", "Another name for `reasoning_policy`.", {
    sets: ["reasoning"],
  }),
  field("reasoning_scale", "string", "How large the task is, for the policy `auto`.", { sets: ["agent"] }),
  field("problem_scale", "string", "Another name for `reasoning_scale`."),
  field("reasoning_task", "string", "What kind of task it is, for the policy `auto`.", { sets: ["agent"] }),
  field("interleaved_thinking", "bool", "The model thinks between tool calls too, where it can.", {
    default: "false",
  }),
  field("anthropic_beta_features", "list<string> | string", "Names for Anthropic's header of beta features."),
];

const transport = (): readonly Field[] => [
  field("llm_retries", "int", "Further tries after failures that pass.", { range: [0, null] }),
  field("llm_backoff_ms", "int", "Rest before the first of them; doubles with each.", {
    default: "250",
    range: [0, null],
  }),
  field("timeout", "int | float | duration", "Seconds (or a duration) that a call may take.", {
    default: "120",
    bounds: true,
    sets: ["aside"],
  }),
  field("timeout_ms", "int", "The same in milliseconds.", {
    range: [0, null],
    bounds: true,
    sets: ["aside"],
  }),
  field(
    "idle_timeout",
    "int | float | duration",
    "Seconds (or a duration) without a word after which a stream is given up.",
    {
      bounds: true,
    },
  ),
  field("idle_timeout_ms", "int", "The same in milliseconds.", { range: [0, null], bounds: true }),
  field("stream", "bool", "How the answer travels; the result is the same.", { default: "true" }),
  field("cache", "bool", "Ask the vendor to keep the beginning of the prompt.", {
    default: "false",
    sets: ["aside"],
  }),
  field("api_mode", "string", "Which of a vendor's interfaces is spoken.", { sets: ["route", "aside"] }),
  field(
    "base_url",
    "string",
    "Where the provider is; the host must be the vendor's, or one that the user named.",
    { sets: ["route", "aside"] },
  ),
  field("fast", "bool", "The vendor's faster and dearer way, where it has one with a known price.", {
    default: "false",
  }),
  field("route_policy", "string | dict | closure | bool", "Chooses one of several routes.", {
    nested: routePolicyFields,
    sets: ["routing"],
  }),
  field("routing_policy", "string | dict | closure | bool", "Another name for `route_policy`.", {
    nested: routePolicyFields,
    sets: ["routing"],
  }),
  field("fallback_chain", "list | bool", "Routes that are asked when the one before failed.", {
    sets: ["routing"],
  }),
];

/** `llm_call(…, options)`. */
export const callFields: FieldTable = fieldTable(
  () => [
    ...below("delegates", [...routeRows(), ...sampling()]),
    ...below(ofItsAnswer, output()),
    ...below("delegates", reasoning()),
    ...below({ ends: "it is about what this agent's messages hold" }, [
      gated("vision", "pictures"),
      gated("audio", "sound"),
      gated("pdf", "PDF files"),
      gated("video", "video"),
    ]),
    field("tools", "dict | list", "Tools that the model may call: a registry, or a list of definitions.", {
      sets: ["conversation", "more than text"],
    }),
    field("tool_choice", "string | dict", "Whether it must call one, and which.", {
      values: ["auto", "none", "required"],
      default: '"auto"',
      nested: toolChoiceFields,
      sets: ["more than text"],
      below: ofItsAnswer,
    }),
    field("tool_format", "string", "How the model calls tools.", {
      values: ["native", "text", "json", "auto"],
      sets: ["conversation", "more than text"],
    }),
    field("tool_contract", "bool", "The system text tells how tools are called, in the format `text`.", {
      default: "true",
      below: "delegates",
    }),
    field("tool_search", "bool | string | dict", "Show deferred tools only when the model looks for them.", {
      nested: toolSearchFields,
    }),
    field("budget", "dict", "Limits of this call in money and tokens.", {
      nested: callBudgetFields,
      bounds: true,
      below: "delegates",
    }),
    ...below("delegates", transport()),
    field(
      "structural_experiment",
      "string | dict | closure | bool",
      "Changes the prompt before it is sent, to compare.",
      {
        nested: experimentFields,
        sets: ["agent"],
        below: { ends: "two ways of asking are compared at one place" },
      },
    ),
    field("prefill", "string", "The beginning of the answer, for routes that take one.", {
      sets: ["more than text"],
      below: ofItsAnswer,
    }),
    field("session_id", "string", "The session that events and records of the call belong to.", {
      sets: ["more than text"],
    }),
    field("llm_transcript_dir", "string", "Folder that gets a record of request and answer."),
    field("transcript", "any", "A conversation that stands before the prompt.", {
      sets: ["conversation", "more than text"],
      why: "a transcript in any of its forms",
    }),
    field("messages", "list<dict>", "Messages in place of the prompt.", {
      sets: ["conversation", "more than text"],
    }),
  ],
  providerBodies,
);
