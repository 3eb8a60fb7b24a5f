/** Positions in source text. Offsets are UTF-16 indices into `SourceFile.text`; people see 1-based lines and code-point columns. */

/** A half-open range of offsets, `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What people see: both 1-based; the column counts code points. */
export interface Position {
  readonly line: number;
  readonly column: number;
}
