/** Randomness with a seed, and the vocabulary of the traces. */

export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** From `least` to `most`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(0, from.length - 1)] as T;
  }

  shuffled<T>(from: readonly T[]): T[] {
    const list = [...from];
    for (let at = list.length - 1; at > 0; at--) {
      const other = this.int(0, at);
      [list[at], list[other]] = [list[other] as T, list[at] as T];
    }
    return list;
  }

  hex(length: number): string {
    return Array.from({ length }, () => this.int(0, 15).toString(16)).join("");
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map((length) => this.hex(length)).join("-");
  }
}

const folders = [
  "src",
  "src/api",
  "src/store",
  "lib",
  "test",
  "app/models",
  "app/views",
  "docs",
  "cmd",
  "pkg/auth",
];
const stems = [
  "user",
  "order",
  "invoice",
  "session",
  "cache",
  "router",
  "parser",
  "token",
  "queue",
  "report",
  "mailer",
  "schema",
  "worker",
  "config",
  "billing",
  "search",
  "index",
  "upload",
  "export",
  "metrics",
];
const endings = ["ts", "py", "go", "rb", "md", "sql"];

/** Different paths. */
export function paths(random: Random, count: number): string[] {
  const found = new Set<string>();
  while (found.size < count) {
    const stem = random.pick(stems) + (random.chance(0.3) ? `_${random.pick(stems)}` : "");
    found.add(`${random.pick(folders)}/${stem}.${random.pick(endings)}`);
  }
  return [...found];
}

const words = [
  "return",
  "total",
  "const",
  "value",
  "filter",
  "await",
  "query",
  "items",
  "null",
  "map",
  "error",
  "state",
  "class",
  "import",
  "export",
  "limit",
  "offset",
  "header",
  "body",
  "retry",
  "price",
  "left",
  "join",
  "where",
  "commit",
];

/** A body of a file, a page, a log: so many lines of words. */
export function prose(random: Random, lines: number): string {
  return Array.from({ length: lines }, () =>
    Array.from({ length: random.int(3, 8) }, () => random.pick(words)).join(" "),
  ).join("\n");
}

/** How long something took, as tools write it: never the same twice. */
export const duration = (random: Random): string =>
  random.pick([
    `${random.int(1, 59)}.${random.int(10, 99)}s`,
    `${random.int(120, 9800)} ms`,
    `${random.int(1, 9)}.${random.int(1, 9)} seconds`,
    `${random.int(1, 5)}m${random.int(1, 59)}s`,
  ]);

/** A moment, as logs write it. */
export const moment = (random: Random): string =>
  `2026-${pad(random.int(1, 12))}-${pad(random.int(1, 28))}T${pad(random.int(0, 23))}:${pad(random.int(0, 59))}:${pad(random.int(0, 59))}Z`;

const pad = (number: number): string => `${number}`.padStart(2, "0");
