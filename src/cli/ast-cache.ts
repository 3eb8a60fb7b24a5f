/**
 * Parsed programs by hash of their text, so that a second run never builds the parser (design.md §3, "Start-up is part
 * of speed"). It lives in the user's cache folder only, is written atomically, and anything unreadable in it is a miss:
 * a cache must never be the reason why a program does not run.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";

/** Entries kept; the oldest go first. */
const KEEP = 500;

export class AstCache<Ast> {
  private readonly folder: string;
  private readonly version: string;

  /** `version` names runtime and AST format: another version never reads this one's entries. */
  constructor(folder: string, version: string) {
    this.folder = folder;
    this.version = version;
  }

  get(text: string): Ast | undefined {
    try {
      return deserialize(readFileSync(this.file(text))) as Ast;
    } catch {
      return undefined;
    }
  }

  set(text: string, ast: Ast): void {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const file = this.file(text);
      const beside = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
      writeFileSync(beside, serialize(ast), { mode: 0o600 });
      renameSync(beside, file);
      this.prune();
    } catch {
      // No cache folder, no space, read-only: the next run parses again.
    }
  }

  private file(text: string): string {
    return join(
      this.folder,
      `${createHash("sha256").update(this.version).update("\0").update(text).digest("hex")}.ast`,
    );
  }

  /** Now and then, not at each write: listing a folder costs more than it saves. */
  private prune(): void {
    if (randomBytes(1)[0]! > 7) return;
    const entries = readdirSync(this.folder)
      .map((name) => join(this.folder, name))
      .map((file) => ({ file, at: statSync(file).mtimeMs }))
      .sort((a, b) => b.at - a.at);
    for (const { file } of entries.slice(KEEP)) unlinkSync(file);
  }
}

/** `XDG_CACHE_HOME/harn/ast`, else `~/.cache/harn/ast`. */
export function astCacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "harn", "ast");
}
