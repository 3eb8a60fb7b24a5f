/** Sessions, streams and the egress policy over the network: cookies of every hop, what is recorded, going on after a replay. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { MemoryJournal } from "../../../../src/effects/index.ts";
import { nodeNetwork } from "../../../../src/host/index.ts";
import { recordingEffects } from "../../../support/concurrent.ts";
import { createMemoryHost, type MemoryHost } from "../../../support/memory-host.ts";
import { recordAndReplayScript, runUnder } from "../../../support/replay-script.ts";

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

const online = (env: Record<string, string> = {}): MemoryHost =>
  createMemoryHost({ network: nodeNetwork, env });

describe("HTTP sessions", () => {
  it("keep the cookies of every hop, and replay them", async () => {
    const base = await serve((request, response) => {
      if (request.url === "/login")
        response.writeHead(302, {
          location: "/step",
          "set-cookie": ["a=1", "b=2; Path=/; Expires=Wed, 01 Jan 2070 00:00:00 GMT"],
        });
      else if (request.url === "/step")
        response.writeHead(302, {
          location: "/home",
          "set-cookie": [`seen=${request.headers.cookie?.length}; Path=/`],
        });
      response.end(request.headers.cookie ?? "none");
    });
    const script = `let s = http_session()
println(http_session_request(s, "POST", "${base}/login", {body: "x"}).body)
println(http_get("${base}/plain").body)
println(http_get("${base}/again", {session: s}).body)`;
    const { recorded, replayed } = await recordAndReplayScript(script, online());
    expect(recorded.stdout).toBe("a=1; b=2; seen=8\nnone\na=1; b=2; seen=8\n");
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it("cannot be led to a refused host by a redirect", async () => {
    const script = (base: string) => `egress_policy({allow: ["127.0.0.1"]})
try { http_get("${base}/") } catch (e) { println(e.message) }`;
    const base = await serve((_request, response) => {
      response.writeHead(302, { location: "http://localhost:9/secret?key=k" }).end();
    });
    const { recorded, replayed } = await recordAndReplayScript(script(base), online());
    expect(recorded.stdout).toBe(
      "EgressBlocked: http_request blocked localhost:9 for http://localhost:9/secret?key=%5Bredacted%5D (no allow rule matched)\n",
    );
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it("cannot be widened beyond what the environment allows", async () => {
    const env = { HARN_EGRESS_ALLOW: "*.a.test, b.test", HARN_EGRESS_DENY: "x.a.test" };
    const script = `println(egress_policy())
egress_policy({default: "allow"})
http_mock("*", "*", {})
for host in ["y.a.test", "x.a.test", "c.test"] {
  println(try { http_get("https://\${host}/").status } catch (e) { e.reason })
}`;
    const { recorded, replayed } = await recordAndReplayScript(script, online(env));
    expect(recorded.stdout).toBe(
      "{allow: [*.a.test, b.test], configured: true, default: deny, deny: [x.a.test], source: env}\n" +
        "200\nmatched deny rule `x.a.test`\nno allow rule matched\n",
    );
    expect(replayed.stdout).toBe(recorded.stdout);
  });
});

const readAll = (url: string): string => `let h = http_stream_open("${url}", {read_timeout_ms: 400})
println(http_stream_info(h).status)
var all = bytes_from_string("")
while true {
  let piece = http_stream_read(h, 1000)
  if piece == nil { break }
  all = bytes_concat(all, piece)
}
println(bytes_len(all))
println(sha256(all))`;

describe("HTTP streams", () => {
  it("give what comes as it comes, in pieces of the size asked for, and replay it", async () => {
    const body = Buffer.alloc(123_456, "stream ");
    const base = await serve((_request, response) => {
      response.write(body.subarray(0, 100_000));
      setTimeout(() => response.end(body.subarray(100_000)), 5);
    });
    const { recorded, replayed } = await recordAndReplayScript(readAll(base), online());
    expect(recorded.stdout).toMatch(/^200\n123456\n[0-9a-f]{64}\n$/);
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it("end with an error when the server breaks off, is silent, or sends too much", async () => {
    const base = await serve((request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("begun");
      if (request.url === "/broken") setTimeout(() => response.destroy(), 5);
    });
    const read = (path: string, options: string) => `let h = http_stream_open("${base}${path}", ${options})
try { while http_stream_read(h) != nil {} } catch (e) { println(e) }
println(http_stream_close(h))`;
    const runs = [
      await recordAndReplayScript(read("/broken", "{}"), online()),
      await recordAndReplayScript(read("/silent", "{read_timeout_ms: 300}"), online()),
      await recordAndReplayScript(read("/silent", "{total_timeout_ms: 400}"), online()),
      await recordAndReplayScript(read("/silent", "{max_response_bytes: 7}"), online()),
    ];
    const host = new URL(base).host;
    expect(runs.map(({ recorded }) => recorded.stdout.split("\n")[0])).toEqual([
      `http: request failed: connection reset (${host})`,
      "http: request failed: Deadline exceeded: the server was silent for 300 ms",
      "http: request failed: Deadline exceeded: no complete answer within 400 ms",
      "http: request failed: response body of 100 bytes exceeds max_response_bytes (7)",
    ]);
    for (const { recorded, replayed } of runs) expect(replayed.stdout).toBe(recorded.stdout);
  });

  it("do not keep a run alive that leaves them open", async () => {
    let closed: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const base = await serve((_request, response) => {
      response.write("first");
      response.once("close", closed);
    });
    const script = `let h = http_stream_open("${base}")\nprintln(bytes_to_string(http_stream_read(h)))`;
    const run = await runUnder(script, recordingEffects(new MemoryJournal()), online());
    expect(run.stdout).toBe("first\n");
    await gone;
  });
});
