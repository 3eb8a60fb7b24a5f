/**
 * Conversations of editors, kept so that another process can load them: records of the project's ledger, shown as one JSON file
 * per session (`acp/ID.json` in the state folder). Written after every prompt; what cannot be written costs only that.
 */

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  EmbeddedLedger,
  type FileProjection,
  ProjectedFiles,
  type ProjectionFiles,
  records,
} from "../durable/index.ts";
import { type Json, Secrets } from "../effects/index.ts";
import { ownFile, ownStatePlaces, reportError } from "../host/command/index.ts";
import { createNodeHost, nodeDigest } from "../host/index.ts";
import { replaceContent } from "../store/files/whole-files.ts";
import { makeFolders } from "../store/folders.ts";
import { openStore } from "../store/index.ts";
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

const space = "editor.session";

export class EditorSessionFiles {
  private readonly state: string;

  private constructor(state: string) {
    this.state = state;
  }

  /** Those of the project that a folder belongs to. */
  static of(cwd: string): EditorSessionFiles {
    return new EditorSessionFiles(ownStatePlaces(cwd).state);
  }

  async write(session: StoredSession): Promise<void> {
    const { id } = session;
    try {
      await this.within((ledger, files) => {
        const value = session as unknown as Json;
        files.update(this.projection(ledger, id), () =>
          ledger.operateSync(records.write, { writes: [{ space, key: id, value }] }),
        );
      });
    } catch (error) {
      reportError(
        `harn: the session cannot be kept: ${error instanceof Error ? error.message : String(error)}\n`,
      );
    }
  }

  /** `undefined` when there is none of that id, or nothing of it can be read. */
  async read(id: string): Promise<StoredSession | undefined> {
    if (!existsSync(this.state)) return undefined;
    return await this.within((ledger, files) => this.opened(ledger, files, id));
  }

  /** All sessions, the youngest first. */
  async list(): Promise<StoredSession[]> {
    if (!existsSync(this.state)) return [];
    return await this.within((ledger, files) => {
      const ids = new Set(ledger.operateSync(records.list, { space }).map(({ key }) => key));
      for (const id of this.shownIds()) ids.add(id);
      return [...ids]
        .flatMap((id) => this.opened(ledger, files, id) ?? [])
        .sort((a, b) => b.updated - a.updated);
    });
  }

  /** The record, after what others did to its file was taken over. */
  private opened(ledger: EmbeddedLedger, files: ProjectedFiles, id: string): StoredSession | undefined {
    if (files.open(this.projection(ledger, id)))
      reportError(`harn: ${this.fileOf(id)} was changed by others; it counts as it is\n`);
    return soundSession(ledger.operateSync(records.get, { space, key: id }), id);
  }

  /** Ids of the files there are: an older version of harn has kept sessions in files alone. */
  private shownIds(): string[] {
    const folder = join(this.state, "acp");
    if (!existsSync(folder)) return [];
    return readdirSync(folder).flatMap((name) =>
      name.endsWith(".json") ? [name.slice(0, -".json".length)] : [],
    );
  }

  private projection(ledger: EmbeddedLedger, id: string): FileProjection {
    return {
      path: this.fileOf(id),
      render: () => {
        const kept = ledger.operateSync(records.get, { space, key: id });
        return kept === null ? undefined : JSON.stringify(kept);
      },
      adopt: (text) => {
        const value = text === undefined ? null : parsedSession(text, id);
        // A file that is broken says nothing: the record stays as it is.
        if (value === undefined) return;
        ledger.operateSync(records.write, {
          writes: [{ space, key: id, value: value as unknown as Json }],
        });
      },
    };
  }

  private async within<T>(work: (ledger: EmbeddedLedger, files: ProjectedFiles) => T): Promise<T> {
    const ledger = new EmbeddedLedger(openStore(this.state), createNodeHost().clock);
    try {
      return work(ledger, new ProjectedFiles(ledger, nodeProjectionFiles));
    } finally {
      await ledger.close();
    }
  }

  /** Ids are ours; what else arrives must not name another file. */
  private fileOf(id: string): string {
    return join(this.state, "acp", `${id.replaceAll(/[^A-Za-z0-9_-]/g, "_")}.json`);
  }
}

function parsedSession(text: string, id: string): StoredSession | undefined {
  try {
    return soundSession(JSON.parse(text) as Json, id);
  } catch {
    return undefined;
  }
}

function soundSession(value: Json, id: string): StoredSession | undefined {
  const stored = value as unknown as Partial<StoredSession> | null;
  return stored?.version === 1 && stored.id === id && Array.isArray(stored.messages)
    ? (stored as StoredSession)
    : undefined;
}

const nodeProjectionFiles: ProjectionFiles = {
  stat: (path) => statSync(path, { throwIfNoEntry: false }),
  readText: (path) => readFileSync(ownFile(path), "utf8"),
  makeDir: (path) => makeFolders(ownFile(path), 0o700),
  write: (path, text) => replaceContent(ownFile(path), text, 0o600),
  remove: (path) => rmSync(path, { force: true }),
  digest: (text) => nodeDigest(text),
  conceal: (text) => ownSecrets().hide(text),
  reveal: (path, text) => ((statSync(path).mode & 0o077) === 0 ? ownSecrets().revealInJson(text) : text),
};

/** Made at each use: an editor's process lives long, and its sessions are few. */
const ownSecrets = (): Secrets => Secrets.ofEnvironment(Object.entries(process.env) as [string, string][]);
