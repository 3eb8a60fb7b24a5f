/** Runs that hold connections: ended by Ctrl-C, killed and resumed. */

import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("network");
let server: Server;
let base = "";
const asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const from = Number(request.headers["last-event-id"] ?? 0);
    asked.push(`${request.url} ${from}`);
    if (request.url === "/body") {
      response.write("0123456789");
      response.end("abcdefghij");
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let i = from + 1; i <= 4; i++) response.write(`id: ${i}\ndata: event ${i}\n\n`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function program(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

test("Ctrl-C ends a run that listens and holds connections", async () => {
  const file = program(
    "waits.harn",
    `let s = websocket_server()
websocket_route(s, "/")
let mine = websocket_connect(s.url)
let theirs = websocket_accept(s)
println("waiting")
try {
  websocket_receive(mine)
} finally {
  println("cleaned up")
}
println("never")
`,
  );
  const run = startHarn(["run", file], { cwd: folder });
  await run.shows("waiting");
  run.child.kill("SIGINT");
  const { stdout, status } = await run.ended;
  expect({ stdout, status }).toEqual({ stdout: "waiting\ncleaned up\n", status: 130 });
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function interruptedServer(name: string): Promise<number | null> {
  const port = await freePort();
  const file = program(
    name,
    `let s = http_server()
http_server_route(s, "GET", "/hello/{name}", { req -> "hello \${req.params.name}" })
http_server_listen(s, ${port})
println("listening")
http_server_serve(s)
`,
  );
  const run = startHarn(["run", file], { cwd: folder });
  await run.shows("listening");
  const answer = await fetch(`http://127.0.0.1:${port}/hello/ann`);
  expect(await answer.text()).toBe("hello ann");
  run.child.kill("SIGINT");
  return (await run.ended).status;
}

// One in five broke Node's stack of callbacks when Ctrl-C came while the answer's microtasks ran.
test("a server answers until Ctrl-C, at whatever moment it comes", async () => {
  const ends: (number | null)[] = [];
  for (let round = 0; round < 12; round++) ends.push(await interruptedServer(`serves-${round}.harn`));
  expect(ends).toEqual(ends.map(() => 130));
});

test("a killed run goes on where its streams were", async () => {
  const file = program(
    "streams.harn",
    `let body = http_stream_open("${base}/body")
println(bytes_to_string(http_stream_read(body, 4)))
let events = sse_connect("GET", "${base}/events")
println(sse_receive(events).type)
println(sse_receive(events).data)
println(sse_receive(events).data)
println("pausing")
while !file_exists("go") { sleep(20) }
var rest = ""
while true {
  let piece = http_stream_read(body, 100)
  if piece == nil {
    break
  }
  rest = rest + bytes_to_string(piece)
}
println(rest)
while true {
  let message = sse_receive(events, 5000)
  if message == nil {
    break
  }
  println(message.data)
}
`,
  );
  const killed = startHarn(["run", file], { cwd: folder });
  await killed.shows("pausing");
  killed.child.kill("SIGKILL");
  const first = await killed.ended;
  writeFileSync(join(folder, "go"), "");
  expect(first.stdout).toBe("0123\nopen\nevent 1\nevent 2\npausing\n");
  const second = await startHarn(["run", "--resume", "last", "--on-doubt", "redo"], { cwd: folder }).ended;
  expect({ stdout: second.stdout, status: second.status }).toEqual({
    stdout: "456789abcdefghij\nevent 3\nevent 4\n",
    status: 0,
  });
  expect(asked).toEqual(["/body 0", "/events 0", "/body 0", "/events 2"]);
});
