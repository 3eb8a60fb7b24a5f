/** The library of references, sources and notes of a project. */
import {
  type ClientOf,
  clientOf,
  type LibraryEntry,
  libraryOperations,
  type NoteRecord,
  type NoteSource,
  noteOperations,
  sourceOperations,
} from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import { StoreError } from "../../store/index.ts";
import { type CslItem, referenceKey, soundItem } from "../text/index.ts";
import { checkKey } from "./reference-key.ts";
import type { WritingStore } from "./writing-store.ts";

export interface NewLibraryEntry {
  readonly key?: string | undefined;
  readonly item: CslItem;
  readonly verified: boolean;
  readonly origin: { readonly [name: string]: Json } | null;
  readonly source?: string | null;
}

/** Words of a question, as the index takes them apart. */
const searchWords = (text: string): readonly string[] =>
  [...text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => word).slice(0, 32);

export class Library {
  readonly stored: ClientOf<typeof libraryOperations>;
  private readonly desk: WritingStore;

  constructor(desk: WritingStore) {
    this.desk = desk;
    this.stored = new (clientOf(libraryOperations))(desk.operations);
  }

  /**
   * The same work (DOI, arXiv number or address) is kept once; verified fields are not replaced by others. Where the wanted key is
   * another work's, one is made, as for the references of a paper: only what is verified takes the place of what is not.
   */
  add(made: NewLibraryEntry, key?: string): LibraryEntry {
    return this.desk.once(key, () => {
      if (made.key !== undefined) checkKey(made.key);
      const known = this.sameWork(made.item);
      if (known !== undefined && (known.verified || !made.verified)) return known as unknown as Json;
      const holder = made.key === undefined ? undefined : this.stored.get({ key: made.key });
      const isFree = holder === undefined || (made.verified && !holder.verified);
      if (!isFree && JSON.stringify(holder.item) === JSON.stringify(made.item))
        return holder as unknown as Json;
      const own =
        (isFree ? made.key : undefined) ??
        known?.key ??
        referenceKey(made.item, (one) => this.stored.get({ key: one }) !== undefined);
      const entry: LibraryEntry = {
        key: own,
        item: made.item as LibraryEntry["item"],
        verified: made.verified,
        origin: made.origin,
        source: made.source ?? null,
        added: known?.added ?? this.desk.machine.now(),
      };
      this.stored.put({ entry, fresh: false });
      return entry as unknown as Json;
    }) as unknown as LibraryEntry;
  }

  /**
   * Adds an entry under this key or changes it, from somebody's words. Throws a `StoreError` of fault `exists` where it is
   * verified: what a register or a page said is not replaced by words.
   */
  write(key: string, item: CslItem): LibraryEntry {
    checkKey(key);
    const known = this.stored.get({ key });
    if (known?.verified === true)
      throw new StoreError("exists", `the reference \`${key}\` is verified; it can be removed, not changed`);
    const entry: LibraryEntry = {
      key,
      item: item as LibraryEntry["item"],
      verified: false,
      origin: null,
      source: null,
      added: known?.added ?? this.desk.machine.now(),
    };
    this.stored.put({ entry, fresh: false });
    return entry;
  }

  /** Entries that have all words, the best first; without words the newest. */
  search(query: string, limit = 20): readonly LibraryEntry[] {
    return this.stored.search({ words: searchWords(query), limit });
  }

  remove(key: string, once?: string): boolean {
    return this.desk.once(once, () => this.stored.remove({ key }));
  }

  private sameWork(input: CslItem): LibraryEntry | undefined {
    const item = soundItem(input);
    for (const name of ["DOI", "archive_location", "URL"] as const) {
      const value = item[name];
      if (value === undefined || value === "") continue;
      const words = searchWords(value);
      const found = this.stored
        .search({ words, limit: 200 })
        .find((one) => String(one.item[name] ?? "").toLowerCase() === value.toLowerCase());
      if (found !== undefined) return found;
      // A work with a number of its own is not the same as another at its address.
      if (name !== "URL") return undefined;
    }
    return undefined;
  }
}

export class Notes {
  readonly stored: ClientOf<typeof noteOperations>;
  private readonly desk: WritingStore;

  constructor(desk: WritingStore) {
    this.desk = desk;
    this.stored = new (clientOf(noteOperations))(desk.operations);
  }

  write(
    conversation: string,
    note: { readonly title: string; readonly text: string; readonly tags: readonly string[] },
    key?: string,
  ): number {
    return this.desk.once(key, () =>
      this.stored.write({
        conversation,
        ...note,
        at: this.desk.machine.now(),
      }),
    );
  }

  search(
    conversation: string,
    query: string,
    { tag = null, limit = 20 }: { readonly tag?: string | null; readonly limit?: number } = {},
  ): readonly NoteRecord[] {
    const args = { conversation, words: searchWords(query), tag, limit };
    return this.stored.search(args);
  }

  remove(conversation: string, id: number, key?: string): boolean {
    return this.desk.once(key, () => this.stored.remove({ conversation, id }));
  }
}

export class Sources {
  readonly stored: ClientOf<typeof sourceOperations>;
  private readonly desk: WritingStore;

  constructor(desk: WritingStore) {
    this.desk = desk;
    this.stored = new (clientOf(sourceOperations))(desk.operations);
  }

  /** Keeps the text of a page that was fetched; `hash` of the record is that of the text. */
  add(
    conversation: string,
    page: { readonly url: string; readonly title: string; readonly text: string },
    key?: string,
  ): NoteSource {
    return this.desk.once(key, () => {
      const text = JSON.stringify(page.text.toWellFormed());
      const source: NoteSource = {
        id: `src_${this.desk.machine.uuid()}`,
        conversation,
        url: page.url,
        title: page.title,
        fetched: this.desk.machine.now(),
        hash: this.desk.machine.sha256(text),
        chars: page.text.length,
      };
      this.stored.add({ source, text });
      return source as unknown as Json;
    }) as unknown as NoteSource;
  }
}
