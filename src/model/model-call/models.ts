/**
 * The models of one run: catalogue, mock, tape, client, and what has been spent.
 *
 * What a run was started with (fixtures, a tape, a default provider, the environment variables that routes depend on)
 * is outside the program, so it is observed once, at the first use, and recorded: a replay takes the same routes on a
 * machine with other keys and without the files. Keys themselves are never recorded, only that they are set.
 */

import { type Json as RecordedJson, shape } from "../../effects/index.ts";
import { pauseTask, type Runtime, scriptMonotonicMs, stateKey, type Task } from "../../interp/index.ts";
import { callerWords } from "../../process/index.ts";
import { thrown } from "../../values/index.ts";
import {
  Catalogue,
  type CatalogueLayer,
  type ClientParts,
  createMockState,
  createModelClient,
  type Entry,
  type EnvReader,
  LlmUsageError,
  type MockState,
  type ModelCapabilities,
  type ModelClient,
  type ModelRequest,
  type ProviderRoute,
  type Recording,
  type RouteWish,
  type Tape,
  usualFixturesFlag,
} from "../llm/index.ts";
import { modelLayers } from "../project/model-config.ts";
import type { RoleRules } from "./roles.ts";
import { Spending } from "./spending.ts";

/**
 * Requests per minute and provider (agents.md §1.8): a call that comes too early waits for its turn. Mock answers do
 * not count. The clock is the run's, so a replay waits at the same places.
 */
const minute = 60_000;

/** `HARN_RATE_LIMIT_OPENAI` and the like. */
const rateLimitVariable = (provider: string): string =>
  `HARN_RATE_LIMIT_${provider.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;

class RateLimits {
  private readonly limits = new Map<string, number>();
  /** When the latest requests of a provider began or will begin, oldest first; at most as many as its limit. */
  private readonly begun = new Map<string, number[]>();
  private readonly env: (name: string) => string | undefined;

  constructor(env: (name: string) => string | undefined) {
    this.env = env;
  }

  /** Requests per minute; null without a limit. */
  get(provider: string): number | null {
    const own = this.limits.get(provider);
    if (own !== undefined) return own === 0 ? null : own;
    const value = Number(this.env(rateLimitVariable(provider)) ?? "");
    return Number.isInteger(value) && value > 0 ? value : null;
  }

  /** 0 lifts the limit, the environment's too. */
  set(provider: string, perMinute: number): void {
    this.limits.set(provider, perMinute);
  }

  /** Waits until one more request may begin. */
  async turn(task: Task, provider: string): Promise<void> {
    const limit = this.get(provider);
    if (limit === null) return;
    const begun = this.begun.get(provider) ?? [];
    this.begun.set(provider, begun);
    const now = scriptMonotonicMs(task);
    // The place is taken before anything waits: calls side by side queue up behind each other.
    const earliest =
      begun.length < limit ? now : Math.max(now, (begun[begun.length - limit] as number) + minute);
    begun.push(earliest);
    if (begun.length > limit) begun.splice(0, begun.length - limit);
    if (earliest > now) await pauseTask(task, Math.ceil(earliest - now));
  }
}

/** What the host of a run may bring. Set it before the run starts. */
export interface ModelConfig {
  /** Answers of `--llm-mock FILE.jsonl`. */
  fixtures?: Entry[];
  tape?: Tape;
  /** Milliseconds between two streamed pieces of a tape. */
  tapePaceMs?: number;
  recording?: Recording;
  /** Used where a script names none: `--provider`, `--model`. */
  provider?: string;
  model?: string;
  /**
   * Another server for the live calls of that provider: `--base-url`. Where no provider is named, for the one that calls
   * take that name nothing, as if it had been named.
   */
  baseUrl?: string;
  /**
   * Where somebody else said all this (a job of another machine): what the owner of this machine names. Keys go by that, and not by
   * what was said.
   */
  owner?: Pick<ModelConfig, "provider" | "model" | "baseUrl">;
  /** Configuration files, parsed; later wins. */
  layers?: CatalogueLayer[];
  /** Stands in for the vendors: tests, embedding programs. */
  client?: ModelClient;
  /** Put around the client: the test runner keeps or answers what goes through it. */
  wrap?: (client: ModelClient) => ModelClient;
  /** Of a trial of an evaluation. */
  roles?: RoleRules;
  /** Of many runs in the same place: what the first of them has observed holds for all. */
  observed?: ObservedModels;
}

/** What the command line says of routes. */
type RouteFlags = Pick<Setup, "provider" | "model" | "baseUrl">;

/** What a run has found configured; empty until one has looked. */
export interface ObservedModels {
  setup?: Setup;
}

/** The part of the configuration that a replay needs. */
interface Setup {
  readonly fixtures: Entry[] | null;
  /** By what whoever began the run has given them; absent: by the flag. Scripts see it: whoever plays the run again says the same. */
  readonly fixturesBy?: string;
  readonly tape: boolean;
  readonly provider: string | null;
  readonly model: string | null;
  readonly baseUrl: string | null;
  /** Configuration files; absent in older journals. */
  readonly layers?: CatalogueLayer[];
  /** Servers of one's own may be asked what they can: nothing stands in for them. Absent in older journals. */
  readonly asksServers?: boolean;
  /**
   * Named providers outrank what a model's name suggests, and an address is its provider's only. Absent in older journals:
   * their programs asked others, and a replay asks the same again.
   */
  readonly namedFirst?: boolean;
  /** Variables that routes depend on; keys as `setMark`. */
  readonly env: { readonly [name: string]: string };
}

const setupShape = shape.record<Setup>({
  fixtures: shape.orNull(shape.listOf(shape.someFields<Entry>({}))),
  fixturesBy: shape.optional(shape.text),
  tape: shape.flag,
  provider: shape.orNull(shape.text),
  model: shape.orNull(shape.text),
  baseUrl: shape.orNull(shape.text),
  layers: shape.optional(shape.listOf(shape.someFields<CatalogueLayer>({}))),
  asksServers: shape.optional(shape.flag),
  namedFirst: shape.optional(shape.flag),
  env: shape.names,
});

const setMark = "(set)";
const plainVariables = [
  "HARN_LLM_PROVIDER",
  "HARN_LLM_MODEL",
  "HARN_LLM_STREAM",
  "HARN_STRUCTURAL_EXPERIMENT",
  "HARN_LLM_TRANSCRIPT_DIR",
  "HARN_LLM_TRANSCRIPT_VERBOSE",
  "LOCAL_LLM_MODEL",
  "MLX_MODEL_ID",
];

export class Models {
  readonly mock: MockState = createMockState();
  readonly spending = new Spending();
  readonly rates = new RateLimits((name) => this.env.get(name));
  config: ModelConfig = {};
  /** What servers of one's own said of their tools, by provider and model; null for nothing. */
  private readonly learnt = new Map<string, boolean | null>();
  /** What was said of the routes that were taken, without the command line. */
  private readonly asked = new Map<string, readonly RouteWish[]>();
  private readonly runtime: Runtime;
  private made: Catalogue | undefined;
  /** Of calls that name nothing: what the run was begun with decides. */
  private usualRoute: ProviderRoute | undefined;
  private setup: Setup | undefined;
  private ownClient: ModelClient | undefined;
  private recordedEnv: EnvReader | undefined;
  /** The configuration was looked for on this machine, not taken from a history. */
  private isObserved = false;
  private trusted: Catalogue | undefined;

  constructor(runtime: Runtime) {
    this.runtime = runtime;
  }

  get catalogue(): Catalogue {
    this.made ??= new Catalogue(this.setup?.layers ?? this.config.layers ?? []);
    return this.made;
  }

  /** Observes the configuration once per run. Call it before a route, a mock or a default is asked for. */
  begin(task: Task): void {
    if (this.setup !== undefined) return;
    const setup = task.perform<Setup>({
      effect: "observe",
      kind: "llm.setup",
      args: () => null,
      run: () => this.observe(),
      result: setupShape,
    }) as Setup;
    this.setup = setup;
    this.made = undefined;
    this.usualRoute = undefined;
    // Played answers are taken out of the list, so each run needs its own.
    this.mock.fixtures = setup.fixtures === null ? null : structuredClone(setup.fixtures);
    this.mock.fixturesBy = setup.fixturesBy ?? usualFixturesFlag;
    this.recordedEnv = { get: (name) => (Object.hasOwn(setup.env, name) ? setup.env[name] : undefined) };
  }

  /** From here on these written answers take the place of those that the run was started with. */
  answerFrom(fixtures: readonly RecordedJson[]): void {
    this.mock.fixtures = structuredClone(fixtures) as unknown as Entry[];
  }

  /** Which variables are set, as recorded. */
  get env(): EnvReader {
    return this.recordedEnv ?? this.runtime.host.env;
  }
  /**
   * Where a call goes, by what the call, its role and so on say of it: what outranks first. Below that stands the command
   * line, then the environment. Throws a `ScriptError` for a provider that nobody knows.
   */
  route(...wishes: readonly RouteWish[]): ProviderRoute {
    const isBare = wishes.every(isBareWish);
    const route = (isBare ? this.usualRoute : undefined) ?? this.routeUnder(wishes, this.flags);
    if (isBare) this.usualRoute = route;
    const key = routeKey(route.provider, route.model);
    if (isBare || !this.asked.has(key) || wishes.every(({ provider }) => !provider))
      this.asked.set(key, wishes);
    return route;
  }

  private get flags(): RouteFlags {
    return this.setup ?? { provider: null, model: null, baseUrl: null };
  }

  get namedFirst(): boolean {
    return this.setup?.namedFirst === true;
  }

  private routeUnder(wishes: readonly RouteWish[], { provider, model }: RouteFlags): ProviderRoute {
    const isBare = wishes.every(isBareWish);
    const first = (key: "provider" | "model" | "tier"): string | null =>
      wishes.map((wish) => wish[key]).find(Boolean) ?? null;
    try {
      if (!this.namedFirst) {
        const own = { provider: first("provider"), model: first("model"), tier: first("tier") };
        return this.catalogue.earlierRoute(isBare ? { provider, model } : own, this.env);
      }
      // A tape stands in where nothing says which model to ask.
      const flags = provider === tapeProvider && !isBare ? [] : [{ provider, model, flag: true }];
      return this.catalogue.route([...wishes, ...flags], this.env);
    } catch (error) {
      if (error instanceof LlmUsageError) throw thrown(error.message);
      throw error;
    }
  }

  /** The address of a call that names it itself, else the one that the command line names for its provider. */
  addressOf(provider: string, own: string | null | undefined): string | null {
    const { baseUrl } = this.flags;
    return own || (!this.namedFirst || provider === this.flags.provider ? baseUrl : null);
  }
  get asksServers(): boolean {
    return this.setup?.asksServers === true;
  }

  /** What the catalogue says of a route, and its server where that was asked. */
  capabilities(provider: string, model: string): ModelCapabilities {
    const can = this.catalogue.capabilities(provider, model);
    return this.learnt.get(routeKey(provider, model)) === true ? { ...can, native_tools: true } : can;
  }

  /** What the server of a route said of its tools: plans from here on know it. `null`: nothing. */
  learnTools(provider: string, model: string, said: boolean | null): void {
    this.learnt.set(routeKey(provider, model), said);
  }

  /** Whether the server of a route was asked before. */
  hasAsked(provider: string, model: string): boolean {
    return this.learnt.has(routeKey(provider, model));
  }

  /** What live calls are made with; keys come from the real environment. */
  parts(): ClientParts {
    const { tape, tapePaceMs, recording } = this.config;
    return {
      mock: this.mock,
      env: this.runtime.host.env,
      fetch: this.runtime.host.network.fetch,
      catalogue: this.catalogue,
      tape: tape ?? null,
      tapeOptions: { paceMs: tapePaceMs ?? 0 },
      recording: recording ?? null,
      userUrls: this.userUrls(),
      isForOthers: this.config.owner !== undefined,
      ...(this.isObserved ? {} : { trusted: () => this.trustedNow() }),
    };
  }

  /** By provider, what the command line names: when the run was begun, and now; that of the machine's owner, where it has one. */
  private userUrls(): Map<string, string[]> {
    const urls = new Map<string, string[]>();
    const { owner } = this.config;
    if (owner !== undefined) {
      const { provider, model = null, baseUrl } = owner;
      if (baseUrl === undefined) return urls;
      return urls.set(provider ?? this.trustedNow().usualProvider(model, this.runtime.host.env), [baseUrl]);
    }
    for (const flags of [this.flags, this.flagsNow()]) {
      if (flags.baseUrl === null) continue;
      const provider = flags.provider ?? this.catalogue.usualProvider(flags.model, this.env);
      urls.set(provider, [...(urls.get(provider) ?? []), flags.baseUrl]);
    }
    return urls;
  }

  private flagsNow(): RouteFlags {
    const { flags, config } = this;
    const isOther = config.provider !== undefined && config.provider !== flags.provider;
    return {
      provider: config.provider ?? flags.provider,
      model: config.model ?? flags.model,
      baseUrl: config.baseUrl ?? (isOther ? null : flags.baseUrl),
    };
  }

  /** Of a run that goes on: who names an address is asked of this machine, as it is now, never of what was recorded. */
  private trustedNow(): Catalogue {
    this.trusted ??= new Catalogue([...modelLayers(this.runtime), ...(this.config.layers ?? [])]);
    return this.trusted;
  }

  /** The client; live calls read keys from the real environment. */
  get client(): ModelClient {
    if (this.ownClient !== undefined) return this.ownClient;
    const made = this.config.client ?? createModelClient(this.parts());
    this.ownClient = this.redirected(this.config.wrap?.(made) ?? made);
    return this.ownClient;
  }

  /**
   * A run that goes on with other flags than it was recorded with (`harn fork --model`): its plans are made for the old
   * routes; what would be asked there is asked where the new flags lead. The recorded calls stay as they are.
   */
  private redirected(client: ModelClient): ModelClient {
    const now = this.flagsNow();
    const { provider, model, baseUrl } = this.flags;
    if (now.provider === provider && now.model === model && now.baseUrl === baseUrl) return client;
    const redirect = (request: ModelRequest): ModelRequest => {
      const wishes = this.asked.get(routeKey(request.provider, request.model));
      if (wishes === undefined) return request;
      const route = this.routeUnder(wishes, now);
      const isNamed = request.base_url != null && request.base_url !== baseUrl;
      const hasAddress = now.baseUrl !== null && (!this.namedFirst || route.provider === now.provider);
      const base_url = isNamed ? request.base_url : hasAddress ? now.baseUrl : null;
      return { ...request, provider: route.provider, model: route.model, base_url };
    };
    return { stream: (request, options) => client.stream(redirect(request), options) };
  }

  private observe(): Setup {
    const { observed } = this.config;
    this.isObserved = true;
    if (observed === undefined) return this.look();
    observed.setup ??= this.look();
    return observed.setup;
  }

  private look(): Setup {
    const { config } = this;
    const layers = [...modelLayers(this.runtime), ...(config.layers ?? [])];
    // The variables of configured providers count, too.
    this.made = new Catalogue(layers);
    const { provider = null, model = null, baseUrl = null } = config;
    const ofAddress = (): string => this.catalogue.usualProvider(model, this.runtime.host.env);
    const by = callerWords().flag(usualFixturesFlag);
    return {
      fixtures: config.fixtures ?? null,
      ...(config.fixtures === undefined || by === usualFixturesFlag ? {} : { fixturesBy: by }),
      tape: config.tape !== undefined,
      provider: provider === null && baseUrl !== null ? ofAddress() : provider,
      model,
      baseUrl,
      namedFirst: true,
      ...(standsIn(config) ? {} : { asksServers: true }),
      ...(layers.length === 0 ? {} : { layers }),
      env: this.relevantEnv(),
    };
  }

  private relevantEnv(): { [name: string]: string } {
    const found: [string, string][] = [];
    const keys = new Set<string>();
    const plain = new Set(plainVariables);
    for (const name of this.catalogue.providerNames()) {
      const spec = this.catalogue.provider(name);
      for (const variable of spec?.auth_env ?? []) keys.add(variable);
      for (const variable of spec?.base_url_env ?? []) plain.add(variable);
      plain.add(rateLimitVariable(name));
      if (spec?.model_env) plain.add(spec.model_env);
    }
    for (const name of [...plain, ...keys].sort()) {
      const value = this.runtime.host.env.get(name);
      if (value !== undefined && value !== "") found.push([name, keys.has(name) ? setMark : value]);
    }
    return Object.fromEntries(found);
  }
}

const isBareWish = ({ provider, model, tier }: RouteWish): boolean => !provider && !model && !tier;

const tapeProvider = "tape";

const routeKey = (provider: string, model: string): string => `${provider} ${model}`;

const standsIn = ({ client, wrap, tape, fixtures }: ModelConfig): boolean =>
  [client, wrap, tape, fixtures].some((one) => one !== undefined);

const modelsState = stateKey<Models>("models", (runtime) => new Models(runtime));

/** The models of a task's run, observed and ready. */
export function modelsOf(task: Task): Models {
  const models = task.runtime.state(modelsState);
  models.begin(task);
  return models;
}

/** What the models of a run have cost so far, in US dollars; null when one of them has no price. */
export function spentUsd(runtime: Runtime): number | null {
  const { costUsd, unpriced } = runtime.state(modelsState).spending;
  return unpriced > 0 ? null : costUsd;
}

/** Configures the models of a runtime before its program starts. */
export function configureModels(runtime: Runtime, config: ModelConfig): void {
  runtime.state(modelsState).config = config;
}
