/** Wall 39: a rule about hosts holds for every spelling of a host, and for every way out. */
import { lookup } from "node:dns/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeHost, type Host } from "../../src/host/index.ts";
import { runScript } from "../support/run-script.ts";
import { tripwire } from "./tripwire.ts";

/** What a script gets for one request under a policy, and where it has been. */
async function asked(policy: string, code: string): Promise<{ said: string; touched: string[] }> {
  const wire = tripwire();
  const run = await runScript(
    `egress_policy(${policy})\nprint(try { ${code} } catch (e) { type_of(e) == "dict" ? e.type : e })`,
    {
      runtime: { host: wire.host },
    },
  );
  expect(run.error).toBe("");
  return { said: run.stdout, touched: wire.touched.filter((one) => !one.startsWith("stat ")) };
}

const own = [
  "http://localhost/",
  "http://LOCALHOST./",
  "http://api.localhost/",
  "http://localhost.localdomain/",
  "http://ip6-localhost/",
  "http://127.0.0.1/",
  "http://127.1/",
  "http://127.8.9.1/",
  "http://2130706433/",
  "http://0x7f.0.0.1/",
  "http://0x7f000001/",
  "http://017700000001/",
  "http://0177.0.0.01/",
  "http://127.0.0.1./",
  "http://１２７.0.0.1/",
  "http://0.0.0.0/",
  "http://0/",
  "http://0.1.2.3/",
  "http://[::1]/",
  "http://[0:0:0:0:0:0:0:1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[::127.0.0.1]/",
  "http://[::ffff:0:127.0.0.1]/",
  "http://[64:ff9b::127.0.0.1]/",
  "http://[2002:7f00:1::]/",
];

describe("a rule that denies this machine", () => {
  for (const rule of ["127.0.0.0/8", "127.0.0.1", "::1", "localhost", "0.0.0.0", "0x7f000001", "0.0.0.0/0"]) {
    it("of another loopback address holds for that address alone, in every spelling", async () => {
      const rules = '{allow: ["127.0.0.0/8", "localhost", "::1"], deny: ["127.0.0.66", "127.1.0.0/16"]}';
      for (const host of [
        "127.0.0.66",
        "127.66",
        "0x7f000042",
        "[::ffff:127.0.0.66]",
        "[64:ff9b::7f00:42]",
        "127.1.2.3",
      ])
        expect((await asked(rules, `http_get("http://${host}/")`)).touched).toEqual([]);
      for (const host of ["127.0.0.1", "localhost", "127.0.0.67", "[::1]", "127.2.0.1"])
        expect((await asked(rules, `http_get("http://${host}/")`)).touched).toHaveLength(1);
      for (const rule of ["127.0.0.1", "127.0.0.0/30", "::", "0.0.0.0/8"])
        expect((await asked(`{deny: ["${rule}"]}`, 'http_get("http://127.0.0.66/")')).touched).toEqual([]);
    });

    it(`as ${rule} holds for every spelling of it`, async () => {
      const passed: string[] = [];
      for (const url of own) {
        const { said, touched } = await asked(`{deny: ["${rule}"]}`, `http_get("${url}")`);
        if (said !== "EgressBlocked" || touched.length > 0) passed.push(`${url}: ${said}`);
      }
      expect(passed).toEqual([]);
    });
  }

  it("leaves others alone", async () => {
    for (const url of [
      "http://a.test/",
      "http://128.0.0.1/",
      "http://[2001:db8::1]/",
      "http://localhost.test/",
    ])
      expect(
        (await asked('{deny: ["127.0.0.0/8", "localhost", "::1"]}', `http_get("${url}")`)).touched,
      ).toHaveLength(1);
  });
});

describe("a rule that denies private addresses", () => {
  it.each([
    ["10.0.0.0/8", "http://[::ffff:10.1.2.3]/"],
    ["10.0.0.0/8", "http://[::10.1.2.3]/"],
    ["10.0.0.0/8", "http://[64:ff9b::a01:203]/"],
    ["10.0.0.0/8", "http://[2002:a01:203::1]/"],
    ["10.0.0.0/8", "http://0xa.1.2.3/"],
    ["10.0.0.0/8", "http://167838211/"],
    ["169.254.169.254", "http://0xa9fea9fe/"],
    ["169.254.169.254", "http://[::ffff:a9fe:a9fe]/"],
    ["fc00::/7", "http://[fd00:0::0001]/"],
  ])("%s holds for %s", async (rule, url) => {
    expect(await asked(`{deny: ["${rule}"]}`, `http_get("${url}")`)).toEqual({
      said: "EgressBlocked",
      touched: [],
    });
  });
});

describe("a rule that allows", () => {
  it("allows what it says, and no other spelling", async () => {
    expect((await asked('{allow: ["127.0.0.1"]}', 'http_get("http://localhost/")')).said).toBe(
      "EgressBlocked",
    );
    expect((await asked('{allow: ["localhost"]}', 'http_get("http://127.0.0.1/")')).said).toBe(
      "EgressBlocked",
    );
    expect((await asked('{allow: ["127.0.0.1"]}', 'http_get("http://127.1/")')).touched).toHaveLength(1);
  });
});

describe("every way out is judged", () => {
  it.each([
    'http_get("http://a.test/", {proxy: "http://b.test:8080"})',
    'http_get("http://a.test/", {proxy: {url: "http://b.test:8080"}})',
    'http_get("http://b.test/")',
    'http_download("http://b.test/", "/work/x")',
    'http_stream_open("http://b.test/")',
    'sse_connect("GET", "http://b.test/")',
    'websocket_connect("ws://b.test/")',
    'websocket_connect("ws://a.test/", {proxy: "http://b.test:8080"})',
    'mcp_connect({transport: "http", url: "http://b.test/mcp"})',
    'mcp_server_card("http://b.test/card.json")',
  ])("%s", async (code) => {
    const { said, touched } = await asked('{allow: ["a.test"]}', code);
    expect(said).toMatch(/EgressBlocked|blocked b\.test/);
    expect(touched).toEqual([]);
  });

  it("a proxy that is allowed is used", async () => {
    const { touched } = await asked(
      '{allow: ["a.test", "b.test"]}',
      'http_get("http://a.test/", {proxy: "http://b.test"})',
    );
    expect(touched).toHaveLength(1);
  });

  it("also where only the environment has rules", async () => {
    const wire = tripwire();
    const env = new Map([["HARN_EGRESS_ALLOW", "a.test"]]);
    const host = new Proxy(wire.host, {
      get: (target, name) => (name === "env" ? env : (Reflect.get(target, name, target) as unknown)),
    });
    const run = await runScript(
      'print(try { mcp_connect({transport: "http", url: "http://b.test/mcp"}) } catch (e) { e })',
      {
        runtime: { host },
      },
    );
    expect(run.stdout).toContain("blocked b.test");
    expect(wire.touched.filter((one) => one.startsWith("mcp"))).toEqual([]);
  });

  it("a tool of a loop only narrows", async () => {
    const wire = tripwire();
    const run = await runScript(
      `egress_policy({allow: ["a.test"]})
let reg = tool_define(tool_registry(), "go", "Goes.", {handler: { _ ->
  egress_policy({allow: ["*"]})
  return try { http_get("http://b.test/") } catch (e) { type_of(e) == "dict" ? e.type : e }
}})
llm_mock({tool_calls: [{name: "go", arguments: {}}]})
llm_mock({text: "end"})
agent_loop("Go.", nil, {tools: reg, tool_format: "native"})
println(contains(llm_mock_calls()[1].messages[2].content, "EgressBlocked"))
println(try { http_get("http://b.test/") } catch (e) { e.type })`,
      { runtime: { host: wire.host } },
    );
    expect([run.error, run.stdout]).toEqual(["", "true\nEgressBlocked\n"]);
    expect(wire.touched.filter((one) => one.startsWith("request"))).toEqual([]);
  });
});

/** The machine's own name stands for any name under which a private address is registered. */
describe("a name that means an address that is denied", () => {
  let server: Server;
  let port = 0;
  let address = "";
  let received = 0;
  beforeAll(async () => {
    ({ address } = await lookup(hostname()));
    server = createServer((_request, response) => {
      received += 1;
      response.end("hello");
    });
    await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const said = async (script: string): Promise<string> => {
    const run = await runScript(script, { runtime: { host: createNodeHost() } });
    expect(run.error).toBe("");
    return run.stdout;
  };
  const get = (): string =>
    `println(try { http_get("http://${hostname()}:${port}/").body } catch (e) { e.message })`;

  it.each([
    ["a request", (): string => get()],
    [
      "a stream",
      (): string =>
        `println(try { http_stream_open("http://${hostname()}:${port}/") } catch (e) { e.message })`,
    ],
    [
      "a socket",
      (): string =>
        `println(try { websocket_connect("ws://${hostname()}:${port}/") } catch (e) { e.message })`,
    ],
  ])("%s: refused before anything is sent", async (_what, code) => {
    const before = received;
    expect(await said(`egress_policy({deny: ["${address}"]})\n${code()}`)).toMatch(
      new RegExp(
        `^EgressBlocked: .* blocked ${hostname()}:${port} for .*its address ${address} matched deny rule`,
      ),
    );
    expect(received).toBe(before);
  });

  it("also where a connection to it is open already", async () => {
    const text = await said(`${get()}\negress_policy({deny: ["${address}"]})\n${get()}`);
    expect(text).toMatch(/^hello\nEgressBlocked: /);
  });

  it("is let through where its address is not denied, and where only its name is allowed", async () => {
    expect(await said(`egress_policy({deny: ["203.0.113.0/24"]})\n${get()}`)).toBe("hello\n");
    expect(await said(`egress_policy({allow: ["${hostname()}"]})\n${get()}`)).toBe("hello\n");
  });
});

describe("the address of a model", () => {
  let server: Server;
  let port = 0;
  let received = 0;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      received += 1;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          id: "x",
          object: "chat.completion",
          created: 0,
          model: "m",
          choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "hello" } }],
        }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  const call = async (policy: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const host: Host = createNodeHost({ env: new Map(Object.entries(env)) });
    const text = `${policy}
print(try { llm_call("hi", nil, {provider: "local", model: "m", stream: false, ${env.LOCAL_LLM_BASE_URL === undefined ? `base_url: "http://127.0.0.1:${port}/v1"` : ""}}).text } catch (e) { e })`;
    const run = await runScript(text, { runtime: { host } });
    expect(run.error).toBe("");
    return run.stdout;
  };

  it("that only the script named is judged as any other", async () => {
    received = 0;
    expect(await call("")).toBe("hello");
    expect(received).toBe(1);
    for (const policy of [
      'egress_policy({allow: ["a.test"]})',
      'egress_policy({deny: ["localhost"]})',
      'egress_policy({default: "deny"})',
    ])
      expect(await call(policy)).toContain(`blocked 127.0.0.1:${port}`);
    expect(await call("", { HARN_EGRESS_ALLOW: "a.test" })).toContain(`blocked 127.0.0.1:${port}`);
    expect(received).toBe(1);
    expect(await call('egress_policy({allow: ["127.0.0.1"]})')).toBe("hello");
  });

  it("that the user named need not be on a list, but may be denied", async () => {
    const env = { LOCAL_LLM_BASE_URL: `http://127.0.0.1:${port}/v1` };
    expect(await call('egress_policy({allow: ["a.test"]})', env)).toBe("hello");
    expect(await call('egress_policy({deny: ["127.0.0.1"]})', env)).toContain(`blocked 127.0.0.1:${port}`);
  });
});
