/**
 * Facts about folders (builtins.md §2.20): of each namespace and folder its fields as JSON text. A run saves what it has
 * changed, so that runs that save at the same time keep each other's facts.
 */
import { allEntries, removeEntries } from "../entries.ts";
import { defineOperations, operation } from "../operation.ts";
import type { Tx } from "../tx.ts";

/** JSON texts by name of the field. */
type MetadataFields = { readonly [name: string]: string };
type Folders = { readonly [folder: string]: MetadataFields };

export interface FactChanges {
  readonly namespace: string;
  /** Fields that were set, by folder. */
  readonly set: Folders;
  /** Folders whose facts are forgotten, before anything is set. */
  readonly forgotten: readonly string[];
}

const metadataSpace = (namespace: string): string => `script.metadata/${namespace}`;
const namespaceScope = ({ namespace: name }: { readonly namespace: string }): readonly string[] => [
  `metadata:${name}`,
];

export const metadataFacts = defineOperations("metadata", {
  change: operation({
    doc: "Sets fields of folders, and forgets folders.",
    scopes: namespaceScope,
    run: (tx: Tx, { namespace: name, set, forgotten }: FactChanges): null => {
      const space = metadataSpace(name);
      for (const folder of forgotten) tx.put(space, folder, undefined);
      for (const [folder, fields] of Object.entries(set)) {
        const before = (tx.get(space, folder) ?? {}) as MetadataFields;
        tx.put(space, folder, { ...before, ...fields });
      }
      return null;
    },
  }),
  replace: operation({
    doc: "Makes these the facts of a namespace.",
    scopes: namespaceScope,
    run: (tx: Tx, one: { readonly namespace: string; readonly folders: Folders }): null => {
      const space = metadataSpace(one.namespace);
      removeEntries(tx, space);
      for (const [folder, fields] of Object.entries(one.folders)) tx.put(space, folder, fields);
      return null;
    },
  }),
  all: operation({
    doc: "The facts of a namespace: fields by folder.",
    scopes: namespaceScope,
    reads: true,
    run: (tx: Tx, one: { readonly namespace: string }): Folders =>
      Object.fromEntries(
        [...allEntries(tx, metadataSpace(one.namespace))].map(({ key, value }) => [
          key,
          value as MetadataFields,
        ]),
      ),
  }),
});
