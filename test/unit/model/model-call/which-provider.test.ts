/**
 * Which provider a call takes, and which keys go where (decisions, third round): providers × ways to name one or a model × ways
 * to name an address, judged by what a server on this machine receives.
 */
import { describe, expect, it } from "vitest";
import { configureModels, type ModelConfig, trustFile } from "../../../../src/model/index.ts";
import { tableDigest } from "../../../../src/model/project/trust.ts";
import { Dict } from "../../../../src/values/index.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";
import { providerServerForTests } from "../../../support/provider-server/index.ts";
import { type Both, recordAndReplayScript } from "../../../support/replay-script.ts";

const server = await providerServerForTests();

/** A provider under test: the variables of its key and address, a model that its name suggests. */
interface Known {
  readonly key: string | null;
  readonly address: string;
  readonly model: string | null;
}

const providers: Readonly<Record<string, Known>> = {
  openai: { key: "OPENAI_API_KEY", address: "OPENAI_BASE_URL", model: "gpt-4o-mini" },
  anthropic: { key: "ANTHROPIC_API_KEY", address: "ANTHROPIC_BASE_URL", model: "claude-haiku-4-5" },
  gemini: { key: "GEMINI_API_KEY", address: "GEMINI_BASE_URL", model: "gemini-2.5-flash" },
  groq: { key: "GROQ_API_KEY", address: "GROQ_BASE_URL", model: null },
  openrouter: { key: "OPENROUTER_API_KEY", address: "OPENROUTER_BASE_URL", model: "someone/something" },
  local: { key: null, address: "LOCAL_LLM_BASE_URL", model: null },
  ollama: { key: null, address: "OLLAMA_HOST", model: "llama" },
  house: { key: "HOUSE_KEY", address: "HOUSE_URL", model: "house-large" },
};
const names = Object.keys(providers);

const keyOf = (name: string): string => `secret-key-of-${name}-0123456789`;
const addressOf = (name: string): string => `${server.url}/at-${name}`;

/** All keys and all addresses: whatever goes to the wrong place arrives there, and is seen. */
const environment = (): Record<string, string> => ({
  HOME: "/home/tester",
  ...Object.fromEntries(names.map((name) => [providers[name]!.address, addressOf(name)])),
  ...Object.fromEntries(
    names.flatMap((name) => (providers[name]!.key === null ? [] : [[providers[name]!.key, keyOf(name)]])),
  ),
});

const ownFile = (more = ""): Record<string, string> => ({
  "/home/tester/.config/harn/providers.toml": `${more}
[providers.house]
base_url_env = "HOUSE_URL"
auth_env = "HOUSE_KEY"
default_model = "house-usual"
[[inference_rules]]
pattern = "house-*"
provider = "house"
`,
});

interface Setting {
  readonly files?: Record<string, string>;
  readonly env?: Record<string, string>;
  readonly config?: ModelConfig;
}

async function run(script: string, { files = ownFile(), env = {}, config = {} }: Setting): Promise<Both> {
  const answers = Array.from({ length: 30 }, () => ({ kind: "answer", text: '{"done": true}' }) as const);
  server.clear();
  server.seen.length = 0;
  server.next(...answers);
  const host = createMemoryHost({ files, env: { ...environment(), ...env } });
  try {
    return await recordAndReplayScript(script, host, {
      onRuntime: (runtime) => configureModels(runtime, config),
    });
  } finally {
    server.clear();
  }
}

/** Where the requests came in, with the model that they ask, and the keys that came along. */
function received(): { at: string; model: unknown; keys: string[] }[] {
  return server.seen.map(({ path, headers, body }) => {
    const whole = JSON.stringify([path, headers, body]);
    return {
      at: /^\/(?:at-)?([^/]+)/.exec(path)?.[1] ?? path,
      model: body.model,
      keys: names.filter((name) => whole.includes(keyOf(name))),
    };
  });
}

const ownKey = (name: string): string[] => (providers[name]!.key === null ? [] : [name]);

/** From what outranks to what is outranked; each alone over all that stand below it, which name another provider. */
const ways = ["call", "prefix", "flag", "environment", "name", "default"] as const;

/** Models that a call may name: one that nobody knows, those of others by id, alias and tier, and none. */
const models = [
  "quiz",
  "gpt-4o",
  "claude-sonnet-4-6",
  "gemini-2.5-pro",
  "sonnet",
  "small",
  "house-x",
  "a/b",
  null,
];

describe("the provider of a call", () => {
  const cases = names.flatMap((name) => ways.map((way) => [name, way] as const));
  it.each(cases)("%s, named by %s", async (name, way) => {
    const other = name === "openai" ? "anthropic" : "openai";
    const at = ways.indexOf(way);
    const below = (one: (typeof ways)[number]): boolean => ways.indexOf(one) > at;
    const who = (one: (typeof ways)[number]): string | undefined =>
      one === way ? name : below(one) ? other : undefined;
    const suggested = providers[name]!.model;
    if (way === "name" && suggested === null) return;
    const asked = way === "name" ? [suggested] : way === "default" ? ["quiz", null] : models;
    const calls = asked.map((model) => {
      const named = way === "prefix" ? `${name}:${model ?? "quiz"}` : model;
      const options = [
        ...(way === "call" ? [`provider: ${JSON.stringify(name)}`] : []),
        ...(named === null ? [] : [`model: ${JSON.stringify(named)}`]),
        "max_tokens: 50",
      ];
      // Providers without a usual model say so.
      return `try { llm_call("2+3", nil, {${options.join(", ")}}) } catch (e) { println(type_of(e) == "string" ? e : e.message) }`;
    });
    const flag = who("flag");
    const env = who("environment");
    const { recorded, replayed } = await run(calls.join("\n"), {
      files: ownFile(`default_provider = "${who("default") ?? other}"`),
      env: env === undefined ? {} : { HARN_LLM_PROVIDER: env },
      config: flag === undefined ? {} : { provider: flag },
    });
    // `local:` before a name is ollama's, unless `local` was named.
    const expected = way === "prefix" && name === "local" ? "ollama" : name;
    const seen = received();
    const refused = recorded.stdout.split("\n").filter(Boolean);
    for (const text of refused) expect(text).toContain("has no default model");
    expect(seen.length + refused.length).toBe(asked.length);
    expect(refused.length).toBeLessThanOrEqual(2);
    for (const one of seen) expect(one).toMatchObject({ at: expected, keys: ownKey(expected) });
    if (way === "prefix") expect(seen.map((one) => one.model)).toEqual(asked.map((model) => model ?? "quiz"));
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it("`local:` is `local` where that was named", async () => {
    await run(`llm_call("x", nil, {model: "local:m"})`, { config: { provider: "local" } });
    await run(`llm_call("x", nil, {model: "local:m"})`, { config: { provider: "local" } });
    expect(received()).toEqual([{ at: "local", model: "m", keys: [] }]);
  });

  it("a model that is named below a provider is taken where it may be that provider's", async () => {
    const models = async (script: string, setting: Setting): Promise<unknown[]> => {
      await run(script, setting);
      return received().map(({ at, model }) => [at, model]);
    };
    const call = (options: string): string => `llm_call("x", nil, {${options}})`;
    expect(
      await models(call(`provider: "anthropic"`), { config: { provider: "openai", model: "gpt-4o" } }),
    ).toEqual([["anthropic", "claude-sonnet-4-20250514"]]);
    expect(await models(call(`provider: "anthropic"`), { env: { HARN_LLM_MODEL: "gpt-4o" } })).toEqual([
      ["anthropic", "claude-sonnet-4-20250514"],
    ]);
    expect(await models(call(`provider: "local"`), { config: { model: "mine" } })).toEqual([
      ["local", "mine"],
    ]);
    expect(
      await models(call(`model_tier: "small"`), { config: { provider: "local", model: "mine" } }),
    ).toEqual([["local", "mine"]]);
    expect(await models(call(`model_tier: "small"`), { config: { provider: "openai" } })).toEqual([
      ["openai", "gpt-5.4-mini"],
    ]);
  });
});

describe("whoever makes the call", () => {
  const tools = `tool_define(tool_registry(), "look", "Looks.", {parameters: {x: "string"}, handler: { a -> "seen" }})`;
  const callers: Readonly<Record<string, string>> = {
    llm_call: `llm_call("x", nil, {model: "quiz"})`,
    llm_call_safe: `llm_call_safe("x", nil, {model: "gpt-4o"})`,
    llm_call_structured: `llm_call_structured("x", {type: "object"}, {model: "claude-haiku-4-5"})`,
    llm_completion: `llm_completion("x", nil, nil, {model: "quiz"})`,
    llm_stream: `for piece in llm_stream("x", nil, {model: "quiz"}) {}`,
    agent_loop: `agent_loop("x", nil, {model: "quiz", max_iterations: 1})`,
    "a loop with tools": `agent_loop("x", nil, {model: "quiz", max_iterations: 1, tools: ${tools}})`,
    "a judge": `agent_loop("x", nil, {model: "quiz", max_iterations: 2, verify_completion_judge: {model: "claude-haiku-4-5"}})`,
    "a fallback chain": `llm_call("x", nil, {model: "quiz", fallback_chain: ["gpt-4o-mini", "sonnet"]})`,
    "candidates of a policy": `llm_call("x", nil, {model: "quiz", route_policy: {policy: "first_available", candidates: ["gpt-4o-mini", "sonnet"]}})`,
    "a sub-agent": `sub_agent_run("x", {model: "claude-haiku-4-5", max_iterations: 1})`,
    "a worker": `wait_agent(spawn_agent({task: "x", node: {kind: "stage", mode: "llm", model_policy: {model: "gpt-4o"}}}))`,
  };
  const address = `${server.url}/flag/v1`;

  it.each(Object.entries(callers))("%s: the flags hold", async (_name, script) => {
    const { recorded, replayed } = await run(script, {
      env: { HARN_LLM_PROVIDER: "anthropic" },
      config: { provider: "local", baseUrl: address },
    });
    expect(recorded.error).toBe("");
    expect(server.seen.length).toBeGreaterThan(0);
    for (const one of received()) expect(one).toMatchObject({ at: "flag", keys: [] });
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it.each(Object.entries(callers))("%s: the variable holds", async (_name, script) => {
    await run(script, { env: { HARN_LLM_PROVIDER: "groq" } });
    for (const one of received()) expect(one).toMatchObject({ at: "groq", keys: ["groq"] });
  });

  it("routes, judges and their like name providers of their own", async () => {
    await run(
      `llm_call("x", nil, {model: "quiz", route_policy: {policy: "first_available", candidates: ["openai:gpt-4o-mini"]}})
agent_loop("x", nil, {model: "quiz", base_url: ${JSON.stringify(`${addressOf("local")}/v1`)}, max_iterations: 1, verify_completion_judge: {model: "anthropic:claude-haiku-4-5"}})
sub_agent_run("x", {provider: "gemini", max_iterations: 1})`,
      { config: { provider: "local", baseUrl: address } },
    );
    const at = received();
    expect(at.map((one) => one.at)).toEqual(["openai", "local", "anthropic", "gemini"]);
    for (const one of at) expect(one.keys).toEqual(ownKey(one.at));
  });

  const roles = (ofRole: Dict, forced?: Dict): ModelConfig => ({
    roles: { options: () => ofRole, forced: () => forced, booked: () => {}, admit: async () => () => {} },
  });

  it("a role stands between the call and the flags; what is forced stands above both", async () => {
    const at = async (options: string, config: ModelConfig): Promise<unknown> => {
      await run(`llm_call("x", nil, {${options}})`, { config });
      return received().map((one) => [one.at, one.model]);
    };
    const judge = Dict.of({ provider: "groq", model: "of-the-role" });
    const flags = { provider: "local", model: "of-the-flag" };
    expect(await at("", { ...flags, ...roles(judge) })).toEqual([["groq", "of-the-role"]]);
    expect(await at(`model: "own"`, { ...flags, ...roles(judge) })).toEqual([["groq", "own"]]);
    expect(await at(`model: "openai:own"`, { ...flags, ...roles(judge) })).toEqual([["openai", "own"]]);
    expect(await at(`provider: "local"`, { ...flags, ...roles(judge) })).toEqual([["local", "of-the-flag"]]);
    expect(await at("", { ...flags, ...roles(Dict.of({ model: "variant" })) })).toEqual([
      ["local", "variant"],
    ]);
    const forced = roles(judge, Dict.of({ model: "house:forced" }));
    expect(await at(`provider: "openai", model: "gpt-4o"`, { ...flags, ...forced })).toEqual([
      ["house", "forced"],
    ]);
  });
});

describe("the address that a flag names", () => {
  const address = `${server.url}/flag/v1`;

  it.each(names)("is that of the provider that stands with it: %s", async (name) => {
    const calls = names.map((one) => `llm_call("x", nil, {provider: "${one}", model: "m"})`);
    await run(calls.join("\n"), { config: { provider: name, baseUrl: address } });
    const expected = names.map((one) => ({ at: one === name ? "flag" : one, model: "m", keys: ownKey(one) }));
    expect(received()).toEqual(expected);
  });

  it("is, without one, that of the provider of calls that name nothing, which is named by it", async () => {
    const calls = `llm_call("x", nil, {model: "quiz"})\nllm_call("x", nil, {model: "gpt-4o"})`;
    await run(calls, { config: { baseUrl: address } });
    const at = { at: "flag", keys: ["anthropic"] };
    expect(received()).toMatchObject([at, at]);
    await run(calls, { config: { baseUrl: address }, env: { HARN_LLM_PROVIDER: "groq" } });
    expect(received()).toMatchObject([
      { at: "flag", keys: ["groq"] },
      { at: "flag", keys: ["groq"] },
    ]);
    await run(calls, { config: { baseUrl: address, model: "gpt-4o" } });
    expect(received()).toMatchObject([
      { at: "flag", keys: ["openai"] },
      { at: "flag", keys: ["openai"] },
    ]);
  });

  it("does not change how a provider speaks", async () => {
    const calls = names.map((one) => `llm_call("x", nil, {provider: "${one}", model: "gpt-4o"})`);
    await run(calls.join("\n"), {});
    expect(server.seen.map(({ wire }) => wire)).toEqual(
      names.map((name) => (name === "anthropic" ? "anthropic" : "chat")),
    );
  });
});

describe("the key of a provider", () => {
  const keyed = names.filter((name) => providers[name]!.key !== null);
  const elsewhere = `${server.url.replace("127.0.0.1", "localhost")}/elsewhere/v1`;
  const call = (name: string, more = ""): string =>
    `try { llm_call("x", nil, {provider: "${name}", model: "m"${more}}) } catch (e) { println(type_of(e) == "string" ? e : e.message) }`;
  /** Without the variables: the address that is looked at is the only one. */
  const unset = (name: string): Record<string, string> => ({ [providers[name]!.address]: "" });
  const table = (name: string, at = "providers"): string =>
    `[${at}.${name}]\nbase_url = "${elsewhere}"\nauth_env = "${providers[name]!.key}"\n`;
  const manifest = "/work/harn.toml";

  /** Ways to name an address that the user does not name for this provider: nothing is sent there. */
  const strangers: Readonly<Record<string, (name: string) => readonly [string, Setting]>> = {
    "an option of the call": (name) => [call(name, `, base_url: "${elsewhere}"`), { env: unset(name) }],
    "a route": (name) => [
      call(name).replace(
        'model: "m"',
        `model: "m", route_policy: {policy: "first_available", candidates: [{provider: "${name}", model: "m", base_url: "${elsewhere}"}]}`,
      ),
      { env: unset(name) },
    ],
    "a flag for another provider": (name) => [
      call(name, `, base_url: "${elsewhere}"`),
      { env: unset(name), config: { provider: "local", baseUrl: elsewhere } },
    ],
    "a variable of another provider": (name) => [
      call(name, `, base_url: "${elsewhere}"`),
      { env: { ...unset(name), TOGETHER_AI_BASE_URL: elsewhere } },
    ],
    "the project's manifest": (name) => [
      call(name),
      { env: unset(name), files: { ...ownFile(), [manifest]: table(name, "llm.providers") } },
    ],
    "another provider of the project's manifest, with the same key": (name) => [
      call("new"),
      { files: { ...ownFile(), [manifest]: table(name, "llm.providers").replace(`.${name}]`, ".new]") } },
    ],
    "a variable that the project's manifest names": (name) => [
      call(name),
      {
        env: { ...unset(name), SOME_SERVICE: elsewhere },
        files: {
          ...ownFile(),
          [manifest]: `[llm.providers.${name}]\nbase_url_env = "SOME_SERVICE"\n`,
        },
      },
    ],
    "a package": (name) => [
      call(name),
      {
        env: unset(name),
        files: {
          ...ownFile(),
          [manifest]: "[package]\nname = 'p'\n",
          "/work/.harn/packages/evil/harn.toml": table(name, "llm.providers"),
        },
      },
    ],
  };
  const withheld = Object.keys(strangers).flatMap((way) => keyed.map((name) => [way, name] as const));
  it.each(withheld)("does not go where %s says: %s", async (way, name) => {
    const [script, setting] = strangers[way]!(name);
    const { recorded } = await run(script, setting);
    expect(recorded.stdout).toContain("is not sent to");
    expect(recorded.stdout).not.toContain("secret-key");
    expect(received()).toEqual([]);
  });

  /** Ways that are the user's. */
  const own: Readonly<Record<string, (name: string) => readonly [string, Setting]>> = {
    "a flag": (name) => [call(name), { env: unset(name), config: { provider: name, baseUrl: elsewhere } }],
    "its variable": (name) => [call(name), { env: { [providers[name]!.address]: elsewhere } }],
    "its variable, and the call": (name) => [
      call(name, `, base_url: "${elsewhere}"`),
      { env: { [providers[name]!.address]: elsewhere } },
    ],
    "the user's file": (name) => [
      call(name),
      { env: unset(name), files: { "/home/tester/.config/harn/providers.toml": table(name) } },
    ],
    "the project's manifest, once the user has agreed": (name) => {
      const host = createMemoryHost();
      const row = { base_url: elsewhere, auth_env: providers[name]!.key };
      const agreed = JSON.stringify({ [manifest]: { [name]: tableDigest(host, row) } });
      const files = {
        ...ownFile(),
        [manifest]: table(name, "llm.providers"),
        "/home/tester/.config/harn/trusted.json": agreed,
      };
      return [call(name), { env: unset(name), files }];
    },
  };
  const given = Object.keys(own).flatMap((way) => keyed.map((name) => [way, name] as const));
  it.each(given)("goes where %s says: %s", async (way, name) => {
    const [script, setting] = own[way]!(name);
    const { recorded, replayed } = await run(script, setting);
    expect(recorded.stdout).toBe("");
    expect(received()).toMatchObject([{ at: "elsewhere", keys: [name] }]);
    expect(replayed.stdout).toBe("");
  });

  it("does not follow a table that was changed, or one at another place", async () => {
    const host = createMemoryHost({ env: { HOME: "/home/tester" } });
    const row = { base_url: elsewhere, auth_env: "GROQ_API_KEY" };
    const files = (place: string, digest: string): Record<string, string> => ({
      [manifest]: table("groq", "llm.providers"),
      [trustFile(host)]: JSON.stringify({ [place]: { groq: digest } }),
    });
    const digest = tableDigest(host, row);
    for (const these of [
      files("/other/harn.toml", digest),
      files(manifest, tableDigest(host, { ...row, base_url: `${elsewhere}2` })),
      // A project can't agree for the user.
      {
        ...files("/other/harn.toml", digest),
        "/work/.config/harn/trusted.json": `{"${manifest}": {"groq": "${digest}"}}`,
      },
    ]) {
      const { recorded } = await run(call("groq"), { env: unset("groq"), files: these });
      expect(recorded.stdout).toContain("`harn trust` in the project's folder");
      expect(received()).toEqual([]);
    }
  });

  it("stays away where a project only moves a server that needs none", async () => {
    const files = { ...ownFile(), [manifest]: `[llm.providers.local]\nbase_url = "${elsewhere}"\n` };
    await run(call("local"), { env: unset("local"), files });
    expect(received()).toMatchObject([{ at: "elsewhere", keys: [] }]);
  });
});
