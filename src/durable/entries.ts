/** Whole spaces of entries, a page at a time: what operations share. */
import type { StoreEntry } from "../store/index.ts";
import type { Tx } from "./tx.ts";

const pageSize = 500;

/** The entries of a space, sorted by key. Writing to the space meanwhile is seen where it lies ahead. */
export function* allEntries(tx: Tx, space: string): Generator<StoreEntry> {
  for (let after: string | null = null; ; ) {
    const page: readonly StoreEntry[] = tx.page(space, after, pageSize);
    yield* page;
    if (page.length < pageSize) return;
    after = page[page.length - 1]?.key ?? null;
  }
}

export function removeEntries(tx: Tx, space: string): void {
  for (const { key } of [...allEntries(tx, space)]) tx.put(space, key, undefined);
}
