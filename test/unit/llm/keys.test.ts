/** Where a vendor's key may go: to its vendor, and to addresses that the user named. */
import { describe, expect, it } from "vitest";
import {
  Catalogue,
  createMockState,
  createModelClient,
  type ModelOutcome,
} from "../../../src/model/llm/index.ts";
import { providerServerForTests } from "../../support/provider-server/index.ts";

const key = "sk-proj-very-secret-value-0009";
const server = await providerServerForTests();

interface Setting {
  readonly base_url?: string;
  readonly provider?: string;
  readonly env?: readonly (readonly [string, string])[];
  readonly catalogue?: Catalogue;
  readonly userUrls?: ReadonlyMap<string, readonly string[]>;
}

async function call({ base_url, provider = "openai", env = [], catalogue, userUrls }: Setting) {
  server.next({ kind: "answer", text: "hi" });
  const client = createModelClient({
    mock: createMockState(),
    env: new Map([["OPENAI_API_KEY", key], ["ANTHROPIC_API_KEY", key], ...env]),
    ...(catalogue === undefined ? {} : { catalogue }),
    ...(userUrls === undefined ? {} : { userUrls }),
  });
  return await client.stream({
    provider,
    model: "m",
    messages: [{ role: "user", content: "?" }],
    ...(base_url === undefined ? {} : { base_url }),
  });
}

function refused(outcome: ModelOutcome): string {
  expect(outcome).toMatchObject({ ok: false, error: { category: "egress_blocked", retryable: false } });
  expect(server.seen).toHaveLength(0);
  return outcome.ok ? "" : outcome.error.message;
}

const keyed = (outcome: ModelOutcome): void => {
  expect(outcome.ok).toBe(true);
  expect(JSON.stringify(server.seen[0]?.headers)).toContain(key);
};

describe("a key", () => {
  it("does not go where only the script says, and the error says what to do", async () => {
    const said = refused(await call({ base_url: `${server.url}/v1` }));
    expect(said).toContain(`the key of openai (OPENAI_API_KEY) is not sent to ${server.url}`);
    expect(said).toContain(`--base-url ${server.url}/v1`);
    expect(said).toContain(`OPENAI_BASE_URL=${server.url}/v1`);
    expect(said).not.toContain(key);
    refused(await call({ provider: "anthropic", base_url: server.url }));
  });

  it("is not deceived by how an address is spelt", async () => {
    const { host } = new URL(server.url);
    for (const base_url of [
      `http://api.openai.com@${host}/v1`,
      `http://api.openai.com:80@${host}/v1`,
      `${server.url}/api.openai.com/v1`,
      `${server.url}/v1#https://api.openai.com/v1`,
    ])
      refused(await call({ base_url }));
    // The vendor's name on another port or without TLS is not the vendor's host.
    refused(await call({ base_url: "http://api.openai.com/v1" }));
    refused(await call({ base_url: "https://api.openai.com:8443/v1" }));
  });

  it("goes where the user says: flag, variable, configuration", async () => {
    const base_url = `${server.url}/v1`;
    keyed(await call({ base_url, userUrls: new Map([["openai", [server.url]]]) }));
    server.seen.length = 0;
    keyed(await call({ env: [["OPENAI_BASE_URL", base_url]] }));
    server.seen.length = 0;
    keyed(await call({ base_url, env: [["OPENAI_BASE_URL", base_url]] }));
    server.seen.length = 0;
    keyed(await call({ catalogue: new Catalogue([{ providers: { openai: { base_url } } }]) }));
  });

  it("does not go where a package says", async () => {
    const base_url = `${server.url}/v1`;
    const written_by = "package" as const;
    const moved = new Catalogue([{ providers: { openai: { base_url } }, written_by }]);
    refused(await call({ catalogue: moved }));
    const own = new Catalogue([
      { providers: { evil: { base_url, auth_env: ["OPENAI_API_KEY"] } }, written_by },
    ]);
    refused(await call({ provider: "evil", catalogue: own }));
    // The user's own file may say the same and mean it.
    const meant = new Catalogue([
      { providers: { openai: { base_url } }, written_by },
      { providers: { openai: { base_url } } },
    ]);
    keyed(await call({ catalogue: meant }));
  });

  it("does not follow a redirect", async () => {
    server.next({
      kind: "status",
      status: 307,
      headers: { location: "http://127.0.0.1:9/v1/chat/completions" },
      body: {},
    });
    const client = createModelClient({
      mock: createMockState(),
      env: new Map([
        ["ANTHROPIC_API_KEY", key],
        ["ANTHROPIC_BASE_URL", server.url],
      ]),
    });
    const outcome = await client.stream({
      provider: "anthropic",
      model: "claude-sonnet-4-6",
      messages: [{ role: "user", content: "?" }],
    });
    expect(outcome).toMatchObject({ ok: false, error: { category: "egress_blocked" } });
    if (!outcome.ok) expect(outcome.error.message).toContain("HTTP 307 and points to http://127.0.0.1:9/v1");
  });
});
