/**
 * From the options of a script to a request (agents.md §1.1): route, knobs, tools, schema, limits.
 *
 * A plan is made once per `llm_call` or loop, `requestOf` once per turn. What is mistyped is dropped where the spec says
 * so and thrown where it says so; texts are the spec's.
 */

import type { Task } from "../../interp/index.ts";
import { variable } from "../../process/environment.ts";
import { callerWords } from "../../process/index.ts";
import { at, inside, type Read, readRows, refusal, warnOnce } from "../../table/index.ts";
import { Dict, fromJson, normalSchema, thrown, toJson, wireSchema } from "../../values/index.ts";
import {
  hasWrittenAnswer,
  isMocking,
  type JsonObject,
  type ModelCapabilities,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  noCapabilities,
  type OutputFormat,
  type ProviderRoute,
  type RouteWish,
  type Thinking,
} from "../llm/index.ts";
import { isToolFormat, type ToolFormat } from "../tools/format.ts";
import { disclosureOf, withLoaded } from "../tools/search/options.ts";
import { modelTools, toolSetOfValue } from "../tools/tool-set.ts";
import type { ToolSet } from "../tools/types.ts";
import { mediaIn } from "../values/messages.ts";
import { type CallBudget, planFields } from "./call-fields.ts";
import { type Models, modelsOf } from "./models.ts";
import { type ReasoningDefaults, thinkingByPolicy } from "./reasoning-policy.ts";
import { roleOf } from "./roles.ts";
import type { Routing } from "./route-policy.ts";
import { defaultMaxTokens } from "./spending.ts";
import { fitThinking } from "./thinking.ts";
import type { CallRetries } from "./types.ts";

type PlanOptions = Read<typeof planFields>;

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
  readonly budget: CallBudget | null;
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
  readonly capabilities: ModelCapabilities;
  /** The tool format that the alias of the model pins. */
  readonly pinnedFormat: ToolFormat | null;
  /** Calls go out; no mock answers them. */
  readonly live: boolean;
  /** Capability gates are off: a written answer is about to be taken. */
  readonly ungated: () => boolean;
}

/** What a caller fixes where the options say nothing. */
interface PlanDefaults {
  readonly retries?: CallRetries;
  readonly backoffMs?: number;
  readonly schemaRetries?: number;
  readonly toolFormat?: ToolFormat;
  /** Thinking is chosen where the options say nothing about it. */
  readonly reasoning?: ReasoningDefaults;
  /** Who is called, for refusals. */
  readonly caller?: string;
}

/** Reads options. Throws `ScriptError`s. */
export function planCall(task: Task, wanted: Dict, defaults: PlanDefaults = {}): CallPlan {
  const models = modelsOf(task);
  const { caller = "llm_call" } = defaults;
  const inForce = optionsInForce(task, models, wanted);
  const planned = plannedRoute(task, models, wanted);
  const { provider, model } = planned;
  const options = withModelDefaults(models, model, inForce);
  const read = planOptions(options, caller);
  const can = models.capabilities(provider, model);
  const live = !isMocking(models.mock);
  const ungated = (): boolean => hasWrittenAnswer(models.mock);
  if (live) warnOfOtherVendor(task, planned);
  const { reasoningEffort: level } = read;
  const said = read.thinking ?? (level === null ? null : { mode: "effort" as const, level });
  const policy =
    said === null
      ? thinkingByPolicy(read, { provider, model, named: read.model !== null, can, live }, defaults.reasoning)
      : null;
  const thinking = ungated()
    ? (said ?? policy)
    : fittedThinking(task, said ?? policy, { can, provider, model, caller });
  const asked = schemaOf(read);
  const schema = asked === null ? null : (toJson(asked) as JsonObject);
  const sentSchema = asked === null ? null : (toJson(wireSchema(asked)) as JsonObject);
  const isText = isAnsweredInText(read);
  const overrides = overridesOf(options, provider);
  const toolFormat = isToolFormat(read.toolFormat) ? read.toolFormat : (defaults.toolFormat ?? "native");
  const offered = toolSetOfValue(read.tools, `${caller}: `);
  const { toolSearch: search } = read;
  const route = {
    provider,
    model,
    capabilities: can,
    native: toolFormat === "native",
    forced: overrides?.force_native_tool_search === true,
  };
  const tools = search === null ? offered : withLoaded(offered, search.alwaysLoaded);
  const disclosure = search === null ? null : disclosureOf(search, tools, route, caller);
  return {
    base: {
      provider,
      model,
      max_tokens:
        read.maxTokens ??
        Math.min(defaultMaxTokens, models.catalogue.model(model)?.max_output ?? defaultMaxTokens),
      ...knobs(read),
      ...thoughts(read, thinking, can),
      tool_choice: read.toolChoice,
      output_format: outputFormat(read, sentSchema, isText, can),
      timeout_ms: read.timeoutMs ?? read.timeout,
      idle_timeout_ms: read.idleTimeoutMs ?? read.idleTimeout,
      stream: read.stream ?? streamByEnv(models),
      // Without a price for it a dollar limit would lie: such a route answers at its usual speed.
      ...(read.fast && models.catalogue.fastFactor(provider, model) !== null ? { fast: true } : {}),
      provider_overrides: overrides,
    },
    tools,
    toolFormat,
    // One call has no turn in which what was found could be called: without a vendor's search all tools go out.
    providerTools: disclosure?.mode === "native" ? disclosure.providerTools : [],
    retries: read.llmRetries ?? defaults.retries ?? null,
    backoffMs: read.llmBackoffMs ?? defaults.backoffMs ?? 250,
    budget: read.budget,
    wantsJson: schema !== null || !isText,
    schema,
    sentSchema,
    validation: read.outputValidation,
    schemaRetries: read.schemaRetries ?? defaults.schemaRetries ?? 1,
    schemaNudge: read.schemaRetryNudge,
    streamAbort: read.schemaStreamAbort && schema !== null,
    routing: routingOf(read, caller),
    capabilities: can,
    pinnedFormat: pinnedFormat(models, inForce),
    live,
    ungated,
  };
}

/** Of a loop's options, those of its calls. */
const planOptions = (options: Dict, caller: string): PlanOptions =>
  readRows(
    Dict.from([...options.entries()].filter(([key]) => planFields.get(key) !== undefined)),
    planFields,
    at(caller),
  );

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

function pinnedFormat(models: Models, options: Dict): ToolFormat | null {
  const name = options.get("model");
  if (name === undefined) return null;
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
  const base_url = optionsInForce(task, models, wanted).get("base_url");
  return { provider, model, base_url: typeof base_url === "string" && base_url !== "" ? base_url : null };
}

/** The options of a call with those of its role below them, and those that outrank it above. */
function optionsInForce(task: Task, { config: { roles } }: Models, wanted: Dict): Dict {
  const ofRole = roles?.options(roleOf(task));
  const named = ofRole === undefined ? wanted : ofRole.merge(wanted);
  const forced = roles?.forced?.(task);
  return forced === undefined ? named : named.merge(forced);
}

/** The route: what outranks the call, the call itself, its role. */
function plannedRoute(task: Task, models: Models, wanted: Dict): ProviderRoute {
  const { roles } = models.config;
  const said = [roles?.forced?.(task), wanted, roles?.options(roleOf(task))];
  return models.route(...said.filter((one) => one !== undefined).map(wishOf));
}

function wishOf(options: Dict): RouteWish {
  const text = (key: string): string | null => {
    const value = options.get(key);
    return typeof value === "string" && value !== "" ? value : null;
  };
  return { provider: text("provider"), model: text("model"), tier: text("model_tier") };
}

/** A model that the catalogue knows as another vendor's than the one that was named: told once, with what to write. */
function warnOfOtherVendor(task: Task, { provider, model, because, knownAs }: ProviderRoute): void {
  if (knownAs === undefined) return;
  const by =
    because === "flag"
      ? callerWords().flag("--provider")
      : because === "env"
        ? "HARN_LLM_PROVIDER"
        : "the call";
  const what = `\`${model}\` is known as a model of ${knownAs}, and is asked here because ${by} says so`;
  const hint = `write \`${knownAs}:${model}\` to ask ${knownAs}`;
  warnOnce(task, `provider ${provider}`, `known as\0${model}`, what, hint, true);
}

// ── knobs ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const knobs = (read: PlanOptions): Partial<ModelRequest> => ({
  temperature: read.temperature,
  top_p: read.topP,
  top_k: read.topK,
  stop: read.stop,
  seed: read.seed,
  frequency_penalty: read.frequencyPenalty,
  presence_penalty: read.presencePenalty,
  logprobs: read.logprobs,
  top_logprobs: read.topLogprobs,
  prefill: read.prefill,
  cache: read.cache,
  api_mode: read.apiMode,
  base_url: read.baseUrl,
});

const interleavedBeta = "interleaved-thinking-2025-05-14";

function thoughts(
  read: PlanOptions,
  thinking: Thinking | null,
  can: ModelCapabilities,
): Partial<ModelRequest> {
  const thinksByItself = thinking?.mode === "enabled" && can.interleaved_thinking_supported;
  const interleaved = read.interleavedThinking ?? thinksByItself;
  const features = [...(read.anthropicBetaFeatures ?? [])];
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
  {
    can,
    provider,
    model,
    caller,
  }: { can: ModelCapabilities; provider: string; model: string; caller: string },
): Thinking | null {
  const { thinking, note } = fitThinking(asked, can, provider, model);
  if (note !== null) warnOnce(task, caller, `thinking\0${model}\0${note}`, `thinking of ${provider}`, note);
  return thinking;
}

function streamByEnv(models: Models): boolean {
  const value = variable(models.env, "HARN_LLM_STREAM");
  return value === undefined || !["0", "false", "off", "no"].includes(value.toLowerCase());
}

function overridesOf(options: Dict, provider: string): JsonObject | null {
  const input = options.get(provider);
  return input instanceof Dict ? (toJson(input) as JsonObject) : null;
}

/** Null when a call goes to its own route only. */
function routingOf(read: PlanOptions, caller: string): Routing | null {
  const { fallbackChain: chain } = read;
  const policy = read.routePolicy ?? read.routingPolicy;
  const unknown = policy?.require.find((name) => !(name in noCapabilities()));
  if (unknown !== undefined)
    throw refusal(inside(at(caller, "route_policy"), "require"), "names of capabilities", unknown, {
      help: `there are ${Object.keys(noCapabilities()).join(", ")}`,
    });
  return policy === null && chain.length === 0 ? null : { policy, chain };
}

// ── output ────────────────────────────────────────────────────────────────────────────────────────────────────────

function schemaOf({ schema, jsonSchema, outputSchema, outputFormat: format }: PlanOptions): Dict | null {
  const input =
    schema ?? jsonSchema ?? outputSchema ?? (format?.kind === "json_schema" ? format.schema : null);
  if (input === null) return null;
  // OpenAI's wrapper `{name, schema, strict?}`.
  const inner = input.get("schema");
  const wrapper = inner instanceof Dict && !input.has("type") && !input.has("properties");
  return normalSchema(wrapper ? inner : input);
}

const isAnsweredInText = ({ responseFormat, outputFormat: format }: PlanOptions): boolean =>
  responseFormat === "text" && (format === null || format.kind === null || format.kind === "text");

/** The schema always goes along: the route holds the model to it, or the model is told it in words. */
function outputFormat(
  { outputFormat: format }: PlanOptions,
  schema: JsonObject | null,
  isText: boolean,
  can: ModelCapabilities,
): OutputFormat {
  if (schema !== null && (format?.kind === "json_schema" || can.json_schema !== null)) {
    const strict = format?.strict ?? null;
    return { kind: "json_schema", schema, ...(strict === null ? {} : { strict }) };
  }
  if (schema !== null) return { kind: "json_object", schema };
  return { kind: isText ? "text" : "json_object" };
}
