/** The network over Node. What speaks the protocols is loaded at its first use: a start does not pay for it. */
import type { Network } from "../ports.ts";

export const nodeNetwork: Network = {
  request: async (request, options) =>
    (await import("./node-http.ts")).nodeExchanges.request(request, options),
  open: async (request, options) => (await import("./node-http.ts")).nodeExchanges.open(request, options),
  sockets: {
    connect: async (request, signal, resolved) =>
      (await import("./node-sockets.ts")).nodeSockets.connect(request, signal, resolved),
    listen: async (address, admit) => (await import("./node-sockets.ts")).nodeSockets.listen(address, admit),
  },
  serving: {
    listen: async (address, limit) =>
      (await import("./node-http-server.ts")).nodeServing.listen(address, limit),
  },
  databases: {
    open: async (target, signal) => (await import("./node-postgres.ts")).openDatabase(target, signal),
  },
};

/** Its requests are made by a program's own `fetch`. Sockets, servers and databases stay Node's. */
export function networkBy(fetch: typeof globalThis.fetch): Network {
  const exchanges = async (): Promise<Pick<Network, "request" | "open">> => {
    const [{ exchangesOver }, { hopsBy }] = await Promise.all([
      import("./node-http.ts"),
      import("./fetch-hop.ts"),
    ]);
    return exchangesOver(hopsBy(fetch));
  };
  return {
    ...nodeNetwork,
    fetch,
    request: async (request, options) => (await exchanges()).request(request, options),
    open: async (request, options) => (await exchanges()).open(request, options),
  };
}
