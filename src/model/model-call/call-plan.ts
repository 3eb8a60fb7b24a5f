/**
 * From the options of a script to a request (agents.md §1.1): route, knobs, tools, schema, limits.
 *
 * A plan is made once per `llm_call` or loop, `requestOf` once per turn. What is mistyped is dropped where the spec says
 * so and thrown where it says so; texts are the spec's.
 */

import type { Task } from "../../interp/index.ts";
import { variable } from "../../process/environment.ts";
import { warnOnce } from "../../table/index.ts";
import {
  Dict,
  Duration,
  display,
  Float,
  fromJson,
  List,
  readSchema,
  shownValue,
  thrown,
  toJson,
  type Value,
  wireSchema,
} from "../../values/index.ts";
import {
  type Capabilities,
  hasWrittenAnswer,
  isMocking,
  type JsonObject,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  type OutputFormat,
  type Route,
  type RouteWish,
  type Thinking,
  type ToolChoice,
} from "../llm/index.ts";
import { isToolFormat, type ToolFormat } from "../tools/format.ts";
import { disclosureOf, readToolSearch, withLoaded } from "../tools/search/options.ts";
import { modelTools, readToolSet } from "../tools/tool-set.ts";
import type { ToolSet } from "../tools/types.ts";
import { mediaIn } from "../values/messages.ts";
import { type Models, modelsOf } from "./models.ts";
import { type ReasoningDefaults, thinkingByPolicy } from "./reasoning-policy.ts";
import { roleOf } from "./roles.ts";
import { type Routing, readRouting } from "./route-policy.ts";
import { defaultMaxTokens } from "./spending.ts";
import { fitThinking, readThinking } from "./thinking.ts";
import type { CallBudget, CallRetries } from "./types.ts";

export interface CallPlan {
  /** Everything but what changes from turn to turn. */
  readonly base: Omit<ModelRequest, "messages">;
  readonly tools: ToolSet;
  readonly toolFormat: ToolFormat;
  /** Entries of the vendor's own: hosted tool search. */
  readonly providerTools: JsonObject[];
  /** Further attempts after a failure that may pass; null where nobody says: what a live call has of itself. */
  readonly retries: CallRetries | number | null;
  readonly backoffMs: number;
  readonly budget: CallBudget | undefined;
  /** The answer is read as JSON. */
  readonly wantsJson: boolean;
  /** As the script wrote it: what the answer is checked against. */
  readonly schema: JsonObject | null;
  /** The same as JSON Schema: what the model is given. */
  readonly sentSchema: JsonObject | null;
  readonly validation: "off" | "warn" | "error";
  readonly schemaRetries: number;
  /** `true`: the built-in correction; a string replaces its first sentence; `false`: nothing is added. */
  readonly schemaNudge: boolean | string;
  /** An answer is ended as soon as its beginning can't fit the schema any more. */
  readonly streamAbort: boolean;
  /** Other routes that the call may take; null for none. */
  readonly routing: Routing | null;
  readonly capabilities: Capabilities;
  /** The tool format that the alias of the model pins. */
  readonly pinnedFormat: ToolFormat | null;
  /** Calls go out; no mock answers them. */
  readonly live: boolean;
  /** Capability gates are off: a written answer is about to be taken. */
  readonly ungated: () => boolean;
}

/** What a caller fixes where the options say nothing. */
export interface PlanDefaults {
  readonly retries?: CallRetries;
  readonly backoffMs?: number;
  readonly schemaRetries?: number;
  readonly toolFormat?: ToolFormat;
  /** Thinking is chosen where the options say nothing about it. */
  readonly reasoning?: ReasoningDefaults;
  /** Begins texts about tools: `agent_loop: `. */
  readonly caller?: string;
}

/** Reads options. Throws `ScriptError`s with the texts of the spec. */
export function planCall(task: Task, wanted: Dict, defaults: PlanDefaults = {}): CallPlan {
  const models = modelsOf(task);
  const inForce = optionsInForce(task, models, wanted);
  const planned = plannedRoute(task, models, wanted);
  const { provider, model } = planned;
  const options = withModelDefaults(models, model, inForce);
  const read = new OptionReader(options);
  const can = models.capabilities(provider, model);
  const live = !isMocking(models.mock);
  const ungated = (): boolean => hasWrittenAnswer(models.mock);
  if (live) warnOfOtherVendor(task, planned);
  const said = readThinking(options.get("thinking")) ?? effort(read);
  const policy =
    said === null
      ? thinkingByPolicy(
          options,
          { provider, model, named: read.text("model") !== null, can, live },
          defaults.reasoning,
        )
      : null;
  const thinking = ungated()
    ? (said ?? policy)
    : fittedThinking(task, said ?? policy, { can, provider, model, caller: defaults.caller ?? "" });
  const asked = schemaOf(options);
  const schema = asked === null ? null : (toJson(asked) as JsonObject);
  const sentSchema = asked === null ? null : (toJson(wireSchema(asked)) as JsonObject);
  const format = responseFormat(options);
  const overrides = overridesOf(options, provider);
  const toolFormat = toolFormatOf(options, defaults);
  const offered = readToolSet(options.get("tools"), defaults.caller ?? "");
  const search = readToolSearch(options.get("tool_search"), defaults.caller ?? "");
  const route = {
    provider,
    model,
    capabilities: can,
    native: toolFormat === "native",
    forced: overrides?.force_native_tool_search === true,
  };
  const tools = search === null ? offered : withLoaded(offered, search.alwaysLoaded);
  const disclosure = search === null ? null : disclosureOf(search, tools, route, defaults.caller ?? "");
  return {
    base: {
      provider,
      model,
      max_tokens:
        read.count("max_tokens") ??
        Math.min(defaultMaxTokens, models.catalogue.model(model)?.max_output ?? defaultMaxTokens),
      ...knobs(read),
      ...thoughts(read, thinking, can),
      tool_choice: toolChoice(options),
      output_format: outputFormat(options, sentSchema, format, can),
      timeout_ms: read.count("timeout_ms") ?? read.milliseconds("timeout"),
      idle_timeout_ms: read.count("idle_timeout_ms") ?? read.milliseconds("idle_timeout"),
      stream: read.bool("stream") ?? streamByEnv(models),
      // Without a price for it a dollar limit would lie: such a route answers at its usual speed.
      ...(read.bool("fast") === true && models.catalogue.fastFactor(provider, model) !== null
        ? { fast: true }
        : {}),
      provider_overrides: overrides,
    },
    tools,
    toolFormat,
    // One call has no turn in which what was found could be called: without a vendor's search all tools go out.
    providerTools: disclosure?.mode === "native" ? disclosure.providerTools : [],
    retries: read.count("llm_retries") ?? defaults.retries ?? null,
    backoffMs: read.count("llm_backoff_ms") ?? defaults.backoffMs ?? 250,
    budget: readBudget(options.get("budget")),
    wantsJson: schema !== null || format !== "text",
    schema,
    sentSchema,
    validation: validationOf(options),
    schemaRetries: read.count("schema_retries") ?? defaults.schemaRetries ?? 1,
    schemaNudge: nudgeOf(options),
    streamAbort: read.bool("schema_stream_abort") === true && schema !== null,
    routing: readRouting(options, defaults.caller ?? ""),
    capabilities: can,
    pinnedFormat: pinnedFormat(models, new OptionReader(inForce)),
    live,
    ungated,
  };
}

/** The request of one turn. Tools go out natively only in the native format. */
export function requestOf(
  plan: CallPlan,
  turn: {
    messages: ModelMessage[];
    system: string | null;
    tools?: ModelTool[];
    /** Without it, those of the plan. */
    providerTools?: JsonObject[];
    options?: Dict;
  },
): ModelRequest {
  if (!plan.ungated()) gateMedia(plan, turn);
  const tools = turn.tools ?? (plan.toolFormat === "native" ? modelTools(plan.tools) : []);
  const hosted = turn.providerTools ?? plan.providerTools;
  return {
    ...plan.base,
    system: turn.system === "" ? null : turn.system,
    messages: turn.messages,
    tools: tools.length === 0 ? null : tools,
    ...(hosted.length === 0 ? {} : { provider_tools: hosted }),
    tool_choice: tools.length === 0 ? null : (plan.base.tool_choice ?? null),
  };
}

function gateMedia(plan: CallPlan, turn: { messages: ModelMessage[]; options?: Dict }): void {
  const needed = mediaIn(turn.messages);
  for (const kind of ["vision", "audio", "pdf", "video"] as const) {
    if (turn.options?.get(kind) === true) needed.add(kind);
    if (!needed.has(kind) || plan.capabilities[kind]) continue;
    const { provider, model } = plan.base;
    throw thrown(`option \`${kind}\` is not supported by ${model} (${provider})`);
  }
}

function pinnedFormat(models: Models, read: OptionReader): ToolFormat | null {
  const name = read.text("model");
  const pin = models.catalogue.aliasList().find((alias) => alias.name === name)?.tool_format;
  return isToolFormat(pin) ? pin : null;
}

/** What the configuration files say about calls of a model, under what the call says itself. */
function withModelDefaults(models: Models, model: string, input: Dict): Dict {
  const usual = models.catalogue.callDefaults(model);
  if (Object.keys(usual).length === 0) return input;
  const said = [...input.entries()].filter(([, value]) => value !== null);
  return (fromJson(usual) as Dict).merge(Dict.from(said));
}

// ── route ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Provider, model and, where one is named, address of a call with these options. */
export function routeOfCall(
  task: Task,
  wanted: Dict,
): { provider: string; model: string; base_url: string | null } {
  const models = modelsOf(task);
  const { provider, model } = plannedRoute(task, models, wanted);
  const base_url = new OptionReader(optionsInForce(task, models, wanted)).text("base_url");
  return { provider, model, base_url };
}

/** The options of a call with those of its role below them, and those that outrank it above. */
function optionsInForce(task: Task, { config: { roles } }: Models, wanted: Dict): Dict {
  const ofRole = roles?.options(roleOf(task));
  const named = ofRole === undefined ? wanted : ofRole.merge(wanted);
  const forced = roles?.forced?.(task);
  return forced === undefined ? named : named.merge(forced);
}

/** The route: what outranks the call, the call itself, its role. */
function plannedRoute(task: Task, models: Models, wanted: Dict): Route {
  const { roles } = models.config;
  const said = [roles?.forced?.(task), wanted, roles?.options(roleOf(task))];
  return models.route(...said.filter((one) => one !== undefined).map(wishOf));
}

function wishOf(options: Dict): RouteWish {
  const read = new OptionReader(options);
  return { provider: read.text("provider"), model: read.text("model"), tier: read.text("model_tier") };
}

/** A model that the catalogue knows as another vendor's than the one that was named: told once, with what to write. */
function warnOfOtherVendor(task: Task, { provider, model, because, knownAs }: Route): void {
  if (knownAs === undefined) return;
  const by = because === "flag" ? "--provider" : because === "env" ? "HARN_LLM_PROVIDER" : "the call";
  const what = `\`${model}\` is known as a model of ${knownAs}, and is asked here because ${by} says so`;
  const hint = `write \`${knownAs}:${model}\` to ask ${knownAs}`;
  warnOnce(task, `provider ${provider}`, `known as\0${model}`, what, hint, true);
}

// ── knobs ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function knobs(read: OptionReader): Partial<ModelRequest> {
  return {
    temperature: read.number("temperature"),
    top_p: read.number("top_p"),
    top_k: read.count("top_k"),
    stop: read.texts("stop"),
    seed: read.int("seed"),
    frequency_penalty: read.number("frequency_penalty"),
    presence_penalty: read.number("presence_penalty"),
    logprobs: read.bool("logprobs"),
    top_logprobs: read.count("top_logprobs"),
    prefill: read.text("prefill"),
    cache: read.bool("cache") ?? false,
    api_mode: read.text("api_mode"),
    base_url: read.text("base_url"),
  };
}

const interleavedBeta = "interleaved-thinking-2025-05-14";

function thoughts(read: OptionReader, thinking: Thinking | null, can: Capabilities): Partial<ModelRequest> {
  const thinksByItself = thinking?.mode === "enabled" && can.interleaved_thinking_supported;
  const interleaved = read.bool("interleaved_thinking") ?? thinksByItself;
  const features = [...(read.texts("anthropic_beta_features") ?? [])];
  if (interleaved && !features.includes(interleavedBeta)) features.push(interleavedBeta);
  return {
    thinking,
    interleaved_thinking: interleaved ? true : null,
    anthropic_beta_features: features.length === 0 ? null : features,
  };
}

/** What the route does for a request to think; the user is told where that is not what was asked for. */
function fittedThinking(
  task: Task,
  asked: Thinking | null,
  { can, provider, model, caller }: { can: Capabilities; provider: string; model: string; caller: string },
): Thinking | null {
  const { thinking, note } = fitThinking(asked, can, provider, model);
  const name = caller.replace(/: $/, "") || "llm_call";
  if (note !== null) warnOnce(task, name, `thinking\0${model}\0${note}`, `thinking of ${provider}`, note);
  return thinking;
}

function effort(read: OptionReader): Thinking | null {
  const level = read.text("reasoning_effort");
  return level === null ? null : { mode: "effort", level };
}

function streamByEnv(models: Models): boolean {
  const value = variable(models.env, "HARN_LLM_STREAM");
  return value === undefined || !["0", "false", "off", "no"].includes(value.toLowerCase());
}

function overridesOf(options: Dict, provider: string): JsonObject | null {
  const input = options.get(provider);
  return input instanceof Dict ? (toJson(input) as JsonObject) : null;
}

// ── tools ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function toolChoice(options: Dict): ToolChoice | null {
  const choice = options.get("tool_choice");
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  const name = choice instanceof Dict ? choice.get("name") : undefined;
  return typeof name === "string" ? { name } : null;
}

function toolFormatOf(options: Dict, defaults: PlanDefaults): ToolFormat {
  const input = options.get("tool_format") ?? null;
  if (isToolFormat(input)) return input;
  if (input === null || input === "auto") return defaults.toolFormat ?? "native";
  throw thrown(
    `${defaults.caller ?? ""}\`tool_format\` must be one of native, text, json, auto (or omitted); got ${shownValue(input)}`,
  );
}

// ── output ────────────────────────────────────────────────────────────────────────────────────────────────────────

function schemaOf(options: Dict): Dict | null {
  for (const key of ["schema", "json_schema", "output_schema"]) {
    const input = options.get(key);
    if (input instanceof Dict) return unwrappedSchema(input);
  }
  const format = options.get("output_format");
  const inner =
    format instanceof Dict && format.get("kind") === "json_schema" ? format.get("schema") : undefined;
  return inner instanceof Dict ? unwrappedSchema(inner) : null;
}

/** OpenAI's wrapper `{name, schema, strict?}`. */
function unwrappedSchema(input: Dict): Dict {
  const inner = input.get("schema");
  const wrapper = inner instanceof Dict && !input.has("type") && !input.has("properties");
  return readSchema(wrapper ? inner : input);
}

function responseFormat(options: Dict): "text" | "json" {
  const input = options.get("response_format") ?? null;
  if (input === null || input === "text") return plannedOutputKind(options) === "text" ? "text" : "json";
  if (input === "json" || input === "json_object") return "json";
  throw thrown(`response_format: expected "json", "json_object", or "text", got "${display(input)}"`);
}

function plannedOutputKind(options: Dict): string {
  const input = options.get("output_format") ?? null;
  const kind = input instanceof Dict ? (input.get("kind") ?? input.get("type") ?? null) : input;
  if (kind === null || kind === "text") return "text";
  if (kind === "json" || kind === "json_object") return "json_object";
  if (kind === "json_schema") return kind;
  throw thrown(`output_format: expected "text", "json_object", or "json_schema", got ${shownValue(kind)}`);
}

/** The schema always goes along: the route holds the model to it, or the model is told it in words. */
function outputFormat(
  options: Dict,
  schema: JsonObject | null,
  format: "text" | "json",
  can: Capabilities,
): OutputFormat {
  const input = options.get("output_format");
  const strict = input instanceof Dict ? input.get("strict") : undefined;
  const asked = plannedOutputKind(options) === "json_schema";
  if (schema !== null && (asked || can.json_schema !== null)) {
    return typeof strict === "boolean"
      ? { kind: "json_schema", schema, strict }
      : { kind: "json_schema", schema };
  }
  if (schema !== null) return { kind: "json_object", schema };
  return format === "json" ? { kind: "json_object" } : { kind: "text" };
}

function validationOf(options: Dict): "off" | "warn" | "error" {
  const input = options.get("output_validation");
  return input === "warn" || input === "error" ? input : "off";
}

function nudgeOf(options: Dict): boolean | string {
  const nudge = options.get("schema_retry_nudge");
  return typeof nudge === "boolean" || typeof nudge === "string" ? nudge : true;
}

/** The `budget` option. */
export function readBudget(value: Value | undefined): CallBudget | undefined {
  if (value === undefined || value === null) return undefined;
  const names = ["max_cost_usd", "max_input_tokens", "max_output_tokens", "total_budget_usd"] as const;
  if (!(value instanceof Dict)) throw thrown(`budget: expected a dict {${names.join(", ")}}`);
  const read = new OptionReader(value);
  const budget: { -readonly [name in (typeof names)[number]]?: number } = {};
  for (const name of names) {
    const limit = read.number(name);
    const input = value.get(name) ?? null;
    // A limit that can't be read must not be no limit.
    if (limit === null && input !== null)
      throw thrown(`budget.${name}: expected a number, got "${display(input)}"`);
    if (limit !== null) budget[name] = limit;
  }
  return budget;
}

/** Options by type; what has another type reads as absent (agents.md §1.1). */
class OptionReader {
  private readonly options: Dict;
  constructor(options: Dict) {
    this.options = options;
  }
  text(key: string): string | null {
    const value = this.options.get(key);
    return typeof value === "string" && value !== "" ? value : null;
  }
  bool(key: string): boolean | null {
    const value = this.options.get(key);
    return typeof value === "boolean" ? value : null;
  }
  number(key: string): number | null {
    const value = this.options.get(key);
    if (typeof value === "number") return value;
    return value instanceof Float && Number.isFinite(value.value) ? value.value : null;
  }
  int(key: string): number | null {
    const value = this.options.get(key);
    return typeof value === "number" ? value : null;
  }
  /** An int that is not negative. */
  count(key: string): number | null {
    const value = this.int(key);
    return value !== null && value >= 0 ? value : null;
  }
  /** Seconds or a duration. */
  milliseconds(key: string): number | null {
    const value = this.options.get(key);
    if (value instanceof Duration) return value.ms;
    const seconds = this.number(key);
    return seconds !== null && seconds > 0 ? Math.round(seconds * 1000) : null;
  }
  texts(key: string): string[] | null {
    const value = this.options.get(key);
    if (typeof value === "string") return [value];
    if (!(value instanceof List)) return null;
    const texts = value.toArray().filter((item) => typeof item === "string");
    return texts.length === 0 ? null : texts;
  }
}
