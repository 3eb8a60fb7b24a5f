/** Event streams and web sockets over real connections: what is recorded, what a timeout leaves, what an interrupt ends. */

import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Capabilities, restrictHost, restrictTable } from "../../../src/builtins/capabilities.ts";
import { builtinTable } from "../../../src/builtins/index.ts";
import { hermeticHost, nodeNetwork, type VirtualClock } from "../../../src/host/index.ts";
import { nodeClock } from "../../../src/host/node/node-clock.ts";
import { machine } from "../../support/builtin-call.ts";
import { goldenRoot } from "../../support/goldens.ts";
import { createMemoryHost, type MemoryHost } from "../../support/memory-host.ts";
import { recordAndReplayScript } from "../../support/replay-script.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The network waits in real time: a clock that moves by itself would let every wait be over at once. */
const online = (): MemoryHost =>
  createMemoryHost({ network: nodeNetwork, clock: nodeClock as unknown as VirtualClock });

describe("sse_connect", () => {
  it("gives events as they come, loses none to a timeout, and replays them", async () => {
    let proceed: () => void = () => {};
    const base = await serve((request, response) => {
      if (request.url === "/go") {
        proceed();
        response.end();
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream", "set-cookie": "seen=1" });
      response.write("\uFEFF: comment\nid: 7\nevent: tick\nda");
      response.write("ta: é\r\ndata\r\n\r\n");
      proceed = () => response.end("retry: 50\rdata: two\r\ndata:three\n\nid\ndata: last\n\ndata: cut off");
    });
    const script = `let h = sse_connect("GET", "${base}/events")
println(sse_receive(h))
println(sse_receive(h, 5000))
println(sse_receive(h, 1))
http_get("${base}/go")
println(sse_receive(h, 5000))
println(sse_receive(h, 5000))
println(sse_receive(h, 5000))`;
    const { recorded, replayed } = await recordAndReplayScript(script, online());
    expect(recorded.error).toBe("");
    expect(recorded.stdout).toBe(
      "{type: open}\n" +
        "{data: é\n, event: tick, id: 7, retry_ms: nil, type: event}\n" +
        "{type: timeout}\n" +
        "{data: two\nthree, event: message, id: 7, retry_ms: 50, type: event}\n" +
        "{data: last, event: message, id: , retry_ms: nil, type: event}\n" +
        "nil\n",
    );
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it("refuses what is no stream of events, and events without end", async () => {
    const base = await serve((request, response) => {
      const type = request.url === "/html" ? "text/html" : "text/event-stream";
      response.writeHead(request.url === "/gone" ? 410 : 200, { "content-type": type });
      response.write("data: ");
      for (let i = 0; i < 20 && request.url === "/long"; i++) response.write("x".repeat(100));
      if (request.url === "/broken") setTimeout(() => response.destroy(), 5);
    });
    const script = `fn first(path, options) {
  return try {
    let h = sse_connect("GET", "${base}" + path, options)
    sse_receive(h)
    sse_receive(h, 5000)
  } catch (e) { e }
}
println(first("/html", {}))
println(first("/gone", {}))
println(first("/long", {max_message_bytes: 500}))
println(first("/broken", {}).contains("connection"))
println(first("/silent", {read_timeout_ms: 10}))`;
    const { recorded, replayed } = await recordAndReplayScript(script, online());
    expect(recorded.stdout.split("\n")).toEqual([
      "sse_connect: expected text/event-stream, got text/html",
      "sse_connect: the server answered 410",
      "sse_receive: message exceeds max_message_bytes (500)",
      "true",
      "http: request failed: Deadline exceeded: the server was silent for 10 ms",
      "",
    ]);
    expect(replayed.stdout).toBe(recorded.stdout);
  });
});

describe("web sockets", () => {
  it("over this machine replay without it", async () => {
    const text = readFileSync(join(goldenRoot, "http/websocket-loopback.harn"), "utf8");
    const { recorded, replayed } = await recordAndReplayScript(text, online());
    expect(recorded.error).toBe("");
    expect(recorded.stdout).toContain("server got {data: hello, type: text}");
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it("end with the run that leaves them open, also in the middle of a wait", async () => {
    const script = `let s = websocket_server()
websocket_route(s, "/")
let c = websocket_connect(s.url)
let served = websocket_accept(s, 5000)
println(try { deadline 20ms { websocket_receive(c) } } catch (e) { "stopped" })
println(websocket_send(served, "after"))
println(websocket_receive(c, 5000).data)`;
    const { recorded, replayed } = await recordAndReplayScript(script, online());
    expect(recorded.stdout).toBe("stopped\ntrue\nafter\n");
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it("refuse a message when too many are on their way, and end when nothing moves", async () => {
    const script = `let s = websocket_server()
websocket_route(s, "/slow", {send_buffer_messages: 3})
websocket_route(s, "/idle", {idle_timeout_ms: 10})
let c = websocket_connect(s.url + "/slow")
let served = websocket_accept(s, 5000)
println(
  try {
    for i in 1 to 1000 { websocket_send(served, "x".repeat(1000000)) }
    "never full"
  } catch (e) { e },
)
let idle = websocket_connect(s.url + "/idle")
println(websocket_receive(idle, 5000))`;
    const { recorded, replayed } = await recordAndReplayScript(script, online());
    expect(recorded.stdout).toBe(
      "websocket_send: send buffer full\n{code: 1001, reason: idle timeout, type: close}\n",
    );
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it("can be secured by a certificate of one's own", async () => {
    const script = `let tls = http_server_tls_self_signed_dev(["localhost", "127.0.0.1"])
let s = websocket_server("localhost:0", {tls: tls})
websocket_route(s, "/")
println(s.url.starts_with("wss://"))
println(try { websocket_connect(s.url) } catch (e) { e.contains("certificate") })
let c = websocket_connect(s.url, {tls: {ca: tls.cert_pem}})
websocket_send(websocket_accept(s, 5000), "safe")
println(websocket_receive(c, 5000).data)
println(try { websocket_server(s.addr) } catch (e) { e.contains("can't listen on") })`;
    const { recorded, replayed } = await recordAndReplayScript(script, online());
    expect(recorded.stdout).toBe("true\ntrue\nsafe\ntrue\n");
    expect(replayed.stdout).toBe(recorded.stdout);
  });
});

describe("HTTP servers that listen", () => {
  it("over this machine replay without it", async () => {
    const text = readFileSync(join(goldenRoot, "http/server-listening.harn"), "utf8");
    const { recorded, replayed } = await recordAndReplayScript(text, online());
    expect(recorded.error).toBe("");
    expect(recorded.stdout).toContain("hello ann b 1");
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it("tell a program that sends events that the client has gone", async () => {
    const script = `let s = http_server()
let gone = channel("gone")
http_server_route(s, "GET", "/", { req ->
  let r = sse_server_response()
  spawn {
    while sse_server_send(r, "more") { sleep(1) }
    send(gone, [sse_server_disconnected(r), sse_server_status(r).disconnected])
  }
  return r
})
let at = http_server_listen(s)
let serving = spawn { http_server_serve(s) }
let e = sse_connect("GET", at.url)
sse_receive(e)
println(sse_receive(e, 5000).data)
sse_close(e)
println(receive(gone))
http_server_shutdown(s)
println(await(serving))`;
    const { recorded, replayed } = await recordAndReplayScript(script, online());
    expect(recorded.stdout).toBe("more\n[true, true]\n1\n");
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it("answer over TLS, many at once, and read no body beyond its limit", async () => {
    const script = `let tls = http_server_tls_self_signed_dev(["127.0.0.1"])
let s = http_server({max_body_bytes: 1000})
http_server_route(s, "POST", "/", { req -> "\${req.body_bytes}" })
let at = http_server_listen(s, "127.0.0.1:0", {tls: tls})
println(at.url.starts_with("https://"))
let serving = spawn { http_server_serve(s, {max_concurrent: 3}) }
let answers = parallel each (1 to 20).to_list() { n ->
  http_post(at.url, "x".repeat(n), {tls: {ca: tls.cert_pem}}).body
}
println(answers.map(to_int).sum())
let big = try { http_post(at.url, "x".repeat(5000000), {tls: {ca: tls.cert_pem}}).status } catch (e) { 413 }
println(big)
http_server_shutdown(s)
println(await(serving))`;
    const { recorded, replayed } = await recordAndReplayScript(script, online());
    expect(recorded.error).toBe("");
    expect(recorded.stdout).toBe("true\n210\n413\n21\n");
    expect(replayed.stdout).toBe(recorded.stdout);
  });
});

describe("a hermetic machine", () => {
  it("reaches nobody and listens nowhere, in words that a script can catch", async () => {
    const run = machine(hermeticHost() as unknown as MemoryHost);
    const show = (name: string, ...args: unknown[]): Promise<string> => run.showLater(name, ...args);
    const server = await run.call("http_server");
    expect([
      await show("http_get", "http://a.test/"),
      await show("http_stream_open", "http://a.test/"),
      await show("sse_connect", "GET", "http://a.test/"),
      await show("websocket_connect", "ws://a.test/"),
      await show("websocket_server", "127.0.0.1:80"),
      await show("http_server_listen", server),
    ]).toEqual([
      "! http: request failed: network is unreachable in a hermetic run (a.test)",
      "! http: request failed: network is unreachable in a hermetic run (a.test)",
      "! http: request failed: network is unreachable in a hermetic run (a.test)",
      "! websocket_connect: network is unreachable in a hermetic run (a.test)",
      "! websocket_server: can't listen on 127.0.0.1:80: a hermetic run listens nowhere (127.0.0.1:80)",
      "! http_server_listen: can't listen on 127.0.0.1:0: a hermetic run listens nowhere (127.0.0.1:0)",
    ]);
  });
});

describe("capabilities", () => {
  it("hold for everything that reaches the network", async () => {
    const lists = Capabilities.of({ allow: ["http_server"] }, builtinTable(), "/work");
    const table = restrictTable(builtinTable(), lists);
    for (const name of [
      "http_get",
      "http_stream_open",
      "sse_connect",
      "websocket_connect",
      "websocket_server",
      "http_server_listen",
    ])
      expect(() => table.get(name)?.run(machine().task, "http://a.test")).toThrowError();
    const host = restrictHost(createMemoryHost(), lists);
    await expect(
      host.network.sockets.listen({ host: "::1", port: 0 }, () => ({ status: 404, text: "" })),
    ).rejects.toMatchObject({
      code: "HARN-STD-010",
    });
    await expect(host.network.serving.listen({ host: "::1", port: 0 }, () => 0)).rejects.toMatchObject({
      code: "HARN-STD-010",
    });
  });
});
