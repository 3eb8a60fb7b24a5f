/** `private_addresses: "deny"`: what leads into this machine or its network, by its address and by its name. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { isLocalName, privateCheck, privateKind } from "../../../../src/host/egress/state.ts";
import { nodeExchanges } from "../../../../src/host/node/node-http.ts";

test.each([
  ["127.0.0.1", "loopback"],
  ["127.8.9.1", "loopback"],
  ["0.0.0.0", "unspecified"],
  ["10.1.2.3", "private"],
  ["100.64.0.1", "private"],
  ["169.254.169.254", "link-local"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.168.1.1", "private"],
  ["224.0.0.1", "multicast"],
  ["255.255.255.255", "reserved"],
  ["::1", "loopback"],
  ["[::1]", "loopback"],
  ["::", "unspecified"],
  ["::ffff:127.0.0.1", "loopback"],
  ["::ffff:a00:1", "private"],
  ["64:ff9b::7f00:1", "loopback"],
  ["2002:7f00:1::", "loopback"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["fd12::1", "private"],
  ["ff02::1", "multicast"],
])("%s is %s", (address, kind) => {
  expect(privateKind(address)).toBe(kind);
});

test.each([
  "8.8.8.8",
  "172.32.0.1",
  "172.15.0.1",
  "192.167.0.1",
  "100.128.0.1",
  "2606:4700::1111",
  "example.org",
])("%s is of the open net", (address) => {
  expect(privateKind(address)).toBeUndefined();
});

test("names of this machine", () => {
  expect(["localhost", "LOCALHOST", "a.localhost", "localhost."].map(isLocalName)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(["localhost.example.org", "mylocalhost"].map(isLocalName)).toEqual([false, false]);
});

test.each([
  "http://127.0.0.1/",
  "http://2130706433/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://127.1/",
  "http://[::ffff:7f00:1]:80/",
  "http://localhost:8080/",
])("%s is refused before anything is resolved", (url) => {
  expect(() => privateCheck("http_get").permit(url)).toThrow();
});

const request = (url: string) => ({
  method: "GET",
  url,
  headers: [],
  body: undefined,
  timeoutMs: 10_000,
  totalTimeoutMs: undefined,
  connectTimeoutMs: undefined,
  readTimeoutMs: undefined,
  maxRedirects: 5,
  maxBytes: 1000,
  decompress: true,
  proxy: undefined,
  tls: undefined,
});

test("a redirect and a name are judged where they lead", async () => {
  let asked = 0;
  const server = createServer((incoming, answer) => {
    asked++;
    if (incoming.url === "/go") answer.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end();
    else answer.end("secret");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const check = privateCheck("http_get");
    let hops = 0;
    // The first hop stands for one of the open net, of which there is none in a test.
    const beforeHop = (url: string): void => {
      if (hops++ > 0) check.permit(url);
    };
    await expect(
      nodeExchanges.request(request(`http://127.0.0.1:${port}/go`), { beforeHop }),
    ).rejects.toMatchObject({
      value: expect.anything(),
    });
    expect(asked).toBe(1);
    // `localhost` is resolved, and its address judged at the connection.
    const named = nodeExchanges.request(request(`http://localhost:${port}/secret`), {
      resolved: check.resolved,
    });
    await expect(named).rejects.toMatchObject({ value: expect.anything() });
    expect(asked).toBe(1);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
