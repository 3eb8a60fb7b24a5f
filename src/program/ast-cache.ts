/**
 * Syntax trees by text, so that a second run never builds the parser (start-up is part of speed). They
 * live in the user's cache folder only (those of a built executable in it), are written atomically, and whatever is unreadable is a
 * miss: a cache must never be the reason why a program does not run. Entries are data; nothing in them is ever executed.
 *
 *   entry = header line · source text · "!" when the JSON has marks, else " " · tree as JSON
 *   header = "harn-ast" shape textBytes treeBytes checksum
 *
 * An entry is believed only when its shape is ours, its lengths and checksum are right, and its source text *is* the text
 * asked for; the hash in the file name need not be a strong one. That, JSON, and no `os`, spare loading `node:crypto`,
 * `node:v8` and others: with `--stack-size` Node has no compiled form of them at hand (crypto 12–30 ms, v8 6–10 ms).
 */
import { readdirSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { ownExecutable } from "../host/command/index.ts";
import { replaceContent } from "../store/files/whole-files.ts";
import { cacheFolder, makeFolders } from "../store/folders.ts";
import { checksum } from "./checksum.ts";

export interface AstCacheSizes {
  /** Entries kept; the oldest go first. */
  readonly keep: number;
  /** One write in so many looks at the folder: listing it costs more than it saves. */
  readonly pruneEvery: number;
}

const usualSizes: AstCacheSizes = { keep: 500, pruneEvery: 32 };

const magic = "harn-ast";

/** Where they lie in an executable of `harn build`. */
const treeFolder = "trees";

export class AstCache<Ast> {
  private readonly folder: string | undefined;
  private readonly shape: string;
  private readonly sizes: AstCacheSizes;

  /** Without a folder nothing is kept. `shape` names what made the trees: entries of another one are not read. */
  constructor(folder: string | undefined, shape: string, sizes: AstCacheSizes = usualSizes) {
    this.folder = folder;
    this.shape = shape;
    this.sizes = sizes;
  }

  get(text: string): Ast | undefined {
    const source = Buffer.from(text);
    const name = this.nameOf(source);
    const shipped = ownExecutable()?.read(`${treeFolder}/${name}`);
    if (shipped === undefined && this.folder === undefined) return undefined;
    try {
      const entry =
        shipped === undefined
          ? readFileSync(join(this.folder ?? "", name))
          : Buffer.from(shipped.buffer, shipped.byteOffset, shipped.byteLength);
      return this.tree(entry, source) as Ast | undefined;
    } catch {
      return undefined;
    }
  }

  set(text: string, ast: Ast): void {
    if (this.folder === undefined) return;
    const source = Buffer.from(text);
    try {
      makeFolders(this.folder, 0o700);
      this.write(join(this.folder, this.nameOf(source)), this.entry(ast, source));
      this.prune(this.folder);
    } catch {
      // No cache folder, no space, read-only: the next run parses again.
    }
  }

  /** What `get` finds in an executable: its name there, and its bytes. */
  packed(text: string, ast: Ast): readonly [name: string, entry: Buffer] {
    const source = Buffer.from(text);
    return [`${treeFolder}/${this.nameOf(source)}`, this.entry(ast, source)];
  }

  private nameOf(source: Buffer): string {
    const shape = checksum(Buffer.from(this.shape));
    return `${checksum(source)}${shape.slice(0, 8)}.ast`;
  }

  private entry(ast: Ast, source: Buffer): Buffer {
    const marks = { any: false };
    const json = JSON.stringify(ast, (_key, value) => plainNode(value, marks));
    const tree = Buffer.from(`${marks.any ? "!" : " "}${json}`);
    const body = Buffer.concat([source, tree]);
    const header = [magic, this.shape, source.length, tree.length, checksum(body)];
    return Buffer.concat([Buffer.from(`${header.join(" ")}\n`), body]);
  }

  private tree(entry: Buffer, source: Buffer): unknown {
    const end = entry.indexOf(10);
    const body = entry.subarray(end + 1);
    const expected = [magic, this.shape, source.length, body.length - source.length, checksum(body)];
    const isOurs =
      entry.toString("latin1", 0, end) === expected.join(" ") &&
      source.equals(body.subarray(0, source.length));
    if (!isOurs) return undefined;
    const json = body.toString("utf8", source.length + 1);
    return body[source.length] === 33 ? JSON.parse(json, (_key, value) => unmarked(value)) : JSON.parse(json);
  }

  /** Beside it and renamed: a reader sees all of an entry or none, however many write. */
  private write(file: string, entry: Buffer): void {
    replaceContent(file, entry, 0o600);
  }

  /** Drops the oldest entries, and what writers that were killed left behind. */
  private prune(folder: string): void {
    if (Number(process.hrtime.bigint() % BigInt(this.sizes.pruneEvery)) !== 0) return;
    const entries = readdirSync(folder)
      .map((name) => join(folder, name))
      .map((file) => ({ file, at: statSync(file).mtimeMs }))
      .sort((a, b) => b.at - a.at);
    for (const { file } of entries.slice(this.sizes.keep)) unlinkSync(file);
  }
}

/** What JSON has no form for: integers from 2^53, and floats too large for a number. A tree has no other `$` key. */
function plainNode(value: unknown, marks: { any: boolean }): unknown {
  if (typeof value === "bigint") {
    marks.any = true;
    return { $: "int", text: String(value) };
  }
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
    marks.any = true;
    return { $: "float", text: Object.is(value, -0) ? "-0" : String(value) };
  }
  return value;
}

function unmarked(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("$" in value)) return value;
  const { $: kind, text } = value as { $: unknown; text?: unknown };
  return kind === "int" ? BigInt(String(text)) : Number(text);
}

export const astCacheFolder = (env?: NodeJS.ProcessEnv): string | undefined => cacheFolder("ast", env);
