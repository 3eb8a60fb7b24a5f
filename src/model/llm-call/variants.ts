/** The structured variants and completion (agents.md §1.8). */

import type { Task } from "../../interp/index.ts";
import { at, keysOf, refusal } from "../../table/index.ts";
import {
  Dict,
  display,
  optionsDict,
  textLength,
  thrown,
  toJson,
  type Value,
  wireSchema,
} from "../../values/index.ts";
import { pushMock } from "../llm/index.ts";
import { modelsOf, planCall } from "../model-call/index.ts";
import { checkCallOptions } from "./call-options.ts";
import {
  type CallInput,
  type LlmResult,
  llmCall,
  messagesOf,
  runCall,
  safeError,
  systemTextOf,
} from "./llm-call.ts";
import { LlmCallStream, LlmStream, type StreamedCall } from "./llm-stream.ts";
import { modelResultKeys } from "./response-dict.ts";
import { noJson } from "./structured.ts";

export const safeResultKeys = { ok: null, response: modelResultKeys, error: null } as const;
export const structuredSafeKeys = keysOf("ok", "data", "error");
export const structuredResultKeys = {
  ...keysOf("ok", "data", "raw_text", "error", "error_category", "attempts", "repaired", "extracted_json"),
  usage: modelResultKeys.usage,
  ...keysOf("model", "provider"),
} as const;

/** `{ok, response, error}`; never throws for failures of the call. */
export async function llmCallSafe(task: Task, input: CallInput): Promise<Dict> {
  try {
    return Dict.of({ ok: true, response: await llmCall(task, "llm_call_safe", input), error: null });
  } catch (error) {
    return Dict.of({ ok: false, response: null, error: safeError(error) });
  }
}

/** The input of a structured form: JSON is asked for and checked unless the options say otherwise. */
function structuredInput(
  caller: string,
  prompt: Value,
  schema: Value | undefined,
  options: Value | undefined,
): CallInput {
  if (schema === undefined) throw thrown(`${caller}: missing required \`schema\` argument`);
  if (!(schema instanceof Dict)) throw refusal(at(caller, "schema"), "dict (JSON Schema)", schema);
  const base = optionsDict(caller, options);
  const retries = base.get("retries") ?? base.get("schema_retries") ?? 3;
  const forced = Dict.of({ response_format: "json", output_validation: "error" });
  const merged = forced
    .merge(base.without("system").without("retries").without("repair"))
    .merge(Dict.of({ schema, schema_retries: retries }));
  return { prompt, system: base.get("system") ?? null, options: merged };
}

/** The validated data. */
export async function llmCallStructured(
  task: Task,
  prompt: Value,
  schema: Value | undefined,
  options: Value | undefined,
): Promise<Value> {
  const dict = await llmCall(
    task,
    "llm_call_structured",
    structuredInput("llm_call_structured", prompt, schema, options),
  );
  return dict.get("data") ?? null;
}

/** `{ok, data, error}` */
export async function llmCallStructuredSafe(
  task: Task,
  prompt: Value,
  schema: Value | undefined,
  options: Value | undefined,
): Promise<Dict> {
  const caller = "llm_call_structured_safe";
  try {
    const dict = await llmCall(task, caller, structuredInput("llm_call_structured", prompt, schema, options));
    return Dict.of({ ok: true, data: dict.get("data") ?? null, error: null });
  } catch (error) {
    return Dict.of({ ok: false, data: null, error: safeError(error) });
  }
}

/** The diagnostic envelope, with one optional repair call after output that does not fit. */
export async function llmCallStructuredResult(
  task: Task,
  prompt: Value,
  schema: Value | undefined,
  options: Value | undefined,
): Promise<Dict> {
  const caller = "llm_call_structured_result";
  let result: LlmResult;
  try {
    result = await runCall(task, caller, structuredInput("llm_call_structured", prompt, schema, options));
  } catch (error) {
    return failedEnvelope(safeError(error));
  }
  if (result.failure === null) return resultEnvelope(result, result.structured?.data ?? null, {});
  const errors = result.structured?.errors ?? [noJson];
  const category = result.structured?.missing === true ? "missing_json" : "schema_validation";
  const repair = options instanceof Dict ? options.get("repair") : undefined;
  if (!(repair instanceof Dict) || repair.get("enabled") === false) {
    return resultEnvelope(result, null, { error: errors.join("; "), category });
  }
  const fixed = await repairedAnswer(task, result, schema as Dict, errors, repair);
  if (fixed === undefined)
    return resultEnvelope(result, null, { error: errors.join("; "), category: "repair_failed" });
  return resultEnvelope(result, fixed, { repaired: true });
}

/** One more call with the raw text, what is wrong with it, and the schema. */
async function repairedAnswer(
  task: Task,
  result: LlmResult,
  schema: Dict,
  errors: readonly string[],
  repair: Dict,
): Promise<Value | undefined> {
  const prompt = [
    "The text below should be one JSON value that fits the schema, and is not. Rewrite it so that it does; keep its content.",
    `Schema: ${JSON.stringify(toJson(wireSchema(schema)))}`,
    `Problems: ${errors.join("; ")}`,
    "Text:",
    result.answer.response.text,
    "Answer with the bare JSON value only.",
  ].join("\n");
  const { provider, model } = result.request;
  const own = repair.without("enabled").without("system");
  const options = Dict.of({ provider, model, response_format: "json", output_validation: "error" })
    .merge(own)
    .merge(Dict.of({ schema, schema_retries: 0 }));
  try {
    const fixed = await runCall(task, "llm_call_structured_result", {
      prompt,
      system: repair.get("system") ?? null,
      options,
    });
    return fixed.failure === null ? fixed.structured?.data : undefined;
  } catch (error) {
    safeError(error);
    return undefined;
  }
}

function resultEnvelope(
  result: LlmResult,
  data: Value,
  how: { error?: string; category?: string; repaired?: boolean },
): Dict {
  const { dict, structured, attempts } = result;
  return Dict.of({
    ok: how.error === undefined,
    data,
    raw_text: result.answer.response.text,
    error: how.error ?? "",
    error_category: how.category ?? null,
    attempts,
    repaired: how.repaired ?? false,
    extracted_json: structured?.lifted ?? false,
    usage: dict.get("usage"),
    model: dict.get("model"),
    provider: dict.get("provider"),
  });
}

function failedEnvelope(error: Dict): Dict {
  return Dict.of({
    ok: false,
    data: null,
    raw_text: "",
    error: display(error.get("message") ?? ""),
    error_category: error.get("category") ?? "generic",
    attempts: 0,
    repaired: false,
    extracted_json: false,
    usage: Dict.of({ input_tokens: 0, output_tokens: 0 }),
    model: error.get("model") ?? null,
    provider: error.get("provider") ?? null,
  });
}

/** `llm_completion(prefix, suffix?, system?, options?)`: text that continues a prefix, up to a suffix where one is given. */
export async function llmCompletion(
  task: Task,
  prefix: Value,
  suffix: Value,
  system: Value,
  options: Dict,
): Promise<Dict> {
  if (typeof prefix !== "string") throw refusal(at("llm_completion", "prefix"), "string", prefix);
  if (suffix !== null && typeof suffix !== "string")
    throw refusal(at("llm_completion", "suffix"), "string", suffix);
  const models = modelsOf(task);
  const { provider } = planCall(task, options).base;
  if (provider === "mock" && models.mock.queue.length === 0 && models.mock.fixtures === null) {
    const until = suffix === null ? "" : ` before ${textLength(suffix)} chars`;
    pushMock(models.mock, { text: `Mock completion after ${textLength(prefix)} chars${until}` });
  }
  const question =
    suffix === null
      ? `Continue this text. Answer with the continuation only.\n\n${prefix}`
      : `Write what belongs between these two texts. Answer with that only.\n\nBefore:\n${prefix}\n\nAfter:\n${suffix}`;
  return await llmCall(task, "llm_completion", { prompt: question, system, options });
}

/** `llm_stream(prompt, system?, options?)` */
export function llmStream(task: Task, input: CallInput): LlmStream {
  return new LlmStream(task, streamed(task, "llm_stream", input));
}

/** The same as events: `{type: "text", text}` …, then the result with `type: "done"`. */
export function llmStreamCall(task: Task, input: CallInput): LlmStream {
  return new LlmCallStream(task, streamed(task, "llm_stream_call", input));
}

function streamed(task: Task, caller: string, input: CallInput): StreamedCall {
  const { options } = input;
  checkCallOptions(task, caller, options);
  const plan = planCall(task, options, { caller });
  return { plan, options, messages: messagesOf(input, caller), system: systemTextOf(input, plan, caller) };
}
