/**
 * Rows of `providers.toml`, of `[llm]` and of `[[capabilities.provider.NAME]]`: what `layer.ts` reads, what `harn check` says of a
 * manifest, and the page about it (docs/manifest.md).
 */
import { row, rows } from "../../../table/index.ts";

/** Its reader refuses unknown names and wrong types itself, wherever the tables are written. */
const own = { strict: true, refusedByReader: true, typedByReader: true } as const;

/** A text, or a list of them. */
const texts = (doc: string) => row.either([row.text(), row.list(row.text())], doc);
const priceRow = (doc: string) => row.number(doc, null, { min: 0 });

export const providerFields = rows(
  () => ({
    base_url: row.text("Where its API is.").where("a URL", (url) => URL.canParse(url)),
    base_url_env: texts("Variables of the environment that may say so; the first that is set counts."),
    protocol: row.oneOf(["openai", "anthropic"], "What it speaks.", "openai"),
    auth_style: row.oneOf(["bearer", "header", "none"], "How the key is sent."),
    auth_header: row.text('The header for `auth_style = "header"`.'),
    auth_env: texts("Variables of the environment that may hold the key."),
    default_model: row.text("The model of calls that name none."),
    model_env: row.text("The variable of the environment that may name that model."),
    chat_endpoint: row.text("The path of chat requests below `base_url`."),
    completion_endpoint: row.text("The path of completion requests below `base_url`."),
    extra_headers: row.dict(null, "Headers of every request."),
    features: texts("What it can do beyond its protocol."),
    healthcheck: row.dict(null, "How `llm_healthcheck` asks whether it is there."),
    local: row.bool("It runs on this machine: its calls cost nothing."),
  }),
  own,
);

export const priceFields = rows(
  () => ({
    input_per_mtok: priceRow("Dollars for a million tokens in.").required(),
    output_per_mtok: priceRow("Dollars for a million tokens out.").required(),
    cache_read_per_mtok: priceRow("Of tokens read from a cache; `input_per_mtok` unless given."),
    cache_write_per_mtok: priceRow("Of tokens written to a cache; `input_per_mtok` unless given."),
  }),
  own,
);

export const modelFields = rows(
  () => ({
    provider: row.text("Whose it is."),
    context_window: row.number("Tokens that fit in."),
    max_output: row.number("Tokens of an answer at most."),
    fast_factor: row.number("By how much its fast mode costs more."),
    pricing: row.dict(priceFields, "What it costs."),
  }),
  own,
);

export const aliasFields = rows(
  () => ({
    id: row.text("The model.").required(),
    provider: row.text("Whose it is."),
    tool_format: row.text("How it calls tools."),
  }),
  own,
);

export const inferenceFields = rows(
  () => ({
    pattern: row.text("Glob of models."),
    exact: row.text("One model."),
    contains: row.text("Part of a model's name."),
    provider: row.text("Whose these models are.").required(),
  }),
  own,
);

export const layerFields = rows(
  () => ({
    providers: row.map(row.dict(providerFields), "Providers of one's own, by name."),
    aliases: row.map(row.either([row.dict(aliasFields), row.text()]), "Models by another name."),
    inference_rules: row.list(
      row
        .dict(inferenceFields)
        .where("a table with `pattern`, `exact` or `contains`", ({ pattern, exact, contains }) =>
          [pattern, exact, contains].some((one) => one !== null),
        ),
      "Which provider a model belongs to, where a call names none.",
    ),
    models: row.map(row.dict(modelFields), "Models, by id."),
    model_defaults: row.map(row.dict(null), "Options of calls, by glob of models."),
    default_provider: row.text("The provider of calls that name none."),
    capabilities: row.dict(capabilityLayerFields, "As `[[capabilities.provider.NAME]]` of a manifest."),
  }),
  own,
);

/** A rule: the first whose `model_match` fits says what a model can do. */
export const capabilityFields = rows(
  () => ({
    model_match: row.text("Glob of the models that it is about.").required(),
    version_min: row.list(row.int(), "The least version, `[4, 7]`."),
    native_tools: row.bool("It takes tools."),
    defer_loading: row.bool("Its API hides tools until the model searches for them."),
    tool_search: row.list(row.text(), "Searches that its API knows."),
    max_tools: row.int("Tools of a request at most.", null, { min: 0 }),
    prompt_caching: row.bool("Its API caches beginnings of prompts."),
    thinking: row.bool("It can think."),
    thinking_modes: row.list(row.text(), "How: `enabled`, `adaptive`, `disabled`, `effort`."),
    interleaved_thinking_supported: row.bool("It thinks between calls of tools."),
    anthropic_beta_features: row.list(row.text(), "Values of the header `anthropic-beta`."),
    vision_supported: row.bool("Another name for `vision`."),
    vision: row.bool("It takes pictures."),
    audio: row.bool("It takes sound."),
    pdf: row.bool("It takes PDF documents."),
    video: row.bool("It takes video."),
    json_schema: row.text("How it takes a schema: `native` or `tool_use`."),
    structured_output: row.text("Another name for `json_schema`."),
    requires_completion_tokens: row.bool("Its API says `max_completion_tokens`."),
    reasoning_effort_supported: row.bool("It takes `reasoning_effort`."),
    reasoning_effort_levels: row.list(row.text(), "The levels that it takes."),
    reasoning_none_supported: row.bool("It takes the level `none`."),
    preferred_tool_format: row.text("How it calls tools best: `native`, `text`, `json`."),
    context_window: row.int("Tokens that fit in.", null, { min: 0 }),
    sampling: row.bool("It takes temperature, top_p and top_k."),
    thinking_default: row.oneOf(["off", "on", "always"], "What it does when thinking is not mentioned."),
    reasoning_must_stay: row.bool(
      "Calls of tools must go back with the reasoning that they came with: compaction leaves such messages whole.",
    ),
  }),
  own,
);

/** `[[capabilities.provider.NAME]]` of a manifest (agents.md §5.3). */
export const capabilityLayerFields = rows(
  () => ({ provider: row.map(row.list(row.dict(capabilityFields)), "Rules, by provider.").required() }),
  own,
);
