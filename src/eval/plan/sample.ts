import type { Dict } from "../../values/index.ts";

/** A row of a dataset, after mapping and choice. Two samples are the same when id and digest are. */
export interface Sample {
  /** As the author wrote it, or `#` and 8 hex digits made from the row. Unique in its task. */
  readonly id: string;
  /** The id as addresses write it (`encodePart`). */
  readonly key: string;
  /** SHA-256 of the canonical JSON of `body`, 64 hex digits. */
  readonly digest: string;
  /** Its place in the dataset after `shuffle`, `sample` and `take`, from 0. */
  readonly ord: number;
  /** Samples of one cluster are not independent of each other; null: it is its own. */
  readonly cluster: string | null;
  /** What solver and scorers get: the row with its id. It holds nothing that JSON does not have. */
  readonly body: Dict;
}
