/**
 * The journal of a run that is killed, as `harn torture` kills them: after so many records nothing more reaches it, and the run ends
 * where it wants to write the next. What it has done since is done, and not recorded: the worst that a kill can leave.
 */
import { JournalProblem, type JournalRecord } from "../../effects/index.ts";
import type { RunWriter } from "../../store/index.ts";

export class BrokenOffJournal {
  /** Records that were written, in words. */
  readonly written: string[] = [];
  /** So many are written together when it begins: it was there with all of them, or not at all. */
  begun = 0;
  /** The run wanted to write one more. */
  isDead = false;
  private readonly limit: number;

  /** After so many records. */
  constructor(limit: number) {
    this.limit = limit;
  }

  of(writer: RunWriter): RunWriter {
    return new Proxy(writer, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== "function") return value;
        if (name === "append") return (record: JournalRecord) => this.append(target, record);
        // The process is gone, and with it what it owned.
        if (name === "close") return () => target.close();
        return (...args: unknown[]) => {
          this.mustLive();
          if (name === "flush" && this.begun === 0) this.begun = this.written.length;
          return (value as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  }

  private append(writer: RunWriter, record: JournalRecord): void {
    if (this.written.length >= this.limit) this.isDead = true;
    this.mustLive();
    writer.append(record);
    this.written.push(recordInWords(record));
    if (this.written.length === this.limit) writer.flush(true);
  }

  private mustLive(): void {
    if (this.isDead) throw new JournalProblem("unwritable", "killed");
  }
}

/** `intent tool.pay 0#3` */
function recordInWords(record: JournalRecord): string {
  const { t, k, p, n } = record as { t: string; k?: string; p?: string; n?: number };
  return [t, k, p === undefined ? undefined : n === undefined ? p : `${p}#${n}`]
    .filter((part) => part !== undefined)
    .join(" ");
}
