/** Random numbers: from the run's recorded seed on the task's own stream, or from a seeded handle of the script. */
import type { Task } from "../../interp/index.ts";
import { HandleValue } from "../../values/index.ts";

/** Gives 32 random bits at a time. */
export type RandomBits = () => number;

/** A generator that a script seeded: sfc32, small and good enough for simulations; not for secrets. */
export class Rng extends HandleValue {
  readonly type = "rng";
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(seed: bigint) {
    super();
    const bits = BigInt.asUintN(64, seed);
    this.a = Number(bits & 0xffff_ffffn) | 0;
    this.b = Number(bits >> 32n) | 0;
    this.c = 0x9e37_79b9 | 0;
    for (let i = 0; i < 12; i++) this.bits();
  }

  bits(): number {
    const t = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + t;
    this.c |= 0;
    return t >>> 0;
  }

  display(): string {
    return "<rng>";
  }
}

/** The bits of a handle, or of the run itself. */
export function bitsFrom(task: Task, rng: Rng | undefined): RandomBits {
  if (rng !== undefined) return () => rng.bits();
  const { effects } = task.runtime;
  return () => effects.random32(task.scope) >>> 0;
}

/** [0, 1) with 53 bits. */
export function randomFraction(bits: RandomBits): number {
  return ((bits() >>> 5) * 2 ** 26 + (bits() >>> 6)) / 2 ** 53;
}

/** A fair number in [0, count), by rejection. */
export function randomBelow(bits: RandomBits, count: bigint): bigint {
  const words = count <= 2n ** 32n ? 1n : count <= 2n ** 64n ? 2n : 3n;
  const space = 1n << (32n * words);
  const limit = space - (space % count);
  for (;;) {
    let drawn = 0n;
    for (let i = 0n; i < words; i++) drawn = (drawn << 32n) | BigInt(bits());
    if (drawn < limit) return drawn % count;
  }
}

export function randomBytes(bits: RandomBits, count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  for (let i = 0; i < count; i++) bytes[i] = bits() >>> 24;
  return bytes;
}
