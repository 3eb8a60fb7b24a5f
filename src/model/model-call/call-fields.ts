/** The options of one model call (agents.md §1.1): of `llm_call` and its family, and of everybody who makes calls for it. */
import {
  type Below,
  type Field,
  inside,
  providerBodies,
  type Read,
  refusal,
  row,
  rows,
} from "../../table/index.ts";
import { Callable, Dict, Duration, type List } from "../../values/index.ts";
import type { Thinking } from "../llm/index.ts";
import { toolSearchRow } from "../tools/search/options.ts";

const levels = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** `budget` of a call: limits checked before the request leaves (agents.md §1.8). */
export const callBudgetFields = rows(
  () => ({
    max_cost_usd: row.number(
      "Dollars that one call may cost; checked against its worst case before it is sent.",
      null,
      { min: 0 },
    ),
    max_input_tokens: row.number("Tokens that the request may have.", null, { min: 0 }),
    max_output_tokens: row.number("Tokens that the answer may have.", null, { min: 0 }),
    total_budget_usd: row
      .number("Dollars that all calls of the run, or of the loop, may cost together.", null, { min: 0 })
      .with({ below: "holds" }),
  }),
  { strict: true },
);
export type CallBudget = Read<typeof callBudgetFields>;

export const thinkingFields = rows(() => ({
  mode: row.oneOf(["disabled", "enabled", "adaptive", "effort"], "How the model thinks."),
  enabled: row.bool("Short for the modes `enabled` and `disabled`."),
  budget_tokens: row.int("Tokens for thinking, in the mode `enabled`.", null, { min: 0 }).bounds(),
  level: row.oneOf(levels, "How much, in the mode `effort`.", "medium"),
}));

/** `thinking` in its spellings (agents.md §1.5). */
const thinkingRow = (doc: string) =>
  row.either([row.bool(), row.oneOf(levels), row.dict(thinkingFields)], doc).to((read, place): Thinking => {
    if (typeof read === "boolean") return { mode: read ? "enabled" : "disabled" };
    if (typeof read === "string") return { mode: "effort", level: read };
    const { enabled, budgetTokens, level } = read;
    const short =
      enabled === false ? "disabled" : enabled === true || budgetTokens !== null ? "enabled" : null;
    const mode = read.mode ?? short;
    if (mode === null) throw refusal(inside(place, "mode"), "a mode", null);
    if (mode === "effort") return { mode, level };
    return mode === "enabled" && budgetTokens !== null ? { mode, budget_tokens: budgetTokens } : { mode };
  });

const outputFormatFields = rows(() => ({
  kind: row.oneOf(["text", "json", "json_object", "json_schema"], "What the answer is.").alias("type"),
  schema: row.dict(null, "The schema, with `json_schema`."),
  strict: row.bool("Hold the vendor to the schema strictly."),
  name: row.text("What the vendor is told as the schema's name."),
}));

const routeChoices = ["first_available", "cheapest", "strongest"] as const;

/** A route to choose: a model, or call options that name one. */
export const routeRow = () =>
  row
    .either([row.text(), row.dict(null)])
    .where("a model or a dict with `provider`, `model` or `model_tier`", (read) =>
      read instanceof Dict
        ? ["provider", "model", "model_tier"].some((key) => typeof read.get(key) === "string")
        : read !== "",
    )
    .to((read) => (read instanceof Dict ? read : Dict.of({ model: read })));

const routePolicyFields = rows(
  () => ({
    policy: row.either(
      [row.oneOf(routeChoices), row.closure()],
      "How a candidate is chosen: a rule, or a function of the script.",
      "first_available",
    ),
    candidates: row.list(
      routeRow(),
      "Routes to choose from: models, or dicts of call options that name one.",
      [],
    ),
    require: row
      .texts("Capabilities that a candidate must have.")
      .where("names of capabilities", (read) => read.length > 0),
  }),
  { strict: true },
);
export type RoutePolicy = Read<typeof routePolicyFields>;

const routePolicyRow = (doc: string) =>
  row
    .either([row.oneOf(routeChoices), row.dict(routePolicyFields), row.closure(), row.exactly(false)], doc)
    .to((read): RoutePolicy | null => {
      if (read === false) return null;
      return typeof read === "string" || read instanceof Callable
        ? { ...routePolicyFields.usual, policy: read }
        : read;
    })
    .with({ sets: ["routing"] });

export const experimentFields = rows(
  () => ({
    name: row.text("One of the experiments that are built in, or your own name for `transform`."),
    label: row.text("What the transcript calls it."),
    transform: row.closure(
      "Takes `{messages, system, iteration, label, name, args}` and gives the changed prompt.",
    ),
    args: row.dict(null, "What the experiment depends on."),
  }),
  { others: "arguments of the experiment may stand beside its name" },
);

const toolChoiceFields = rows(() => ({ name: row.text("The tool that the model must call.") }));

const gated = (what: string) =>
  row.bool(`The request holds ${what}; without it, that is seen from the messages.`);

/** A text; an empty one says nothing. */
const name = (doc: string) => row.text(doc).to((read) => (read === "" ? null : read));

/** Seconds or a duration; reads as milliseconds. */
const seconds = (doc: string) =>
  row
    .either([row.int(), row.number(), row.handle<Duration>("duration")], doc)
    .to((read) => (read instanceof Duration ? read.ms : read > 0 ? Math.round(read * 1000) : null))
    .bounds();

const milliseconds = () => row.int("The same in milliseconds.", null, { min: 0 }).bounds();

/** Texts, or one of them; null for none. */
const textList = (doc: string) => row.texts(doc).to((read) => (read.length === 0 ? null : [...read]));

/** Where the call goes: shared by calls, judges and summarizers. */
export const callRoute = () => ({
  provider: name("Who is asked; `auto` goes by the model's name.").with({
    sets: ["route", "aside", "agent"],
  }),
  model: name("A model or one of its aliases.").with({ sets: ["route", "aside", "agent"] }),
  model_tier: name("The model of this tier: `small`, `mid`, `frontier`, or one of the project's.").with({
    sets: ["route", "aside", "conversation", "agent"],
  }),
  max_tokens: row
    .int("Tokens that the answer may have.", null, { min: 1 })
    .usually("16384")
    .bounds()
    .with({ sets: ["agent"] }),
  temperature: row
    .number("How freely the model chooses; sent where the route has the knob.")
    .with({ sets: ["agent"] }),
  top_p: row.number("Share of the likeliest words to choose from.").with({ sets: ["agent"] }),
});

/** What a judge or summarizer may set besides its route. */
export const asideCall = () => ({
  response_format: row.oneOf(["text", "json", "json_object"], "What its answer is read as."),
  reasoning_effort: row.oneOf(levels, "How much it thinks."),
  thinking: thinkingRow("Whether and how it thinks."),
  timeout: seconds("Seconds (or a duration) that a call may take."),
  timeout_ms: milliseconds(),
  base_url: name("Where the provider is."),
  api_mode: name("Which of a vendor's interfaces is spoken."),
});

/** The same for tables whose rows have no types yet. */
export const routeRows = (): readonly Field[] => rows(callRoute).rows;
export const asideRows = (): readonly Field[] => rows(asideCall).rows;

const ofItsAnswer: Below = { ends: "it is about the form of this agent's answer" };

const sampling = () => ({
  top_k: row.int("Number of the likeliest words to choose from.", null, { min: 0 }).with({ sets: ["agent"] }),
  stop: textList("Texts at which the answer ends.").with({ sets: ["more than text"], below: ofItsAnswer }),
  seed: row.int("The same seed gives like answers, where the route can do that."),
  frequency_penalty: row.number("Makes words that were said often less likely."),
  presence_penalty: row.number("Makes words that were said at all less likely."),
  logprobs: row.bool("The answer tells how likely its words were.").with({ below: ofItsAnswer }),
  top_logprobs: row
    .int("And so many of the words that it did not choose.", null, { min: 0 })
    .with({ below: ofItsAnswer }),
});

const output = () => ({
  response_format: row
    .oneOf(["text", "json", "json_object"], "What the answer is read as.", "text")
    .with({ sets: ["more than text"] }),
  schema: row
    .dict(null, "Schema of the answer; with one, it is read as JSON into `data`.")
    .with({ sets: ["more than text"] }),
  json_schema: row.dict(null, "Another name for `schema`.").with({ sets: ["more than text"] }),
  output_schema: row
    .dict(null, "Another name for `schema`.")
    .with({ sets: ["more than text", "several answers"] }),
  output_format: row
    .either(
      [outputFormatFields.typed.kind, row.dict(outputFormatFields)],
      "What the vendor is asked for: a kind, or a dict with the schema.",
    )
    .to((read) => (typeof read === "string" ? { ...outputFormatFields.usual, kind: read } : read))
    .usually('{kind: "text"}')
    .with({ sets: ["more than text"] }),
  output_validation: row
    .oneOf(["off", "warn", "error"], "What is done about an answer that does not fit its schema.", "off")
    .with({ sets: ["more than text"] }),
  schema_retries: row
    .int("Further tries when an answer does not fit its schema.", null, { min: 0 })
    .usually("1"),
  schema_retry_nudge: row.either(
    [row.bool(), row.text()],
    "What is said before such a try: the usual correction (`true`), nothing (`false`), or a text in place of its first sentence.",
    true,
  ),
  schema_stream_abort: row.bool("End an answer as soon as its beginning can't fit the schema.", false),
});

export const reasoningLevels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
const reasoningTasks = ["chat", "agent", "code", "verify", "summarize"] as const;
export type ReasoningTask = (typeof reasoningTasks)[number];

/** True and `auto` go by the task; false and `none` are `off`. */
const reasoningPolicy = (doc: string) =>
  row
    .either([row.bool(), row.oneOf(["auto", "none", ...reasoningLevels])], doc)
    .to((read) => (read === true ? "auto" : read === false || read === "none" ? "off" : read));

const scale = (doc: string) => row.oneOf(["small", "medium", "large"], doc);

const reasoning = () => ({
  thinking: thinkingRow("Whether and how the model thinks: on, off, a level, or a dict.").with({
    sets: ["reasoning", "agent"],
  }),
  reasoning_effort: row.oneOf(levels, "How much the model thinks.").with({ sets: ["reasoning", "agent"] }),
  reasoning_policy: reasoningPolicy(
    "Chooses how much the model thinks by its catalogue entry; `auto` goes by the task.",
  ).with({ sets: ["reasoning", "agent"] }),
  thinking_policy: reasoningPolicy("Another name for `reasoning_policy`.").with({ sets: ["reasoning"] }),
  reasoning_scale: scale("How large the task is, for the policy `auto`.").with({ sets: ["agent"] }),
  problem_scale: scale("Another name for `reasoning_scale`."),
  reasoning_task: row
    .oneOf(reasoningTasks, "What kind of task it is, for the policy `auto`.")
    .with({ sets: ["agent"] }),
  interleaved_thinking: row.bool("The model thinks between tool calls too, where it can.").usually("false"),
  anthropic_beta_features: textList("Names for Anthropic's header of beta features."),
});

const transport = () => ({
  llm_retries: row.int("Further tries after failures that pass.", null, { min: 0 }),
  llm_backoff_ms: row
    .int("Rest before the first of them; doubles with each.", null, { min: 0 })
    .usually("250"),
  timeout: seconds("Seconds (or a duration) that a call may take.")
    .usually("120")
    .with({ sets: ["aside"] }),
  timeout_ms: milliseconds().with({ sets: ["aside"] }),
  idle_timeout: seconds("Seconds (or a duration) without a word after which a stream is given up."),
  idle_timeout_ms: milliseconds(),
  stream: row.bool("How the answer travels; the result is the same.").usually("true"),
  cache: row.bool("Ask the vendor to keep the beginning of the prompt.", false).with({ sets: ["aside"] }),
  api_mode: name("Which of a vendor's interfaces is spoken.").with({ sets: ["route", "aside"] }),
  base_url: name("Where the provider is; the host must be the vendor's, or one that the user named.").with({
    sets: ["route", "aside"],
  }),
  fast: row.bool("The vendor's faster and dearer way, where it has one with a known price.", false),
  route_policy: routePolicyRow("Chooses one of several routes."),
  routing_policy: routePolicyRow("Another name for `route_policy`."),
  fallback_chain: row
    .either([row.list(routeRow()), row.exactly(false)], "Routes that are asked when the one before failed.")
    .to((read) => (read === false ? [] : read))
    .or([])
    .with({ sets: ["routing"] }),
});

/** What a plan of calls is made from (`call-plan.ts`). */
export const planFields = rows(() => ({
  ...row.alike({ below: "delegates" }, { ...callRoute(), ...sampling() }),
  ...row.alike({ below: ofItsAnswer }, output()),
  ...row.alike({ below: "delegates" }, reasoning()),
  tools: row
    .handle<Dict | List>(
      "dict | list",
      "Tools that the model may call: a registry, or a list of definitions.",
    )
    .with({ sets: ["conversation", "more than text"] }),
  tool_choice: row
    .either(
      [row.oneOf(["auto", "none", "required"]), row.dict(toolChoiceFields)],
      "Whether it must call one, and which.",
    )
    .to((read) => (typeof read === "string" ? read : read.name === null ? null : { name: read.name }))
    .usually('"auto"')
    .with({ sets: ["more than text"], below: ofItsAnswer }),
  tool_format: row
    .oneOf(["native", "text", "json", "auto"], "How the model calls tools.")
    .with({ sets: ["conversation", "more than text"] }),
  tool_search: toolSearchRow(),
  budget: row
    .dict(callBudgetFields, "Limits of this call in money and tokens.")
    .bounds()
    .with({ below: "delegates" }),
  ...row.alike({ below: "delegates" }, transport()),
  prefill: name("The beginning of the answer, for routes that take one.").with({
    sets: ["more than text"],
    below: ofItsAnswer,
  }),
}));

/** `llm_call(…, options)`. */
export const callFields = rows(
  () => ({
    ...planFields.typed,
    ...row.alike(
      { below: { ends: "it is about what this agent's messages hold" } },
      {
        vision: gated("pictures"),
        audio: gated("sound"),
        pdf: gated("PDF files"),
        video: gated("video"),
      },
    ),
    tool_contract: row
      .bool("The system text tells how tools are called, in the format `text`.", true)
      .with({ below: "delegates" }),
    structural_experiment: row
      .either(
        [row.text(), row.dict(experimentFields), row.closure(), row.exactly(false)],
        "Changes the prompt before it is sent, to compare.",
      )
      .with({ sets: ["agent"], below: { ends: "two ways of asking are compared at one place" } }),
    session_id: row
      .text("The session that events and records of the call belong to.")
      .with({ sets: ["more than text"] }),
    llm_transcript_dir: row.text("Folder that gets a record of request and answer."),
    transcript: row
      .value("A conversation that stands before the prompt.", "a transcript in any of its forms")
      .with({ sets: ["conversation", "more than text"] }),
    messages: row
      .list(row.dict(null), "Messages in place of the prompt.")
      .with({ sets: ["conversation", "more than text"] }),
  }),
  providerBodies,
);
