/** The flags of `harn paper` and `harn export`, as commander names them. */
import type { PdfEngine } from "../../server/pdf/index.ts";

export interface PaperFlags {
  readonly json?: boolean;
  readonly strict?: boolean;
}

export interface ExportFlags {
  readonly to: string;
  readonly output?: string;
  readonly strict?: boolean;
  readonly engine?: PdfEngine;
}
