/** The values of `store_set` (builtins.md §2.17): kept as JSON text, so that a float stays a float. Secrets stand by name in them. */
import { allEntries, removeEntries } from "../entries.ts";
import { defineOperations, operation } from "../operation.ts";
import type { Tx } from "../tx.ts";

const space = "script.store";
const storeScope = (): readonly string[] => [space];

export const scriptStore = defineOperations("script_store", {
  set: operation({
    doc: "Keeps a value under a key.",
    scopes: storeScope,
    run: (tx: Tx, one: { readonly key: string; readonly text: string }): null => {
      tx.put(space, one.key, one.text);
      return null;
    },
  }),
  remove: operation({
    doc: "Forgets a key.",
    scopes: storeScope,
    run: (tx: Tx, one: { readonly key: string }): null => {
      tx.put(space, one.key, undefined);
      return null;
    },
  }),
  replace: operation({
    doc: "Forgets everything, and keeps these values.",
    scopes: storeScope,
    run: (tx: Tx, { values }: { readonly values: { readonly [key: string]: string } }): null => {
      removeEntries(tx, space);
      for (const [name, text] of Object.entries(values)) tx.put(space, name, text);
      return null;
    },
  }),
  all: operation({
    doc: "All keys with their values as JSON text, sorted by key.",
    scopes: storeScope,
    reads: true,
    run: (tx: Tx): (readonly [key: string, text: string])[] =>
      [...allEntries(tx, space)].map((entry) => [entry.key, String(entry.value)] as const),
  }),
});
