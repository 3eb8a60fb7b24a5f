/** The records of `llm_transcript.jsonl` as functions of what they are about (agents.md §2.4). */
import { expect, test } from "vitest";
import { emptyResponse, type ModelRequest, makeModelError } from "../../../../src/model/index.ts";
import {
  failureFields,
  interpretedFields,
  messageFields,
  requestFields,
  responseFields,
  snapshotFields,
  type TranscriptFields,
} from "../../../../src/model/llm-transcript/records.ts";

const request = {
  provider: "mock",
  model: "m",
  system: "Be brief.",
  messages: [{ role: "user", content: "Hi" }],
  tools: [{ name: "look", description: "", input_schema: { type: "object" } }],
  temperature: 0.5,
} as unknown as ModelRequest;

const response = {
  ...emptyResponse("mock", "m"),
  text: "Looking.",
  tool_calls: [{ id: "c", name: "look", arguments: { a: 1 }, raw_arguments: '{"a":1}' }],
  usage: { ...emptyResponse("mock", "m").usage, input_tokens: 7, output_tokens: 2, cache_read_tokens: 3 },
};

const table: readonly (readonly [string, TranscriptFields, object])[] = [
  [
    "a message without calls",
    messageFields({ role: "user", content: "Hi" }),
    { role: "user", content: "Hi" },
  ],
  [
    "a message with calls, in the wrapped shape",
    messageFields({
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c", name: "look", arguments: { a: 1 } }],
    }),
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: '{"a":1}' } }],
    },
  ],
  [
    "a request",
    requestFields(request, "native"),
    {
      model: "m",
      provider: "mock",
      max_tokens: null,
      temperature: 0.5,
      tool_choice: null,
      tool_format: "native",
      thinking: null,
      native_tool_count: 1,
      message_count: 1,
      structural_experiment: null,
      route_policy: null,
      fallback_chain: null,
    },
  ],
  [
    "everything that was sent",
    snapshotFields(request),
    {
      request_snapshot: {
        system: "Be brief.",
        messages: request.messages,
        tool_schemas: request.tools,
        native_tools: null,
      },
    },
  ],
  [
    "an answer",
    responseFields(response as never, 12),
    {
      model: "m",
      provider: "mock",
      text: "Looking.",
      tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: '{"a":1}' } }],
      parsed_tool_calls: [{ id: "c", name: "look", arguments: { a: 1 } }],
      input_tokens: 7,
      output_tokens: 2,
      cache_read_tokens: 3,
      cache_hit: true,
      response_ms: 12,
    },
  ],
  [
    "a failure",
    failureFields(makeModelError({ category: "timeout", message: "late", provider: "mock", model: "m" })),
    { provider: "mock", model: "m", error: { category: "timeout", message: "late" } },
  ],
  [
    "what was made of an answer",
    interpretedFields("text", "Looking.", [{ id: "c", name: "look", arguments: { a: 1 } } as never], ["cut"]),
    {
      tool_format: "text",
      prose: "Looking.",
      tool_calls: [{ id: "c", name: "look", arguments: { a: 1 } }],
      tool_parse_errors: ["cut"],
    },
  ],
];

test.each(table)("%s", (_what, fields, expected) => {
  expect(fields).toMatchObject(expected);
});
