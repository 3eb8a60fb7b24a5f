/**
 * Every way in which a connection can end, walked through every builtin that opens one, with a server that speaks TCP only: each is an
 * error that `catch` sees, or an answer, in its time; none ends the run. The program ends by itself, or the test does not.
 */
// suite: processes
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHarn } from "../support/start-cli.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder("connections");
const line = "HTTP/1.1 ";
const plain = `${line}200 OK\r\ncontent-type: text/plain\r\n`;
const events = `${line}200 OK\r\ncontent-type: text/event-stream\r\n`;
const switching = `${line}101 Switching Protocols\r\n`;
const redirect = (to: string): string => `${line}302 Found\r\nlocation: ${to}\r\ncontent-length: 0\r\n\r\n`;

const ending = (text: string | Buffer) => (socket: Socket) => void socket.end(text);
const staying = (text: string) => (socket: Socket) => void socket.write(text);
const resetting = (text: string) => (socket: Socket) =>
  void socket.write(text, () => socket.resetAndDestroy());
const dripping = (head: string, drop: string) => (socket: Socket) => {
  socket.write(head);
  const timer = setInterval(() => socket.write(drop), 20);
  socket.once("close", () => clearInterval(timer));
};

type Way = (socket: Socket, asked: string) => void;

/** What a server does when it is asked. */
const ways: Readonly<Record<string, Way>> = {
  "switches to something": staying(`${switching}upgrade: x\r\nconnection: upgrade\r\n\r\nhello`),
  "switches to web sockets": staying(`${switching}upgrade: websocket\r\nconnection: upgrade\r\n\r\n`),
  "switches to nothing": staying(`${switching}\r\n`),
  "switches and closes": ending(`${switching}upgrade: x\r\nconnection: upgrade\r\n\r\n`),
  "switches after a redirect": (socket, asked) =>
    asked.includes("/two")
      ? socket.write(`${switching}upgrade: x\r\nconnection: upgrade\r\n\r\n`)
      : socket.end(redirect("/two")),
  "says that it goes on, for ever": dripping("", `${line}102 Processing\r\n\r\n`),
  "says that it goes on, and closes": ending(`${line}100 Continue\r\n\r\n`),
  "says that it goes on, and resets": resetting(`${line}103 Early Hints\r\nlink: x\r\n\r\n`),
  closes: ending(""),
  resets: (socket) => void socket.resetAndDestroy(),
  "closes in the status": ending("HTTP/1."),
  "closes in the head": ending(`${plain}x-`),
  "resets in the head": resetting(`${plain}x-`),
  "closes in the body": ending(`${plain}content-length: 100\r\n\r\nabc`),
  "resets in the body": resetting(`${plain}content-length: 100\r\n\r\nabc`),
  "resets in a body without length": resetting(`${plain}\r\nabc`),
  "closes in a chunk": ending(`${plain}transfer-encoding: chunked\r\n\r\n64\r\nabc`),
  "sends no chunk": ending(`${plain}transfer-encoding: chunked\r\n\r\nzz\r\nabc`),
  "closes in the events": ending(`${events}content-length: 100\r\n\r\ndata: a\n\n`),
  "resets in the events": resetting(`${events}\r\ndata: a\n\n`),
  "sends no event": staying(`${events}\r\n`),
  "is silent": () => {},
  "is silent after the head": staying(`${plain}content-length: 100\r\n\r\n`),
  "drips a head": dripping(`${plain}x-long: `, "x"),
  "drips a body": dripping(`${plain}content-length: 100000\r\n\r\n`, "x"),
  "speaks something else, and closes": ending("\0\x01\x02 hello\n\n"),
  "speaks something else": staying("SSH-2.0-OpenSSH_9\r\n"),
  "sends a huge head": staying(`${plain}${"x-h: y\r\n".repeat(20_000)}\r\n`),
  "sends no gzip": ending(`${plain}content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello`),
  "sends half a gzip": ending(
    Buffer.concat([
      Buffer.from(`${plain}content-encoding: gzip\r\n\r\n`),
      Buffer.from([0x1f, 0x8b, 8, 0, 0]),
    ]),
  ),
  "has two lengths": ending(
    `${plain}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ),
  "has a negative length": ending(`${plain}content-length: -5\r\n\r\nhello`),
  "has no status": ending(`${line}000 What\r\ncontent-length: 0\r\n\r\n`),
  "redirects to itself": ending(redirect("/")),
  "redirects to nowhere": ending(redirect("http://[bad")),
};

/** Ways that are an answer to whoever asks for texts. */
const answers = new Set(["sends no event: get"]);

/** These have a time of their own that is longer than a test. */
const patient = ["web_fetch"];
const timely = (way: string): boolean => !/silent|drips|for ever|no event/.test(way);

const script = `import { fetch_page } from "std/research/fetch"

let servers = json_parse(read_file("servers.json"))

fn streamed(url) {
  let stream = http_stream_open(url, {timeout_ms: 2000, read_timeout_ms: 2000, total_timeout_ms: 3000})
  while true {
    if http_stream_read(stream, 1000) == nil { return "end" }
  }
}

fn events(url) {
  let stream = sse_connect("GET", url, {timeout_ms: 2000})
  while true {
    let event = sse_receive(stream, 2000)
    if event == nil { return "end" }
    if event.type == "timeout" { throw "timeout" }
  }
}

fn fetched(url) {
  let page = fetch_page(url, {private_addresses: "allow"})
  if !page.ok { throw page.error }
  return "page"
}

let clients = {
  get: { url -> http_get(url, {timeout_ms: 2000}).status },
  post: { url -> http_post(url, "x".repeat(300000), {timeout_ms: 2000}).status },
  download: { url -> http_download(url, "\${uuid_v7()}.bin", {timeout_ms: 2000}).status },
  stream: streamed,
  sse: events,
  websocket: { url -> websocket_connect(url.replace("http:", "ws:"), {timeout_ms: 2000}) },
  web_fetch: fetched,
  mcp: { url -> mcp_connect({name: "s\${regex_replace_all("[^0-9]", "", url)}", transport: "http", url: url, connect_timeout_ms: 2000}) },
  openai: { url -> llm_call("hi", nil, {provider: "local", model: "m", base_url: url, timeout_ms: 2000, llm_retries: 0}).text },
  ollama: { url -> llm_call("hi", nil, {provider: "ollama", model: "m", base_url: url, timeout_ms: 2000, llm_retries: 0}).text },
}

let tried = parallel each servers.asked with { max_concurrent: 30 } { one ->
  var said = ""
  try {
    let ask = clients[one.client]
    said = "answered \${ask(one.url)}"
  } catch error {
    said = "caught \${error}"
  }
  {way: one.way, client: one.client, said: said}
}
println(json_stringify(tried))
`;

const clients = [
  "get",
  "post",
  "download",
  "stream",
  "sse",
  "websocket",
  "web_fetch",
  "mcp",
  "openai",
  "ollama",
];

const servers: Server[] = [];
const sockets = new Set<Socket>();
const addresses = new Map<string, string>();

beforeAll(async () => {
  for (const [way, act] of Object.entries(ways)) {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => sockets.delete(socket));
      socket.once("data", (data) => act(socket, String(data)));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    addresses.set(way, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  }
});
afterAll(() => {
  for (const server of servers) server.close();
  for (const socket of sockets) socket.destroy();
});

test("each is caught, or an answer, and the program goes on", async () => {
  // Those that take their time come last, and keep nobody else waiting.
  const inOrder = [...addresses].sort(([a], [b]) => Number(timely(b)) - Number(timely(a)));
  const asked = inOrder.flatMap(([way, url]) =>
    clients
      .filter((client) => !patient.includes(client) || timely(way))
      .map((client) => ({ way, client, url })),
  );
  writeFileSync(join(folder, "servers.json"), JSON.stringify({ asked }));
  writeFileSync(join(folder, "a.harn"), script);
  const run = await startHarn(["run", "--no-record", "a.harn"], { cwd: folder }).ended;
  expect(run).toMatchObject({ status: 0, stderr: "" });
  const tried = JSON.parse(run.stdout) as { way: string; client: string; said: string }[];
  expect(tried).toHaveLength(asked.length);
  // That the client asked at all.
  const closed = tried.filter(({ way }) => way === "closes").map(({ said }) => said);
  for (const said of closed) expect(said).toMatch(/^caught .*(reset|closed|broke off)/s);
  const odd = tried
    .filter(({ said }) => !said.startsWith("caught "))
    .map(({ way, client }) => `${way}: ${client}`);
  expect(odd.filter((one) => !answers.has(one))).toEqual([]);
});
