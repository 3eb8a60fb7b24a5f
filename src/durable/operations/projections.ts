/** What files that show the store were last written with: the digest of their text by path. */
import { defineOperations, operation } from "../operation.ts";
import type { Tx } from "../tx.ts";

const space = "file.digest";

interface ProjectionDigest {
  readonly path: string;
  /** Null: there is no file. */
  readonly digest: string | null;
}

const noFile = "none";

export const projections = defineOperations("projections", {
  wrote: operation({
    doc: "Notes what a file was written with.",
    scopes: (shown: ProjectionDigest) => [`file:${shown.path}`],
    run: (tx: Tx, shown: ProjectionDigest): null => {
      tx.put(space, shown.path, shown.digest ?? noFile);
      return null;
    },
  }),
  digest: operation({
    doc: "What a file was last written with: `{digest}`; nil when the store never wrote it.",
    scopes: (shown: { readonly path: string }) => [`file:${shown.path}`],
    reads: true,
    run: (tx: Tx, shown: { readonly path: string }): { readonly digest: string | null } | null => {
      const known = tx.get(space, shown.path);
      if (known === undefined) return null;
      return { digest: known === noFile ? null : String(known) };
    },
  }),
});
