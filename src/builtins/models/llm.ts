/**
 * Model calls, the mock provider and the model catalogue for scripts (agents.md §1, §2, §5).
 *
 * Calls perform their effects themselves (`modelCall`): a mock's answer is Runtime state, given again on replay.
 */

import { runningLoops } from "../../agent/index.ts";
import { backoffMs } from "../../effects/index.ts";
import { runEvents, traceSummary } from "../../events/index.ts";
import type { Task } from "../../interp/index.ts";
import { pauseTask } from "../../interp/index.ts";
import {
  addScriptedMock,
  type CapabilityRule,
  callFields,
  clearMocks,
  healthCheck,
  LlmUsageError,
  llmCall,
  llmCallSafe,
  llmCallStructured,
  llmCallStructuredResult,
  llmCallStructuredSafe,
  llmCompletion,
  llmStream,
  llmStreamCall,
  type MockCall,
  type Models,
  mockFields,
  modelOtherKeys,
  modelResultKeys,
  modelsOf,
  popMockScope,
  pushMockScope,
  type ResolvedModel,
  routeOfCall,
  safeResultKeys,
  structuredResultKeys,
  structuredSafeKeys,
  tierNamed,
} from "../../model/index.ts";
import { at, defineBuiltins, keysOf, refusal } from "../../table/index.ts";
import {
  type Callable,
  Dict,
  display,
  Float,
  fromJson,
  List,
  optionsDict,
  ScriptError,
  shownValue,
  thrown,
  toJson,
  type Value,
} from "../../values/index.ts";
import { type Argument, numberOf, textOf } from "../arguments.ts";
import { classifyError } from "../error-categories.ts";
import { parseToml } from "../formats/toml.ts";
import {
  healthFields,
  infoFields,
  pickModelFields,
  rateLimitFields,
  rateRetryFields,
  structuredFields,
} from "../rows/llm.ts";

/** `llm_call(prompt, options)` is accepted too: a dict in the place of the system text. */
function modelCallInput(
  caller: string,
  prompt: Argument,
  system: Argument,
  options: Argument,
): { prompt: Value; system: Value; options: Dict } {
  if (system instanceof Dict && options === undefined)
    return { prompt: prompt ?? null, system: null, options: system };
  return { prompt: prompt ?? null, system: system ?? null, options: optionsDict(caller, options) };
}

/** Mistakes in arguments reach scripts as plain strings. */
function usage<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof LlmUsageError) throw thrown(error.message);
    throw error;
  }
}

// ── mock ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function mockCallDict(call: MockCall): Dict {
  return fromJson(JSON.parse(JSON.stringify(call))) as Dict;
}

// ── catalogue ─────────────────────────────────────────────────────────────────────────────────────────────────────

function resolvedDict(resolved: ResolvedModel): Dict {
  return Dict.of({
    id: resolved.id,
    provider: resolved.provider,
    alias: resolved.alias,
    tool_format: resolved.tool_format,
    tier: resolved.tier,
  });
}

function llmProviderDict(models: Models, name: string): Value {
  const spec = models.catalogue.provider(name);
  if (spec === undefined) return null;
  const { apiPath: _path, extra_headers: _headers, ...shown } = spec;
  const urls = spec.base_url_env
    .map((variable) => models.env.get(variable))
    .find((url) => url !== undefined && url !== "");
  return fromJson({
    ...shown,
    base_url: urls ?? spec.base_url,
    available: models.catalogue.hasKey(name, models.env),
  });
}

function modelInfo(models: Models, selector: string): Dict {
  const resolved = models.catalogue.resolveModel(selector);
  const spec = models.catalogue.model(resolved.id);
  return resolvedDict(resolved).merge(
    Dict.of({
      catalog: spec === undefined ? null : fromJson(spec),
      capabilities: fromJson(models.catalogue.capabilities(resolved.provider, resolved.id)),
      auth_available: models.catalogue.hasKey(resolved.provider, models.env),
      qc_default: qcDefault(models, resolved.provider),
    }),
  );
}

/** The small model of a provider that checks other models' work: its own small tier, else its default. */
function qcDefault(models: Models, provider: string): Value {
  const own = models.catalogue.modelList().filter((model) => model.provider === provider);
  const small = own.find((model) => models.catalogue.resolveModel(model.id).tier === "small");
  return small?.id ?? models.catalogue.defaultModel(provider, models.env) ?? null;
}

/** `llm_pick_model(target)`: a tier, an alias or an id. */
function pickModel({ catalogue }: Models, target: string, options: Dict): Dict {
  const wanted = options.get("provider");
  const own = typeof wanted === "string" ? catalogue.modelOfTier(wanted, target) : undefined;
  const resolved = catalogue.resolveModel(target);
  return Dict.of({
    id: own ?? resolved.id,
    provider: own === undefined ? resolved.provider : (wanted as string),
    tier: tierNamed(target) ?? resolved.tier,
  });
}

function catalogueDict(models: Models): Dict {
  const { catalogue } = models;
  const names = catalogue.providerNames();
  return Dict.of({
    providers: Dict.from(names.map((name) => [name, llmProviderDict(models, name)])),
    aliases: Dict.from(catalogue.aliasList().map((alias) => [alias.name, fromJson(alias)])),
    models: Dict.from(catalogue.modelList().map((model) => [model.id, fromJson(model)])),
    qc_defaults: Dict.from(names.map((name) => [name, qcDefault(models, name)])),
    available: available(models),
  });
}

const available = (models: Models): List =>
  new List(models.catalogue.providerNames().filter((name) => models.catalogue.hasKey(name, models.env)));

function info(task: Task, options: Dict): Dict {
  const { catalogue, env } = modelsOf(task);
  const { provider, model } = routeOfCall(task, options);
  return Dict.of({ provider, model, api_key_set: catalogue.hasKey(provider, env) });
}

/** `[[provider.NAME]]` tables as rules. */
function capabilityRules(task: Task, text: string): { [provider: string]: CapabilityRule[] } {
  const providers = parseToml(task, text).get("provider");
  const where = "provider_capabilities_install";
  if (!(providers instanceof Dict)) throw thrown(`${where}: expected [[provider.NAME]] tables`);
  const rules = [...providers.entries()].map(([name, list]) => {
    if (!(list instanceof List)) throw refusal(at(where, `provider.${name}`), `[[provider.${name}]]`, list);
    return [
      name,
      list.toArray().map((rule, index) => capabilityRule(rule, `${where}: provider.${name}[${index}]`)),
    ];
  });
  return Object.fromEntries(rules) as { [provider: string]: CapabilityRule[] };
}

function capabilityRule(rule: Value, where: string): CapabilityRule {
  if (!(rule instanceof Dict) || typeof rule.get("model_match") !== "string") {
    throw thrown(`${where} needs a string \`model_match\``);
  }
  const version = rule.get("version_min") ?? null;
  const pair =
    version instanceof List &&
    version.length === 2 &&
    version.toArray().every((part) => typeof part === "number");
  if (version !== null && !pair) throw refusal(at(where, "version_min"), "[major, minor]", version);
  return toJson(rule) as unknown as CapabilityRule;
}

// ── money ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function estimatedCost(models: Models, model: string, input: number, output: number): Float {
  const usageOf = {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  };
  const { id, provider } = models.catalogue.resolveModel(model);
  return new Float(models.catalogue.cost(provider, id, usageOf) ?? 0);
}

/** From inside an agent loop the budget of the run around it is only ever narrowed. */
function setBudget(task: Task, value: Argument): null {
  const { spending } = modelsOf(task);
  const usd = value === undefined || value === null ? null : numberOf(value);
  if (usd === undefined || (usd !== null && usd < 0)) {
    throw thrown(
      `llm_budget: expected a non-negative number of dollars or nil, got ${shownValue(value ?? null)}`,
    );
  }
  const { limitUsd } = spending;
  const isInside = task.runtime.state(runningLoops).current(task) !== null;
  if (isInside && limitUsd !== null && (usd === null || usd > limitUsd)) {
    throw thrown(
      `llm_budget: inside an agent loop the budget of the run (${display(new Float(limitUsd))}) can only be narrowed; got ${usd === null ? "nil" : display(new Float(usd))}`,
    );
  }
  spending.limitUsd = usd;
  return null;
}

// ── rates ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function rateLimit(models: Models, provider: string, limit: Argument): Value {
  if (limit === undefined || limit === null) return models.rates.get(provider);
  const perMinute = numberOf(limit instanceof Dict ? limit.get("rpm") : limit);
  if (perMinute === undefined || !Number.isInteger(perMinute) || perMinute < 0) {
    throw thrown(`llm_rate_limit: expected a non-negative int or {rpm: n}, got ${shownValue(limit)}`);
  }
  models.rates.set(provider, perMinute);
  return models.rates.get(provider);
}

/** What passes by waiting: everything else is thrown at once. */
const passing: ReadonlySet<string> = new Set(["rate_limit", "overloaded", "transient_network", "timeout"]);

async function withRateLimit(task: Task, provider: string, body: Callable, options: Dict): Promise<Value> {
  const retries = numberOf(options.get("max_retries")) ?? 5;
  const backoff = { baseMs: numberOf(options.get("backoff_ms")) ?? 1000, maxMs: 30_000 };
  const { rates } = modelsOf(task);
  for (let attempt = 0; ; attempt++) {
    await rates.turn(task, provider);
    try {
      return await body.call(task, []);
    } catch (error) {
      if (!(error instanceof ScriptError) || attempt >= retries || !passing.has(categoryOf(error)))
        throw error;
      await pauseTask(task, backoffMs(backoff, attempt + 1));
    }
  }
}

function categoryOf(error: ScriptError): string {
  const { value } = error;
  const own = value instanceof Dict ? value.get("category") : undefined;
  return error.category ?? (typeof own === "string" ? own : classifyError(display(value)));
}

// ── the table ─────────────────────────────────────────────────────────────────────────────────────────────────────

const calling = { effect: "model", performs: true, suspends: "may", capability: "model" } as const;
const looking = { effect: "state" } as const;

export const llm = defineBuiltins("llm", {
  llm_call: {
    doc: "Asks a model and gives its answer: `{text, visible_text, data?, tool_calls?, usage, model, provider, …}`. With `schema` the answer is read as JSON. Failures throw a dict with `category`.",
    sig: "(prompt: string | list, system: string | nil = nil, options: dict | nil = nil) -> dict",
    ...calling,
    traits: ["systemSecond", "unvalidated"],
    fields: { system: () => callFields, options: () => callFields },
    readsFields: true,
    resultKeys: () => modelResultKeys,
    otherKeys: () => modelOtherKeys,
    run: (task, prompt: Argument, system: Argument, options: Argument) =>
      llmCall(task, "llm_call", modelCallInput("llm_call", prompt, system, options)),
  },
  llm_call_safe: {
    doc: "As `llm_call`, but failures are data: `{ok, response, error}`.",
    sig: "(prompt: string | list, system: string | nil = nil, options: dict | nil = nil) -> dict",
    ...calling,
    traits: ["systemSecond", "unvalidated"],
    fields: { system: () => callFields, options: () => callFields },
    readsFields: true,
    resultKeys: () => safeResultKeys,
    run: (task, prompt: Argument, system: Argument, options: Argument) =>
      llmCallSafe(task, modelCallInput("llm_call_safe", prompt, system, options)),
  },
  llm_call_structured: {
    doc: "Asks for JSON that fits a schema and gives the data, after up to three corrections.",
    sig: "(prompt: string | list, schema: dict, options: dict | nil = nil) -> any",
    ...calling,
    traits: ["takesSchema", "systemSecond", "unvalidated"],
    fields: { options: () => structuredFields, schema: "a schema" },
    readsFields: true,
    run: (task, prompt: Argument, schema: Argument, options: Argument) =>
      llmCallStructured(task, prompt ?? null, schema, options),
  },
  llm_call_structured_safe: {
    doc: "As `llm_call_structured`, but failures are data: `{ok, data, error}`.",
    sig: "(prompt: string | list, schema: dict, options: dict | nil = nil) -> dict",
    ...calling,
    traits: ["takesSchema"],
    fields: { options: () => structuredFields, schema: "a schema" },
    readsFields: true,
    resultKeys: () => structuredSafeKeys,
    run: (task, prompt: Argument, schema: Argument, options: Argument) =>
      llmCallStructuredSafe(task, prompt ?? null, schema, options),
  },
  llm_call_structured_result: {
    doc: "As `llm_call_structured`, with all there is to know: `{ok, data, raw_text, error, error_category, attempts, repaired, extracted_json, usage, model, provider}`. `repair: {…}` makes one further call on output that does not fit.",
    sig: "(prompt: string | list, schema: dict, options: dict | nil = nil) -> dict",
    ...calling,
    traits: ["takesSchema"],
    fields: { options: () => structuredFields, schema: "a schema" },
    readsFields: true,
    resultKeys: () => structuredResultKeys,
    run: (task, prompt: Argument, schema: Argument, options: Argument) =>
      llmCallStructuredResult(task, prompt ?? null, schema, options),
  },
  llm_completion: {
    doc: "Text that continues `prefix`, up to `suffix` where one is given. The result has the shape of `llm_call`.",
    sig: "(prefix: string, suffix: string | nil = nil, system: string | nil = nil, options: dict | nil = nil) -> dict",
    ...calling,
    traits: ["unvalidated"],
    fields: { options: () => callFields },
    readsFields: true,
    resultKeys: () => modelResultKeys,
    otherKeys: () => modelOtherKeys,
    run: (task, prefix: Argument, suffix: Argument, system: Argument, options: Argument) =>
      llmCompletion(
        task,
        prefix ?? null,
        suffix ?? null,
        system ?? null,
        optionsDict("llm_completion", options),
      ),
  },
  llm_stream: {
    doc: "The text of an answer as a stream of pieces, while it arrives.",
    sig: "(prompt: string | list, system: string | nil = nil, options: dict | nil = nil) -> stream",
    effect: "model",
    traits: ["systemSecond"],
    performs: true,
    capability: "model",
    fields: { system: () => callFields, options: () => callFields },
    readsFields: true,
    run: (task, prompt: Argument, system: Argument, options: Argument) =>
      llmStream(task, modelCallInput("llm_stream", prompt, system, options)),
  },
  llm_stream_call: {
    doc: 'An answer as a stream of events while it arrives: `{type: "text", text}` for each piece, then the result of `llm_call` with `type: "done"`.',
    sig: "(prompt: string | list, system: string | nil = nil, options: dict | nil = nil) -> stream",
    effect: "model",
    performs: true,
    capability: "model",
    fields: { system: () => callFields, options: () => callFields },
    readsFields: true,
    run: (task, prompt: Argument, system: Argument, options: Argument) =>
      llmStreamCall(task, modelCallInput("llm_stream_call", prompt, system, options)),
  },
  llm_mock: {
    doc: "Queues one written answer: `{text?, tool_calls?, match?, error?, …}`. While the queue holds answers, they serve every provider; afterwards a call to any provider but `mock` fails, unless `llm_mock_passthrough(true)`.",
    sig: "(entry: dict) -> nil",
    ...looking,
    fields: { entry: () => mockFields },
    run: (task, entry: Argument) => {
      if (!(entry instanceof Dict)) throw thrown("llm_mock: expected a dict argument");
      usage(() => addScriptedMock(modelsOf(task).mock, toJson(entry)));
      return null;
    },
  },
  llm_mock_passthrough: {
    doc: "Whether calls that no written answer fits go to their provider (`true`) or fail (`false`, the default once `llm_mock` was called). Answers of `--llm-mock` are never passed by.",
    sig: "(on: bool) -> nil",
    ...looking,
    example: "llm_mock_passthrough(true)",
    run: (task, on: Argument) => {
      if (typeof on !== "boolean")
        throw thrown(`llm_mock_passthrough: expected true or false, got ${shownValue(on ?? null)}`);
      modelsOf(task).mock.passthrough = on;
      return null;
    },
  },
  llm_mock_calls: {
    doc: "What the mock was asked, oldest first: `{messages, system, tools, tool_choice, output_format, thinking, provider_tools, api_mode}`.",
    sig: "() -> list",
    ...looking,
    run: (task) => new List(modelsOf(task).mock.calls.map(mockCallDict)),
  },
  llm_mock_clear: {
    doc: "Empties the mock's queue, its list of calls and its prompt cache.",
    sig: "() -> nil",
    ...looking,
    run: (task) => {
      clearMocks(modelsOf(task).mock);
      return null;
    },
  },
  llm_mock_push_scope: {
    doc: "Puts the mock's queue, calls and prompt cache aside and starts with empty ones.",
    sig: "() -> nil",
    ...looking,
    run: (task) => {
      pushMockScope(modelsOf(task).mock);
      return null;
    },
  },
  llm_mock_pop_scope: {
    doc: "Brings back what `llm_mock_push_scope` put aside.",
    sig: "() -> nil",
    ...looking,
    run: (task) => {
      usage(() => popMockScope(modelsOf(task).mock));
      return null;
    },
  },
  llm_info: {
    doc: "The provider and model that a call with these options (`provider`, `model`, `model_tier`) goes to, and whether its key is set.",
    sig: "(options: dict | nil = nil) -> dict",
    fields: { options: () => infoFields },
    ...looking,
    run: (task, options: Argument) => info(task, optionsDict("llm_info", options)),
  },
  llm_usage: {
    doc: "Tokens, calls and time spent on models so far.",
    sig: "() -> dict",
    ...looking,
    example: "llm_usage().call_count  // 0",
    resultKeys: () =>
      keysOf("input_tokens", "output_tokens", "call_count", "total_calls", "total_duration_ms"),
    run: (task) => {
      const { inputTokens, outputTokens, calls, durationMs } = modelsOf(task).spending;
      return Dict.of({
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        call_count: calls,
        total_calls: calls,
        total_duration_ms: durationMs,
      });
    },
  },
  llm_cost: {
    doc: "What a call of this size costs in dollars; 0.0 for a model without a price.",
    sig: "(model: string, input_tokens: int, output_tokens: int) -> float",
    ...looking,
    example: 'llm_cost("gpt-4o-mini", 1000, 500)  // 0.00045',
    run: (task, model: Argument, input: Argument, output: Argument) =>
      estimatedCost(modelsOf(task), textOf(model), numberOf(input) ?? 0, numberOf(output) ?? 0),
  },
  llm_session_cost: {
    doc: "What the run has spent on models so far: `{total_cost, input_tokens, output_tokens, call_count}`.",
    sig: "() -> dict",
    ...looking,
    run: (task) => {
      const { costUsd, inputTokens, outputTokens, calls } = modelsOf(task).spending;
      return Dict.of({
        total_cost: new Float(costUsd),
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        call_count: calls,
      });
    },
  },
  llm_budget: {
    doc: "Limits what the run may spend on models, in dollars; nil lifts the limit. Inside an agent loop it can only be narrowed. A call whose worst case does not fit is refused before it is made.",
    sig: "(usd: float | int | nil) -> nil",
    ...looking,
    run: (task, usd: Argument) => setBudget(task, usd),
  },
  llm_budget_remaining: {
    doc: "Dollars left of `llm_budget`; nil without one.",
    sig: "() -> float | nil",
    ...looking,
    example: "llm_budget_remaining()  // nil",
    run: (task) => {
      const { limitUsd, costUsd } = modelsOf(task).spending;
      return limitUsd === null ? null : new Float(Math.max(0, limitUsd - costUsd));
    },
  },
  llm_config: {
    doc: "How a provider is reached (`base_url`, `auth_style`, `auth_env` …); without a name all providers by name.",
    sig: "(name: string | nil = nil) -> dict | nil",
    ...looking,
    run: (task, name: Argument) => {
      const models = modelsOf(task);
      if (name !== undefined && name !== null) return llmProviderDict(models, textOf(name));
      return Dict.from(models.catalogue.providerNames().map((each) => [each, llmProviderDict(models, each)]));
    },
  },
  llm_providers: {
    doc: "The names of all known providers.",
    sig: "() -> list",
    ...looking,
    run: (task) => new List(modelsOf(task).catalogue.providerNames()),
  },
  llm_available_providers: {
    doc: "The providers whose key is set, or which need none.",
    sig: "() -> list",
    ...looking,
    run: (task) => available(modelsOf(task)),
  },
  llm_known_models: {
    doc: "The short names that stand for models.",
    sig: "() -> list",
    ...looking,
    run: (task) =>
      new List(
        modelsOf(task)
          .catalogue.aliasList()
          .map((alias) => alias.name)
          .sort(),
      ),
  },
  llm_provider_catalog: {
    doc: "The whole catalogue: `{providers, aliases, models, qc_defaults, available}`.",
    sig: "() -> dict",
    ...looking,
    run: (task) => catalogueDict(modelsOf(task)),
  },
  llm_model_info: {
    doc: "What a model selector stands for, with its catalogue row and capabilities.",
    sig: "(selector: string) -> dict",
    ...looking,
    run: (task, selector: Argument) => modelInfo(modelsOf(task), textOf(selector)),
  },
  llm_model_tier: {
    doc: "`small`, `mid` or `frontier`.",
    sig: "(model: string) -> string",
    ...looking,
    example: 'llm_model_tier("deepseek-v3")  // mid',
    run: (task, model: Argument) => modelsOf(task).catalogue.resolveModel(textOf(model)).tier,
  },
  llm_pick_model: {
    doc: "The model for a tier, an alias or an id: `{id, provider, tier}`.",
    sig: "(target: string, options: dict | nil = nil) -> dict",
    ...looking,
    fields: { options: () => pickModelFields },
    run: (task, target: Argument, options: Argument) =>
      pickModel(modelsOf(task), textOf(target), optionsDict("llm_pick_model", options)),
  },
  llm_resolve_model: {
    doc: "`{id, provider, alias, tool_format, tier}` of a selector: an alias, an id, or `provider:id`.",
    sig: "(selector: string) -> dict",
    ...looking,
    run: (task, selector: Argument) => resolvedDict(modelsOf(task).catalogue.resolveModel(textOf(selector))),
  },
  llm_infer_provider: {
    doc: "The provider that a model id suggests.",
    sig: "(model: string) -> string",
    ...looking,
    example: 'llm_infer_provider("gpt-4o")  // openai',
    run: (task, model: Argument) => modelsOf(task).catalogue.inferProvider(textOf(model)),
  },
  llm_qc_default_model: {
    doc: "The small model of a provider that checks other models' work.",
    sig: "(provider: string) -> string | nil",
    ...looking,
    run: (task, provider: Argument) => qcDefault(modelsOf(task), textOf(provider)),
  },
  provider_capabilities: {
    doc: "What a route can do: native tools, thinking modes, vision, structured output …",
    sig: "(provider: string, model: string | nil = nil) -> dict",
    ...looking,
    run: (task, provider: Argument, model: Argument) => {
      if (provider === undefined || provider === null || provider === "") {
        throw thrown("provider_capabilities: provider name is required");
      }
      const models = modelsOf(task);
      const name = textOf(provider);
      const id =
        model === undefined || model === null
          ? (models.catalogue.defaultModel(name, models.env) ?? "")
          : textOf(model);
      return fromJson(models.catalogue.capabilities(name, id));
    },
  },
  llm_healthcheck: {
    doc: "Whether a provider answers: `{provider, valid, message, status?, metadata: {reason}}`. Makes the smallest possible call.",
    sig: "(provider: string | dict, options: dict | nil = nil) -> dict",
    ...calling,
    fields: { provider: () => healthFields, options: () => healthFields },
    run: (task, provider: Argument, options: Argument) => {
      const config = provider instanceof Dict ? provider : new Dict();
      const name = provider instanceof Dict ? textOf(config.get("provider")) : textOf(provider);
      return healthCheck(task, name, config.merge(optionsDict("llm_healthcheck", options)));
    },
  },
  llm_rate_limit: {
    doc: "The requests per minute that a provider is limited to, or nil; with a number or `{rpm: n}` sets the limit, 0 lifts it.",
    sig: "(provider: string, limit: int | dict | nil = nil) -> int | nil",
    ...looking,
    example: 'llm_rate_limit("openai")  // nil',
    fields: { limit: () => rateLimitFields },
    run: (task, provider: Argument, limit: Argument) => rateLimit(modelsOf(task), textOf(provider), limit),
  },
  with_rate_limit: {
    doc: "Waits for a permit of the provider's rate limit and runs `fn`; when it fails with category `rate_limit`, `overloaded`, `transient_network` or `timeout`, waits (twice as long each time, at most 30 s) and runs it again, up to `max_retries` (5) times from `backoff_ms` (1000).",
    sig: '(provider: string != "", fn!: fn() -> any, options: dict | nil = nil) -> any',
    ...calling,
    fields: { options: () => rateRetryFields },
    run: (task, provider: string, body: Callable, options: Argument) =>
      withRateLimit(task, provider, body, optionsDict("with_rate_limit", options)),
  },
  provider_capabilities_install: {
    doc: "Installs capability rules from TOML (`[[provider.NAME]]` with `model_match`, optional `version_min` and what the route can do). Replaces earlier installs for the same providers.",
    sig: "(toml: string) -> bool",
    ...looking,
    run: (task, text: Argument) => {
      modelsOf(task).catalogue.installCapabilities(capabilityRules(task, textOf(text)));
      return true;
    },
  },
  provider_capabilities_clear: {
    doc: "Drops installed capability rules.",
    sig: "() -> nil",
    ...looking,
    run: (task) => {
      modelsOf(task).catalogue.clearCapabilities();
      return null;
    },
  },
  agent_trace_summary: {
    doc: "`agent_trace()` counted: calls, tool executions, rejections, tokens, durations.",
    sig: "() -> dict",
    ...looking,
    run: (task) => traceSummary(task.runtime.state(runEvents).listed),
  },
  agent_trace: {
    doc: "What happened in this run's model calls and loops so far, each event a dict with `type`.",
    sig: "() -> list",
    ...looking,
    run: (task) => new List([...task.runtime.state(runEvents).listed]),
  },
});
