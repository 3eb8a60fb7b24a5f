/** The project's library of references, shared by all papers, and its search. */
import type { Json } from "../../effects/index.ts";
import { defineOperations, operation } from "../operation.ts";
import type { RowOf } from "../tables.ts";
import type { Tx } from "../tx.ts";

export interface LibraryEntry {
  readonly key: string;
  /** CSL-JSON. */
  readonly item: { readonly [name: string]: Json };
  readonly verified: boolean;
  /** `{adapter, url, at, hash}`; null: from somebody's words. */
  readonly origin: { readonly [name: string]: Json } | null;
  /** Id of the stored page that it was taken from. */
  readonly source: string | null;
  /** Milliseconds since the epoch. */
  readonly added: number;
}
const libraryScope = (): readonly string[] => ["library"];

export const libraryOperations = defineOperations("library", {
  put: operation({
    doc: "Adds a reference, or replaces the one with its key; false when the key is taken and `fresh`.",
    scopes: libraryScope,
    run: (tx: Tx, one: { readonly entry: LibraryEntry; readonly fresh: boolean }): boolean => {
      const { entry } = one;
      const [known] = tx.rows("library", { key: entry.key }, 1);
      if (known !== undefined && one.fresh) return false;
      const row = {
        key: entry.key,
        item: JSON.stringify(entry.item),
        verified: entry.verified ? 1 : 0,
        origin: entry.origin === null ? null : JSON.stringify(entry.origin),
        source: entry.source,
        added: entry.added,
      };
      if (known === undefined) tx.insert("library", row);
      else tx.write("library", { ...row, id: known.id, added: known.added });
      return true;
    },
  }),
  get: operation({
    doc: "A reference by its key; nil when there is none.",
    scopes: libraryScope,
    reads: true,
    run: (tx: Tx, one: { readonly key: string }): LibraryEntry | undefined => {
      const [row] = tx.rows("library", { key: one.key }, 1);
      return row === undefined ? undefined : entryOf(row);
    },
  }),
  search: operation({
    doc: "References that have all of the words, the best first; without words the newest.",
    scopes: libraryScope,
    reads: true,
    run: (
      tx: Tx,
      one: { readonly words: readonly string[]; readonly limit: number },
    ): readonly LibraryEntry[] => {
      if (one.words.length === 0)
        return tx.latest("library", {}, { before: null, limit: one.limit }).map(entryOf);
      return tx
        .matching("library", one.words, one.limit)
        .flatMap((id) => tx.rows("library", { id }, 1))
        .map(entryOf)
        .filter((entry) => hasWords(entry, one.words));
    },
  }),
  remove: operation({
    doc: "Removes a reference; false when there is none.",
    scopes: libraryScope,
    run: (tx: Tx, one: { readonly key: string }): boolean => tx.remove("library", { key: one.key }) > 0,
  }),
});

const entryOf = (row: RowOf<"library">): LibraryEntry => ({
  key: row.key,
  item: JSON.parse(row.item) as LibraryEntry["item"],
  verified: row.verified !== 0,
  origin: row.origin === null ? null : (JSON.parse(row.origin) as LibraryEntry["origin"]),
  source: row.source,
  added: row.added,
});

/** The index has the names of fields, too: a word must stand in a key or value. */
function hasWords({ key: of, item }: LibraryEntry, words: readonly string[]): boolean {
  const text = withoutAccents([of, ...indexedValues(item)].join(" "));
  return words.every((word) => text.includes(withoutAccents(word)));
}

const withoutAccents = (text: string): string =>
  text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

const indexedValues = (value: Json): readonly string[] => {
  if (value === null || typeof value !== "object") return [String(value)];
  return Object.values(value).flatMap(indexedValues);
};
