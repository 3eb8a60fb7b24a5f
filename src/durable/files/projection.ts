/**
 * Files that show what the store holds. The store wins: a file is written from it, inside the transaction of the change, so
 * files and store change in one order. A file that is not what was written last (an older version made it, somebody edited
 * or removed it) is taken over before it is written again; whoever opens it says so in one line.
 */
import type { EmbeddedLedger } from "../embedded.ts";
import { projections } from "../operations/projections.ts";

/** The files of those who show something; paths are absolute. */
export interface ProjectionFiles {
  /** `undefined` where there is nothing. */
  stat(path: string): unknown;
  readText(path: string): string;
  makeDir(path: string): void;
  /** For its owner's eyes only. */
  write(path: string, text: string): void;
  remove(path: string): void;
  digest(text: string): string;
  /** A text as it lies in the file: with names in the place of secrets. */
  conceal(text: string): string;
  /** The other way round, as far as the file is closed to others. */
  reveal(path: string, text: string): string;
}

export interface FileProjection {
  readonly path: string;
  /** The file's text as the store has it now; `undefined`: there is no file. */
  readonly render: () => string | undefined;
  /**
   * Puts into the store what the file says; `undefined`: the file is gone. Throws when it can't be read as what it is. Absent
   * where nobody reads the file but people: then it is written over.
   */
  readonly adopt?: (text: string | undefined) => void;
}

interface Updated<T> {
  readonly result: T;
  /** It had been written by the store, and somebody has changed it since. */
  readonly isEdited: boolean;
}

export class ProjectedFiles {
  private readonly ledger: EmbeddedLedger;
  private readonly files: ProjectionFiles;

  constructor(ledger: EmbeddedLedger, files: ProjectionFiles) {
    this.ledger = ledger;
    this.files = files;
  }

  /** Takes over what others wrote, makes the change, and writes the file: all of it, or nothing. */
  update<T>(projection: FileProjection, change: () => T): Updated<T> {
    return this.ledger.together(() => {
      const isEdited = this.takeOver(projection) === "edited";
      const result = change();
      this.write(projection);
      return { result, isEdited };
    });
  }

  /** Takes over what others wrote, without a change. True when the store had written the file before. */
  open(projection: FileProjection): boolean {
    return this.ledger.together(() => {
      const found = this.takeOver(projection);
      if (found !== "same") this.note(projection.path, this.textOf(projection.path));
      return found === "edited";
    });
  }

  /** `new`: the store had never written it. */
  private takeOver({ path, adopt }: FileProjection): "same" | "new" | "edited" {
    if (adopt === undefined) return "same";
    const known = this.ledger.operateSync(projections.digest, { path });
    const text = this.textOf(path);
    if (this.digestOf(text) === (known?.digest ?? null)) return "same";
    adopt(text === undefined ? undefined : this.files.reveal(path, text));
    return known === null ? "new" : "edited";
  }

  private write({ path, render }: FileProjection): void {
    const shown = render();
    const text = shown === undefined ? undefined : this.files.conceal(shown);
    if (text !== undefined) {
      this.files.makeDir(path.slice(0, Math.max(1, path.lastIndexOf("/"))));
      this.files.write(path, text);
    } else if (this.files.stat(path) !== undefined) this.files.remove(path);
    this.note(path, text);
  }

  private note(path: string, text: string | undefined): void {
    this.ledger.operateSync(projections.wrote, { path, digest: this.digestOf(text) });
  }

  private textOf(path: string): string | undefined {
    return this.files.stat(path) === undefined ? undefined : this.files.readText(path);
  }

  private digestOf(text: string | undefined): string | null {
    return text === undefined ? null : this.files.digest(text);
  }
}
