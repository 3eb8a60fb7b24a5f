/** Notes of conversations and the pages that were fetched for them. */
import { defineOperations, operation } from "../operation.ts";
import type { RowOf } from "../tables.ts";
import type { Tx } from "../tx.ts";

export interface NoteRecord {
  readonly id: number;
  /** "" outside of conversations. */
  readonly conversation: string;
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type NoteSource = Omit<RowOf<"source">, "blob">;
const notesScope = (): readonly string[] => ["notes"];

export const noteOperations = defineOperations("note", {
  write: operation({
    doc: "Keeps a note; gives its number.",
    scopes: notesScope,
    run: (tx: Tx, one: Omit<NoteRecord, "id">): number =>
      tx.insert("note", { ...one, tags: JSON.stringify(one.tags) }),
  }),
  search: operation({
    doc: "Notes that have all of the words, the best first; without words the newest.",
    scopes: notesScope,
    reads: true,
    run: (
      tx: Tx,
      one: {
        readonly conversation: string;
        readonly words: readonly string[];
        readonly tag: string | null;
        readonly limit: number;
      },
    ): readonly NoteRecord[] => {
      const rows =
        one.words.length === 0
          ? [...tx.rows("note", { conversation: one.conversation }, maxRows)].sort((a, b) => b.id - a.id)
          : tx.matching("note", one.words, maxRows).flatMap((id) => tx.rows("note", { id }, 1));
      return rows
        .filter((row) => row.conversation === one.conversation)
        .map(noteOf)
        .filter(({ tags }) => one.tag === null || tags.includes(one.tag))
        .slice(0, one.limit);
    },
  }),
  remove: operation({
    doc: "Removes a note; false when there is none.",
    scopes: notesScope,
    run: (tx: Tx, one: { readonly conversation: string; readonly id: number }): boolean =>
      tx.remove("note", { id: one.id, conversation: one.conversation }) > 0,
  }),
});

const maxRows = 100_000;
const noteOf = (row: RowOf<"note">): NoteRecord => ({
  ...row,
  tags: JSON.parse(row.tags) as readonly string[],
});

export const sourceOperations = defineOperations("source", {
  add: operation({
    doc: "Keeps the text of a page that was fetched.",
    scopes: notesScope,
    run: (tx: Tx, one: { readonly source: NoteSource; readonly text: string }): NoteSource => {
      tx.write("source", { ...one.source, blob: tx.keepPiece(one.source.hash, one.text) });
      return one.source;
    },
  }),
  get: operation({
    doc: "A page that was fetched, with its text; nil when there is none.",
    scopes: notesScope,
    reads: true,
    run: (tx: Tx, one: { readonly id: string }): (NoteSource & { readonly text: string }) | undefined => {
      const [row] = tx.rows("source", { id: one.id }, 1);
      if (row === undefined) return undefined;
      const { blob, ...rest } = row;
      const text = blob === null ? undefined : tx.piece(blob);
      return { ...rest, text: text === undefined ? "" : (JSON.parse(text) as string) };
    },
  }),
  list: operation({
    doc: "Pages that were fetched for a conversation, the newest first.",
    scopes: notesScope,
    reads: true,
    run: (tx: Tx, one: { readonly conversation: string; readonly limit?: number }): readonly NoteSource[] =>
      tx
        .rows("source", { conversation: one.conversation }, maxRows)
        .map(({ blob: _blob, ...rest }) => rest)
        .sort((a, b) => b.fetched - a.fetched || (a.id < b.id ? 1 : -1))
        .slice(0, one.limit ?? 50),
  }),
});
