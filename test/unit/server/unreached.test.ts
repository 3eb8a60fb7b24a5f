/** A client whose server is not there: what it says. */
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { HarnClient } from "../../../src/server/client.ts";

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

it("names the address, why, and what to do", async () => {
  const url = `http://127.0.0.1:${await closedPort()}`;
  await expect(new HarnClient({ url }).info()).rejects.toMatchObject({
    name: "TypeError",
    message: `no server of harn can be reached at ${url}: connect ECONNREFUSED ${url.slice(7)}; \`harn serve\` starts one, and says its address`,
    cause: { message: "fetch failed" },
  });
});

it.each([
  ["127.0.0.1:1", "no server of harn can be reached at 127.0.0.1:1: "],
  ["", "HarnClient: `url` is missing"],
])("an address that is none: %j", async (url, text) => {
  await expect(new HarnClient({ url }).info()).rejects.toThrow(text);
});

it("who gives up is told so, not that nobody is there", async () => {
  const client = new HarnClient({ url: `http://127.0.0.1:${await closedPort()}` });
  const reason = new Error("enough");
  const say = client.say("c_1", { text: "x" }, { signal: AbortSignal.abort(reason) });
  await expect(say).rejects.toBe(reason);
});
