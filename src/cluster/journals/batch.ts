/** What runs and their job wrote, gathered into one statement (`append`). Pure. */
import { crc32 } from "node:zlib";
import type { MirroredWrite } from "../../store/copies/index.ts";
import type { OutputPiece } from "../ports.ts";
import type { SqlStatement, Statements } from "./statements.ts";

/** A write of which the database may have some of the pieces: those come without a body, only their use is noted. */
export interface BatchWrite extends Omit<MirroredWrite, "pieces"> {
  readonly pieces: readonly (readonly [hash: string, body: string | undefined])[];
}

/** Where a text lies in the bytes. */
interface TextSlice {
  /** From 1 on. */
  readonly at: number;
  readonly length: number;
}

interface BatchRun {
  /** In the list of runs, from 1 on. */
  readonly place: number;
  begun?: { readonly header: TextSlice; readonly parent: string | undefined };
  shown?: number;
  /** Bodies by number: what is written once more is in it once. */
  readonly records: Map<number, TextSlice & { readonly sum: number }>;
  readonly pieces: Set<number>;
}

/** An array of PostgreSQL in its text form. */
const numbers = (list: readonly number[]): string => `{${list.join()}}`;

export class WriteBatch {
  private readonly texts: Uint8Array[] = [];
  private size = 0;
  private readonly runs = new Map<string, BatchRun>();
  /** Hash → place and body. */
  private readonly pieces = new Map<
    string,
    { readonly place: number; readonly body: TextSlice | undefined }
  >();
  private readonly printed: { readonly piece: OutputPiece; readonly body: TextSlice }[] = [];

  get bytes(): number {
    return this.size;
  }

  /** Records that the statement has to have written. */
  get records(): number {
    let count = 0;
    for (const { records } of this.runs.values()) count += records.size;
    return count;
  }

  add(write: BatchWrite): void {
    const run = this.run(write.run);
    if (write.header !== undefined) run.begun = { header: this.put(write.header), parent: write.parent };
    if (write.shown !== undefined) run.shown = write.shown;
    for (const [hash, body] of write.pieces) run.pieces.add(this.piece(hash, body));
    write.records.forEach((body, at) => {
      const bytes = Buffer.from(body);
      run.records.set(write.from + at, { ...this.put(bytes), sum: crc32(bytes) | 0 });
    });
  }

  print(piece: OutputPiece): void {
    this.printed.push({ piece, body: this.put(piece.text) });
  }

  /** The statement that adds it, and what that takes. */
  addedBy(
    sql: Pick<Statements, "append" | "appendRecords">,
    { job, fence, isDurable }: { readonly job: string; readonly fence: number; readonly isDurable: boolean },
  ): { readonly statement: SqlStatement; readonly values: readonly unknown[] } {
    const runs = [...this.runs.entries()];
    const records = runs.flatMap(([, run]) =>
      [...run.records].map(([seq, record]) => ({ run: run.place, seq, ...record })),
    );
    const shown = runs.flatMap(([, { place, shown }]) => (shown === undefined ? [] : [{ place, shown }]));
    const values = [
      job,
      fence,
      Buffer.concat(this.texts),
      isDurable,
      runs.map(([name]) => name),
      numbers(records.map(({ run }) => run)),
      numbers(records.map(({ seq }) => seq)),
      numbers(records.map(({ at }) => at)),
      numbers(records.map(({ length }) => length)),
      numbers(records.map(({ sum }) => sum)),
      numbers(shown.map(({ place }) => place)),
      numbers(shown.map(({ shown }) => shown)),
    ];
    const isAll =
      this.pieces.size + this.printed.length > 0 || runs.some(([, { begun }]) => begun !== undefined);
    return isAll
      ? { statement: sql.append, values: [...values, ...this.moreValues()] }
      : { statement: sql.appendRecords, values };
  }

  private moreValues(): unknown[] {
    const { printed } = this;
    const runs = [...this.runs.entries()];
    const begun = runs.flatMap(([name, { begun, shown = 0 }]) =>
      begun === undefined ? [] : [{ name, shown, ...begun }],
    );
    const pieces = [...this.pieces.entries()];
    const uses = runs.flatMap(([, run]) => [...run.pieces].map((piece) => ({ run: run.place, piece })));
    return [
      begun.map(({ name }) => name),
      begun.map(({ parent }) => parent ?? null),
      numbers(begun.map(({ header }) => header.at)),
      numbers(begun.map(({ header }) => header.length)),
      numbers(begun.map(({ shown }) => shown)),
      pieces.map(([hash]) => hash),
      numbers(pieces.map(([, { body }]) => body?.at ?? 1)),
      numbers(pieces.map(([, { body }]) => body?.length ?? -1)),
      numbers(uses.map(({ run }) => run)),
      numbers(uses.map(({ piece }) => piece)),
      numbers(printed.map(({ piece }) => piece.at)),
      printed.map(({ piece }) => piece.stream),
      numbers(printed.map(({ body }) => body.at)),
      numbers(printed.map(({ body }) => body.length)),
    ];
  }

  /** What `whyNot` takes. */
  asked(job: string): unknown[] {
    const runs = [...this.runs.entries()];
    const begun = runs.flatMap(([name, run]) => (run.begun === undefined ? [] : [name]));
    return [job, runs.map(([name]) => name), begun];
  }

  private run(name: string): BatchRun {
    const known = this.runs.get(name) ?? { place: this.runs.size + 1, records: new Map(), pieces: new Set() };
    this.runs.set(name, known);
    return known;
  }

  private piece(hash: string, body: string | undefined): number {
    const known = this.pieces.get(hash);
    const place = known?.place ?? this.pieces.size + 1;
    if (known?.body === undefined)
      this.pieces.set(hash, { place, body: body === undefined ? undefined : this.put(body) });
    return place;
  }

  private put(text: string | Uint8Array): TextSlice {
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    const at = this.size + 1;
    this.texts.push(bytes);
    this.size += bytes.length;
    return { at, length: bytes.length };
  }
}
