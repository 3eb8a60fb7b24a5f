/** What may be the key of a reference, in a paper as in the library: texts cite it. */
import { StoreError } from "../../store/index.ts";
import { isKey } from "../text/index.ts";

/** Throws a `StoreError` of fault `invalid`. */
export function checkKey(key: string): void {
  if (isKey(key)) return;
  throw new StoreError("invalid", `\`${key}\` can't be the key of a reference`, [
    "a key has letters, digits and _ : . + / - between them",
  ]);
}
