/** The servers that run on a store: where they listen, for `harn serve url`. */

import { type Store, StoreError } from "../../store/index.ts";
import { isJsonObject } from "../../values/index.ts";

const space = "serve.listening";

/** Notes a server; gives what takes the note back, as far as the store can be written: nobody takes a dead server for a living one. */
export function noteListening(store: Store, address: string): () => void {
  const key = String(process.pid);
  store.entries.set(space, key, { address, pid: process.pid });
  return () => {
    try {
      store.entries.update(space, key, () => undefined);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  };
}

/** Addresses of servers that answer; the notes of others are removed. */
export async function listeningServers(store: Store): Promise<string[]> {
  const found: string[] = [];
  for (const { key, value } of store.entries.page(space, null, 1000)) {
    const address = isJsonObject(value) && typeof value.address === "string" ? value.address : "";
    if (await answers(address)) found.push(address);
    else store.entries.update(space, key, () => undefined);
  }
  return found;
}

const askMs = 2000;

/** Health needs no login. A certificate that the server made itself is as good as another here: nothing is sent. */
async function answers(address: string): Promise<boolean> {
  const { get } = address.startsWith("https:")
    ? process.getBuiltinModule("node:https")
    : process.getBuiltinModule("node:http");
  return await new Promise((resolve) => {
    try {
      const request = get(
        `${address}/api/health`,
        { rejectUnauthorized: false, timeout: askMs, agent: false } as object,
        (response) => {
          response.resume();
          resolve(response.statusCode === 200);
        },
      );
      request.on("timeout", () => request.destroy());
      request.on("error", () => resolve(false));
    } catch {
      resolve(false);
    }
  });
}
