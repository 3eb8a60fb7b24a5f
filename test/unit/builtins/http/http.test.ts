/** The HTTP client over a scripted network: what is sent, what is recorded, what a replay needs. */
import { describe, expect, it } from "vitest";
import { MemoryJournal } from "../../../../src/effects/index.ts";
import { HostError } from "../../../../src/host/index.ts";
import { machine } from "../../../support/builtin-call.ts";
import { recordingEffects, replayEffects, unusableHost } from "../../../support/concurrent.ts";
import { createMemoryHost, ScriptedNetwork } from "../../../support/memory-host.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("http", () => {
  it("hands options to the network", async () => {
    const network = new ScriptedNetwork(() => ({
      body: utf8("hi"),
      headers: [["content-type", "text/plain"]],
    }));
    const run = machine(createMemoryHost({ network, files: { "/work/ca.pem": "-----BEGIN X" } }));
    await run.call("http_post", "https://a.test/x", "body", {
      headers: { "X-A": "1" },
      auth: "Custom v",
      connect_timeout_ms: 5,
      read_timeout_ms: 6,
      timeout: 7,
      follow_redirects: false,
      max_response_bytes: 8,
      decompress: false,
      proxy: { url: "http://p.test:1", no_proxy: ["x", "y"] },
      proxy_auth: { user: "u", pass: "p w" },
      tls: { ca_path: "ca.pem", min_version: "1.3", insecure: true },
    });
    expect(network.requests[0]).toMatchObject({
      method: "POST",
      body: utf8("body"),
      headers: [
        ["x-a", "1"],
        ["authorization", "Custom v"],
      ],
      connectTimeoutMs: 5,
      readTimeoutMs: 6,
      timeoutMs: 7,
      maxRedirects: 0,
      maxBytes: 8,
      decompress: false,
      proxy: { url: "http://u:p%20w@p.test:1/", noProxy: "x,y" },
      tls: { ca: "-----BEGIN X", minVersion: "TLSv1.3", insecure: true },
    });
  });

  it("tries again after a failed connection, within the total time", async () => {
    let calls = 0;
    const network = new ScriptedNetwork(() =>
      ++calls < 3 ? new HostError("ECONNRESET", "connection reset") : {},
    );
    const run = machine(createMemoryHost({ network }));
    const retry = { retry: { max: 5, backoff_ms: 1000 } };
    expect(await run.showLater("http_get", "https://a.test", retry)).toContain("status: 200");
    calls = -10;
    expect(await run.showLater("http_get", "https://a.test", { ...retry, total_timeout_ms: 2000 })).toBe(
      "! http: request failed: Deadline exceeded: no answer within total_timeout_ms (2000)",
    );
    expect(await run.showLater("http_post", "https://a.test", "", retry)).toBe(
      "! http: request failed: connection reset",
    );
  });

  it("leaves nothing of a broken download", async () => {
    const network = new ScriptedNetwork(
      () => new HostError("EFBIG", "response body exceeds max_response_bytes (9)"),
    );
    const host = createMemoryHost({ network, files: { "/work/f": "old" } });
    expect(await machine(host).showLater("http_download", "https://a.test", "f")).toBe(
      "! http: request failed: response body exceeds max_response_bytes (9)",
    );
    expect([host.files.readText("/work/f"), host.files.list("/work").length]).toEqual(["old", 1]);
  });

  it("replays without a network, and keeps credentials out of the journal", async () => {
    const script = async (run: ReturnType<typeof machine>): Promise<string[]> => [
      await run.showLater("http_get", "https://a.test/?key=k-secret", { auth: { bearer: "t-secret" } }),
      await run.showLater("http_get", "https://gone.test", { retries: 1 }),
      await run.showLater("http_download", "https://a.test/f", "f"),
    ];
    const network = new ScriptedNetwork(({ url }) =>
      url.includes("gone") ? new HostError("ECONNREFUSED", "connection refused") : { body: utf8("x") },
    );
    const writer = new MemoryJournal();
    const recorded = await script(machine(createMemoryHost({ network }), recordingEffects(writer)));
    const journal = writer.read();
    expect(JSON.stringify(journal.records)).not.toContain("-secret");
    expect(await script(machine(unusableHost(), replayEffects(journal)))).toEqual(recorded);
  });
});
