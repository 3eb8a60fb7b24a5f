/**
 * Conversations of editors, kept so that another process can load them: one JSON file per session under the project's
 * state folder. Written after every prompt; a file that cannot be written costs only that.
 */

import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Secrets } from "../../effects/index.ts";
import { makeFolders } from "../../host/index.ts";
import { manifestOf } from "../manifest/manifest.ts";
import { tellError } from "../tell.ts";
import type { StoredMessages } from "./session.ts";

export interface StoredSession {
  readonly version: 1;
  readonly id: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly updated: number;
  /** The first words of the user. */
  readonly title: string;
  readonly messages: StoredMessages;
}

export class SessionStore {
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** The store of the project that a folder belongs to. */
  static async of(cwd: string): Promise<SessionStore> {
    const named = process.env.HARN_STATE_DIR;
    if (named !== undefined && named !== "") return new SessionStore(join(named, "acp"));
    const manifest = await manifestOf(join(cwd, "harn.toml"));
    return new SessionStore(join(manifest === undefined ? cwd : dirname(manifest.path), ".harn", "acp"));
  }

  write(session: StoredSession): void {
    const file = this.fileOf(session.id);
    try {
      makeFolders(this.folder);
      writeFileSync(`${file}.new`, ownSecrets().hide(JSON.stringify(session)), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      tellError(`harn: the session cannot be kept: ${String(error)}\n`);
    }
  }

  /** `undefined` when there is none of that id, or its file is broken. */
  read(id: string): StoredSession | undefined {
    const file = this.fileOf(id);
    if (!existsSync(file)) return undefined;
    try {
      const stored = JSON.parse(
        ownSecrets().revealInJson(readFileSync(file, "utf8")),
      ) as Partial<StoredSession>;
      return stored.version === 1 && stored.id === id && Array.isArray(stored.messages)
        ? (stored as StoredSession)
        : undefined;
    } catch {
      return undefined;
    }
  }

  /** All sessions, the youngest first. */
  list(): StoredSession[] {
    if (!existsSync(this.folder)) return [];
    const ids = readdirSync(this.folder).flatMap((name) =>
      name.endsWith(".json") ? [name.slice(0, -".json".length)] : [],
    );
    return ids.flatMap((id) => this.read(id) ?? []).sort((a, b) => b.updated - a.updated);
  }

  /** Ids are ours; what else arrives must not name another file. */
  private fileOf(id: string): string {
    return join(this.folder, `${id.replaceAll(/[^A-Za-z0-9_-]/g, "_")}.json`);
  }
}

/** Made at each use: an editor's process lives long, and its sessions are few. */
const ownSecrets = (): Secrets => Secrets.ofEnvironment(Object.entries(process.env) as [string, string][]);
