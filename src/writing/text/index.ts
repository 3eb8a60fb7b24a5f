/** Texts of papers: pure, without Node, shared with the browser. The only door. */
export { type BibtexProblem, bibtexOf, type ImportedReference, referencesOfBibtex } from "./bibtex/index.ts";
export { checkPaper } from "./check.ts";
export { citationPieces, crossReferenceText } from "./citation-text.ts";
export { soundItem } from "./csl-item.ts";
export { documentOf, type PaperDocument } from "./document.ts";
export { exportPaper, type TextFormat, textFormats } from "./export.ts";
export { imagePaths, isWorkspacePath } from "./images.ts";
export { headingLabel, labelPattern } from "./labels.ts";
export { isWebLink } from "./latex/index.ts";
export {
  type Block,
  type Inline,
  isKey,
  type MarkdownTree,
  normaliseSource,
  parseMarkdown,
  plainText,
} from "./markdown/index.ts";
export { displayBody, isSafeMath } from "./math.ts";
export * from "./paper.ts";
export { referenceKey } from "./reference-keys.ts";
export { referenceLine } from "./references-text.ts";
