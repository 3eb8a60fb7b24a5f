/**
 * The catalogue of one runtime: built-in rows under the user's (providers.toml, packages, harn.toml), and every look-up.
 *
 * Later layers win, entry by entry. Reading TOML is not its business: it takes the parsed `[llm]` tables. Nothing here
 * does I/O; environment variables come in as an `EnvReader`.
 */

import { nearest } from "../../../diagnostics/index.ts";
import type { Secret } from "../../../effects/index.ts";
import { starMatches } from "../../../values/index.ts";

import { LlmUsageError } from "../errors.ts";
import type { JsonObject, ModelUsage } from "../port.ts";
import { type AliasSpec, builtinAliases } from "./aliases.ts";
import { type Capabilities, type CapabilityRule, capabilitiesOf } from "./capabilities.ts";
import { builtinModels, type ModelSpec, type Price } from "./models.ts";
import { builtinProviders, type ProviderSpec } from "./providers.ts";
import { type Tier, tierOf } from "./tier.ts";

/** Reads one environment variable; a `ReadonlyMap` is one. */
export interface EnvReader {
  get(name: string): string | undefined;
}

/** A rule that guesses the provider from a model id. */
export interface InferenceRule {
  pattern?: string;
  exact?: string;
  contains?: string;
  provider: string;
}

/** One layer of the user's configuration, as parsed. */
export interface CatalogueLayer {
  providers?: { readonly [name: string]: JsonObject };
  aliases?: { readonly [name: string]: JsonObject };
  inference_rules?: readonly InferenceRule[];
  models?: { readonly [id: string]: JsonObject };
  /** Options of calls, by glob over model ids, under what a call says itself. */
  model_defaults?: { readonly [pattern: string]: JsonObject };
  capabilities?: { readonly [provider: string]: readonly CapabilityRule[] };
  default_provider?: string;
  /** Who wrote it; the user where nothing is said. An address that only a package names gets none of the user's keys. */
  written_by?: "package";
}

/** What a selector (alias, `provider:model`, id) stands for. */
export interface ResolvedModel {
  id: string;
  provider: string;
  alias: string | null;
  tool_format: string;
  tier: Tier;
}

/** What a call asked for, and how the provider was found. */
export interface Route {
  provider: string;
  model: string;
  /** `explicit`, `env`, `model`, `default`, or `fallback` when the default provider has no key. */
  because: "explicit" | "env" | "model" | "default" | "fallback";
}

const inference: readonly InferenceRule[] = [
  { pattern: "claude-*", provider: "anthropic" },
  { pattern: "gpt-*", provider: "openai" },
  { pattern: "o1*", provider: "openai" },
  { pattern: "o3*", provider: "openai" },
  { pattern: "o4*", provider: "openai" },
  { pattern: "gemini-*", provider: "gemini" },
  { pattern: "mistral.*", provider: "bedrock" },
  { pattern: "meta.llama*", provider: "bedrock" },
  { pattern: "amazon.*", provider: "bedrock" },
  { pattern: "anthropic.claude-*", provider: "bedrock" },
  { pattern: "cohere.*", provider: "bedrock" },
];

/** `prefix:` spellings that are no provider names of their own. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ["local", "ollama"],
  ["ollama", "ollama"],
  ["hf", "huggingface"],
  ["huggingface", "huggingface"],
]);

interface BuiltinRows {
  readonly providers: ReadonlyMap<string, ProviderSpec>;
  readonly aliases: ReadonlyMap<string, AliasSpec>;
  readonly models: ReadonlyMap<string, ModelSpec>;
  readonly named: ReadonlyMap<string, ReadonlySet<string>>;
}

let builtin: BuiltinRows | undefined;

/** Rows that no catalogue changes, by name: made once, because every trial of an evaluation has a catalogue of its own. */
function builtinRows(): BuiltinRows {
  if (builtin !== undefined) return builtin;
  const providers = builtinProviders();
  builtin = {
    providers: new Map(providers.map((spec) => [spec.name, spec])),
    aliases: new Map(builtinAliases().map((alias) => [alias.name, alias])),
    models: new Map(builtinModels().map((model) => [model.id, model])),
    named: new Map(
      providers.flatMap(({ name, base_url }) => (base_url === null ? [] : [[name, new Set([base_url])]])),
    ),
  };
  return builtin;
}

export class Catalogue {
  private readonly providers: Map<string, ProviderSpec>;
  private readonly aliases: Map<string, AliasSpec>;
  private readonly models: Map<string, ModelSpec>;
  private readonly rules: InferenceRule[] = [];
  private readonly capabilityRules = new Map<string, readonly CapabilityRule[]>();
  private readonly projectCapabilities = new Map<string, readonly CapabilityRule[]>();
  private readonly defaults: (readonly [string, JsonObject])[] = [];
  private defaultName = "anthropic";
  /** Addresses that a vendor or the user named, by provider: where its keys may go. */
  private readonly named: Map<string, ReadonlySet<string>>;

  constructor(layers: readonly CatalogueLayer[] = []) {
    const { providers, aliases, models, named } = builtinRows();
    this.providers = new Map(providers);
    this.aliases = new Map(aliases);
    this.models = new Map(models);
    this.named = new Map(named);
    for (const layer of layers) this.add(layer);
  }

  /** Puts one more layer on top. */
  add(layer: CatalogueLayer): void {
    for (const [name, row] of Object.entries(layer.providers ?? {})) {
      this.addProvider(name, row);
      if (layer.written_by === "package" || typeof row.base_url !== "string") continue;
      this.named.set(name, new Set([...(this.named.get(name) ?? []), row.base_url]));
    }
    // Before what is inferred by them.
    this.rules.unshift(...(layer.inference_rules ?? []));
    if (layer.default_provider) this.defaultName = layer.default_provider;
    for (const [name, row] of Object.entries(layer.aliases ?? {})) {
      const { id, provider, tool_format } = row as Partial<AliasSpec>;
      if (typeof id !== "string") throw new LlmUsageError(`[llm] aliases.${name}: \`id\` is missing`);
      this.aliases.set(name, {
        name,
        id,
        provider: provider ?? this.inferProvider(id),
        ...(tool_format ? { tool_format } : {}),
      });
    }
    for (const [id, row] of Object.entries(layer.models ?? {})) this.addModel(id, row);
    this.defaults.push(...Object.entries(layer.model_defaults ?? {}));
    for (const [name, list] of Object.entries(layer.capabilities ?? {}))
      this.projectCapabilities.set(name, list);
  }

  private addProvider(name: string, row: JsonObject): void {
    const base = this.providers.get(name) ?? {
      ...this.providers.get("local")!,
      name,
      base_url: null,
      base_url_env: [],
      apiPath: "",
      auth_style: "bearer",
      model_env: null,
      local: false,
    };
    const spec: ProviderSpec = { ...base, ...(row as Partial<ProviderSpec>), name };
    const env = row.auth_env;
    if (env !== undefined) spec.auth_env = typeof env === "string" ? [env] : ((env as string[] | null) ?? []);
    const url = row.base_url_env;
    if (url !== undefined)
      spec.base_url_env = typeof url === "string" ? [url] : ((url as string[] | null) ?? []);
    if (spec.auth_style === "none") spec.auth_env = [];
    this.providers.set(name, spec);
  }

  private addModel(id: string, row: JsonObject): void {
    const base = this.models.get(id) ?? {
      id,
      provider: this.inferProvider(id),
      context_window: 0,
      max_output: null,
      pricing: null,
    };
    this.models.set(id, { ...base, ...(row as Partial<ModelSpec>), id });
  }

  /** Rules of `provider_capabilities_install`: replace earlier installs of the same providers. */
  installCapabilities(rules: { readonly [provider: string]: readonly CapabilityRule[] }): void {
    for (const [name, list] of Object.entries(rules)) this.capabilityRules.set(name, list);
  }

  clearCapabilities(): void {
    this.capabilityRules.clear();
  }

  capabilities(provider: string, model: string): Capabilities {
    const installed = new Map([...this.projectCapabilities, ...this.capabilityRules]);
    const found = capabilitiesOf(provider, model, installed);
    found.context_window ??= this.model(model)?.context_window ?? null;
    return found;
  }

  providerNames(): string[] {
    return [...this.providers.keys()].sort();
  }

  aliasList(): AliasSpec[] {
    return [...this.aliases.values()];
  }

  modelList(): ModelSpec[] {
    return [...this.models.values()];
  }

  provider(name: string): ProviderSpec | undefined {
    return this.providers.get(name);
  }

  /** The provider, or an error that says what is meant. */
  requireProvider(name: string): ProviderSpec {
    const spec = this.providers.get(name);
    if (spec) return spec;
    const near = nearest(name, this.providerNames());
    const hint = near ? `did you mean \`${near}\`?` : `known: ${this.providerNames().join(", ")}`;
    throw new LlmUsageError(
      `Unknown provider \`${name}\`; ${hint} (a server of your own is a [providers.${name}] table in harn.toml, or provider "local" with LOCAL_LLM_BASE_URL)`,
    );
  }

  /** The row of a model: exact, then undated, then without the vendor's prefix. */
  model(id: string): ModelSpec | undefined {
    for (const name of spellings(id)) {
      const found = this.models.get(name);
      if (found) return found;
    }
    return undefined;
  }

  /** Options that the configuration lays under calls of this model; later and closer files win. */
  callDefaults(model: string): JsonObject {
    const fitting = this.defaults.filter(([pattern]) => starMatches(pattern, model));
    return Object.assign({}, ...fitting.map(([, options]) => options)) as JsonObject;
  }

  price(model: string): Price | null {
    return this.model(model)?.pricing ?? null;
  }

  /**
   * How many times the usual price a model's faster service costs; null where it has none. Only the vendors themselves
   * have one: gateways sell it under other names.
   */
  fastFactor(provider: string, model: string): number | null {
    const row = this.model(model);
    return row?.provider === provider ? (row.fast_factor ?? null) : null;
  }

  /** Dollars for these tokens, null when the model has no price. Servers of one's own and the mock's own model are free. */
  cost(provider: string, model: string, usage: ModelUsage): number | null {
    const price = this.price(model);
    if (price && !(this.providers.get(provider)?.local && provider !== "mock")) return costOf(price, usage);
    return this.providers.get(provider)?.local ? 0 : null;
  }

  /** The provider that a model id suggests. */
  inferProvider(id: string): string {
    const alias = this.aliases.get(id);
    if (alias) return alias.provider;
    const prefix = this.prefixProvider(id.slice(0, Math.max(0, id.indexOf(":"))));
    if (prefix) return prefix;
    const exact = this.models.get(id);
    if (exact) return exact.provider;
    for (const rule of [...this.rules, ...inference]) if (catalogueRuleFits(rule, id)) return rule.provider;
    if (id.includes("/")) return "openrouter";
    if (id.includes(":")) return "ollama";
    return this.defaultName;
  }

  /** Resolves a selector. */
  resolveModel(selector: string): ResolvedModel {
    const alias = this.aliases.get(selector);
    if (alias) return this.resolved(alias.id, alias.provider, selector, alias.tool_format);
    const colon = selector.indexOf(":");
    const prefix = selector.slice(0, Math.max(0, colon));
    const known = this.prefixProvider(prefix);
    if (known) return this.resolved(selector.slice(colon + 1), known, null);
    return this.resolved(selector, this.inferProvider(selector), null);
  }

  /** The provider that `prefix:` names. `mistral:7b` is a model of ollama's, so a vendor's own name must not shadow that. */
  private prefixProvider(prefix: string): string | undefined {
    const fixed = prefixes.get(prefix);
    if (fixed) return fixed;
    return this.providers.has(prefix) && prefix !== "mistral" ? prefix : undefined;
  }

  private resolved(id: string, provider: string, alias: string | null, pinned?: string): ResolvedModel {
    return { id, provider, alias, tool_format: pinned ?? this.toolFormat(provider, id), tier: tierOf(id) };
  }

  /** Default tool format of a route (agents.md §5.2); the mock's is text (§22.3). */
  toolFormat(provider: string, model: string): string {
    if (provider === "mock") return "text";
    const can = this.capabilities(provider, model);
    return can.preferred_tool_format ?? (can.native_tools ? "native" : "text");
  }

  /** True when the provider needs no key or one is set. */
  hasKey(provider: string, env: EnvReader): boolean {
    const spec = this.providers.get(provider);
    return !!spec && (spec.auth_env.length === 0 || spec.auth_env.some((name) => env.get(name)));
  }

  /** Every key that is set: what must not be seen in anything that is kept. */
  secrets(env: EnvReader): Secret[] {
    const found: Secret[] = [];
    for (const { auth_env } of this.providers.values()) {
      for (const name of auth_env) {
        const value = env.get(name);
        if (value) found.push({ name, value });
      }
    }
    return found;
  }

  /** The addresses that may be sent the key in this variable: those of its providers, as vendors and the user name them. */
  addressesOfKey(variable: string): string[] {
    return [...this.providers.values()].flatMap(({ name, auth_env }) =>
      auth_env.includes(variable) ? [...(this.named.get(name) ?? [])] : [],
    );
  }

  /** The model a provider uses when none is named. */
  defaultModel(provider: string, env: EnvReader): string | undefined {
    const spec = this.providers.get(provider);
    const named = spec?.model_env ? env.get(spec.model_env) : undefined;
    if (named) return named;
    if (provider === "mock") return this.providers.get(this.defaultName)?.default_model ?? undefined;
    return spec?.default_model ?? undefined;
  }

  /**
   * Which provider and model a call goes to. An explicit provider that does not exist is an error here,
   * before anything is sent; a missing key is found when the request is made, because the mock needs none.
   */
  route(
    asked: { provider?: string | null; model?: string | null; tier?: string | null },
    env: EnvReader,
  ): Route {
    const named = asked.provider && asked.provider !== "auto" ? asked.provider : undefined;
    const selector =
      asked.model ?? (asked.tier ? `tier/${asked.tier}` : undefined) ?? env.get("HARN_LLM_MODEL");
    const resolved = selector ? this.resolveModel(selector) : undefined;
    const fromEnv = env.get("HARN_LLM_PROVIDER");
    // An alias names its provider itself; for anything else an explicit provider wins over what the id suggests.
    const [provider, because] = this.chooseProvider(named, fromEnv, resolved, env);
    this.requireProvider(provider);
    const model = resolved
      ? named && !resolved.alias && resolved.provider !== provider
        ? selector!
        : resolved.id
      : this.defaultModel(provider, env);
    if (!model)
      throw new LlmUsageError(
        `provider \`${provider}\` has no default model: name one with \`model\` or HARN_LLM_MODEL`,
      );
    return { provider, model, because };
  }

  private chooseProvider(
    named: string | undefined,
    fromEnv: string | undefined,
    resolved: ResolvedModel | undefined,
    env: EnvReader,
  ): [string, Route["because"]] {
    if (named) return [named, "explicit"];
    if (fromEnv) return [fromEnv, "env"];
    if (resolved && (resolved.alias || resolved.provider !== this.defaultName))
      return [resolved.provider, "model"];
    if (resolved && this.model(resolved.id)) return [resolved.provider, "model"];
    if (this.hasKey(this.defaultName, env)) return [this.defaultName, "default"];
    if (resolved && starMatches("claude-*", resolved.id)) return [resolved.provider, "model"];
    return [this.fallbackProvider(env), "fallback"];
  }

  /** Without the default provider's key: the other vendor whose key is set, else a server on this machine. */
  private fallbackProvider(env: EnvReader): string {
    const keyed = ["openai", ...this.providers.keys()].find((name) => {
      const spec = this.providers.get(name)!;
      return (
        spec.protocol !== "none" && spec.auth_env.length > 0 && spec.default_model && this.hasKey(name, env)
      );
    });
    if (keyed) return keyed;
    return env.get("LOCAL_LLM_BASE_URL") && !env.get("OLLAMA_HOST") ? "local" : "ollama";
  }
}

/** Dollars for these tokens at this price. Cached tokens are part of the input. */
export function costOf(price: Price, usage: ModelUsage): number {
  const long = price.long_prompt;
  const rate = long && usage.input_tokens > long.above ? long : price;
  const plain = Math.max(0, usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens);
  return (
    (plain * rate.input_per_mtok +
      usage.cache_read_tokens * rate.cache_read_per_mtok +
      usage.cache_write_tokens * rate.cache_write_per_mtok +
      usage.output_tokens * rate.output_per_mtok) /
    1_000_000
  );
}

/** What caching saved (or cost, when negative): agents.md §1.2. */
export function cacheSavings(price: Price | null, usage: ModelUsage): number {
  if (!price) return 0;
  const saved = usage.cache_read_tokens * (price.input_per_mtok - price.cache_read_per_mtok);
  const paid = usage.cache_write_tokens * (price.cache_write_per_mtok - price.input_per_mtok);
  return (saved - paid) / 1_000_000;
}

function spellings(id: string): string[] {
  const bare = id.slice(id.lastIndexOf("/") + 1);
  const undated = (name: string) => name.replace(/-(?:\d{4}-\d\d-\d\d|\d{8}|latest)$/, "");
  // OpenRouter writes versions of Claude with a dot.
  const dashed = bare.startsWith("claude-") ? bare.replaceAll(".", "-") : bare;
  return [id, undated(id), bare, undated(bare), dashed, undated(dashed)];
}

function catalogueRuleFits(rule: InferenceRule, id: string): boolean {
  if (rule.exact !== undefined) return rule.exact === id;
  if (rule.contains !== undefined) return id.includes(rule.contains);
  return rule.pattern !== undefined && starMatches(rule.pattern, id);
}
