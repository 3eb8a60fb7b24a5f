/** A journal of which, when its process dies, only what was flushed is left; and a disk that can be full. */
import {
  type Journal,
  JournalProblem,
  type JournalRecord,
  type JournalWriter,
  type Json,
  type RunHeader,
} from "../../effects/index.ts";

export class CrashJournal implements JournalWriter {
  private readonly lines: string[] = [];
  private flushed = 0;
  private printed = 0;
  private crashed = false;
  /** No more than so many records fit on the disk. */
  room = Number.POSITIVE_INFINITY;

  append(record: JournalRecord): void {
    if (this.crashed) return;
    if (this.lines.length >= this.room) {
      throw new JournalProblem("unwritable", "cannot write the journal: the disk is full");
    }
    this.lines.push(JSON.stringify(record));
  }
  blob(hash: string, text: string): void {
    this.append({ t: "blob", hash, v: JSON.parse(text) as Json });
  }
  flush(): void {
    if (!this.crashed) this.flushed = this.lines.length;
  }
  shown(pieces: number): void {
    this.flush();
    if (!this.crashed) this.printed = pieces;
  }
  close(): void {
    this.flush();
  }

  /** Nothing that happens from now on reaches the disk. */
  die(): void {
    this.crashed = true;
  }

  /** What the next process finds; `undefined` when nothing had been written. */
  left(): Journal | undefined {
    const [header, ...records] = this.lines
      .slice(0, this.flushed)
      .map((line) => JSON.parse(line) as JournalRecord);
    return header === undefined ? undefined : { header: header as RunHeader, records, shown: this.printed };
  }

  /** A journal that goes on after what was left. */
  static after(journal: Journal): CrashJournal {
    const next = new CrashJournal();
    for (const record of [journal.header, ...journal.records]) next.append(record);
    next.flush();
    next.shown(journal.shown ?? 0);
    return next;
  }
}
