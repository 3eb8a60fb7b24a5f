/**
 * The catalogue of one runtime: built-in rows under the user's (providers.toml, packages, harn.toml), and every look-up.
 *
 * Later layers win, entry by entry. Reading TOML is not its business: it takes the parsed `[llm]` tables. Nothing here
 * does I/O; environment variables come in as an `EnvReader`.
 */

import { nearest } from "../../../diagnostics/index.ts";
import type { Secret } from "../../../effects/index.ts";
import { variable } from "../../../process/environment.ts";
import { starMatches } from "../../../values/index.ts";

import { LlmUsageError } from "../errors.ts";
import type { JsonObject, ModelUsage } from "../port.ts";
import { type AliasSpec, builtinAliases } from "./aliases.ts";
import { type CapabilityRule, capabilitiesOf, type ModelCapabilities } from "./capabilities.ts";
import { builtinModels, type ModelSpec, type Price } from "./models.ts";
import { builtinProviders, type ProviderSpec } from "./providers.ts";
import { type Tier, tierNamed, tierOf } from "./tier.ts";

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
  /** Who wrote it; the user where nothing is said. Addresses that others name get none of the user's keys. */
  written_by?: "package" | "project";
  /** Of a project's: the providers whose table the user has agreed to (`harn trust`): their rows count as the user's. */
  trusted?: readonly string[];
}

/** What a selector (alias, `provider:model`, id) stands for. */
export interface ResolvedModel {
  id: string;
  provider: string;
  alias: string | null;
  tool_format: string;
  tier: Tier;
}

/** What somebody says of the route of a call: the call itself, its role, the command line. */
export interface RouteWish {
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly tier?: string | null;
  /** Of the command line. */
  readonly flag?: boolean;
}

/** What a call asked for, and how the provider was found. */
export interface ProviderRoute {
  provider: string;
  model: string;
  /** `explicit`, `flag`, `env`, `model`, `default`, or `fallback` when the default provider has no key. */
  because: "explicit" | "flag" | "env" | "model" | "default" | "fallback";
  /** The vendor whose model this is as far as the catalogue knows, where the named provider is another one. */
  knownAs?: string;
}

const inference: readonly InferenceRule[] = [
  { pattern: "claude-*", provider: "anthropic" },
  // Open weights: OpenAI itself does not serve them.
  { pattern: "gpt-oss:*", provider: "ollama" },
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
  /** Capabilities that were asked for, by provider and model. */
  private readonly known = new Map<string, ModelCapabilities>();
  private readonly defaults: (readonly [string, JsonObject])[] = [];
  private defaultName = "anthropic";
  /** Models whose price a configuration file names. */
  private readonly priced = new Set<string>();
  /** The providers as vendors and the user have them, without what projects and packages say: where keys may go. */
  private readonly trusted: Map<string, ProviderSpec>;
  /** Who has moved a provider, where that is not the user. */
  private readonly movers = new Map<string, "package" | "project">();

  constructor(layers: readonly CatalogueLayer[] = []) {
    const { providers, aliases, models } = builtinRows();
    this.providers = new Map(providers);
    this.aliases = new Map(aliases);
    this.models = new Map(models);
    this.trusted = new Map(providers);
    for (const layer of layers) this.add(layer);
  }

  /** Puts one more layer on top. */
  add(layer: CatalogueLayer): void {
    const { written_by, trusted } = layer;
    for (const [name, row] of Object.entries(layer.providers ?? {})) {
      this.providers.set(name, this.providerOf(this.providers, name, row));
      const isTrusted = written_by === undefined || trusted?.includes(name) === true;
      if (isTrusted) this.trusted.set(name, this.providerOf(this.trusted, name, row));
      if (isTrusted) this.movers.delete(name);
      else this.movers.set(name, written_by);
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
    for (const [id, row] of Object.entries(layer.models ?? {})) {
      this.addModel(id, row);
      if (row.pricing !== undefined) this.priced.add(id);
    }
    this.defaults.push(...Object.entries(layer.model_defaults ?? {}));
    for (const [name, list] of Object.entries(layer.capabilities ?? {}))
      this.projectCapabilities.set(name, list);
    this.known.clear();
  }

  private providerOf(known: ReadonlyMap<string, ProviderSpec>, name: string, row: JsonObject): ProviderSpec {
    const base = known.get(name) ?? {
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
    return spec;
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
    this.known.clear();
  }

  clearCapabilities(): void {
    this.capabilityRules.clear();
    this.known.clear();
  }

  capabilities(provider: string, model: string): ModelCapabilities {
    const key = `${provider} ${model}`;
    const before = this.known.get(key);
    if (before !== undefined) return before;
    const installed = new Map([...this.projectCapabilities, ...this.capabilityRules]);
    const found = capabilitiesOf(provider, model, installed);
    found.context_window ??= this.model(model)?.context_window ?? null;
    this.known.set(key, found);
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
    const exact = this.models.get(id);
    if (exact !== undefined) return exact;
    const name = spellings(id).find((spelling) => this.models.has(spelling));
    return name === undefined ? undefined : this.models.get(name);
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

  /**
   * What a model costs at a provider; "free" on servers of one's own, unless a configuration file says what it costs there; null:
   * nobody knows.
   */
  priceAt(provider: string, model: string): Price | "free" | null {
    const price = this.price(model);
    if (this.providers.get(provider)?.local !== true) return price;
    const counts = provider === "mock" || this.priced.has(this.model(model)?.id ?? model);
    return counts ? (price ?? "free") : "free";
  }

  /** Dollars for these tokens, null when the model has no price. */
  cost(provider: string, model: string, usage: ModelUsage): number | null {
    const price = this.priceAt(provider, model);
    return price === "free" ? 0 : price === null ? null : costOf(price, usage);
  }

  /** The provider that a model id suggests. */
  inferProvider(id: string): string {
    const known = this.knownProvider(id);
    if (known !== undefined) return known;
    if (id.includes("/")) return "openrouter";
    if (id.includes(":")) return "ollama";
    return this.defaultName;
  }

  /** The provider that a model id names: by alias, prefix, row or rule, not by its looks alone. */
  private knownProvider(id: string): string | undefined {
    return (
      this.aliases.get(id)?.provider ??
      this.prefixProvider(selectorPrefix(id)) ??
      this.models.get(id)?.provider ??
      [...this.rules, ...inference].find((rule) => catalogueRuleFits(rule, id))?.provider
    );
  }

  /** Resolves a selector. */
  resolveModel(selector: string): ResolvedModel {
    const alias = this.aliases.get(selector);
    if (alias) return this.resolved(alias.id, alias.provider, selector, alias.tool_format);
    const prefix = selectorPrefix(selector);
    const known = this.prefixProvider(prefix);
    if (known) return this.resolved(selector.slice(prefix.length + 1), known, null);
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

  /** The addresses of a provider that its vendor or the user named: in the catalogue, in a file, in a variable. */
  namedAddresses(provider: string, env: EnvReader): string[] {
    const spec = this.trusted.get(provider);
    if (spec === undefined) return [];
    const vendor = builtinRows().providers.get(provider)?.base_url;
    return [vendor, spec.base_url, ...spec.base_url_env.map((name) => env.get(name)?.trim())].filter(
      (url): url is string => typeof url === "string" && url !== "",
    );
  }

  /** The addresses that may be sent the key in this variable: those of the providers that it is of. */
  addressesOfKey(variable: string, env: EnvReader): string[] {
    return [...this.trusted.values()].flatMap(({ name, auth_env }) =>
      auth_env.includes(variable) ? this.namedAddresses(name, env) : [],
    );
  }

  /** Who gave a provider its address, where that is neither its vendor nor the user. */
  moverOf(provider: string): "package" | "project" | undefined {
    return this.movers.get(provider);
  }

  /** What the project says of providers whose keys are not sent there, because nobody else names these addresses. */
  withheldKeys(env: EnvReader): { provider: string; address: string; keys: string[] }[] {
    return [...this.movers].flatMap(([name, mover]) => {
      const { base_url, auth_env } = this.providers.get(name)!;
      if (mover !== "project" || base_url === null || !URL.canParse(base_url)) return [];
      const { origin } = new URL(base_url);
      const isNamed = (url: string): boolean => URL.canParse(url) && new URL(url).origin === origin;
      const keys = auth_env.filter((key) => !this.addressesOfKey(key, env).some(isNamed));
      return keys.length === 0 ? [] : [{ provider: name, address: base_url, keys }];
    });
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
   * Which provider and model a call goes to, by what was said of it: what outranks comes first, what the environment says
   * last. A provider that is named by option or by the prefix of the model is taken; else the one that the model's name
   * suggests, else the default one. A model that is named below the provider is taken where it may be that provider's.
   *
   * An explicit provider that does not exist is an error here, before anything is sent; a missing key is found when the
   * request is made, because the mock needs none.
   */
  route(asked: RouteWish | readonly RouteWish[], env: EnvReader): ProviderRoute {
    const ofEnvironment: RouteWish = {
      provider: variable(env, "HARN_LLM_PROVIDER") ?? null,
      model: variable(env, "HARN_LLM_MODEL") ?? null,
    };
    const wishes = [asked, ofEnvironment].flat();
    const named = wishes.find(namesProvider);
    const at = named === undefined ? wishes.length : wishes.indexOf(named);
    const chosen = wishes.findIndex((wish, index) => this.isTaken(wish, named?.provider, index > at));
    const selector = selectorOf(wishes[chosen]);
    const word = selectorPrefix(selector ?? "");
    // `local:` means ollama, unless it is `local` that was named.
    const prefix = word === named?.provider ? word : this.prefixProvider(word);
    const byPrefix = chosen < at ? prefix : undefined;
    const provider = byPrefix ?? named?.provider;
    if (provider === undefined || provider === null) return this.suggestedRoute(selector, env);
    this.requireProvider(provider);
    const because =
      byPrefix !== undefined
        ? "explicit"
        : named === ofEnvironment
          ? "env"
          : named?.flag === true
            ? "flag"
            : "explicit";
    if (selector === undefined) {
      const tier = wishes.map(selectorOf).find((one) => tierNamed(one) !== undefined);
      // A server of one's own often has one model, whatever it is called.
      const anyName =
        this.providers.get(provider)?.local === true ? this.aliases.get(tier ?? "")?.id : undefined;
      return { provider, model: this.defaultModel(provider, env) ?? anyName ?? noModel(provider), because };
    }
    const alias = this.aliases.get(selector);
    const model =
      this.modelOfTier(provider, selector) ??
      alias?.id ??
      (prefix === provider ? selector.slice(word.length + 1) : selector);
    const vendor = alias !== undefined && alias.id === model ? alias.provider : this.knownProvider(model);
    const isOther = vendor !== undefined && vendor !== provider && this.providers.get(vendor)?.local !== true;
    const isAsked = this.providers.get(provider)?.protocol !== "mock";
    return { provider, model, because, ...(isOther && isAsked ? { knownAs: vendor } : {}) };
  }

  /** Whether the model of a wish is that of the call: `below` a provider that was named it has to be one of its. */
  private isTaken(wish: RouteWish, named: string | null | undefined, below: boolean): boolean {
    const selector = selectorOf(wish);
    if (selector === undefined) return false;
    if (typeof named !== "string") return true;
    if (tierNamed(selector) !== undefined) return this.modelOfTier(named, selector) !== undefined;
    if (!below) return true;
    const word = selectorPrefix(selector);
    const own = namesProvider(wish) ? wish.provider : word === named ? word : this.prefixProvider(word);
    if (own !== undefined) return own === named;
    const known = this.knownProvider(selector);
    return known === undefined || known === named || this.providers.get(named)?.local === true;
  }

  /** A provider's own model of a tier; the mock answers for any. `undefined` for what names no tier, too. */
  modelOfTier(provider: string, selector: string): string | undefined {
    const tier = tierNamed(selector);
    const alias = tier === undefined ? undefined : this.aliases.get(selector);
    if (alias === undefined) return undefined;
    if (alias.provider === provider || this.providers.get(provider)?.protocol === "mock") return alias.id;
    return this.modelList().find((model) => model.provider === provider && tierOf(model.id) === tier)?.id;
  }

  /** Where nobody names a provider: the one that the model's name suggests, the default one, one that can be reached. */
  private suggestedRoute(selector: string | undefined, env: EnvReader): ProviderRoute {
    const resolved = selector === undefined ? undefined : this.resolveModel(selector);
    const [provider, because] = this.suggestedProvider(resolved, env);
    this.requireProvider(provider);
    const model = resolved?.id ?? this.defaultModel(provider, env) ?? noModel(provider);
    return { provider, model, because };
  }

  /** The provider of calls that name nothing, where this model is the usual one. */
  usualProvider(model: string | null, env: EnvReader): string {
    const selector = model || variable(env, "HARN_LLM_MODEL");
    const prefix = this.prefixProvider(selectorPrefix(selector ?? ""));
    const resolved = selector ? this.resolveModel(selector) : undefined;
    return prefix || variable(env, "HARN_LLM_PROVIDER") || this.suggestedProvider(resolved, env)[0];
  }

  private suggestedProvider(
    resolved: ResolvedModel | undefined,
    env: EnvReader,
  ): [string, ProviderRoute["because"]] {
    if (resolved && (resolved.alias || resolved.provider !== this.defaultName))
      return [resolved.provider, "model"];
    if (resolved && this.model(resolved.id)) return [resolved.provider, "model"];
    if (this.hasKey(this.defaultName, env)) return [this.defaultName, "default"];
    if (resolved && starMatches("claude-*", resolved.id)) return [resolved.provider, "model"];
    return [this.fallbackProvider(env), "fallback"];
  }

  /** As runs chose that were recorded before providers outranked names: a prefix did not count below a named provider. */
  earlierRoute({ provider, model, tier }: RouteWish, env: EnvReader): ProviderRoute {
    const named = namesProvider({ provider: provider ?? null })
      ? provider
      : variable(env, "HARN_LLM_PROVIDER");
    const selector = model ?? (tier ? `tier/${tier}` : undefined) ?? variable(env, "HARN_LLM_MODEL");
    if (!named) return this.suggestedRoute(selector, env);
    this.requireProvider(named);
    if (!selector) {
      const usual = this.defaultModel(named, env) ?? noModel(named);
      return { provider: named, model: usual, because: "explicit" };
    }
    const resolved = this.resolveModel(selector);
    const isWhole = named === provider && !resolved.alias && resolved.provider !== named;
    return { provider: named, model: isWhole ? selector : resolved.id, because: "explicit" };
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
    return variable(env, "LOCAL_LLM_BASE_URL") && !variable(env, "OLLAMA_HOST") ? "local" : "ollama";
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

const selectorPrefix = (selector: string): string => selector.slice(0, Math.max(0, selector.indexOf(":")));

const namesProvider = ({ provider }: RouteWish): boolean =>
  typeof provider === "string" && provider !== "" && provider !== "auto";

const selectorOf = (wish: RouteWish | undefined): string | undefined =>
  wish?.model || (wish?.tier ? `tier/${wish.tier}` : undefined);

function noModel(provider: string): never {
  throw new LlmUsageError(
    `provider \`${provider}\` has no default model: name one, by \`model\` of the call or of the run, or by HARN_LLM_MODEL`,
  );
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
