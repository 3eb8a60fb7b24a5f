/** What comes over sockets and is no good: half requests, bodies without end, too many connections, clients that take nothing. */
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type ApiServer, createApiServer, systemClock } from "../../../src/server/index.ts";
import { openStore, StoreError } from "../../../src/store/index.ts";
import { IdleSupervisor, ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

// Whoever holds its store is not waited for as long as people's servers do.
const bench = new ServerBench(tempFolder("sockets"), {}, { busyTimeoutMs: 500 });
const store = openStore(bench.folder);

/** Another server on the same store, with sockets and a clock of its own. */
async function listening(
  limits: Record<string, number> = {},
): Promise<{ server: ApiServer; port: number; supervisor: IdleSupervisor }> {
  const supervisor = new IdleSupervisor(store);
  const server = createApiServer({
    store,
    supervisor,
    workspaces: bench.folder,
    version: "1",
    clock: systemClock,
    limits,
  });
  const port = Number(new URL(await server.listen()).port);
  onTestFinished(() => server.close());
  return { server, port, supervisor };
}

let id = "";
beforeAll(async () => {
  id = await bench.conversation();
});
afterAll(async () => {
  store.close();
  await bench.close();
});

interface Line {
  readonly socket: Socket;
  /** What it was told until it ended. */
  readonly ended: Promise<string>;
  /** Resolves with what was told so far once it has these words. */
  shows(words: string): Promise<string>;
}

function line(port: number, text: string): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let report = "";
    const waiting: { words: string; done: (report: string) => void }[] = [];
    socket.setEncoding("utf8").on("data", (more: string) => {
      report += more;
      for (const one of waiting) if (report.includes(one.words)) one.done(report);
    });
    const ended = new Promise<string>((done) => {
      socket.on("close", () => done(report));
    });
    const shows = (words: string) =>
      new Promise<string>((done) => {
        if (report.includes(words)) done(report);
        else waiting.push({ words, done });
      });
    socket.once("error", reject);
    socket.once("connect", () => {
      // A server that closes a connection is no failure of the test.
      socket.off("error", reject).on("error", () => {});
      socket.write(text);
      resolve({ socket, ended, shows });
    });
  });
}

const head = (port: number, method: string, path: string, more = ""): string =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ann-token\r\n${more}`;
const works = async (port: number): Promise<void> => {
  const { status } = await fetch(`http://127.0.0.1:${port}/api/health`);
  expect(status).toBe(200);
};

describe("a request that does not come to its end", () => {
  test("a head is given up, and nothing is done", async () => {
    const { port } = await listening({ headerTime: 300 });
    const half = await line(port, head(port, "POST", `/api/conversations/${id}/messages`));
    expect(await half.ended).toMatch(/^(HTTP\/1\.1 408 |$)/);
    await works(port);
  });

  test("a body that stops is given up, and nothing of it is said", async () => {
    const { port } = await listening({ headerTime: 300, bodyTime: 300 });
    const before = bench.conversations.store.streams.last(id);
    const sent = '{"text": "never ';
    const more = `Content-Type: application/json\r\nContent-Length: 100\r\n\r\n${sent}`;
    const half = await line(port, head(port, "POST", `/api/conversations/${id}/messages`, more));
    expect(await half.ended).toMatch(/^(HTTP\/1\.1 408 |$)/);
    expect(bench.conversations.store.streams.last(id)).toBe(before);
    await works(port);
  });

  test("a body without end is refused as soon as it is too large, and read no further", async () => {
    const { port } = await listening({ jsonBody: 100_000 });
    const more = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    const endless = await line(port, head(port, "POST", `/api/conversations/${id}/messages`, more));
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    let isOver = false;
    void endless.ended.then(() => {
      isOver = true;
    });
    const answered = endless.shows("HARN-SRV-018").then(() => {
      isOver = true;
    });
    while (!isOver) {
      if (!endless.socket.write(chunk)) await new Promise((done) => setTimeout(done, 5));
      else await new Promise((done) => setImmediate(done));
    }
    await Promise.race([answered, endless.ended]);
    expect(await endless.shows("413 ")).toContain("urn:harn:problem:too-large");
    await works(port);
  });

  test("a head that is too large is 431", async () => {
    const { port } = await listening();
    const more = `X-Long: ${"x".repeat(20_000)}\r\n\r\n`;
    const long = await line(port, head(port, "GET", "/api/me", more));
    expect(await long.ended).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("a request line with the address of another server is refused, one with our own is answered", async () => {
    const { port } = await listening();
    const close = "Connection: close\r\n\r\n";
    const foreign = await line(port, head(port, "GET", "http://evil.example/api/me", close));
    expect(await foreign.ended).toMatch(/^HTTP\/1\.1 403 [\s\S]*bad-host/);
    const own = await line(port, head(port, "GET", `http://127.0.0.1:${port}/api/me`, close));
    expect(await own.ended).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ["no HTTP", "\u0000\u0001\u0002 hello\r\n\r\n", 400],
    [
      "two lengths",
      "POST /api/me HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      400,
    ],
    [
      "a length beside chunks",
      "POST /api/me HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
  ])("%s", async (_what, text, status) => {
    const { port } = await listening();
    expect(await (await line(port, text)).ended).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    await works(port);
  });
});

describe("many at once", () => {
  test("1,000 connections: one more is closed, and there is room again when some end", async () => {
    const { port } = await listening();
    const lines = await Promise.all(Array.from({ length: 1000 }, () => line(port, "GET ")));
    const more = await line(port, head(port, "GET", "/api/health", "Connection: close\r\n\r\n"));
    expect(await more.ended).toBe("");
    for (const { socket } of lines.slice(0, 10)) socket.destroy();
    await Promise.all(lines.slice(0, 10).map(({ ended }) => ended));
    for (;;) {
      const again = await line(port, head(port, "GET", "/api/health", "Connection: close\r\n\r\n"));
      const report = await again.ended;
      if (report === "") continue;
      expect(report).toContain('"status":"ok"');
      break;
    }
  });

  test("500 streams: each hears what happens, one more is 429", async () => {
    const { server, port } = await listening({
      streamsOfPrincipal: 500,
      requestsPerSecond: 5000,
      requestBurst: 5000,
    });
    const get = head(
      port,
      "GET",
      `/api/conversations/${id}/events?after=tail`,
      "Accept: text/event-stream\r\n\r\n",
    );
    const lines = await Promise.all(Array.from({ length: 500 }, () => line(port, get)));
    await Promise.all(lines.map(({ shows }) => shows("event: hello")));
    expect(await (await line(port, get)).shows("429 ")).toContain("Too Many Requests");
    const request = new Request(`http://127.0.0.1:${port}/api/conversations/${id}/messages`, {
      method: "POST",
      headers: {
        host: `127.0.0.1:${port}`,
        authorization: "Bearer ann-token",
        "content-type": "application/json",
      },
      body: '{"text": "To all of you"}',
    });
    expect((await server.fetch(request)).status).toBe(202);
    await Promise.all(lines.map(({ shows }) => shows("To all of you")));
  });

  test("a client that takes nothing is let go, and its place is free", async () => {
    const { server, port } = await listening({
      unsent: 1000,
      ping: 200,
      stuckSocket: 500,
      streamsOfPrincipal: 1,
    });
    const printed = vi.spyOn(console, "error");
    onTestFinished(() => printed.mockRestore());
    const text = "x".repeat(16_000);
    const events = Array.from({ length: 1000 }, (_, n) => ({
      at: 1,
      type: "notice",
      origin: `stuck:${n}`,
      body: { data: { level: "info", text } },
    }));
    const get = head(
      port,
      "GET",
      `/api/conversations/${id}/events?after=tail`,
      "Accept: text/event-stream\r\n\r\n",
    );
    const stuck = await line(port, get);
    await stuck.shows("event: hello");
    stuck.socket.pause();
    // More than the buffers of both sides take.
    bench.conversations.appendEvents({ stream: id, owner: null, events, pieces: [] });
    const last = bench.conversations.store.streams.last(id);
    for (const deadline = Date.now() + 300_000; ; ) {
      const response = await server.fetch(
        new Request(`http://127.0.0.1:${port}/api/conversations/${id}/events?after=${last}`, {
          headers: {
            host: `127.0.0.1:${port}`,
            authorization: "Bearer ann-token",
            accept: "text/event-stream",
          },
        }),
      );
      await response.body?.cancel();
      if (response.status === 200) break;
      expect([response.status, Date.now() < deadline]).toEqual([429, true]);
      await new Promise((done) => setTimeout(done, 100));
    }
    stuck.socket.resume();
    expect(await stuck.ended).not.toContain(`\nid: ${last}\n`);
    expect(printed).not.toHaveBeenCalled();
    await works(port);
  });
});

describe("a store in trouble", () => {
  const get = (port: number): string =>
    head(port, "GET", `/api/conversations/${id}/events?after=tail`, "Accept: text/event-stream\r\n\r\n");

  test("is told with each heartbeat while runs stand still", async () => {
    const { port, supervisor } = await listening({ ping: 50 });
    const stream = await line(port, get(port));
    await stream.shows("event: ping");
    supervisor.trouble = "disk-full";
    await stream.shows('"trouble":"disk-full"');
  });

  test("that can't be read at a heartbeat ends the stream, not the server", async () => {
    const { port } = await listening({ ping: 50 });
    const stream = await line(port, get(port));
    await stream.shows("event: ping");
    const last = vi.spyOn(store.streams, "last").mockImplementation(() => {
      throw new StoreError("busy", "the store is in use");
    });
    await stream.shows("0\r\n\r\n");
    last.mockRestore();
    await works(port);
  });
});

describe("Idempotency-Key", () => {
  test("the first answer is given again by the server that comes after", async () => {
    const say = async (server: ApiServer, port: number, text: string) =>
      await server.fetch(
        new Request(`http://127.0.0.1:${port}/api/conversations/${id}/messages`, {
          method: "POST",
          headers: {
            host: `127.0.0.1:${port}`,
            authorization: "Bearer ann-token",
            "content-type": "application/json",
            "idempotency-key": "once",
          },
          body: JSON.stringify({ text }),
        }),
      );
    const first = await listening();
    const answer = await say(first.server, first.port, "Once");
    const report = await answer.json();
    await first.server.close();
    const before = bench.conversations.store.streams.last(id);
    const second = await listening();
    const again = await say(second.server, second.port, "Once");
    expect([again.status, again.headers.get("idempotent-replay"), await again.json()]).toEqual([
      202,
      "true",
      report,
    ]);
    expect((await say(second.server, second.port, "Twice")).status).toBe(422);
    expect(bench.conversations.store.streams.last(id)).toBe(before);
  });
});

describe("a store that can't be written", () => {
  const say = (key: string) =>
    bench.ask(`/api/conversations/${id}/messages`, {
      body: { text: `Held ${key}` },
      headers: { "idempotency-key": key },
    });

  test("held by another process for longer than one waits: 503 with Retry-After, nothing is half done; then it works", async () => {
    const other = new DatabaseSync(join(bench.folder, "state.db"));
    onTestFinished(() => other.close());
    const before = bench.conversations.store.streams.last(id);
    bench.now += 100_000;
    other.exec("BEGIN IMMEDIATE");
    const held = await say("held");
    expect([held.status, held.json.code, held.headers.get("retry-after")]).toEqual([
      503,
      "HARN-SRV-027",
      "1",
    ]);
    expect((await bench.ask(`/api/conversations/${id}`)).status).toBe(200);
    other.exec("ROLLBACK");
    expect(bench.conversations.store.streams.last(id)).toBe(before);
    expect((await say("held")).status).toBe(202);
    expect(bench.conversations.store.streams.last(id)).toBe(before + 1);
  });
});
