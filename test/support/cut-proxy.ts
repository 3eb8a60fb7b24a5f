/**
 * A way to a server that can be cut on one side. Connections stay, as nobody tells them; what is sent meanwhile arrives when the way is
 * mended, as the system sends it again until then.
 */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** What does not arrive: what clients send, or what the server answers. */
export type CutSide = "to the server" | "from the server";

export interface CutProxy {
  readonly port: number;
  cut(side: CutSide): void;
  mend(): void;
  close(): void;
}

export async function cutProxy(target: number): Promise<CutProxy> {
  const senders = new Map<Socket, CutSide>();
  let lost: CutSide | undefined;
  const pass = (from: Socket, to: Socket, side: CutSide): void => {
    senders.set(from, side);
    from.on("error", () => {});
    from.on("close", () => {
      senders.delete(from);
      to.destroy();
    });
    from.pipe(to, { end: false });
    if (lost === side) from.pause();
  };
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    pass(client, upstream, "to the server");
    pass(upstream, client, "from the server");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: (side) => {
      lost = side;
      for (const [from, of] of senders) if (of === side) from.pause();
    },
    mend: () => {
      lost = undefined;
      for (const from of senders.keys()) from.resume();
    },
    close: () => {
      for (const from of senders.keys()) from.destroy();
      server.close();
    },
  };
}
