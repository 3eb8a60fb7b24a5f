/** The network between a browser and servers on this machine, as a proxy that a test can take away and bring back. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface CuttableNetwork {
  /** For `newContext`: also what goes to this machine goes through it. */
  readonly proxy: { readonly server: string; readonly bypass: string };
  /** Breaks every connection, and refuses new ones until `restore`. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function startCuttableNetwork(): Promise<CuttableNetwork> {
  let isCut = false;
  const server = createServer((incoming, response) => {
    const { method, headers, url = "" } = incoming;
    const onward = request(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  server.on("connection", (socket) => {
    if (isCut) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    proxy: {
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      bypass: "<-loopback>",
    },
    cut: () => {
      isCut = true;
      server.closeAllConnections();
    },
    restore: () => {
      isCut = false;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
