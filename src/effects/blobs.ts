/**
 * How data is laid out in a journal: arguments canonical (keys sorted), because they are compared, results with their keys as
 * they came, because a program may send them on (a vendor's prompt cache compares bytes); both in pieces. What is large is stored once under the hash
 * of its content and referred to from then on, so a conversation that is sent again with one more message costs one
 * message, not the conversation:
 *
 *   a long string, a large object        {"$blob": HASH}
 *   a list of more than 8 elements       {"$list": ["+", HASH, rest]}: each full group of 3 is a blob that names the group
 *                                        before it, so an appended element costs itself and what stands in `rest`
 *   an object with one of these keys     {"$esc": {...}}
 *
 * In format 1 lists of more than 16 elements are trees, {"$list": [depth, groups of groups of 16]}, and hashes have 64 digits
 * instead of 32: a turn of a long conversation cost twice its content.
 */
import type { Json } from "../values/index.ts";

/** SHA-256 of a text in hexadecimal. Given by the host. */
export type Digest = (text: string) => string;

/** Text at least this long is stored apart. */
const blobSize = 512;
/** Lists up to this length stay as they are. */
const shortList = 8;
/** Larger groups are fewer, but more of them stands in `rest` each time: 3 was the least for turns of 1 to 5 kB. */
const groupSize = 3;
const treeGroupSize = 16;
const hashLength = 32;

const tags = ["$blob", "$list", "$esc"];

export interface BlobSink {
  /** Stores packed JSON text under its hash, if it is not there yet. */
  put(hash: string, text: string): void;
}

interface JsonWithSize {
  readonly json: Json;
  /** About how long its text is. */
  readonly size: number;
}

/** The order of keys: `sorted` where data is compared, `given` where it is handed back. */
export type KeyOrder = "sorted" | "given";

/** Lays data out for a journal of this format, storing large pieces in `sink`. */
export function pack(json: Json, digest: Digest, sink: BlobSink, format: number, order: KeyOrder): Json {
  const packer = format === 1 ? new TreePacker(digest, sink, order) : new Packer(digest, sink, order);
  return packer.pack(json).json;
}

class Packer {
  protected readonly digest: Digest;
  private readonly sink: BlobSink;
  private readonly order: KeyOrder;
  /** Lists up to here are kept as they are. */
  protected readonly maxLength: number = shortList;
  constructor(digest: Digest, sink: BlobSink, order: KeyOrder) {
    this.digest = digest;
    this.sink = sink;
    this.order = order;
  }

  pack(json: Json): JsonWithSize {
    if (typeof json === "string") {
      const packed = { json, size: json.length + 2 };
      return packed.size < blobSize ? packed : this.apart(packed);
    }
    if (json === null || typeof json !== "object") return { json, size: 8 };
    return Array.isArray(json) ? this.list(json) : this.object(json as { readonly [key: string]: Json });
  }

  private object(json: { readonly [key: string]: Json }): JsonWithSize {
    const copy: Record<string, Json> = Object.create(null);
    let size = 2;
    let tagged = false;
    const keys = Object.keys(json);
    if (this.order === "sorted") keys.sort();
    for (const key of keys) {
      const value = json[key];
      if (value === undefined) continue;
      const packed = this.pack(value);
      copy[key] = packed.json;
      size += key.length + 4 + packed.size;
      tagged ||= tags.includes(key);
    }
    const packed: JsonWithSize = { json: tagged ? { $esc: copy } : copy, size };
    return size < blobSize ? packed : this.apart(packed);
  }

  private list(json: readonly Json[]): JsonWithSize {
    const items = json.map((item) => this.pack(item));
    if (items.length > this.maxLength) return this.grouped(items);
    const packed = plainList(items);
    return packed.size < blobSize ? packed : this.apart(packed);
  }

  /** A chain of full groups, and the rest. */
  protected grouped(items: readonly JsonWithSize[]): JsonWithSize {
    let before: JsonWithSize = { json: null, size: 4 };
    let at = 0;
    for (; items.length - at > groupSize; at += groupSize) {
      before = this.apart(plainList([before, ...items.slice(at, at + groupSize)]));
    }
    const rest = plainList(items.slice(at));
    return { json: { $list: ["+", before.json, rest.json] }, size: before.size + rest.size + 16 };
  }

  protected apart(packed: JsonWithSize): JsonWithSize {
    const text = JSON.stringify(packed.json);
    const hash = this.hash(text);
    this.sink.put(hash, text);
    return { json: { $blob: hash }, size: hash.length + 12 };
  }

  protected hash(text: string): string {
    return this.digest(text).slice(0, hashLength);
  }
}

/** Format 1. */
class TreePacker extends Packer {
  protected override readonly maxLength: number = treeGroupSize;

  /** Leaves of 16, and inner nodes of 16 until few enough are left. */
  protected override grouped(items: readonly JsonWithSize[]): JsonWithSize {
    let level = items;
    let depth = 0;
    while (level.length > treeGroupSize) {
      const next: JsonWithSize[] = [];
      for (let i = 0; i < level.length; i += treeGroupSize) {
        const group = level.slice(i, i + treeGroupSize);
        const full = group.length === treeGroupSize;
        next.push(full ? this.apart(plainList(group)) : plainList(group));
      }
      level = next;
      depth++;
    }
    const body = plainList(level);
    return { json: { $list: [depth, body.json] }, size: body.size + 12 };
  }

  protected override hash(text: string): string {
    return this.digest(text);
  }
}

function plainList(items: readonly JsonWithSize[]): JsonWithSize {
  let size = 2;
  for (const item of items) size += item.size + 1;
  return { json: items.map((item) => item.json), size };
}

/** Puts packed data together again. `get` gives the packed text of a blob, or `undefined` when it is missing. */
export function unpack(json: Json, get: (hash: string) => Json | undefined): Json {
  if (json === null || typeof json !== "object") return json;
  if (Array.isArray(json)) return json.map((item) => unpack(item, get));
  const object = json as { readonly [key: string]: Json };
  if (Object.hasOwn(object, "$blob")) return unpack(blob(object.$blob as string, get), get);
  if (Object.hasOwn(object, "$list")) {
    const parts = listIn(object.$list);
    if (parts[0] === "+") return unchain(parts[1] ?? null, listIn(parts[2]), get);
    return ungroup(parts[1] as Json, parts[0] as number, get);
  }
  const source = Object.hasOwn(object, "$esc") ? (object.$esc as { readonly [key: string]: Json }) : object;
  const copy: Record<string, Json> = Object.create(null);
  for (const key of Object.keys(source)) copy[key] = unpack(source[key] as Json, get);
  return copy;
}

function unchain(last: Json, rest: readonly Json[], get: (hash: string) => Json | undefined): Json[] {
  const groups: (readonly Json[])[] = [rest];
  const seen = new Set<string>();
  for (let before = last; before !== null; ) {
    const hash = hashIn(before);
    // No group can name itself: hashes were exchanged.
    if (seen.has(hash)) throw new MissingBlob(hash);
    seen.add(hash);
    const [earlier = null, ...items] = listIn(blob(hash, get));
    groups.push(items);
    before = earlier;
  }
  return groups.reverse().flatMap((group) => group.map((item) => unpack(item, get)));
}

function ungroup(body: Json, depth: number, get: (hash: string) => Json | undefined): Json[] {
  const group = Array.isArray(body) ? body : listIn(blob(hashIn(body), get));
  if (depth === 0) return group.map((item) => unpack(item, get));
  return group.flatMap((inner) => ungroup(inner, depth - 1, get));
}

/** Journals come from outside: what should be a list and is not counts as missing. */
function listIn(json: Json | undefined): readonly Json[] {
  if (Array.isArray(json)) return json;
  throw new MissingBlob("(damaged)");
}

function hashIn(json: Json): string {
  const hash = json === null || typeof json !== "object" ? undefined : (json as { $blob?: Json }).$blob;
  if (typeof hash === "string") return hash;
  throw new MissingBlob("(damaged)");
}

/** A piece that a journal refers to and does not hold. */
export class MissingBlob {
  readonly hash: string;
  constructor(hash: string) {
    this.hash = hash;
  }
}

function blob(hash: string, get: (hash: string) => Json | undefined): Json {
  const found = get(hash);
  if (found === undefined) throw new MissingBlob(hash);
  return found;
}
