/**
 * Records: JSON by space and key, written several at a time. What only its owner decides needs no operation of its own: it is
 * written here under the owner's lease, or together with the acknowledgement of a message.
 */
import type { Json } from "../../effects/index.ts";
import { allEntries } from "../entries.ts";
import { defineOperations, operation } from "../operation.ts";
import type { Tx } from "../tx.ts";

export interface RecordWrite {
  readonly space: string;
  readonly key: string;
  /** Null removes it. */
  readonly value: Json;
}

export const records = defineOperations("records", {
  write: operation({
    doc: "Writes or removes records.",
    scopes: ({ writes }: { readonly writes: readonly RecordWrite[] }) =>
      writes.map((one) => `record:${one.space}/${one.key}`),
    run: (tx: Tx, { writes }: { readonly writes: readonly RecordWrite[] }): null => {
      for (const one of writes) tx.put(one.space, one.key, one.value ?? undefined);
      return null;
    },
  }),
  get: operation({
    doc: "A record; nil when there is none.",
    scopes: (one: { readonly space: string; readonly key: string }) => [`record:${one.space}/${one.key}`],
    reads: true,
    run: (tx: Tx, one: { readonly space: string; readonly key: string }): Json =>
      tx.get(one.space, one.key) ?? null,
  }),
  list: operation({
    doc: "All records of a space, sorted by key: `{key, value, changed}`.",
    scopes: (one: { readonly space: string }) => [`records:${one.space}`],
    reads: true,
    run: (tx: Tx, one: { readonly space: string }) => [...allEntries(tx, one.space)],
  }),
});
