/** The streams that are open: how many, whose they still may be, and ending them all. */

import { StoreError } from "../../store/index.ts";
import type { ServerClock } from "../clock.ts";
import { HttpProblem } from "../problems.ts";
import type { ServerLimits } from "../server-limits.ts";

export interface OpenStream {
  close(): void;
}

/** How long a stream may outlive the token or login that opened it, when another process ended that. */
const checkEveryMs = 1000;

export class OpenStreams {
  private readonly limits: ServerLimits;
  private readonly clock: ServerClock;
  private readonly open = new Map<OpenStream, string>();
  /** Whether what opened a stream is still known. */
  private readonly allowed = new Map<OpenStream, () => boolean>();
  private stopChecking: (() => void) | undefined;

  constructor(limits: ServerLimits, clock: ServerClock) {
    this.limits = limits;
    this.clock = clock;
  }

  /** Gives what is to be called at the stream's end. Throws 429 `slow-down` when there are too many. */
  enter(principal: string, stream: OpenStream, isAllowed: () => boolean): () => void {
    const { streamsOfPrincipal, streamsOfServer } = this.limits;
    const own = [...this.open.values()].filter((name) => name === principal).length;
    if (own >= streamsOfPrincipal || this.open.size >= streamsOfServer)
      throw new HttpProblem("slow-down", "too many open streams; close one", {
        headers: { "retry-after": "5" },
      });
    this.open.set(stream, principal);
    const leave = this.watch(stream, isAllowed);
    return () => {
      this.open.delete(stream);
      leave();
    };
  }

  /** Ends what is told to a client when its token or login ends. Gives what is to be called when it has ended by itself. */
  watch(stream: OpenStream, isAllowed: () => boolean): () => void {
    this.allowed.set(stream, isAllowed);
    this.checkLater();
    return () => {
      this.allowed.delete(stream);
      if (this.allowed.size > 0) return;
      this.stopChecking?.();
      this.stopChecking = undefined;
    };
  }

  /** A token or a login has ended here: its streams end at once. */
  check(): void {
    for (const [stream, isAllowed] of [...this.allowed]) if (!known(isAllowed)) stream.close();
  }

  /** Ends them in good order: their clients come again. */
  closeAll(): void {
    for (const stream of [...this.open.keys()]) stream.close();
  }

  private checkLater(): void {
    this.stopChecking ??= this.clock.after(checkEveryMs, () => {
      this.stopChecking = undefined;
      this.check();
      if (this.allowed.size > 0) this.checkLater();
    });
  }
}

/** A store that can't be read just now takes nobody's access away. */
function known(isAllowed: () => boolean): boolean {
  try {
    return isAllowed();
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}
