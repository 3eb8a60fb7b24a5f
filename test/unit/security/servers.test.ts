/**
 * Attacks 40, 45 and 47 and what clients of `harn mcp-serve` may send (issue 12, 24): credentials and redirects, paths that climb,
 * clients that are slow, tools that compute.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { foldedPath } from "../../../src/builtins/http/servers/http-paths.ts";
import { boundTaking, listeningServer, type ServerBounds } from "../../../src/host/index.ts";
import { wrongWith } from "../../../src/mcp/serve/mcp-lines.ts";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { launcher, projectRoot } from "../../support/project.ts";
import { runScript } from "../../support/run-script.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("servers");
const servers: Server[] = [];
const sockets: Socket[] = [];
const children: ChildProcess[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a redirect to another host (40)", () => {
  const headers = {
    Authorization: "Bearer s3cret-1",
    Cookie: "sid=s3cret-2",
    "X-Api-Key": "s3cret-3",
    "Private-Token": "s3cret-4",
    "X-Amz-Security-Token": "s3cret-5",
    "X-Anything": "s3cret-6",
    Accept: "text/plain",
    "User-Agent": "me",
  };
  it("takes no credential along, whatever its name", async () => {
    let seen: IncomingHttpHeaders = {};
    const other = await listening(
      createServer((request, response) => {
        seen = request.headers;
        response.end("there");
      }),
    );
    const paths: IncomingHttpHeaders[] = [];
    const first = await listening(
      createServer((request, response) => {
        paths.push(request.headers);
        const to = request.url === "/a" ? "/b" : `${other}/x`;
        response.writeHead(302, { location: to }).end();
      }),
    );
    const file = join(folder, "redirect.harn");
    writeFileSync(file, `println(http_get("${first}/a", {headers: ${JSON.stringify(headers)}}).body)`);
    const run = await new Promise<string>((resolve) => {
      const child = spawn(launcher, ["run", "--no-record", file], { env: cleanEnvironment() });
      let text = "";
      child.stdout.on("data", (piece) => {
        text += piece;
      });
      child.on("close", () => resolve(text));
    });
    expect(run).toBe("there\n");
    // On the same host they stay.
    expect(paths[1]).toMatchObject({ "x-api-key": "s3cret-3", authorization: "Bearer s3cret-1" });
    expect(JSON.stringify(seen)).not.toContain("s3cret");
    expect(seen).toMatchObject({ accept: "text/plain", "user-agent": "me" });
  });
});

describe("paths that climb (40)", () => {
  it.each([
    ["/file/../../../etc/passwd", "/etc/passwd"],
    ["/file/%2e%2e/%2E./etc/passwd", "/etc/passwd"],
    ["/a/./b/../c", "/a/c"],
    ["/a/b/..", "/a/"],
    ["/..", "/"],
    ["/a//b", "/a//b"],
    ["/a/...", "/a/..."],
    ["/pkg/@scope%2Fname", "/pkg/@scope%2Fname"],
    ["/100%", "/100%"],
    ["/", "/"],
  ])("%s is %s", (input, folded) => {
    expect(foldedPath(input)).toBe(folded);
  });

  it.each([
    "/file/..%2f..%2fetc/passwd",
    "/file/%2e%2e%2fetc/passwd",
    "/file/..%5c..%5cetc",
    "/file/..\\..\\etc",
    "/file/%252e%252e%252fetc",
    "/file/..%00/x",
    "/file/x%00.txt",
  ])("%s is refused", (input) => {
    expect(foldedPath(input)).toBeUndefined();
  });

  it("never reach a handler", async () => {
    const ran = await runScript(
      `let s = http_server()
http_server_route(s, "GET", "/file/*", { r -> r.path + " " + r.params["*"] })
for p in ["/file/a/../b", "/file/../../../etc/passwd", "/file/..%2f..%2fetc/passwd", "/file/%2e%2e/secret"] {
  let a = http_server_request(s, {method: "GET", path: p})
  println(to_string(a.status) + " " + a.body)
}`,
    );
    expect(ran.error).toBe("");
    expect(ran.stdout.split("\n")).toEqual([
      "200 /file/b b",
      "404 no route for GET /etc/passwd",
      "400 the path leads out of the server",
      "404 no route for GET /secret",
      "",
    ]);
  });
});

describe("slow clients (47)", () => {
  const bounds: ServerBounds = { connections: 3, headMs: 300, requestMs: 600, idleMs: 300, takeMs: 400 };

  async function served(answer: Parameters<typeof listeningServer>[1], within = bounds): Promise<number> {
    const server = await listeningServer({ host: "127.0.0.1", port: 0 }, answer, within);
    servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  const connectionsOf = (server: Server): Promise<number> =>
    new Promise((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );

  /** Until the server lets go of a connection that sends this. */
  function held(port: number, send: (socket: Socket) => void): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => send(socket));
      sockets.push(socket);
      socket.on("error", () => {});
      socket.resume();
      socket.on("close", () => resolve());
    });
  }

  // Node alone gives slow clients a minute and more: what is not sent away before ends these tests.
  const beforeNode = { timeout: 45_000 };

  it("who never ends a head or a body is sent away", beforeNode, async () => {
    const port = await served((request, response) => {
      request.resume();
      request.on("end", () => response.end("ok"));
      request.on("error", () => {});
    });
    const drip = (head: string, piece: string) => (socket: Socket) => {
      socket.write(head);
      const timer = setInterval(() => socket.write(piece), 50);
      socket.on("close", () => clearInterval(timer));
    };
    await Promise.all([
      held(port, drip("GET / HTTP/1.1\r\nhost: x\r\n", "x-a: b\r\n")),
      held(port, drip("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n", "x")),
      held(port, (socket) => void socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")),
    ]);
    expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it("who never takes the answer is given up", beforeNode, async () => {
    const port = await served((_request, response) => {
      response.end(Buffer.alloc(32 * 1024 * 1024));
      boundTaking(response, bounds);
    });
    const ended = new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
      sockets.push(socket);
      socket.on("error", () => {});
      // Reads a little and stops; what came is looked at once the server has let go.
      socket.once("data", () => socket.pause());
      setTimeout(() => socket.resume(), 1500);
      socket.on("close", () => resolve(true));
    });
    expect(await ended).toBe(true);
  });

  it("more connections than it may have are closed at once", async () => {
    const long = 600_000;
    const port = await served(() => {}, { ...bounds, headMs: long, requestMs: long, idleMs: long });
    const server = servers.at(-1) as Server;
    const open = Array.from({ length: 3 }, () => held(port, () => {}));
    while ((await connectionsOf(server)) < 3) await pause(10);
    await held(port, () => {});
    expect(await connectionsOf(server)).toBe(3);
    for (const socket of sockets) socket.destroy();
    await Promise.all(open);
  });
});

describe("what is no message (24)", () => {
  const error = (line: string): unknown => {
    const wrong = wrongWith(line);
    return wrong === undefined || wrong === "" ? wrong : JSON.parse(wrong);
  };
  it.each([
    ["{broken", null, -32700],
    ["", null, -32700],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 1, -32600],
    ['{"id":"a","method":"ping"}', "a", -32600],
    ['{"jsonrpc":"2.0","id":2}', 2, -32600],
    ['{"jsonrpc":"2.0","id":2,"method":7}', 2, -32600],
    ['{"jsonrpc":"2.0","id":true,"method":"ping"}', null, -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null, -32600],
    ["[]", null, -32600],
    ["7", null, -32600],
    ["null", null, -32600],
    ['{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}', 3, -32602],
    ['{"jsonrpc":"2.0","id":3,"method":"ping","params":"x"}', 3, -32602],
    ['{"jsonrpc":"2.0","result":{}}', null, -32600],
  ])("%s", (line, id, code) => {
    expect(error(line)).toMatchObject({ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } });
  });
  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","method":"notifications/x","params":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
  ])("%s goes on", (line) => {
    expect(wrongWith(line)).toBeUndefined();
  });

  it("is answered by `harn mcp-serve`, and the next message still has its answer", () => {
    const script = join(projectRoot, "test/support/programs/mcp-tools.harn");
    const initialize = {
      jsonrpc: "2.0",
      id: "i",
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    };
    const lines = [
      "{broken",
      JSON.stringify(initialize),
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":2}',
      '{"jsonrpc":"2.0","id":true,"method":"ping"}',
      '[{"jsonrpc":"2.0","id":9,"method":"ping"}]',
      '{"jsonrpc":"2.0","id":4,"method":"tools/none"}',
      '{"jsonrpc":"2.0","id":5,"method":"ping"}',
    ];
    const child = spawnServe(script);
    child.stdin?.write(`${lines.join("\n")}\n`);
    return new Promise<void>((resolve, reject) => {
      let text = "";
      child.stdout?.on("data", (piece) => {
        text += piece;
        const answers = text.trim().split("\n");
        if (!text.includes('"id":5')) return;
        try {
          const byId = answers
            .map((line) => JSON.parse(line))
            .map(({ id, error }) => [id, error?.code ?? "ok"]);
          expect(byId.sort()).toEqual(
            [
              [null, -32700],
              ["i", "ok"],
              [1, -32600],
              [2, -32600],
              [null, -32600],
              [null, -32600],
              [4, -32601],
              [5, "ok"],
            ].sort(),
          );
          resolve();
        } catch (problem) {
          reject(problem);
        }
      });
    });
  });
});

function spawnServe(script: string): ChildProcess {
  const child = spawn(launcher, ["mcp-serve", script], {
    env: cleanEnvironment(),
    stdio: ["pipe", "pipe", "ignore"],
  });
  children.push(child);
  return child;
}

describe("a tool that computes without end (45)", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "leaves `harn mcp-serve` its ear for %s",
    async (signal) => {
      const script = join(folder, "busy.harn");
      writeFileSync(
        script,
        'let reg = tool_define(tool_registry(), "spin", "Never ends.", {handler: { _ ->\n  var n = 0\n  while true { n = n + 1 }\n  return n\n}})\nmcp_tools(reg)\n',
      );
      const child = spawnServe(script);
      const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
        child.on("close", (code, by) => resolve(by ?? code)),
      );
      const send = (message: object): void => void child.stdin?.write(`${JSON.stringify(message)}\n`);
      const first = new Promise<void>((resolve) => child.stdout?.once("data", () => resolve()));
      send({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      });
      await first;
      send({ jsonrpc: "2.0", method: "notifications/initialized" });
      send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "spin", arguments: {} } });
      await pause(2000);
      child.kill(signal);
      const late = pause(8000, "it does not hear" as const);
      expect(await Promise.race([ended, late])).not.toBe("it does not hear");
    },
    30_000,
  );
});
