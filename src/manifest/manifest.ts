/**
 * `harn.toml`: the manifest of the project that a file belongs to (language.md §20.5). It is looked for in the file's folder
 * and those above it, up to the root of the repository. The TOML reader is loaded when there is one.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { UsageError } from "../host/command/index.ts";
import { ownPath, perProcess } from "../process/index.ts";

export interface Manifest {
  readonly path: string;
  readonly tables: Readonly<Record<string, unknown>>;
}

const found = perProcess(() => new Map<string, Manifest | undefined>());

/** The manifest above a file; `undefined` when there is none. A broken one is a `UsageError`. */
export async function loadedManifest(file: string): Promise<Manifest | undefined> {
  const folder = dirname(resolve(ownPath(file)));
  const known = found();
  if (!known.has(folder)) known.set(folder, await find(folder));
  return known.get(folder);
}

async function find(start: string): Promise<Manifest | undefined> {
  const path = pathAbove(start);
  return path === undefined ? undefined : await read(path);
}

/** Where the manifest above a file is; `undefined` when there is none. */
export const manifestPath = (file: string): string | undefined => pathAbove(dirname(resolve(ownPath(file))));

function pathAbove(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, "harn.toml");
    if (existsSync(path)) return path;
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return undefined;
  }
}

async function read(path: string): Promise<Manifest> {
  const { parse } = await import("smol-toml");
  try {
    return { path, tables: parse(readFileSync(path, "utf8")) };
  } catch (error) {
    const [first] = String(error instanceof Error ? error.message : error).split("\n");
    throw new UsageError(`${path} cannot be read: ${first}`, "HARN-CLI-009");
  }
}

/** One table of a manifest, with readers that name the key that is wrong. */
export class Settings {
  private readonly where: string;
  private readonly table: Readonly<Record<string, unknown>>;

  constructor(manifest: Manifest | undefined, name: string) {
    const table = manifest === undefined ? {} : (manifest.tables[name] ?? {});
    this.where = `${manifest?.path ?? ""}: [${name}]`;
    if (typeof table !== "object" || table === null || Array.isArray(table))
      throw new UsageError(`${this.where}: expected a table`, "HARN-CLI-009");
    this.table = table as Readonly<Record<string, unknown>>;
  }

  /** A whole number of at least `least`. */
  count(key: string, least: number): number | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= least) return value;
    throw this.wrong(key, `a whole number from ${least} on`);
  }

  /** One of some words. */
  word<T extends string>(key: string, words: readonly T[]): T | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    if (words.includes(value as T)) return value as T;
    throw this.wrong(key, `one of ${words.join(", ")}`);
  }

  /** A list of strings; empty when the key is missing. */
  names(key: string): readonly string[] {
    const value = this.value(key) ?? [];
    if (Array.isArray(value) && value.every((item): item is string => typeof item === "string")) return value;
    throw this.wrong(key, "a list of strings");
  }

  /** A table of strings; empty when the key is missing. */
  texts(key: string): readonly (readonly [string, string])[] {
    const value = this.value(key) ?? {};
    const entries = typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [["", 0]];
    if (entries.every((pair): pair is [string, string] => typeof pair[1] === "string")) return entries;
    throw this.wrong(key, "a table of strings");
  }

  wrong(key: string, expected: string): UsageError {
    return new UsageError(`${this.where}: ${key}: expected ${expected}`, "HARN-CLI-009");
  }

  private value(key: string): unknown {
    return Object.hasOwn(this.table, key) ? this.table[key] : undefined;
  }
}
