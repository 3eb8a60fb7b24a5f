/** `[cluster]` as it was written, with what it points to: variables of the environment, mounted files. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Code } from "../../diagnostics/index.ts";
import { UsageError } from "../../host/command/index.ts";
import { clusterFields, type Manifest } from "../../manifest/index.ts";
import { variable } from "../../process/environment.ts";
import { ownVariables } from "../../process/index.ts";
import { at, type Read, readRows } from "../../table/index.ts";
import {
  type Dict,
  display,
  fromJson,
  isJsonObject,
  type Json,
  type JsonObject,
  ScriptError,
} from "../../values/index.ts";

/** What it points to is read when it is asked for. */
export class ClusterTable {
  readonly manifest: Manifest;
  readonly said: Read<typeof clusterFields>;
  private readonly table: JsonObject;
  private readonly env = ownVariables();

  constructor(manifest: Manifest) {
    this.manifest = manifest;
    const where = `${manifest.path}: [cluster]`;
    // Dates become their text, as elsewhere.
    const table = JSON.parse(JSON.stringify(manifest.tables.cluster)) as Json;
    if (!isJsonObject(table)) throw new UsageError(`${where}: expected a table`, "HARN-CLU-003");
    this.table = table;
    try {
      this.said = readRows(fromJson(table) as Dict, clusterFields, at(where));
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      throw new UsageError(display(error.value), "HARN-CLU-003");
    }
  }

  place(key: string): string {
    return `${this.manifest.path}: [cluster]: ${key}`;
  }

  wrong(key: string, words: string, code: Code = "HARN-CLU-003"): UsageError {
    return new UsageError(`${this.place(key)}: ${words}`, code);
  }

  /** The value stands here itself. */
  isLiteral(text: string): boolean {
    return !pointer.test(text);
  }

  /** By the manifest, or by a file that it says: one may come with it wherever it lies. The environment is the user's. */
  isNamedByProject(text: string): boolean {
    return pointer.exec(text)?.[1] !== "env";
  }

  /** What the driver of the database takes by itself, as it takes it. */
  get driverPassword(): string | undefined {
    return variable(this.env, "PGPASSWORD") || undefined;
  }

  /** What `env:NAME` or `file:PATH` says; `undefined` for a value that stands here itself. */
  pointed(key: string, text: string): string | undefined {
    const [, kind, name = ""] = pointer.exec(text) ?? [];
    if (kind === undefined) return undefined;
    const found = kind === "env" ? this.env.get(name)?.trim() : this.content(key, name).trim();
    if (found !== undefined && found !== "") return found;
    throw this.wrong(key, kind === "env" ? `the environment has no ${name}` : `${name} is empty`);
  }

  /** A file that a key names; relative to the manifest. */
  file(key: "tls_ca" | "tls_cert" | "tls_key"): string | undefined {
    const path = this.said[camelKeys[key]];
    if (path === null) return undefined;
    if (path.includes("-----BEGIN"))
      throw this.wrong(key, "expected the path of a PEM file, and its content stands here", "HARN-CLU-004");
    return this.content(key, path);
  }

  variable(name: Parameters<typeof variable>[1]): string | undefined {
    return variable(this.env, name)?.trim() || undefined;
  }

  /** What the user agrees to: the table as it is, in this place, with the addresses that it comes to. */
  agreement(addresses: Readonly<Record<string, string>>): JsonObject {
    return { ...this.table, ...addresses };
  }

  private get folder(): string {
    return dirname(this.manifest.path);
  }

  private resolved(path: string): string {
    return resolve(this.folder, path);
  }

  private content(key: string, path: string): string {
    try {
      return readFileSync(this.resolved(path), "utf8");
    } catch (error) {
      throw this.wrong(key, `${path} can't be read: ${(error as Error).message.split(",")[0] ?? ""}`);
    }
  }
}

const pointer = /^(env|file):(.+)$/s;
const camelKeys = { tls_ca: "tlsCa", tls_cert: "tlsCert", tls_key: "tlsKey" } as const;
