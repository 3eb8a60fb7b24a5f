/** Where a piece of text stands while it becomes LaTeX. */
import type { PaperDocument } from "../document.ts";
import type { Figures } from "../images.ts";
import type { Block } from "../markdown/index.ts";

export interface LatexContext {
  readonly document: PaperDocument;
  readonly figures: Figures;
  /** Footnotes of this text. */
  readonly notes: ReadonlyMap<string, readonly Block[]>;
  /** Labels of those that are mentioned more than once; what LaTeX calls them once they have been set. */
  readonly repeated: ReadonlySet<string>;
  readonly set: Map<string, string>;
  /** A name that no note has. */
  readonly noteName: () => string;
  /** Those that this piece stands in. */
  readonly openNotes: ReadonlySet<string>;
  /** Depth of the section that it stands in, 0 for the abstract. */
  readonly depth: number;
  /** Within `\footnote{…}`: no verbatim, no floats, no tables. */
  readonly isInNote: boolean;
  /** In a cell, heading or caption: one line. */
  readonly isNarrow: boolean;
  /** In a heading or caption, which LaTeX writes to files: no notes, no images. */
  readonly isMoving: boolean;
  /** Open environments: LaTeX takes six, and four of a kind. */
  readonly itemize: number;
  readonly enumerate: number;
  readonly quotes: number;
  readonly blocks: (blocks: readonly Block[], context: LatexContext) => string;
}
