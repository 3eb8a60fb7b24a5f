/**
 * Providers that answer with what is no answer, through the vendors' real SDKs: the loop ends in its documented status,
 * and the session goes on with the next loop.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { agentRun, type Plain, tool } from "../../../support/agent-run.ts";
import { testRun } from "../../../support/concurrent.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";
import {
  type ProviderServer,
  type Scenario,
  startProviderServer,
} from "../../../support/provider-server/index.ts";

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterAll(() => server.close());
afterEach(() => server.clear());

const routes = [
  { name: "chat", provider: "openai", model: "gpt-4o", api_mode: "chat", path: "/v1" },
  { name: "responses", provider: "openai", model: "gpt-4o", api_mode: "responses", path: "/v1" },
  { name: "messages", provider: "anthropic", model: "claude-sonnet-4-6", path: "" },
];

const usage = { input: 20, output: 5 };
const good: Scenario = { kind: "answer", text: "All well.", usage };

interface Broken {
  readonly name: string;
  readonly scenario: Scenario;
  /** The SDKs differ in what they make of it. */
  readonly category: RegExp;
  readonly said: RegExp;
  readonly options?: Record<string, Plain>;
}

const broken: Broken[] = [
  {
    name: "a connection that closes before any answer",
    scenario: { kind: "drop" },
    category: /^transient_network$/,
    said: /./,
  },
  {
    name: "an empty stream",
    scenario: { kind: "raw", events: [] },
    category: /^(transient_network|server_error)$/,
    said: /broke off in the middle|no answer|ended without/,
  },
  {
    name: "an HTML page",
    scenario: { kind: "html", html: "<html><body><h1>Gateway</h1>Sign in</body></html>" },
    category: /^generic$/,
    said: /text\/html.*"Gateway Sign in"/,
  },
  {
    name: "an HTML error page",
    scenario: { kind: "html", status: 502, html: "<html><body>Bad gateway</body></html>" },
    category: /^server_error$/,
    said: /HTTP 502 .*Bad gateway/,
  },
  {
    name: "half a stream",
    scenario: { kind: "answer", text: "One two three four five", usage, endAfter: 4 },
    category: /^transient_network$/,
    said: /broke off in the middle/,
  },
  {
    name: "a stream whose connection breaks",
    scenario: { kind: "answer", text: "One two three four five", usage, cutAfter: 4 },
    category: /^transient_network$/,
    said: /./,
  },
  {
    name: "a stream that falls silent",
    scenario: { kind: "answer", text: "One two three four five", usage, hangAfter: 4 },
    category: /^timeout$/,
    said: /sent nothing for/,
    options: { idle_timeout_ms: 300 },
  },
  {
    name: "events that are no JSON",
    scenario: { kind: "raw", events: [{ data: "not json" }] },
    category: /^(transient_network|server_error)$/,
    said: /no JSON|no answer|broke off/,
  },
  {
    name: "text without end",
    scenario: { kind: "endless", what: "text" },
    category: /^generic$/,
    said: /more than \d+ MB/,
  },
  {
    name: "a line without end",
    scenario: { kind: "endless", what: "line" },
    category: /^generic$/,
    said: /more than \d+ MB/,
  },
];

describe.each(routes)("$name", ({ provider, model, api_mode, path }) => {
  const open = (): ReturnType<typeof agentRun> =>
    agentRun(
      testRun(
        undefined,
        createMemoryHost({
          env: {
            OPENAI_API_KEY: "k",
            ANTHROPIC_API_KEY: "k",
            OPENAI_BASE_URL: `${server.url}/v1`,
            ANTHROPIC_BASE_URL: server.url,
          },
        }),
      ),
    );
  const options = (): Record<string, Plain> => ({
    provider,
    model,
    base_url: `${server.url}${path}`,
    ...(api_mode === undefined ? {} : { api_mode }),
    session_id: "s",
    max_tokens: 50,
    llm_retries: 0,
    tools: [tool("look", () => "seen")],
  });

  test.each(broken)(
    "$name: provider_error, and the session goes on",
    async ({ scenario, category, said, options: more }) => {
      const run = open();
      server.next(scenario);
      const failed = await run.loop("first", { ...options(), ...more });
      expect(failed).toMatchObject({ status: "provider_error", stop_reason: "provider_error" });
      expect(failed.error.category).toMatch(category);
      expect(failed.error.message).toMatch(said);
      // What was asked is still there, nothing half said is.
      expect(failed.transcript.messages.map((message: Plain) => message.role)).toEqual(["user"]);
      server.next(good);
      const next = await run.loop("second", options());
      expect(next).toMatchObject({ status: "done", text: "All well." });
    },
  );

  test("arguments that are no JSON: the model is told, and mends them", async () => {
    const run = open();
    const call = (id: string, args: string) => ({ id, name: "look", args });
    server.next(
      { kind: "answer", calls: [call("c1", '{"x": '), call("c2", "[1]")], usage, stop: "tool_use" },
      { kind: "answer", calls: [call("c3", '{"x": "ok"}')], usage, stop: "tool_use" },
      good,
    );
    const result = await run.loop("go", options());
    expect(result).toMatchObject({ status: "done", tools: { successful: ["look"] } });
    expect(JSON.stringify(server.seen.at(-1)?.body)).toMatch(/not valid JSON/);
    server.next(good);
    expect(await run.loop("again", options())).toMatchObject({ status: "done" });
  });

  test("an answer with nothing in it", async () => {
    const run = open();
    server.next({ kind: "answer", usage: { input: 20, output: 0 } });
    const stuck = await run.loop("go", { ...options(), max_nudges: 0 });
    expect(stuck).toMatchObject({ status: "stuck", stop_reason: "empty_answer", text: "", answer: "" });
    server.next({ kind: "answer", usage: { input: 20, output: 0 } }, good);
    const nudged = await run.loop("go", options());
    expect(nudged).toMatchObject({ status: "done", text: "All well.", answer: "All well." });
    expect(JSON.stringify(server.seen.at(-1)?.body)).toMatch(/Your last answer was empty/);
    server.next(good);
    expect(await run.loop("again", options())).toMatchObject({ status: "done", text: "All well." });
  });
});
