import type { Dict } from "../../values/index.ts";

/** A point of a task's matrix. */
export interface Variant {
  /** `default`, `model=a,style=short`, or the `name` that the author gave. Unique in its task. */
  readonly name: string;
  /** The name as addresses write it (`encodePart`). */
  readonly key: string;
  /** SHA-256 of the canonical JSON of `body`, 64 hex digits. */
  readonly digest: string;
  /** What a solver gets as `trial.variant`; empty for `default`. */
  readonly body: Dict;
}
