/** The flags of `harn paper` and `harn export`, as commander names them. */

export interface PaperFlags {
  readonly json?: boolean;
  readonly strict?: boolean;
}

export interface ExportFlags {
  readonly to: string;
  readonly output?: string;
  readonly strict?: boolean;
}
