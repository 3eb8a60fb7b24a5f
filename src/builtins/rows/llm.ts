/** Rows of the model builtins that are not `llm_call`'s own (agents.md §1.8, §2.1). */
import { callFields, routeRows } from "../../model/index.ts";
import { field, fieldRowsOf, fieldTable, providerBodies } from "../../table/index.ts";

const repairFields = fieldTable(
  () => [
    field("enabled", "bool", "Make the repair call.", { default: "true" }),
    field("system", "string", "Its system text."),
    ...fieldRowsOf(callFields, "schema", "schema_retries"),
  ],
  providerBodies,
);

/** `llm_call_structured` and its kin. */
export const structuredFields = fieldTable(
  () => [
    field("system", "string", "The system text."),
    field("retries", "int", "Another name for `schema_retries`.", { default: "3", range: [0, null] }),
    field("repair", "dict", "One more call that mends an answer which does not fit (`…_result` only).", {
      nested: repairFields,
    }),
    ...fieldRowsOf(callFields),
  ],
  providerBodies,
);

const mockCallFields = fieldTable(() => [
  field("id", "string", "The id of the call; `mock_call_N` unless given."),
  field("name", "string", "The tool."),
  field("arguments", "any", "Its arguments."),
  field("args", "any", "The name of `arguments` in fixture files; here it gives none."),
  field("type", "string", "As a provider writes it; has no effect."),
]);

const mockErrorFields = fieldTable(() => [
  field("category", "string", "The category that scripts see."),
  field("message", "string", "The words of the error."),
  field("status", "int", "An HTTP status, which gives the category."),
  field("kind", "string", "`transient` or `terminal`."),
  field("reason", "string", "What went wrong, in a word."),
  field("retry_after_ms", "int", "What the server asks callers to wait.", { range: [0, null] }),
]);

/** `llm_mock`. */
export const mockFields = fieldTable(() => [
  field("text", "string", "The text of the answer."),
  field("tool_calls", "list<dict>", "Tools that it calls.", { nested: mockCallFields }),
  field(
    "match",
    "string",
    "A glob over the texts of the request; without one, the entry is the next answer.",
  ),
  field("consume_match", "bool", "An entry with `match` answers once.", { default: "false" }),
  field("input_tokens", "int", "Tokens of the request; its length in bytes unless given.", {
    range: [0, null],
  }),
  field("output_tokens", "int", "Tokens of the answer.", { default: "30", range: [0, null] }),
  field("cache_read_tokens", "int", "Tokens that came from the vendor's cache.", { range: [0, null] }),
  field("cache_write_tokens", "int", "Tokens that went into it.", { range: [0, null] }),
  field("cache_creation_input_tokens", "int", "Another name for `cache_write_tokens`.", { range: [0, null] }),
  field("thinking", "string", "What the model thought."),
  field("thinking_summary", "string", "The vendor's summary of that."),
  field("stop_reason", "string", "Why the answer ended."),
  field("model", "string", "The model that answers.", { default: '"mock"' }),
  field("provider", "string", "Who answers.", { default: '"mock"' }),
  field("blocks", "list", "The content blocks of the answer as they are."),
  field("logprobs", "any", "How likely its words were."),
  field("error", "any", "A dict: the call fails.", { nested: mockErrorFields }),
]);

export const healthFields = fieldTable(() => [
  field("provider", "string", "The provider, in the form with one dict."),
  field("model", "string", "The model that is asked; the provider's usual one unless given."),
  field("warm", "bool", "Load the model (local servers); needs `model`.", { default: "false" }),
]);

export const pickModelFields = fieldTable(() => [...routeRows().filter(({ name }) => name === "provider")]);

export const rateLimitFields = fieldTable(
  () => [field("rpm", "int", "Requests a minute; 0 lifts the limit.", { range: [0, null] })],
  { strict: true },
);

export const rateRetryFields = fieldTable(() => [
  field("max_retries", "int", "Further tries after a rate limit.", {
    default: "5",
    range: [0, null],
    bounds: true,
  }),
  field("backoff_ms", "int", "Rest before the first of them; doubles with each.", {
    default: "1000",
    range: [0, null],
  }),
]);
