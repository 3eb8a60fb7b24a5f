/** A provider server that lives as long as the tests of its file and forgets after each what it was asked and had to answer. */
import { afterAll, afterEach } from "vitest";
import { type ProviderServer, startProviderServer } from "./server.ts";

/** To be called at the top of a test file. */
export async function providerServerForTests(): Promise<ProviderServer> {
  const server = await startProviderServer();
  afterAll(() => server.close());
  afterEach(() => {
    server.clear();
    server.seen.length = 0;
  });
  return server;
}
