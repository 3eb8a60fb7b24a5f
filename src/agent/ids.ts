/** Ids of sessions: UUIDv7, time from the caller, randomness from the run's seed. */
import type { Task } from "../interp/index.ts";

export function uuidV7(task: Task, ms: number): string {
  const bytes = new Uint8Array(16);
  const { effects } = task.runtime;
  for (let at = 0; at < 16; at += 4) {
    const bits = effects.random32(task.scope);
    for (let n = 0; n < 4; n++) bytes[at + n] = (bits >>> (8 * n)) & 0xff;
  }
  for (let at = 5, left = Math.floor(ms); at >= 0; at--, left = Math.floor(left / 256))
    bytes[at] = left % 256;
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
