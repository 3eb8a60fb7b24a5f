/**
 * Rows of `providers.toml`, of `[llm]` and of `[[capabilities.provider.NAME]]`: what `layer.ts` reads, what `harn check` says of a
 * manifest, and the page about it (docs/manifest.md).
 */
import { type FieldTable, field, fieldTable } from "../../../table/index.ts";

/** Its reader refuses unknown names and wrong types itself, wherever the tables are written. */
const own = { strict: true, refusedByReader: true, typedByReader: true } as const;

const texts = "string | list<string>";

export const providerFields: FieldTable = fieldTable(
  () => [
    field("base_url", "string", "Where its API is."),
    field(
      "base_url_env",
      texts,
      "Variables of the environment that may say so; the first that is set counts.",
    ),
    field("protocol", "string", "What it speaks.", { values: ["openai", "anthropic"], default: '"openai"' }),
    field("auth_style", "string", "How the key is sent.", { values: ["bearer", "header", "none"] }),
    field("auth_header", "string", 'The header for `auth_style = "header"`.'),
    field("auth_env", texts, "Variables of the environment that may hold the key."),
    field("default_model", "string", "The model of calls that name none."),
    field("model_env", "string", "The variable of the environment that may name that model."),
    field("chat_endpoint", "string", "The path of chat requests below `base_url`."),
    field("completion_endpoint", "string", "The path of completion requests below `base_url`."),
    field("extra_headers", "dict", "Headers of every request."),
    field("features", texts, "What it can do beyond its protocol."),
    field("healthcheck", "dict", "How `llm_healthcheck` asks whether it is there."),
    field("local", "bool", "It runs on this machine: its calls cost nothing."),
  ],
  own,
);

export const priceFields: FieldTable = fieldTable(
  () => [
    field("input_per_mtok", "float", "Dollars for a million tokens in.", { range: [0, null] }),
    field("output_per_mtok", "float", "Dollars for a million tokens out.", { range: [0, null] }),
    field("cache_read_per_mtok", "float", "Of tokens read from a cache; `input_per_mtok` unless given.", {
      range: [0, null],
    }),
    field("cache_write_per_mtok", "float", "Of tokens written to a cache; `input_per_mtok` unless given.", {
      range: [0, null],
    }),
  ],
  own,
);

export const modelFields: FieldTable = fieldTable(
  () => [
    field("provider", "string", "Whose it is."),
    field("context_window", "float", "Tokens that fit in."),
    field("max_output", "float", "Tokens of an answer at most."),
    field("fast_factor", "float", "By how much its fast mode costs more."),
    field("pricing", "dict", "What it costs.", { nested: priceFields }),
  ],
  own,
);

export const aliasFields: FieldTable = fieldTable(
  () => [
    field("id", "string", "The model."),
    field("provider", "string", "Whose it is."),
    field("tool_format", "string", "How it calls tools."),
  ],
  own,
);

export const inferenceFields: FieldTable = fieldTable(
  () => [
    field("pattern", "string", "Glob of models."),
    field("exact", "string", "One model."),
    field("contains", "string", "Part of a model's name."),
    field("provider", "string", "Whose these models are."),
  ],
  own,
);

export const layerFields: FieldTable = fieldTable(
  () => [
    field("providers", "dict<string, dict>", "Providers of one's own, by name.", { nested: providerFields }),
    field("aliases", "dict<string, dict | string>", "Models by another name.", { nested: aliasFields }),
    field("inference_rules", "list<dict>", "Which provider a model belongs to, where a call names none.", {
      nested: inferenceFields,
    }),
    field("models", "dict<string, dict>", "Models, by id.", { nested: modelFields }),
    field("model_defaults", "dict<string, dict>", "Options of calls, by glob of models."),
    field("default_provider", "string", "The provider of calls that name none."),
    field("capabilities", "dict", "As `[[capabilities.provider.NAME]]` of a manifest."),
  ],
  own,
);

/** A rule: the first whose `model_match` fits says what a model can do. */
export const capabilityFields: FieldTable = fieldTable(
  () => [
    field("model_match", "string", "Glob of the models that it is about."),
    field("version_min", "list<int>", "The least version, `[4, 7]`."),
    field("native_tools", "bool", "It takes tools."),
    field("defer_loading", "bool", "Its API hides tools until the model searches for them."),
    field("tool_search", "list<string>", "Searches that its API knows."),
    field("max_tools", "int", "Tools of a request at most.", { range: [0, null] }),
    field("prompt_caching", "bool", "Its API caches beginnings of prompts."),
    field("thinking", "bool", "It can think."),
    field("thinking_modes", "list<string>", "How: `enabled`, `adaptive`, `disabled`, `effort`."),
    field("interleaved_thinking_supported", "bool", "It thinks between calls of tools."),
    field("anthropic_beta_features", "list<string>", "Values of the header `anthropic-beta`."),
    field("vision_supported", "bool", "Another name for `vision`."),
    field("vision", "bool", "It takes pictures."),
    field("audio", "bool", "It takes sound."),
    field("pdf", "bool", "It takes PDF documents."),
    field("video", "bool", "It takes video."),
    field("json_schema", "string", "How it takes a schema: `native` or `tool_use`."),
    field("structured_output", "string", "Another name for `json_schema`."),
    field("requires_completion_tokens", "bool", "Its API says `max_completion_tokens`."),
    field("reasoning_effort_supported", "bool", "It takes `reasoning_effort`."),
    field("reasoning_effort_levels", "list<string>", "The levels that it takes."),
    field("reasoning_none_supported", "bool", "It takes the level `none`."),
    field("preferred_tool_format", "string", "How it calls tools best: `native`, `text`, `json`."),
    field("context_window", "int", "Tokens that fit in.", { range: [0, null] }),
    field("sampling", "bool", "It takes temperature, top_p and top_k."),
    field("thinking_default", "string", "What it does when thinking is not mentioned.", {
      values: ["off", "on", "always"],
    }),
    field(
      "reasoning_must_stay",
      "bool",
      "Calls of tools must go back with the reasoning that they came with: compaction leaves such messages whole.",
    ),
  ],
  own,
);
