/**
 * What changed in the folder of a conversation since somebody looked last: by programs that a tool ran as by tools that say what
 * they write. Sizes and times are compared, what may have changed is read. Bounded: of a larger folder the first files are looked
 * at, of a larger file its size and time.
 */
import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { FileChange } from "../../threads/index.ts";
import { bytesIn, textUnlessBinary } from "../supervise/attached-file.ts";
import { isHiddenName } from "../workspace.ts";

export interface WorkspaceBounds {
  readonly files: number;
  /** Of a file whose text is kept. */
  readonly fileBytes: number;
  /** Of all texts that are kept to tell what was there before. */
  readonly keptBytes: number;
}

export const workspaceBounds: WorkspaceBounds = {
  files: 5000,
  fileBytes: 256 * 1024,
  keptBytes: 16 * 1024 * 1024,
};

interface WorkspaceFileState {
  /** Size, time and number of the file. */
  readonly mark: string;
  readonly bytes: number;
  /** SHA-256 of the content; null: too large, or not to be read. */
  readonly hash: string | null;
  /** Null: no text, or no room to keep it. */
  readonly text: string | null;
}

/** What is there to be built or fetched again, and what nobody is shown. */
const isPassedOver = (name: string): boolean =>
  name === ".git" || name === "node_modules" || isHiddenName(name);

export class WorkspaceChanges {
  private readonly folder: string;
  private readonly bounds: WorkspaceBounds;
  private readonly warn: (text: string) => void;
  private known = new Map<string, WorkspaceFileState>();
  /** Path ▸ digest of the content after the last change that was given. */
  private readonly shown = new Map<string, string | null>();
  private kept = 0;
  private hasWarned = false;

  constructor(folder: string, warn: (text: string) => void, bounds = workspaceBounds) {
    this.folder = folder;
    this.warn = warn;
    this.bounds = bounds;
  }

  /** What is there now is what the next look compares with. */
  begin(): void {
    const now = new Map<string, WorkspaceFileState>();
    this.kept = 0;
    for (const path of this.paths()) {
      const state = this.stateOf(path, this.known.get(path));
      if (state !== undefined) now.set(path, state);
    }
    this.known = now;
  }

  /** What is different from the last look, by path. */
  look(): FileChange[] {
    const before = this.known;
    this.begin();
    const now = this.known;
    const changes: FileChange[] = [];
    for (const [path, state] of now) {
      const was = before.get(path);
      if (was === undefined) changes.push(this.change(path, "created", was, state));
      else if (was !== state && (state.hash === null || was.hash !== state.hash))
        changes.push(this.change(path, "written", was, state));
    }
    for (const [path, was] of before)
      if (!now.has(path)) changes.push(this.change(path, "removed", was, undefined));
    return changes;
  }

  private change(
    path: string,
    change: FileChange["change"],
    was: WorkspaceFileState | undefined,
    now: WorkspaceFileState | undefined,
  ): FileChange {
    // Mostly what was there before is the text after the change before.
    const isKnown = was === undefined || this.shown.get(path) === was.hash;
    this.shown.set(path, now?.hash ?? null);
    return {
      path,
      change,
      before: was?.hash ?? null,
      after: now?.hash ?? null,
      bytes: now?.bytes ?? null,
      ...(isKnown ? {} : { before_text: was.text }),
      after_text: now?.text ?? null,
    };
  }

  private *paths(): Generator<string> {
    let left = this.bounds.files;
    const folders = [""];
    for (let at = 0; at < folders.length; at++) {
      const folder = folders[at] as string;
      for (const entry of entriesOf(join(this.folder, folder))) {
        if (isPassedOver(entry.name)) continue;
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) folders.push(path);
        else if (entry.isFile() && left-- > 0) yield path;
      }
      if (left >= 0) continue;
      if (!this.hasWarned)
        this.warn(
          `changes of files are shown of the first ${this.bounds.files} of the workspace: it has more`,
        );
      this.hasWarned = true;
      return;
    }
  }

  private stateOf(path: string, known: WorkspaceFileState | undefined): WorkspaceFileState | undefined {
    try {
      const stats = lstatSync(join(this.folder, path), { bigint: true });
      const mark = markOf(stats);
      const bytes = Number(stats.size);
      const state = known?.mark === mark ? known : this.read(path, mark, bytes);
      this.kept += state.text === null ? 0 : bytes;
      return state;
    } catch {
      // Gone, or not to be read: as if it were not there.
      return undefined;
    }
  }

  private read(path: string, mark: string, bytes: number): WorkspaceFileState {
    const content = bytesIn(this.folder, path, this.bounds.fileBytes);
    if (!(content instanceof Uint8Array)) return { mark, bytes, hash: null, text: null };
    const hash = createHash("sha256").update(content).digest("hex");
    const hasRoom = this.kept + bytes <= this.bounds.keptBytes;
    return { mark, bytes, hash, text: (hasRoom ? textUnlessBinary(content) : undefined) ?? null };
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

const markOf = ({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string =>
  `${size}:${mtimeNs}:${ctimeNs}:${ino}`;
