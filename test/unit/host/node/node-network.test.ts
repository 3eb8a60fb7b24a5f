/** The HTTP adapter against servers on this machine. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpRequest, nodeNetwork } from "../../../../src/host/index.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
const routes = new Map<string, Handler>();
let server: Server;
let base = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    (routes.get(path) ?? ((_q, answer) => answer.writeHead(404).end("nothing")))(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (path: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "GET",
  url: base + path,
  headers: [],
  maxRedirects: 10,
  maxBytes: 1000,
  decompress: true,
  timeoutMs: 5000,
  ...more,
});
const text = (data: Uint8Array): string => new TextDecoder().decode(data);

describe("requests", () => {
  it("send method, headers and body, and give status, headers and body back", async () => {
    routes.set("/echo", async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      response.writeHead(418, { "X-Two": ["a", "b"] });
      response.end(`${request.method} ${request.headers["x-one"]} ${request.headers["user-agent"]} ${body}`);
    });
    const body = new TextEncoder().encode("hällo");
    const answer = await nodeNetwork.request(
      ask("/echo", { method: "PUT", headers: [["X-One", "1"]], body }),
    );
    expect(answer.status).toBe(418);
    expect(text(answer.body)).toBe("PUT 1 harn hällo");
    expect(answer.headers).toContainEqual(["x-two", "a, b"]);
    expect(answer.finalUrl).toBe(`${base}/echo`);
  });

  it("unpack compressed bodies, unless told not to", async () => {
    const packed = gzipSync("plain text");
    routes.set("/gz", (_q, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed));
    expect(text((await nodeNetwork.request(ask("/gz"))).body)).toBe("plain text");
    expect((await nodeNetwork.request(ask("/gz", { decompress: false }))).body).toEqual(packed);
    routes.set("/bad-gz", (_q, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip"),
    );
    await expect(nodeNetwork.request(ask("/bad-gz"))).rejects.toMatchObject({
      message: expect.stringContaining("compressed wrongly"),
    });
  });

  it("give chunks to a reader instead of keeping them", async () => {
    routes.set("/chunks", (_q, response) => {
      response.write("one ");
      setTimeout(() => response.end("two"), 20);
    });
    const seen: string[] = [];
    const answer = await nodeNetwork.request(ask("/chunks"), { onData: (chunk) => seen.push(text(chunk)) });
    expect([seen.join(""), answer.body.length]).toEqual(["one two", 0]);
  });
});

/** In a thread of its own: it goes on while the test's stands still. */
const forgetfulServer = `
const { createServer } = require("node:net");
const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.on("data", () => {
    socket.write("HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nok");
    setTimeout(() => socket.destroy(), 20);
  });
}).listen(0, "127.0.0.1", () => require("node:worker_threads").parentPort.postMessage(server.address().port));
`;

describe("a kept connection", () => {
  it("that its server has closed while the process stood still is not used again", async () => {
    const thread = new Worker(forgetfulServer, { eval: true });
    try {
      const port = await new Promise((resolve) => thread.once("message", resolve));
      const post = { url: `http://127.0.0.1:${port}/`, method: "POST", body: new Uint8Array([1]) };
      for (let times = 0; times < 5; times++) {
        expect(text((await nodeNetwork.request(ask("", post))).body)).toBe("ok");
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      }
    } finally {
      await thread.terminate();
    }
  });
});

describe("redirects", () => {
  it("are followed; a POST becomes a GET, 307 keeps it; credentials stay with their origin", async () => {
    routes.set("/to", (_q, response) => response.writeHead(302, { location: "/seen" }).end());
    routes.set("/keep", (_q, response) => response.writeHead(307, { location: "/seen" }).end());
    routes.set("/away", (_q, response) => {
      response.writeHead(302, { location: `${base.replace("127.0.0.1", "localhost")}/seen` }).end();
    });
    routes.set("/seen", (request, response) =>
      response.end(`${request.method} ${request.headers.authorization}`),
    );
    const post = { method: "POST", headers: [["authorization", "a"]] as const, body: new Uint8Array(1) };
    expect(text((await nodeNetwork.request(ask("/to", post))).body)).toBe("GET a");
    expect(text((await nodeNetwork.request(ask("/keep", post))).body)).toBe("POST a");
    expect(text((await nodeNetwork.request(ask("/away", { headers: [["authorization", "a"]] }))).body)).toBe(
      "GET undefined",
    );
  });

  it("end at the limit, at 0 at once, and never leave HTTP", async () => {
    routes.set("/round", (_q, response) => response.writeHead(302, { location: "/round" }).end());
    routes.set("/file", (_q, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end());
    expect((await nodeNetwork.request(ask("/round", { maxRedirects: 0 }))).status).toBe(302);
    await expect(nodeNetwork.request(ask("/round", { maxRedirects: 3 }))).rejects.toMatchObject({
      message: expect.stringContaining("too many redirects (3)"),
    });
    await expect(nodeNetwork.request(ask("/file"))).rejects.toMatchObject({
      message: "only http and https can be asked, not file:",
    });
  });
});

describe("limits", () => {
  it("cut off a declared download of 10 GB before its first byte", async () => {
    routes.set("/huge", (_q, response) => {
      response.writeHead(200, { "content-length": String(10 * 1024 ** 3) });
      response.write("x");
    });
    await expect(nodeNetwork.request(ask("/huge"))).rejects.toMatchObject({
      code: "EFBIG",
      message: "response body of 10737418240 bytes exceeds max_response_bytes (1000)",
    });
  });

  it("cut off what grows without having said so, compressed or not", async () => {
    routes.set("/endless", (_q, response) => {
      const more = (): void =>
        void (response.destroyed || response.write("x".repeat(500), () => setImmediate(more)));
      more();
    });
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    routes.set("/bomb", (_q, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    for (const path of ["/endless", "/bomb"]) {
      await expect(nodeNetwork.request(ask(path))).rejects.toMatchObject({
        message: "response body exceeds max_response_bytes (1000)",
      });
    }
  });

  it("end what hangs: before the head, in the body, in silence", async () => {
    routes.set("/hang", () => {});
    routes.set("/half", (_q, response) => void response.write("half"));
    for (const path of ["/hang", "/half"]) {
      await expect(nodeNetwork.request(ask(path, { timeoutMs: 40 }))).rejects.toMatchObject({
        message: "Deadline exceeded: no complete answer within 40 ms",
      });
      await expect(nodeNetwork.request(ask(path, { readTimeoutMs: 40 }))).rejects.toMatchObject({
        message: "Deadline exceeded: the server was silent for 40 ms",
      });
    }
  });

  it("end with the signal's reason when aborted", async () => {
    routes.set("/hang", () => {});
    const controller = new AbortController();
    const asked = nodeNetwork.request(ask("/hang"), { signal: controller.signal });
    setTimeout(() => controller.abort("enough"), 20);
    await expect(asked).rejects.toBe("enough");
  });
});

describe("failures", () => {
  it("say what happened without the path", async () => {
    const closed = createTcpServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/x?token=abc`;
    await expect(nodeNetwork.request(ask("", { url }))).rejects.toMatchObject({
      message: `connection reset (127.0.0.1:${port})`,
    });
    await new Promise((resolve) => closed.close(resolve));
    await expect(nodeNetwork.request(ask("", { url }))).rejects.toMatchObject({
      message: `connection refused (127.0.0.1:${port})`,
    });
    await expect(nodeNetwork.request(ask("/echo", { headers: [["a b", "x"]] }))).rejects.toMatchObject({
      message: "builder error: invalid method or header name",
    });
    await expect(nodeNetwork.request(ask("/echo", { headers: [["a", "x\ny"]] }))).rejects.toMatchObject({
      message: "builder error: a header value holds a character that isn't allowed",
    });
  });

  it("go through a proxy when one is named", async () => {
    const seen: string[] = [];
    const proxy = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers["proxy-authorization"]}`);
      response.end("by proxy");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port } = proxy.address() as AddressInfo;
    const answer = await nodeNetwork.request(
      ask("", { url: "http://far.test/x", proxy: { url: `http://u:p@127.0.0.1:${port}` } }),
    );
    expect(text(answer.body)).toBe("by proxy");
    expect(seen).toEqual(["http://far.test/x Basic dTpw"]);
    proxy.closeAllConnections();
    proxy.close();
  });
});
