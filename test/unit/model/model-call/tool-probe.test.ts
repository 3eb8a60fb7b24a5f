/** Servers of one's own are asked whether they take tools natively (docs/providers.md, "How tools are sent"). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  type ProviderServer,
  type Scenario,
  startProviderServer,
} from "../../../support/provider-server/index.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const folders = tempFolders("tool-probe");
const servers: ProviderServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const program = `
tool add(a: int, b: int) -> int { a + b }
let first = agent_loop("What is 1 + 2?", nil, {tools: add})
println(first.tools.mode)
let second = agent_loop("And once more?", nil, {tools: add})
println(second.tools.mode)
`;

const said: Scenario = {
  kind: "answer",
  text: "It is 3. ##DONE##",
  usage: { input: 10, output: 5 },
  stop: "end_turn",
};

interface Case {
  readonly provider: string;
  readonly others: Readonly<Record<string, unknown>>;
  readonly first?: Scenario;
}

/** The mode of both loops, what the server was sent, and what a replay without the server prints. */
async function modes({ provider, others, first }: Case) {
  const server = await startProviderServer(others);
  servers.push(server);
  if (first !== undefined) server.next(first);
  server.next(said, said);
  const cwd = folders();
  writeFileSync(join(cwd, "p.harn"), program);
  const run = startHarn(
    ["run", "--provider", provider, "--model", "my-model", "--base-url", server.url, "p.harn"],
    { cwd },
  );
  const { stdout, stderr, status } = await run.ended;
  expect({ status, stderr }).toMatchObject({ status: 0 });
  await server.close();
  const replay = await startHarn(["replay", "last"], { cwd }).ended;
  expect(replay).toMatchObject({ stdout, status: 0 });
  const natively = server.seen.map(({ body }) => Array.isArray(body.tools));
  return { modes: stdout.trim().split("\n"), natively };
}

describe("a server of one's own that nothing is known of", () => {
  it.each<[string, Case]>([
    ["Ollama", { provider: "ollama", others: { "/api/show": { capabilities: ["completion", "tools"] } } }],
    [
      "llama.cpp",
      { provider: "llamacpp", others: { "/props": { chat_template_caps: { supports_tool_calls: true } } } },
    ],
    [
      "LM Studio",
      { provider: "local", others: { "/api/v0/models/my-model": { capabilities: ["tool_use"] } } },
    ],
    [
      "llama.cpp at `local`",
      { provider: "local", others: { "/props": { chat_template_caps: { supports_tools: true } } } },
    ],
  ])("gets tools natively when it says that it takes them: %s", async (_name, server) => {
    expect(await modes(server)).toEqual({ modes: ["native", "native"], natively: [true, true] });
  });

  it("is tried where it is a vLLM", async () => {
    const server = { provider: "vllm", others: { "/version": { version: "0.11.0" } } };
    expect(await modes({ ...server, first: said })).toEqual({
      modes: ["native", "native"],
      natively: [true, true, true],
    });
    const body = { error: { message: '"auto" tool choice requires --enable-auto-tool-choice' } };
    expect(await modes({ ...server, first: { kind: "status", status: 400, body } })).toEqual({
      modes: ["text", "text"],
      natively: [true, false, false],
    });
  });

  it.each<[string, Case]>([
    [
      "says that it takes none",
      { provider: "ollama", others: { "/api/show": { capabilities: ["completion"] } } },
    ],
    ["says nothing", { provider: "local", others: {} }],
    ["says nonsense", { provider: "local", others: { "/props": [1], "/api/show": "yes", "/version": 3 } }],
  ])("gets them as text when it %s", async (_name, server) => {
    expect(await modes(server)).toEqual({ modes: ["text", "text"], natively: [false, false] });
  });
});
