/** The same script, live: against a local server that speaks the vendors' protocols, through the real SDKs. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import {
  type ProviderServer,
  type Scenario,
  startProviderServer,
} from "../../support/provider-server/index.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder, tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("live");

const folder = tempFolder("live");
let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterEach(() => server.clear());
afterAll(async () => {
  await server.close();
});

/** The model of the audit in three turns: look (two calls at once, split into pieces), write, say so. */
function auditor(markdown: string): Scenario[] {
  return [
    {
      kind: "answer",
      text: "I look first.",
      calls: [
        { id: "call_a", name: "list_files", args: "{}" },
        { id: "call_b", name: "search_text", args: '{"pattern": "TODO"}' },
      ],
      piece: 3,
      usage: { input: 1000, output: 50 },
      stop: "tool_use",
    },
    {
      kind: "answer",
      calls: [{ id: "call_c", name: "write_report", args: JSON.stringify({ markdown }) }],
      usage: { input: 2000, output: 100 },
      stop: "tool_use",
    },
    { kind: "answer", text: "The report is written.", usage: { input: 2500, output: 10 }, stop: "end_turn" },
  ];
}

const audit = "examples/repo-audit/audit.harn";
const tape = "examples/repo-audit/tape.jsonl";

const routes = [
  { name: "openai", key: "OPENAI_API_KEY", model: "gpt-4o", base: "/v1" },
  { name: "anthropic", key: "ANTHROPIC_API_KEY", model: "claude-sonnet-4-6", base: "" },
  { name: "local", key: undefined, model: "my-model", base: "/v1" },
];

describe("a live run", () => {
  for (const route of routes) {
    it(`of the audit with ${route.name}`, async () => {
      const report = join(folder, `${route.name}.md`);
      server.next(...auditor(`# By ${route.name}`));
      const flags = ["--provider", route.name, "--model", route.model, "--base-url", server.url + route.base];
      const env = route.key === undefined ? {} : { [route.key]: "sk-test-secret-value" };
      const args = [
        "run",
        "--progress",
        "--tape",
        tape,
        ...flags,
        audit,
        "--",
        "examples/repo-audit/project",
        report,
      ];
      const { stdout, stderr, status } = await harnHere(args, { env });
      expect(stderr).toContain("I look first.");
      expect(stderr).toContain("✓ search_text");
      expect(stderr).toContain("5,500 tokens in, 160 out");
      expect(stdout).toContain("status   done");
      expect(status).toBe(0);
      expect(readFileSync(report, "utf8")).toBe(`# By ${route.name}`);
      expect(server.pending()).toBe(0);
      const second = JSON.stringify(server.seen.at(-2)?.body);
      expect(second).toContain("pantry/store.py (179 lines)");
      expect(second).not.toContain("sk-test-secret-value");
      expect(stderr + stdout).not.toContain("sk-test-secret-value");
    });
  }

  it("recorded, replays without server and key", async () => {
    const journal = join(folder, "live.journal");
    const script =
      'let a = llm_call("hi")\nprintln("${a.text} ${a.input_tokens}")\nprintln(env("OPENAI_API_KEY"))';
    server.next({ kind: "answer", text: "hello", usage: { input: 7, output: 2 } });
    const flags = ["--provider", "openai", "--model", "gpt-4o", "--base-url", `${server.url}/v1`];
    const env = { OPENAI_API_KEY: "sk-live-secret-value" };
    const recorded = await harnHere(["run", "--record", journal, ...flags, "-e", script], { env });
    expect(recorded).toMatchObject({ stdout: "hello 7\nsk-live-secret-value\n", status: 0 });
    expect(readFileSync(journal, "utf8")).not.toContain("sk-live-secret-value");
    const again = await harnHere(["replay", journal]);
    expect(again).toMatchObject({ stdout: "hello 7\n{{secret:OPENAI_API_KEY}}\n", stderr: "", status: 0 });
  });

  it("that is refused says so once, with the category", async () => {
    server.next({ kind: "status", status: 401, body: { error: { message: "Incorrect API key provided" } } });
    const flags = ["--provider", "openai", "--model", "gpt-4o", "--base-url", `${server.url}/v1`];
    const done = await harnHere(["run", ...flags, "-e", 'llm_call("hi")'], {
      env: { OPENAI_API_KEY: "sk-bad-key-000" },
    });
    expect(done.status).toBe(1);
    expect(done.stderr).toMatch(/auth/);
    expect(done.stderr).toContain("Incorrect API key provided");
    expect(done.stderr).not.toContain("sk-bad-key-000");
    expect(done.stderr).not.toMatch(/\n\s+at .*\.(ts|js):\d+/);
  });

  const broken: { name: string; scenarios: Scenario[]; said: string }[] = [
    { name: "nothing", scenarios: [{ kind: "drop" }], said: "provider_error transient_network" },
    {
      name: "HTML",
      scenarios: [{ kind: "html", html: "<html><body>Sign in</body></html>" }],
      said: "provider_error generic",
    },
    {
      name: "half a stream",
      scenarios: [{ kind: "answer", text: "One two three", endAfter: 3 }],
      said: "provider_error transient_network",
    },
    {
      name: "endless text",
      scenarios: [{ kind: "endless", what: "text" }],
      said: "provider_error generic",
    },
    {
      name: "arguments that are no JSON",
      scenarios: [
        { kind: "answer", calls: [{ id: "c", name: "look", args: '{"x": ' }], stop: "tool_use" },
        { kind: "answer", text: "I see.", stop: "end_turn" },
      ],
      said: "done nil",
    },
  ];
  it.each(broken)("of a provider that sends $name ends in its status", async ({ scenarios, said }) => {
    server.next(...scenarios, { kind: "answer", text: "All well.", stop: "end_turn" });
    const flags = ["--provider", "local", "--model", "m", "--base-url", `${server.url}/v1`];
    const script = [
      'let tools = tool_define(tool_registry(), "look", "Looks.", {parameters: {x: "string"}, handler: { a -> "seen" }})',
      'let opts = {session_id: "s", tools: tools, tool_format: "native", llm_retries: 0, max_tokens: 50}',
      'let first = agent_loop("first", nil, opts)',
      'println(first.status + " " + to_string(first.error?.category))',
      'println(agent_loop("second", nil, opts).text)',
    ].join("\n");
    const done = await harnHere(["run", ...flags, "-e", script]);
    expect(done.stdout).toBe(`${said}\nAll well.\n`);
    expect(done.status).toBe(0);
    expect(done.stderr).not.toMatch(/\n\s+at .*\.(ts|js):\d+/);
  });

  it("of the project's own provider: schema retries, thinking, prompt cache, prices, a route that is down", async () => {
    const project = freshFolder();
    const manifest = `[package]
name = "p"
[llm.providers.mine]
base_url = "${server.url}/v1"
auth_env = "MINE_KEY"
[llm.providers.down]
base_url = "http://127.0.0.1:9/v1"
auth_style = "none"
[llm.models.big]
provider = "mine"
pricing = { input_per_mtok = 2.0, output_per_mtok = 8.0, cache_read_per_mtok = 0.5 }
[[llm.capabilities.provider.mine]]
model_match = "big*"
json_schema = "native"
thinking_modes = ["effort"]
`;
    writeFileSync(join(project, "harn.toml"), manifest);
    writeFileSync(
      join(project, "main.harn"),
      `let schema = {type: "object", properties: {n: {type: "integer"}}, required: ["n"]}
let opts = {provider: "down", model: "m", schema: schema, output_validation: "error", fallback_chain: [{model: "big", thinking: "high"}]}
let r = llm_call("count", nil, opts)
println([r.data, r.provider, r.thinking, r.usage.cache_read_tokens, r.cache_hit_ratio, r.cache_savings_usd])
println(llm_session_cost())
println(agent_loop("go", nil, {model: "big", iteration_budget: {total_cost_usd: 0.000001}}).status)
`,
    );
    server.seen.length = 0;
    server.next(
      { kind: "answer", text: '{"n": "one"}', usage: { input: 1000, output: 10 } },
      {
        kind: "answer",
        thinking: "hm",
        text: '{"n": 1}',
        usage: { input: 1000, output: 10, cacheRead: 800 },
      },
    );
    const env = { MINE_KEY: "sk-mine-secret-value", HOME: freshFolder(), XDG_CONFIG_HOME: "" };
    expect((await harnHere(["trust"], { cwd: project, env })).status).toBe(0);
    const done = await harnHere(["run", "main.harn"], { cwd: project, env });
    expect(done.stdout.split("\n")).toEqual([
      "[{n: 1}, mine, hm, 800, 0.8, 0.0012]",
      "{call_count: 2, input_tokens: 2000, output_tokens: 20, total_cost: 0.00296}",
      "budget_exhausted",
      "",
    ]);
    const bodies = server.seen.map(({ body }) => body as { reasoning_effort?: string; messages: object[] });
    expect(bodies.map((body) => [body.reasoning_effort, body.messages.length])).toEqual([
      ["high", 1],
      // The answer that did not fit stands before its correction.
      ["high", 3],
    ]);
    expect(server.seen[0]?.headers.authorization).toBe("Bearer sk-mine-secret-value");
  });

  it("is cut by Ctrl-C while the model hangs: the request is aborted", async () => {
    server.next({ kind: "hang" });
    const flags = ["--provider", "local", "--model", "m", "--base-url", `${server.url}/v1`];
    const script = 'println("asking")\nsleep(1)\nllm_call("hi")\nprintln("never")';
    const run = startHarn(["run", ...flags, "-e", script]);
    await run.shows("asking");
    while (!server.seen.some((request) => JSON.stringify(request.body).includes('"hi"'))) await pause(10);
    await pause(50);
    run.child.kill("SIGINT");
    const done = await run.ended;
    expect(done.status).toBe(130);
    expect(done.stdout).toBe("asking\n");
    expect(done.stderr).toMatch(/^harn: interrupted; .*--resume/);
  });
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
