/** Providers of one's own: configuration files through the real adapters, recorded for replays; files that are wrong. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/index.ts";
import { tableDigest } from "../../../src/model/project/trust.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { providerServerForTests } from "../../support/provider-server/index.ts";
import { type Both, recordAndReplayScript } from "../../support/replay-script.ts";

const server = await providerServerForTests();

interface Setting {
  readonly files: Record<string, string>;
  readonly env?: Record<string, string>;
}

function run(script: string, { files, env = {} }: Setting): Promise<Both> {
  return recordAndReplayScript(script, createMemoryHost({ files, env: { HOME: "/home/tester", ...env } }));
}

const call = `println(llm_call("Hello", nil, {provider: "house", model: "m"}).text)`;

describe("a server of one's own", () => {
  const manifest = (more = ""): string =>
    `[llm.providers.house]\nbase_url = "${server.url}/v1"\nauth_env = ["HOUSE_KEY"]\nextra_headers = { "X-Team" = "blue" }\n${more}`;

  /** The user has agreed to the address, so that the key goes there (`harn trust`). */
  const agreed = (more = ""): Record<string, string> => {
    const host = createMemoryHost();
    const { llm } = host.libraries.toml().parse(manifest(more)) as {
      llm: { providers: { house: JsonObject } };
    };
    return {
      "/work/harn.toml": manifest(more),
      "/home/tester/.config/harn/trusted.json": JSON.stringify({
        "/work/harn.toml": { house: tableDigest(host, llm.providers.house) },
      }),
    };
  };

  test("is called with its key and headers; the replay needs neither file nor server", async () => {
    server.next({ kind: "answer", text: "from the house", usage: { input: 10, output: 2 } });
    const { recorded, replayed, journal } = await run(call, {
      files: agreed(),
      env: { HOUSE_KEY: "house-secret-key" },
    });
    expect(recorded).toMatchObject({ stdout: "from the house\n", error: "" });
    expect(replayed.stdout).toBe("from the house\n");
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: "Bearer house-secret-key",
      "x-team": "blue",
    });
    expect(JSON.stringify(journal)).not.toContain("house-secret-key");
  });

  test("an address from the environment wins; without its key the call says which one", async () => {
    server.next({ kind: "answer", text: "moved" });
    const files = {
      "/work/harn.toml": `[llm.providers.house]\nbase_url = "http://127.0.0.1:1/v1"\nbase_url_env = "HOUSE_URL"\nauth_style = "none"\n`,
    };
    const { recorded } = await run(call, { files, env: { HOUSE_URL: `${server.url}/v1` } });
    expect(recorded.stdout).toBe("moved\n");
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  test("an answer is priced by the manifest, with the cached part at its own price", async () => {
    const models = `[llm.models.m]\nprovider = "house"\npricing = { input_per_mtok = 10.0, output_per_mtok = 20.0, cache_read_per_mtok = 1.0 }\n`;
    server.next({
      kind: "answer",
      text: "x",
      usage: { input: 1_000_000, output: 100_000, cacheRead: 900_000 },
    });
    const { recorded } = await run(
      `let r = llm_call("Hello", nil, {provider: "house", model: "m", cache: true})
       println([r.cost_usd, r.cache_read_tokens, r.cache_hit_ratio, r.cache_savings_usd, llm_session_cost().total_cost])`,
      { files: agreed(models), env: { HOUSE_KEY: "k" } },
    );
    // 100,000 at $10, 900,000 at $1, 100,000 at $20.
    expect(recorded.stdout).toBe("[3.9, 900000, 0.9, 8.1, 3.9]\n");
  });

  test("a dollar limit holds for it once it has a price, and is refused before", async () => {
    const budget = `llm_call("Hello", nil, {provider: "house", model: "m", budget: {max_cost_usd: 0.01}})`;
    const script = `try { ${budget} } catch (e) { println(e.message ?? e) }`;
    const priced = `[llm.models.m]\nprovider = "house"\npricing = { input_per_mtok = 10.0, output_per_mtok = 20.0 }\n`;
    const free = await run(script, { files: { "/work/harn.toml": manifest() } });
    expect(free.recorded.stdout).toContain("price");
    const limited = await run(script, { files: { "/work/harn.toml": manifest(priced) } });
    expect(limited.recorded.stdout).toContain("max_cost_usd");
    expect(server.seen).toEqual([]);
  });
});

describe("where it is looked for", () => {
  const house = (url: string): string => `[providers.house]\nbase_url = "${url}"\nauth_style = "none"\n`;
  const inManifest = (url: string): string => house(url).replace("[providers", "[llm.providers");
  const gone = "http://127.0.0.1:1/v1";

  test.each([
    ["the user's file", "/home/tester/.config/harn/providers.toml", {}],
    ["XDG_CONFIG_HOME", "/config/harn/providers.toml", { XDG_CONFIG_HOME: "/config" }],
    ["HARN_PROVIDERS_CONFIG", "/etc/models.toml", { HARN_PROVIDERS_CONFIG: "/etc/models.toml" }],
  ])("%s", async (_name, path, env) => {
    server.next({ kind: "answer", text: "found" });
    const { recorded } = await run(call, { files: { [path]: house(`${server.url}/v1`) }, env });
    expect(recorded.stdout).toBe("found\n");
  });

  test("packages win over the user's file, the project over packages", async () => {
    server.next({ kind: "answer", text: "package" });
    const user = { "/home/tester/.config/harn/providers.toml": house(gone) };
    const pack = { "/work/.harn/packages/models/harn.toml": inManifest(`${server.url}/v1`) };
    const bare = { "/work/harn.toml": "[package]\nname = 'x'\n" };
    expect((await run(call, { files: { ...user, ...pack, ...bare } })).recorded.stdout).toBe("package\n");
    server.next({ kind: "answer", text: "project" });
    const elsewhere = { "/work/.harn/packages/models/harn.toml": inManifest(gone) };
    const own = { "/work/harn.toml": inManifest(`${server.url}/v1`) };
    expect((await run(call, { files: { ...user, ...elsewhere, ...own } })).recorded.stdout).toBe("project\n");
  });
});

describe("files that are wrong", () => {
  const asking = `try { println(llm_config("house")) } catch (e) { println(e) }`;
  const at = "/work/harn.toml";
  test.each([
    ["[llm", `${at} cannot be read: Invalid TOML document`],
    ["llm = 5", `${at}: [llm] must be a table`],
    ["[llm.provider.x]", `${at}: [llm]: unknown option "provider", did you mean "providers"?`],
    ["[llm]\nproviders = 5", `${at}: [llm]: providers: expected dict<string, dict>, got int 5`],
    ["[llm.providers]\nhouse = 5", `${at}: [llm]: providers.house: expected dict, got int 5`],
    [
      "[llm.providers.house]\nurl = 'x'",
      `${at}: [llm]: providers.house: unknown option "url"; expected one of base_url`,
    ],
    [
      "[llm.providers.house]\nbase_url = 5",
      `${at}: [llm]: providers.house.base_url: expected string, got int 5`,
    ],
    [
      "[llm.providers.house]\nbase_url = 'x'",
      `${at}: [llm]: providers.house.base_url: expected a URL, got string "x"`,
    ],
    [
      "[llm.providers.house]\nauth_style = 'magic'",
      '[llm]: providers.house.auth_style: expected "bearer", "header" or "none", got string "magic"',
    ],
    [
      "[llm.providers.house]\nprotocol = 'smtp'",
      '[llm]: providers.house.protocol: expected "openai" or "anthropic", got string "smtp"',
    ],
    [
      "[llm.providers.house]\nauth_env = [5]",
      "[llm]: providers.house.auth_env[0]: expected string, got int 5",
    ],
    ["[llm.aliases]\nfast = {provider = 'openai'}", "[llm]: aliases.fast.id: expected string, got nil"],
    [
      "[llm.models.m]\npricing = {input_per_mtok = 1.0}",
      "[llm]: models.m.pricing.output_per_mtok: expected float, got nil",
    ],
    [
      "[llm.models.m]\npricing = {input = 1.0}",
      '[llm]: models.m.pricing: unknown option "input"; expected one of ',
    ],
    [
      "[llm.models.m]\npricing = {input_per_mtok = -1, output_per_mtok = 1}",
      "[llm]: models.m.pricing.input_per_mtok: expected float >= 0, got int -1",
    ],
    [
      "[[llm.inference_rules]]\nprovider = 'x'",
      "[llm]: inference_rules[0]: expected a table with `pattern`, `exact` or `contains`, got dict",
    ],
    [
      "[[llm.inference_rules]]\npattern = 'x'",
      "[llm]: inference_rules[0].provider: expected string, got nil",
    ],
    ["[llm]\ndefault_provider = 5", "[llm]: default_provider: expected string, got int 5"],
    [
      "[capabilities.provider.house]\nvision = true",
      "capabilities.provider.house: expected list<dict>, got dict",
    ],
    [
      "[[capabilities.provider.house]]\nvision = true",
      "capabilities.provider.house[0].model_match: expected string, got nil",
    ],
  ])("%j", async (toml, text) => {
    const { recorded } = await run(asking, { files: { [at]: toml } });
    expect(recorded.stdout).toContain(text);
  });

  test("a file that HARN_PROVIDERS_CONFIG names must be there", async () => {
    const { recorded } = await run(asking, { files: {}, env: { HARN_PROVIDERS_CONFIG: "/nowhere.toml" } });
    expect(recorded.stdout).toBe("HARN_PROVIDERS_CONFIG names /nowhere.toml, which is not there\n");
  });
});
