/**
 * The checkpoints that `checkpoints/PROGRAM.json` shows: those of the run of the program that changed its own last. A run has
 * its checkpoints in its journal; nothing reads them from here but people.
 */
import { defineOperations, operation } from "../operation.ts";
import type { Tx } from "../tx.ts";

const space = "script.checkpoints";

/** JSON texts by key. */
export type Texts = { readonly [key: string]: string };

interface CheckpointRecord {
  readonly program: string;
  readonly values: Texts;
}

export const checkpointRecords = defineOperations("checkpoints", {
  keep: operation({
    doc: "Keeps the checkpoints of a run of a program.",
    scopes: (kept: CheckpointRecord) => [`checkpoints:${kept.program}`],
    run: (tx: Tx, kept: CheckpointRecord): null => {
      tx.put(space, kept.program, kept.values);
      return null;
    },
  }),
  get: operation({
    doc: "The checkpoints that were kept last: JSON texts by key.",
    scopes: (of: { readonly program: string }) => [`checkpoints:${of.program}`],
    reads: true,
    run: (tx: Tx, of: { readonly program: string }): Texts => (tx.get(space, of.program) ?? {}) as Texts,
  }),
});
