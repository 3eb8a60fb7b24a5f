/** The server's clock and chance, so that tests bring their own. */
import { randomBytes } from "node:crypto";

export interface ServerClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after so many milliseconds; gives the way to call it off. Keeps no process alive. */
  after(ms: number, work: () => void): () => void;
  randomBytes(count: number): Uint8Array;
}

export const systemClock: ServerClock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
  randomBytes,
};

/** UUID version 7: sorts by time. */
export function uuid7(clock: ServerClock): string {
  const bytes = Uint8Array.from(clock.randomBytes(16));
  let at = clock.now();
  for (let index = 5; index >= 0; index--) {
    bytes[index] = at % 256;
    at = Math.floor(at / 256);
  }
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = Buffer.from(bytes).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
