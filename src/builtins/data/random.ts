/** Randomness and UUIDs (builtins.md §2.7). All of it comes from the run's seed, so a replay draws the same. */
import type { Task } from "../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { Float, hexText, intFromBig, List, type Value } from "../../values/index.ts";
import { type Argument, isInt, textOf, utf8 } from "../arguments.ts";
import { realTime } from "../time/clock-state.ts";
import { bitsFrom, Rng, randomBelow, randomBytes, randomFraction } from "./random-source.ts";

/** An optional leading handle. */
function splitRng(args: readonly Argument[]): [Rng | undefined, readonly Argument[]] {
  const [first, ...rest] = args;
  return first instanceof Rng ? [first, rest] : [undefined, args];
}

function randomUuidText(bytes: Uint8Array, version: number): string {
  bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return canonicalSeed(hexText(bytes));
}

function canonicalSeed(digits: string): string {
  return [8, 12, 16, 20, 32].map((end, index, ends) => digits.slice(ends[index - 1] ?? 0, end)).join("-");
}

const namespaces: ReadonlyMap<string, string> = new Map([
  ["dns", "6ba7b8109dad11d180b400c04fd430c8"],
  ["url", "6ba7b8119dad11d180b400c04fd430c8"],
  ["oid", "6ba7b8129dad11d180b400c04fd430c8"],
  ["x500", "6ba7b8149dad11d180b400c04fd430c8"],
]);

/** 32 lower-case digits, or `undefined`. Braces, `urn:uuid:` and missing hyphens are fine. */
function uuidDigits(text: string): string | undefined {
  const plain = text
    .toLowerCase()
    .replace(/^urn:uuid:/, "")
    .replace(/^\{(.*)\}$/, "$1");
  if (/^[0-9a-f]{32}$/.test(plain)) return plain;
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(plain) ? plain.replaceAll("-", "") : undefined;
}

function uuidV5(task: Task, namespace: string, name: string): string {
  const digits = namespaces.get(namespace.toLowerCase()) ?? uuidDigits(namespace);
  if (digits === undefined) {
    throw refusal(at("uuid_v5", "namespace"), "a UUID, or one of dns, url, oid, x500", namespace);
  }
  const space = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const text = utf8(name);
  const data = new Uint8Array(space.length + text.length);
  data.set(space);
  data.set(text, space.length);
  return randomUuidText(task.runtime.host.crypto.hash("sha1", data).slice(0, 16), 5);
}

function uuidV7(task: Task): string {
  const bytes = randomBytes(bitsFrom(task, undefined), 16);
  let ms = realTime(task);
  for (let i = 5; i >= 0; i--) {
    bytes[i] = ms % 256;
    ms = Math.floor(ms / 256);
  }
  return randomUuidText(bytes, 7);
}

export const random = defineBuiltins("random", {
  rng_seed: {
    doc: "A random generator of its own: equal seeds give equal sequences.",
    sig: "(seed!: int) -> rng",
    effect: "pure",
    example: "rng_seed(1)  // <rng>",
    run: (_task, seed: number | bigint) => new Rng(BigInt(seed)),
  },
  random: {
    doc: "A float from 0 up to, but not including, 1.",
    sig: "(rng?: rng) -> float",
    effect: "state",
    example: "random() < 1.0  // true",
    run: (task, ...args: Argument[]) => new Float(randomFraction(bitsFrom(task, splitRng(args)[0]))),
  },
  random_u64: {
    doc: "63 random bits: an int from 0 up to the largest there is.",
    sig: "(rng?: rng) -> int",
    effect: "state",
    example: "random_u64() >= 0  // true",
    run: (task, rng: Argument) =>
      intFromBig(randomBelow(bitsFrom(task, rng instanceof Rng ? rng : undefined), 2n ** 63n)),
  },
  random_int: {
    doc: "An int between two bounds, both included. An optional generator comes first.",
    sig: "(...args: any) -> int?",
    effect: "state",
    example: "random_int(4, 4)  // 4",
    run: (task, ...args: Argument[]) => {
      const [rng, [low, high]] = splitRng(args);
      if (low === undefined || high === undefined) return null;
      if (!isInt(low)) throw refusal(at("random_int", "min"), "int", low);
      if (!isInt(high)) throw refusal(at("random_int", "max"), "int", high);
      if (low > high) return null;
      const span = BigInt(high) - BigInt(low) + 1n;
      const drawn = BigInt(low) + randomBelow(bitsFrom(task, rng), span);
      const small = Number(drawn);
      return Number.isSafeInteger(small) ? small : drawn;
    },
  },
  random_choice: {
    doc: "An element of a list; nil when it is empty. An optional generator comes first.",
    sig: "(...args: any) -> any",
    effect: "state",
    example: "random_choice([7])  // 7",
    run: (task, ...args: Argument[]) => {
      const [rng, [values]] = splitRng(args);
      if (!(values instanceof List) || values.length === 0) return null;
      return values.at(Number(randomBelow(bitsFrom(task, rng), BigInt(values.length)))) ?? null;
    },
  },
  random_shuffle: {
    doc: "The elements of a list in random order. An optional generator comes first.",
    sig: "(...args: any) -> list?",
    effect: "state",
    example: "len(random_shuffle([1, 2, 3]))  // 3",
    run: (task, ...args: Argument[]) => {
      const [rng, [values]] = splitRng(args);
      if (!(values instanceof List)) return null;
      const bits = bitsFrom(task, rng);
      const mixed: Value[] = values.toArray();
      for (let i = mixed.length - 1; i > 0; i--) {
        const j = Number(randomBelow(bits, BigInt(i + 1)));
        [mixed[i], mixed[j]] = [mixed[j] as Value, mixed[i] as Value];
      }
      return new List(mixed);
    },
  },
  uuid: {
    doc: "A random UUID (version 4).",
    sig: "() -> string",
    effect: "state",
    example: "len(uuid())  // 36",
    run: (task) => randomUuidText(randomBytes(bitsFrom(task, undefined), 16), 4),
  },
  uuid_v7: {
    doc: "A UUID that sorts by time (version 7).",
    sig: "() -> string",
    effect: "state",
    performs: true,
    example: "len(uuid_v7())  // 36",
    run: (task) => uuidV7(task),
  },
  uuid_v5: {
    doc: "The UUID of a name in a namespace (version 5): a UUID, or dns, url, oid, x500.",
    sig: "(namespace: string, name: any) -> string",
    effect: "pure",
    oneWay: true,
    example: 'uuid_v5("dns", "python.org")  // 886313e1-3b8a-5372-9b90-0c9aee199e5d',
    run: (task, namespace: Argument, name: Argument) => uuidV5(task, textOf(namespace), textOf(name)),
  },
  uuid_nil: {
    doc: "The UUID of zeros.",
    sig: "() -> string",
    effect: "pure",
    example: "uuid_nil()  // 00000000-0000-0000-0000-000000000000",
    run: () => canonicalSeed("0".repeat(32)),
  },
  uuid_parse: {
    doc: "The canonical form of a UUID, braces allowed; nil when it is none.",
    sig: "(text: any) -> string?",
    effect: "pure",
    example: 'uuid_parse("nope")  // nil',
    run: (_task, text: Argument) => {
      const digits = uuidDigits(textOf(text));
      return digits === undefined ? null : canonicalSeed(digits);
    },
  },
});
