/** How many streams are open, and ending them all. */

import { Problem } from "../problems.ts";
import type { ServerLimits } from "../server-limits.ts";

interface Closable {
  close(): void;
}

export class OpenStreams {
  private readonly limits: ServerLimits;
  private readonly open = new Map<Closable, string>();

  constructor(limits: ServerLimits) {
    this.limits = limits;
  }

  /** Gives what is to be called at the stream's end. Throws 429 `slow-down` when there are too many. */
  enter(principal: string, stream: Closable): () => void {
    const { streamsOfPrincipal, streamsOfServer } = this.limits;
    const own = [...this.open.values()].filter((name) => name === principal).length;
    if (own >= streamsOfPrincipal || this.open.size >= streamsOfServer)
      throw new Problem("slow-down", "too many open streams; close one", { headers: { "retry-after": "5" } });
    this.open.set(stream, principal);
    return () => void this.open.delete(stream);
  }

  /** Ends them in good order: their clients come again. */
  closeAll(): void {
    for (const stream of [...this.open.keys()]) stream.close();
  }
}
