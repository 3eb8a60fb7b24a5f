/** Every provider whose routes can't be held to a schema gets it in words, in the first request (issue 12, item 1). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { modelCall, modelsOf, planCall, requestOf } from "../../../../src/model/index.ts";
import { Catalogue } from "../../../../src/model/llm/index.ts";
import { Dict, fromJson } from "../../../../src/values/index.ts";
import { testRun } from "../../../support/concurrent.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";
import { type ProviderServer, startProviderServer } from "../../../support/provider-server/index.ts";

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.seen.length = 0;
});

const catalogue = new Catalogue();
const providers = catalogue.providerNames().filter((name) => catalogue.provider(name)?.protocol === "openai");
const schema = fromJson({
  type: "dict",
  properties: { finding_name: { type: "string" }, lines: { type: "list", items: { type: "int" } } },
  required: ["finding_name"],
}) as Dict;

describe.each(providers)("%s", (provider) => {
  const run = () => {
    const { base_url_env, auth_env } = catalogue.provider(provider) ?? { base_url_env: [], auth_env: [] };
    const env = Object.fromEntries([
      ...base_url_env.map((name) => [name, `${server.url}/v1`]),
      ...auth_env.map((name) => [name, "key"]),
    ]) as Record<string, string>;
    return testRun(undefined, createMemoryHost({ env }));
  };

  it.each(["some-model", "qwen3:8b"])("%s is told the schema", async (model) => {
    server.next({ kind: "answer", text: '{"finding_name": "a"}' });
    const { task } = run();
    expect(modelsOf(task).catalogue.capabilities(provider, model).json_schema).toBeNull();
    const plan = planCall(task, Dict.of({ provider, model, schema, output_validation: "error" }));
    const result = await modelCall(
      task,
      requestOf(plan, { messages: [{ role: "user", content: "?" }], system: null }),
    );
    expect(result).toMatchObject({ ok: true });
    const body = JSON.stringify(server.seen[0]?.body);
    expect(body).toContain('"response_format":{"type":"json_object"}');
    expect(body).toContain("finding_name");
    // In the words of JSON Schema, not in the language's.
    expect(body).toContain('\\"type\\":\\"integer\\"');
    expect(body).not.toMatch(/\\"(?:dict|list|int)\\"/);
  });

  it("a schema of a list goes without a mode that allows objects alone", async () => {
    server.next({ kind: "answer", text: "[1]" });
    const { task } = run();
    const list = fromJson({ type: "list", items: { type: "int" } }) as Dict;
    const plan = planCall(task, Dict.of({ provider, model: "some-model", schema: list }));
    await modelCall(task, requestOf(plan, { messages: [{ role: "user", content: "?" }], system: null }));
    expect(server.seen[0]?.body.response_format).toBeUndefined();
    expect(JSON.stringify(server.seen[0]?.body)).toContain("It must satisfy this JSON Schema");
  });
});

it("covers the providers that were affected", () => {
  expect(providers.length).toBeGreaterThanOrEqual(16);
});
