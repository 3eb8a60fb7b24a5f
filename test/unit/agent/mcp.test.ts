/** MCP servers: recorded and replayed without one, over HTTP, and closed whatever happens. */
// suite: processes
import { resolve } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createNodeHost, type McpClients, type McpConnection } from "../../../src/host/index.ts";
import { type HttpTestServer, httpTestServer } from "../../support/mcp-server/http.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { recordAndReplayScript } from "../../support/replay-script.ts";

const program = resolve(import.meta.dirname, "../../support/mcp-server/stdio.ts");
const stdio = (how = ""): string =>
  `{name: "srv", command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(program)}, "${how}"], cwd: "/"}`;

/** The real servers, on a machine on which everything else is made up; remembers its connections. */
function watchedServers(): { mcp: McpClients; connections: McpConnection[] } {
  const real = createNodeHost().mcp;
  const connections: McpConnection[] = [];
  const mcp: McpClients = {
    connect: async (target, wait, serves) => {
      const connection = await real.connect(target, wait, serves);
      connections.push(connection);
      return connection;
    },
  };
  return { mcp, connections };
}

async function both(
  script: string,
  env: Record<string, string> = {},
): Promise<{ out: string; journal: string; connections: McpConnection[] }> {
  const { mcp, connections } = watchedServers();
  const { recorded, replayed, journal } = await recordAndReplayScript(script, createMemoryHost({ mcp, env }));
  expect(recorded.error).toBe("");
  expect(replayed).toMatchObject({ stdout: recorded.stdout, exitCode: recorded.exitCode });
  expect(replayed.guarded.kind).toBe("ended");
  return { out: recorded.stdout, journal: JSON.stringify(journal), connections };
}

describe("over pipes", () => {
  test("what was asked and answered replays without a server", async () => {
    const { out, connections } = await both(`
      let c = mcp_connect(${stdio()})
      println(mcp_list_tools(c).count)
      println(mcp_call(c, "echo", {text: "hi"}))
      try { mcp_call(c, "die") } catch (e) { println(e) }
      println(mcp_server_info(c).connected)
      mcp_disconnect(c)
      println(mcp_server_info(c).connected)
      try { mcp_call(c, "echo", {text: "hi"}) } catch (e) { println(e) }
    `);
    expect(out).toContain("8\nhi\n");
    expect(connections).toHaveLength(1);
  });

  test("what a server sampled is booked again by a replay, and its mocked answers are taken", async () => {
    const { out, connections } = await both(`
      let c = mcp_connect({sampling: {provider: "mock", model: "gpt-4o"}}.merge(${stdio("asks")}))
      llm_mock({text: "one", model: "gpt-4o", input_tokens: 1000, output_tokens: 10})
      llm_mock({text: "two"})
      println(json_parse(mcp_call(c, "sample", {question: "?"})).content.text)
      println([llm_session_cost().total_cost, llm_usage().call_count, len(llm_mock_calls())])
      println(llm_call("next", nil, {provider: "mock"}).text)
      println(agent_trace().map({ t -> t.type }))
    `);
    expect(out).toBe("one\n[0.0026, 1, 1]\ntwo\n[llm_call, llm_call]\n");
    expect(connections).toHaveLength(1);
  });

  test("a loop with servers replays without them, and closes them", async () => {
    const { out, connections } = await both(`
      llm_mock({tool_calls: [{name: "srv__echo", arguments: {text: "looped"}}]})
      llm_mock({text: "end"})
      let r = agent_loop("Go.", nil, {provider: "mock", tool_format: "native", mcp_servers: [${stdio()}]})
      println([r.status, r.tools.successful])
    `);
    expect(out).toBe("[done, [srv__echo]]\n");
    expect(connections.map(({ open }) => open)).toEqual([false]);
  });

  test("connections that the program leaves open end with the run, also those of stubborn servers", async () => {
    const { out, connections } = await both(`
      let kept = mcp_connect(${stdio()})
      let stubborn = mcp_connect(${stdio("stubborn")})
      println([mcp_call(kept, "pid"), mcp_call(stubborn, "pid")].join(" "))
    `);
    expect(connections.map(({ open }) => open)).toEqual([false, false]);
    for (const pid of out.trim().split(" ")) expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
  });

  test("a script that fails leaves no server behind either", async () => {
    const { mcp, connections } = watchedServers();
    const script = `let c = mcp_connect(${stdio()})\nprintln(mcp_call(c, "pid"))\nthrow "broken"`;
    const { recorded } = await recordAndReplayScript(script, createMemoryHost({ mcp }));
    expect(recorded.error).toContain("broken");
    expect(connections[0]?.open).toBe(false);
    expect(() => process.kill(Number(recorded.stdout), 0)).toThrow("ESRCH");
  });

  test("variables are put in where the server is started, and stand in no journal", async () => {
    const { out, journal } = await both(
      `let c = mcp_connect({name: "srv", command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(program)}], cwd: "/", env: {WORD: "\${"$"}{PASSPHRASE_X}"}})
       println(mcp_call(c, "env", {name: "WORD"}) == env("PASSPHRASE_X"))`,
      { PASSPHRASE_X: "open sesame" },
    );
    expect(out).toBe("true\n");
    expect(journal).not.toContain("open sesame");
  });
});

describe("over HTTP", () => {
  let server: HttpTestServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  test("initialize and tools/list once per server and loop, headers on every request", async () => {
    server = await httpTestServer();
    const { out } = await both(
      `llm_mock({tool_calls: [{name: "web__add", arguments: {a: 40, b: 2}}]})
       llm_mock({text: "end"})
       let server = {name: "web", transport: "http", url: "${server.url}", headers: {Authorization: "Bearer \${"$"}{WEB_TOKEN}"}}
       let r = agent_loop("Go.", nil, {provider: "mock", tool_format: "native", mcp_servers: [server]})
       println([r.status, r.tools.successful])`,
      { WEB_TOKEN: "very-secret-token" },
    );
    expect(out).toBe("[done, [web__add]]\n");
    expect(server.methods.filter((method) => method !== "")).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/list",
      "tools/call",
    ]);
    expect(server.headers.every(({ authorization }) => authorization === "Bearer very-secret-token")).toBe(
      true,
    );
  });

  test("a URL is enough", async () => {
    server = await httpTestServer();
    const { out } = await both(`
      let c = mcp_connect("${server.url}", {headers: {"X-Team": "blue"}})
      println(mcp_call(c, "echo", {text: "over the wire"}))
    `);
    expect(out).toBe("over the wire\n");
    expect(server.headers[0]?.["x-team"]).toBe("blue");
  });

  test("servers that are no MCP servers, or gone", async () => {
    server = await httpTestServer(503);
    const { url } = server;
    const said = await both(`try { mcp_connect({name: "web", url: "${url}"}) } catch (e) { println(e) }`);
    expect(said.out).toBe(
      "mcp_connect: server 'web': the server answered with HTTP status 503: <h1>no</h1>\n",
    );
    await server.close();
    server = undefined;
    const gone = await both(`try { mcp_connect({name: "web", url: "${url}"}) } catch (e) { println(e) }`);
    expect(gone.out).toMatch(/^mcp_connect: server 'web': fetch failed/);
  });
});
