/** Providers, models, prices, resolution and capabilities: agents.md §5 and §1.8. */
import { describe, expect, it } from "vitest";
import {
  Catalogue,
  cacheSavings,
  createMockState,
  createModelClient,
  noUsage,
  pricesAsOf,
  tierOf,
  versionOf,
} from "../../../src/model/llm/index.ts";

const catalogue = new Catalogue();
const none = new Map<string, string>();
const keyed = new Map([["ANTHROPIC_API_KEY", "k"]]);

function usage(input: number, output: number, read = 0, write = 0) {
  return {
    ...noUsage(),
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: write,
  };
}

describe("prices", () => {
  it.each([
    ["gpt-4o-mini", 0.00045],
    ["gpt-4o-mini-2024-07-18", 0.00045],
    ["openai/gpt-4o-mini", 0.00045],
    ["claude-opus-4-20250514", 0.0525],
    ["claude-sonnet-4-20250514", 0.0105],
    ["anthropic/claude-sonnet-4.6", 0.0105],
    ["gpt-4o", 0.0075],
  ])("%s", (model, dollars) => {
    expect(catalogue.cost("openrouter", model, usage(1000, 500))).toBeCloseTo(dollars, 12);
  });

  it("an unknown model has none, a server of one's own is free", () => {
    expect(catalogue.cost("openai", "gpt-99", usage(1000, 500))).toBeNull();
    expect(catalogue.cost("ollama", "llama3.2", usage(1000, 500))).toBe(0);
    expect(catalogue.cost("ollama", "gpt-4o", usage(1000, 500))).toBe(0);
    expect(catalogue.cost("mock", "mock", usage(1000, 500))).toBe(0);
  });

  it("cached tokens have their own", () => {
    const price = catalogue.price("claude-sonnet-4-6")!;
    expect(catalogue.cost("anthropic", "claude-sonnet-4-6", usage(1000, 0, 600, 300))).toBeCloseTo(
      (100 * 3 + 600 * 0.3 + 300 * 3.75) / 1e6,
      12,
    );
    expect(cacheSavings(price, usage(1000, 0, 600, 300))).toBeCloseTo((600 * 2.7 - 300 * 0.75) / 1e6, 12);
    expect(cacheSavings(null, usage(1, 1, 1, 1))).toBe(0);
    // A mock may report more cached tokens than input.
    expect(catalogue.cost("mock", "gpt-4o", usage(10, 0, 20))).toBeGreaterThan(0);
  });

  it("long prompts may cost more", () => {
    expect(catalogue.cost("anthropic", "claude-haiku-5-5", usage(100_000, 0))).toBeCloseTo(0.01, 12);
    expect(catalogue.cost("anthropic", "claude-haiku-5-5", usage(100_001, 0))).toBeCloseTo(0.0500005, 12);
  });

  it("are complete and dated", () => {
    expect(pricesAsOf).toMatch(/^\d{4}-\d\d-\d\d$/);
    for (const model of catalogue.modelList()) {
      expect(model.context_window, model.id).toBeGreaterThan(0);
      if (model.pricing)
        expect(model.pricing.cache_read_per_mtok, model.id).toBeLessThanOrEqual(model.pricing.input_per_mtok);
      expect(catalogue.provider(model.provider), model.id).toBeDefined();
    }
    for (const name of catalogue.providerNames()) {
      const model = catalogue.provider(name)!.default_model;
      if (model) expect(catalogue.model(model), `${name}: ${model}`).toBeDefined();
    }
    for (const alias of catalogue.aliasList()) expect(catalogue.model(alias.id), alias.name).toBeDefined();
  });
});

describe("resolution", () => {
  it.each([
    ["local:gemma-4-e4b-it", { id: "gemma-4-e4b-it", provider: "ollama" }],
    ["ollama:qwen3:30b-a3b", { id: "qwen3:30b-a3b", provider: "ollama", tool_format: "text" }],
    ["hf:org/model", { id: "org/model", provider: "huggingface" }],
    ["mid", { id: "gpt-4o-mini", provider: "openai", alias: "mid", tool_format: "native" }],
    ["tier/frontier", { provider: "anthropic", alias: "tier/frontier", tier: "frontier" }],
    [
      "claude-sonnet-4-20250514",
      {
        id: "claude-sonnet-4-20250514",
        provider: "anthropic",
        alias: null,
        tool_format: "native",
        tier: "frontier",
      },
    ],
    ["gpt-4o", { provider: "openai" }],
    ["o3-mini", { provider: "openai", tier: "small" }],
    ["gemini-2.5-pro", { provider: "gemini", tool_format: "text" }],
    ["mistral.large-v1", { provider: "bedrock" }],
    ["anthropic.claude-3", { provider: "bedrock" }],
    ["meta-llama/Llama-3", { provider: "openrouter" }],
    ["mistral:7b", { id: "mistral:7b", provider: "ollama" }],
    ["openai:gpt-4o", { id: "gpt-4o", provider: "openai" }],
    ["something", { provider: "anthropic" }],
  ])("%s", (selector, expected) => {
    expect(catalogue.resolveModel(selector)).toMatchObject(expected);
  });

  it("has exactly one alias `mid`", () => {
    expect(catalogue.aliasList().filter((alias) => alias.name === "mid")).toHaveLength(1);
  });

  it.each([
    ["Qwen3.5-9B", "small"],
    ["deepseek-v3", "mid"],
    ["gpt-4o-mini", "small"],
    ["claude-haiku-4-5", "small"],
    ["gemini-2.5-flash", "small"],
    ["claude-opus-4-20250514", "frontier"],
    ["gpt-5", "frontier"],
    ["gpt-4o", "frontier"],
    ["qwen-235b", "mid"],
    ["gemma-27b-it", "mid"],
    ["llama3.2", "mid"],
    ["minimax-m2", "mid"],
  ])("tier of %s", (model, tier) => {
    expect(tierOf(model)).toBe(tier);
  });
});

describe("route", () => {
  it.each<[string, Parameters<Catalogue["route"]>[0], Map<string, string>, object]>([
    [
      "nothing asked, key there",
      {},
      keyed,
      { provider: "anthropic", model: "claude-sonnet-4-20250514", because: "default" },
    ],
    [
      "nothing asked, no key at all",
      {},
      none,
      { provider: "ollama", model: "llama3.2", because: "fallback" },
    ],
    [
      "nothing asked, another vendor's key",
      {},
      new Map([["OPENAI_API_KEY", "k"]]),
      { provider: "openai", model: "gpt-4o", because: "fallback" },
    ],
    [
      "nothing asked, a local server",
      {},
      new Map([
        ["LOCAL_LLM_BASE_URL", "http://x"],
        ["LOCAL_LLM_MODEL", "m"],
      ]),
      { provider: "local", model: "m" },
    ],
    ["auto", { provider: "auto", model: "gpt-4o" }, keyed, { provider: "openai", because: "model" }],
    ["explicit", { provider: "openai" }, keyed, { provider: "openai", model: "gpt-4o", because: "explicit" }],
    [
      "environment",
      {},
      new Map([["HARN_LLM_PROVIDER", "mock"]]),
      { provider: "mock", model: "claude-sonnet-4-20250514", because: "env" },
    ],
    [
      "model from the environment",
      {},
      new Map([["HARN_LLM_MODEL", "gpt-4o-mini"]]),
      { provider: "openai", model: "gpt-4o-mini" },
    ],
    [
      "explicit provider and a model of another",
      { provider: "mock", model: "gpt-4o" },
      none,
      { provider: "mock", model: "gpt-4o" },
    ],
    [
      "explicit provider and an id with a colon",
      { provider: "ollama", model: "qwen3:30b" },
      none,
      { provider: "ollama", model: "qwen3:30b" },
    ],
    ["tier", { tier: "mid" }, keyed, { provider: "openai", model: "gpt-4o-mini" }],
    [
      "alias under the mock",
      { provider: "mock", model: "haiku" },
      none,
      { provider: "mock", model: "claude-haiku-4-5" },
    ],
    ["known model without key", { model: "claude-sonnet-4-6" }, none, { provider: "anthropic" }],
  ])("%s", (_what, asked, env, expected) => {
    expect(catalogue.route(asked, env)).toMatchObject(expected);
  });

  it("an unknown provider: what was meant", () => {
    expect(() => catalogue.route({ provider: "antropic" }, none)).toThrow(
      "Unknown provider `antropic`; did you mean `anthropic`?",
    );
    expect(() => catalogue.route({ provider: "zzzzzzzz" }, none)).toThrow(
      /Unknown provider `zzzzzzzz`; known: anthropic, /,
    );
    expect(() => catalogue.route({ provider: "__proto__" }, none)).toThrow("Unknown provider");
  });

  it("a provider without a default model asks for one", () => {
    expect(() => catalogue.route({ provider: "groq" }, none)).toThrow("provider `groq` has no default model");
  });
});

describe("no key", () => {
  it.each([
    [
      "anthropic",
      "claude-sonnet-4-6",
      /^no API key for anthropic: set ANTHROPIC_API_KEY\. .*--llm-mock FILE\.jsonl/,
    ],
    ["gemini", "gemini-2.5-flash", /set GEMINI_API_KEY or GOOGLE_API_KEY/],
    ["huggingface", "x/y", /set HF_TOKEN or HUGGINGFACE_API_KEY/],
  ])("%s: one line that names the variables and the way without", async (provider, model, message) => {
    const client = createModelClient({ mock: createMockState(), env: none });
    const outcome = await client.stream({ provider, model, messages: [{ role: "user", content: "x" }] });
    expect(outcome).toMatchObject({ ok: false, error: { category: "auth", kind: "terminal" } });
    expect(!outcome.ok && outcome.error.message).toMatch(message);
    expect(!outcome.ok && outcome.error.message).not.toContain("\n");
  });

  it("which providers are ready", () => {
    const ready = catalogue.providerNames().filter((name) => catalogue.hasKey(name, keyed));
    expect(ready).toEqual(expect.arrayContaining(["anthropic", "ollama", "local", "mock"]));
    expect(ready).not.toContain("openai");
  });
});

describe("capabilities", () => {
  it.each([
    [
      "anthropic",
      "claude-opus-4-7",
      {
        thinking_modes: ["adaptive"],
        tool_search: ["bm25", "regex"],
        max_tools: 10_000,
        vision: true,
        prompt_caching: true,
        json_schema: "tool_use",
      },
    ],
    ["anthropic", "claude-sonnet-4-6", { thinking_modes: ["adaptive"] }],
    [
      "anthropic",
      "claude-opus-4-6",
      { thinking_modes: ["enabled"], interleaved_thinking_supported: true, defer_loading: true },
    ],
    [
      "anthropic",
      "claude-opus-4-20250514",
      { thinking_modes: ["enabled"], defer_loading: true, interleaved_thinking_supported: false },
    ],
    ["anthropic", "claude-haiku-4-4", { defer_loading: false, native_tools: true, max_tools: null }],
    ["anthropic", "claude-opus-3-5", { defer_loading: false, thinking: true }],
    [
      "openai",
      "gpt-4o",
      {
        native_tools: true,
        vision: true,
        vision_supported: true,
        audio: true,
        json_schema: "native",
        thinking: false,
        context_window: 128_000,
      },
    ],
    ["openai", "gpt-5.4-preview", { tool_search: ["hosted", "client"], defer_loading: true, vision: true }],
    ["openai", "gpt-5.3", { tool_search: [], vision: true, native_tools: true }],
    [
      "openai",
      "o3",
      {
        thinking_modes: ["effort"],
        requires_completion_tokens: true,
        reasoning_effort_supported: true,
        vision: false,
      },
    ],
    ["openai", "o4-mini", { vision: true }],
    ["openai", "openai/gpt-4o", { audio: true }],
    ["openrouter", "anthropic/claude-sonnet-4.6", { native_tools: true, thinking_modes: ["adaptive"] }],
    ["openrouter", "qwen/qwen3-8b", { thinking_modes: ["enabled", "effort"] }],
    ["groq", "gpt-4o", { native_tools: true }],
    [
      "ollama",
      "qwen3:30b",
      { native_tools: true, preferred_tool_format: "text", thinking_modes: ["enabled"] },
    ],
    ["ollama", "llava:7b", { vision: true, native_tools: false }],
    ["ollama", "gpt-4o", { native_tools: false }],
    ["gemini", "gemini-2.5-pro", { native_tools: false, vision: true }],
    ["mlx", "Qwen3-8B", { vision: true, native_tools: true }],
    ["bedrock", "whatever", { native_tools: true, vision: false }],
    ["mock", "claude-opus-4-7", { thinking_modes: ["adaptive"] }],
    ["mock", "gpt-4o", { audio: true }],
    ["mock", "mock", { native_tools: false, thinking: false }],
    ["nobody", "nothing", { native_tools: false, tool_search: [], max_tools: null, thinking_modes: [] }],
    ["__proto__", "x", { native_tools: false }],
  ])("%s %s", (provider, model, expected) => {
    expect(catalogue.capabilities(provider, model)).toMatchObject(expected);
  });

  it("installed rules come first and can be taken back", () => {
    const own = new Catalogue();
    own.installCapabilities({
      openai: [{ model_match: "gpt-4o*", native_tools: false, vision: true, audio: false }],
    });
    expect(own.capabilities("openai", "gpt-4o")).toMatchObject({
      native_tools: false,
      audio: false,
      json_schema: null,
    });
    own.clearCapabilities();
    expect(own.capabilities("openai", "gpt-4o").native_tools).toBe(true);
  });

  it.each([
    ["claude-opus-4-7", [4, 7]],
    ["gpt-5.4-preview", [5, 4]],
    ["claude-sonnet-4-20250514", [4, 0]],
    ["gpt-5-2025-08-07", [5, 0]],
    ["claude-mythos-preview", [0, 0]],
  ])("version of %s", (model, version) => {
    expect(versionOf(model)).toEqual(version);
  });
});

describe("configuration", () => {
  it("later layers win, entry by entry", () => {
    const own = new Catalogue([
      {
        providers: {
          openai: { base_url: "http://gw/v1" },
          mine: { base_url: "http://mine/v1", auth_env: "MINE_KEY" },
        },
        default_provider: "mine",
      },
      {
        aliases: { mid: { id: "m-1", provider: "mine" } },
        inference_rules: [{ contains: "m-", provider: "mine" }],
        models: {
          "m-1": {
            pricing: {
              input_per_mtok: 1,
              output_per_mtok: 2,
              cache_read_per_mtok: 0,
              cache_write_per_mtok: 1,
            },
          },
        },
      },
    ]);
    expect(own.provider("openai")).toMatchObject({ base_url: "http://gw/v1", auth_env: ["OPENAI_API_KEY"] });
    expect(own.provider("mine")).toMatchObject({ protocol: "openai", auth_env: ["MINE_KEY"], local: false });
    expect(own.resolveModel("mid")).toMatchObject({ id: "m-1", provider: "mine" });
    expect(own.inferProvider("m-7")).toBe("mine");
    expect(own.inferProvider("unheard-of")).toBe("mine");
    expect(own.cost("mine", "m-1", usage(1_000_000, 1_000_000))).toBe(3);
    // The built-in catalogue is untouched.
    expect(catalogue.resolveModel("mid").id).toBe("gpt-4o-mini");
  });

  it("names a broken alias", () => {
    expect(() => new Catalogue([{ aliases: { x: { provider: "openai" } } }])).toThrow(
      "[llm] aliases.x: `id` is missing",
    );
  });
});
