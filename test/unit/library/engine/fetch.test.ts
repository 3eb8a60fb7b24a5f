/** `harn({fetch})`: every request of a run over HTTP is made by it, under the run's rules and bounds. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { HarnError, type HarnOptions, harn } from "../../../../src/library/index.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const cwd = tempFolder("library-fetch");

type Answer = (url: string, init: RequestInit) => Response | Promise<Response>;

/** The outcome of a script whose requests `answer` answers, and what was asked. */
async function outcome(text: string, answer: Answer, options: HarnOptions = {}) {
  const asked: { url: string; method: string; headers: Headers; body: string }[] = [];
  const fetch = (async (url: string | URL | Request, init: RequestInit = {}) => {
    const body = init.body === undefined || init.body === null ? "" : await new Response(init.body).text();
    asked.push({ url: String(url), method: init.method ?? "GET", headers: new Headers(init.headers), body });
    return await answer(String(url), init);
  }) as typeof globalThis.fetch;
  await using h = harn({ cwd, store: "memory", env: {}, ...options, fetch });
  const end = await h.run({ text }).done;
  return { end, asked, output: end.output, error: end.error?.message };
}

test("a script's request: method, headers, body; the answer's status, headers, text", async () => {
  const { output, asked } = await outcome(
    `let r = http_post("https://api.example/x?q=1", "hello", {headers: {"x-one": "1"}})
     return [r.status, r.headers["x-two"], r.body]`,
    () => new Response("world", { status: 201, headers: { "x-two": "2" } }),
  );
  expect(output).toEqual([201, "2", "world"]);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ url: "https://api.example/x?q=1", method: "POST", body: "hello" });
  expect(asked[0]?.headers.get("x-one")).toBe("1");
  expect(asked[0]?.headers.get("user-agent")).toBe("harn");
});

test("redirects are ours: counted, judged, without what another host must not see", async () => {
  let cancelled = 0;
  const unread = (): ReadableStream => new ReadableStream({ cancel: () => void cancelled++ });
  const hops: Answer = (url) =>
    url.endsWith("/a")
      ? new Response(unread(), { status: 302, headers: { location: "https://other.example/b" } })
      : new Response(url);
  const through = await outcome(
    `return http_get("https://api.example/a", {headers: {"x-key": "k"}}).body`,
    hops,
  );
  expect(through.output).toBe("https://other.example/b");
  expect(cancelled).toBe(1);
  expect(through.asked[1]?.headers.get("x-key")).toBeNull();
  const refused = await outcome(`return http_get("https://api.example/a").body`, hops, {
    env: { HARN_EGRESS_ALLOW: "api.example" },
  });
  expect(refused.error).toContain("other.example");
  expect(refused.asked).toHaveLength(1);
});

test("what is denied is not asked", async () => {
  const { error, asked } = await outcome(
    `return http_get("https://api.example/").body`,
    () => new Response("x"),
    { deny: ["net"] },
  );
  expect(error).toContain("`deny` names net");
  expect(asked).toEqual([]);
});

test("private addresses are judged before it is asked", async () => {
  const { error, asked } = await outcome(
    `return http_get("http://localhost:1/", {private_addresses: "deny"}).body`,
    () => new Response("x"),
  );
  expect(error).toMatch(/loopback|localhost/);
  expect(asked).toEqual([]);
});

test("bounds: bytes, time, silence, whatever the function does with its signal", async () => {
  const big = await outcome(
    `return http_get("https://api.example/", {max_response_bytes: 100}).body`,
    () => new Response("x".repeat(101)),
  );
  expect(big.error).toContain("max_response_bytes (100)");
  const never = await outcome(
    `return http_get("https://api.example/", {timeout_ms: 50, retry: {max: 0}}).body`,
    () => new Promise(() => {}),
  );
  expect(never.error).toContain("Deadline exceeded");
  const silent = await outcome(
    `return http_get("https://api.example/", {read_timeout_ms: 50, retry: {max: 0}}).body`,
    () => new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode("x")) })),
  );
  expect(silent.error).toContain("silent for 50 ms");
});

test("what goes wrong is an error of the script, with host and no path", async () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const cause = await outcome(`return http_get("https://api.example/key", {retry: {max: 0}}).body`, () => {
    throw new TypeError("fetch failed", { cause: refused });
  });
  expect(cause.error).toContain("connection refused (api.example)");
  const own = await outcome(`return http_get("https://api.example/key", {retry: {max: 0}}).body`, () => {
    throw new Error("offline today");
  });
  expect(own.error).toContain("offline today (api.example)");
  const nothing = await outcome(
    `return http_get("https://api.example/", {retry: {max: 0}}).body`,
    () => undefined as never,
  );
  expect(nothing.error).toContain("gave no Response (api.example)");
  const proxy = await outcome(
    `return http_get("https://api.example/", {proxy: "http://p.example"}).body`,
    () => new Response("x"),
  );
  expect(proxy.error).toContain("`proxy` can't be set here");
});

test("the global function, given, does what none does: compressed bodies, pieces of a stream", async () => {
  const server = createServer((_request, response) => {
    response.setHeader("content-encoding", "gzip");
    response.end(gzipSync("one two three"));
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const script = `
      let whole = http_get("${url}").body
      let stream = http_stream_open("${url}")
      return [whole, bytes_to_string(http_stream_read(stream, 1000))]`;
    const by = await outcome(script, (at, init) => fetch(at, init));
    await using h = harn({ cwd, store: "memory", env: {} });
    expect(by.error).toBeUndefined();
    expect(by.output).toEqual(await h.run({ text: script }));
    expect(by.asked).toHaveLength(2);
  } finally {
    server.close();
  }
});

test("models are asked by it", async () => {
  const answer = {
    id: "c1",
    object: "chat.completion",
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "hello" } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  const { output, asked, error } = await outcome(
    `return llm_call("say hello", nil, {provider: "local", model: "m", stream: false}).text`,
    () => Response.json(answer),
    { env: { LOCAL_LLM_BASE_URL: "https://models.example/v1" } },
  );
  expect(error).toBeUndefined();
  expect(output).toBe("hello");
  expect(asked.at(-1)?.url).toBe("https://models.example/v1/chat/completions");
});

test("MCP servers are asked by it", async () => {
  const { error, asked } = await outcome(
    `return mcp_connect("https://tools.example/mcp").tools`,
    () => new Response("no", { status: 404 }),
  );
  expect(error).toContain("status 404");
  expect(asked[0]).toMatchObject({ url: "https://tools.example/mcp", method: "POST" });
  expect(asked[0]?.body).toContain("initialize");
});

test("what is no function is told", () => {
  expect(() => harn({ fetch: "https://x" as never })).toThrow(HarnError);
});
